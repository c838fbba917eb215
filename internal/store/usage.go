package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Use says that a lesson shaped a finding.
type Use struct {
	Version     string // "m-7f3k2q8a@1"
	Finding     string // fingerprint of the finding
	Day         string // "2026-11-30"
	PullRequest int    // 0: none
	Head        string
}

// RecordUses notes which lessons shaped which findings. The same use on the
// same day, noted again, is one row; a lesson that is gone is passed over.
func (s *Store) RecordUses(ctx context.Context, uses []Use) error {
	for _, u := range uses {
		if err := checkDay(u.Day); err != nil {
			return fmt.Errorf("record uses: %w", err)
		}
		if u.Finding == "" || clip(u.Finding, 100) != u.Finding || u.PullRequest < 0 || clip(u.Head, 64) != u.Head {
			return fmt.Errorf("record uses: a use needs a finding of at most 100 characters and a head of at most 64")
		}
	}
	return s.record(ctx, func(r *recording) error {
		for _, u := range uses {
			document, version, ok := memory.ParseID(u.Version)
			if !ok || version == 0 {
				return misuse(fmt.Sprintf("record uses: %q names no version", clip(u.Version, 40)))
			}
			id := memory.NewCause("use", fmt.Sprint(s.id.RepositoryID), u.Version, u.Finding, u.Day, fmt.Sprint(u.PullRequest), u.Head)
			err := r.exec(`INSERT OR IGNORE INTO uses SELECT ?, ?, ?, ?, ?, ?, ?, ?
 WHERE EXISTS (SELECT 1 FROM versions WHERE repository_id = ? AND document_id = ? AND number = ?)`,
				s.id.RepositoryID, digest(id), document, version, u.Finding, u.Day, u.PullRequest, u.Head, s.id.RepositoryID, document, version)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Uses returns where a document shaped a finding, the latest first.
func (s *Store) Uses(ctx context.Context, document string) ([]Use, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Use
	err := s.each(ctx, func(rows *sql.Rows) error {
		var u Use
		var number int
		err := rows.Scan(&number, &u.Finding, &u.Day, &u.PullRequest, &u.Head)
		u.Version = memory.VersionID(document, number)
		out = append(out, u)
		return err
	}, "SELECT version, finding, day, pull_request, head FROM uses WHERE repository_id = ? AND document_id = ? ORDER BY day DESC, id", document)
	return out, err
}

// UseCounts returns how often each document shaped a finding, by its id.
func (s *Store) UseCounts(ctx context.Context) (map[string]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var id string
		var n int
		err := rows.Scan(&id, &n)
		out[id] = n
		return err
	}, "SELECT document_id, count(*) FROM uses WHERE repository_id = ? GROUP BY document_id")
	return out, err
}

// MarkUsed notes the day on which lessons were handed to a review. Ids that
// are gone are passed over; a day never moves back.
func (s *Store) MarkUsed(ctx context.Context, ids []string, day string) error {
	if err := checkDay(day); err != nil {
		return fmt.Errorf("mark used: %w", err)
	}
	return s.record(ctx, func(r *recording) error {
		for _, id := range ids {
			document, _, ok := memory.ParseID(id)
			if !ok {
				continue
			}
			err := r.exec("UPDATE documents SET last_used = ? WHERE repository_id = ? AND document_id = ? AND last_used < ?",
				day, s.id.RepositoryID, document, day)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// RecordSpending notes the tokens of one run; cause is the digest that names
// the run, so that it counts once.
func (s *Store) RecordSpending(ctx context.Context, cause, day string, tokens int64) error {
	if err := checkDigest("spending", cause); err != nil {
		return err
	}
	if err := checkDay(day); err != nil {
		return fmt.Errorf("record spending: %w", err)
	}
	if tokens < 0 || tokens > 1e12 {
		return fmt.Errorf("record spending: %d is no number of tokens", tokens)
	}
	return s.record(ctx, func(r *recording) error {
		return r.exec("INSERT OR IGNORE INTO spending VALUES (?, ?, ?, ?)", s.id.RepositoryID, digest(cause), day, tokens)
	})
}

// Spent returns how many tokens the runs of a day have used.
func (s *Store) Spent(ctx context.Context, day string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tokens int64
	err := s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&tokens) },
		"SELECT coalesce(sum(tokens), 0) FROM spending WHERE repository_id = ? AND day = ?", day)
	return tokens, err
}

// Disposition is a maintainer's word on a finding.
type Disposition struct {
	Finding     string    // fingerprint
	Kind        memory.Op // accept, dismiss or correct
	Document    string    // the lesson that it taught, "" if none
	PullRequest int
	By          memory.Principal
	At          time.Time
}

// Dispositions returns what maintainers said of a finding, the latest first;
// an empty fingerprint asks for all.
func (s *Store) Dispositions(ctx context.Context, finding string) ([]Disposition, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Disposition
	err := s.each(ctx, func(rows *sql.Rows) error {
		var d Disposition
		var at int64
		err := rows.Scan(&d.Finding, &d.Kind, &d.Document, &d.PullRequest, &d.By.ID, &d.By.Login, &at)
		d.At = fromMillis(at)
		out = append(out, d)
		return err
	}, `SELECT finding, kind, document_id, pull_request, by_id, by_login, at FROM dispositions
 WHERE repository_id = ? AND (finding = ? OR ? = '') ORDER BY at DESC, id`, finding, finding)
	return out, err
}
