package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

func (s *Store) query(ctx context.Context) queryFunc {
	return func(query string, args ...any) (*sql.Rows, error) { return s.c.conn.QueryContext(ctx, query, args...) }
}

// Get returns the versions that an id names, the first one first: all of a
// document, or those of one number. The id may be the beginning of one that
// only one document has. An id that is unknown or ambiguous is refused with
// the candidates (page 4.1).
func (s *Store) Get(ctx context.Context, id string) ([]memory.Version, *memory.Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	document, number, refused, err := s.resolve(s.query(ctx), id)
	if refused != nil || err != nil {
		return nil, refused.For("show", shownID(id)), err
	}
	rows, err := s.queryVersions(s.query(ctx), "SELECT "+versionColumns+fromVersions+
		" AND v.document_id = ? AND (v.number = ? OR ? = 0) ORDER BY v.number, v.uid", s.id.RepositoryID, document, number, number)
	if err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, &memory.Refusal{Op: "show", Target: shownID(id), Reason: memory.ReasonUnknownID,
			Detail: fmt.Sprintf("%s has no version %d; show %s lists those there are.", document, number, document)}, nil
	}
	out, err := s.marked(ctx, versionsOf(rows))
	return out, nil, err
}

// marked notes of each version which denial covers its key.
func (s *Store) marked(ctx context.Context, list []memory.Version) ([]memory.Version, error) {
	denied, err := s.denied(ctx, s.c.conn)
	if err != nil || len(denied) == 0 {
		return list, err
	}
	for i, v := range list {
		list[i].Denied, _ = memory.CoveredBy(denied, string(v.Key))
	}
	return list, nil
}

// Filter chooses what List returns. Its zero value means every version that
// still has its text.
type Filter struct {
	States      []memory.State // none: all but tombstoned
	Query       string         // words that key, text or synonyms must have, all of them
	Path        string         // a path that the globs of a lesson must match; lessons without globs do not
	PullRequest int            // 0: any
	Limit       int            // 0: 1000
}

const defaultLimit = 1000

// listedAt is the date that a list is in the order of.
const listedAt = "coalesce(v.confirmed_at, v.created_at)"

// List returns versions, the latest first.
func (s *Store) List(ctx context.Context, f Filter) ([]memory.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := s.list(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.marked(ctx, out)
}

func (s *Store) list(ctx context.Context, f Filter) ([]memory.Version, error) {
	where, args := " AND v.state <> 'tombstoned'", []any{s.id.RepositoryID}
	if len(f.States) > 0 {
		where = " AND v.state IN (" + strings.TrimSuffix(strings.Repeat("?,", len(f.States)), ",") + ")"
		for _, state := range f.States {
			args = append(args, string(state))
		}
	}
	if f.PullRequest != 0 {
		where += " AND v.pull_request = ?"
		args = append(args, f.PullRequest)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	query := "SELECT " + versionColumns + fromVersions + where
	latest := f.Query == "" && f.Path == "" && limit <= defaultLimit
	if latest {
		query += " AND " + listedAt + " >= coalesce((SELECT " + listedAt + " FROM versions v WHERE v.repository_id = ?" + where +
			" ORDER BY 1 DESC LIMIT 1 OFFSET ?), 0)"
		args = append(slices.Concat(args, args), limit-1)
	}
	query += " ORDER BY " + listedAt + " DESC, d.key, v.document_id, v.number DESC, v.uid"
	if latest {
		// SQLite keeps no more rows than that while it sorts. Of a large store it
		// would hold the texts of all lessons otherwise, and look all of them up,
		// in every review.
		query += " LIMIT ?"
		args = append(args, limit)
	}
	rows, err := s.c.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []memory.Version
	for len(out) < limit && rows.Next() {
		r, err := s.scanVersion(rows)
		if err != nil {
			return nil, s.failed(err)
		}
		if hasWords(r.Version, f.Query) && liesIn(r.Version, f.Path) {
			out = append(out, r.Version)
		}
	}
	return out, s.failed(rows.Err())
}

// hasWords says whether every word of the query is in the lesson, without
// regard to case.
func hasWords(v memory.Version, query string) bool {
	hay := strings.ToLower(string(v.Key) + "\n" + v.Text + "\n" + strings.Join(v.About, "\n"))
	split := strings.Join(text.Words(hay), " ")
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(hay, word) && !strings.Contains(split, word) {
			return false
		}
	}
	return true
}

func liesIn(v memory.Version, path string) bool {
	if path == "" {
		return true
	}
	globs := reach(v.Paths, v.Check)
	return len(globs) > 0 && memory.MatchGlobs(globs, path)
}

// PendingFor returns what waits for a person on a pull request, the first
// proposed first.
func (s *Store) PendingFor(ctx context.Context, pull int) ([]memory.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.queryVersions(s.query(ctx), "SELECT "+versionColumns+fromVersions+
		" AND v.state IN ('draft', 'review_required') AND v.pull_request = ? ORDER BY v.created_at, d.key, v.document_id, v.uid", s.id.RepositoryID, pull)
	return versionsOf(rows), err
}

// Counts says how much there is.
type Counts struct {
	Active         int
	Pending        int
	PendingByPull  map[int]int // pull request number to proposals that wait; 0: none
	ActiveByAuto   int         // active without a person's word (page 3.7)
	Tombstoned     int
	Documents      int
	StoredVersions int
}

// Counts returns how much there is.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts(ctx)
}

// counts asks three questions that indexes alone answer: it is asked in every
// run, and of all versions.
func (s *Store) counts(ctx context.Context) (Counts, error) {
	c := Counts{PendingByPull: map[int]int{}}
	err := s.counted(ctx, "SELECT state, 0, count(*) FROM versions WHERE repository_id = ? GROUP BY state", func(state memory.State, _, n int) {
		c.StoredVersions += n
		switch {
		case state == memory.Active:
			c.Active = n
		case state.Pending():
			c.Pending += n
		case state == memory.Tombstoned:
			c.Tombstoned = n
		}
	})
	if err == nil {
		err = s.counted(ctx, `SELECT state, pull_request, count(*) FROM versions
 WHERE repository_id = ? AND state IN ('draft', 'review_required') GROUP BY state, pull_request`, func(_ memory.State, pull, n int) { c.PendingByPull[pull] += n })
	}
	if err == nil {
		err = s.c.conn.QueryRowContext(ctx, "SELECT count(*) FROM versions WHERE repository_id = ? AND state = 'active' AND approved = 'auto'", s.id.RepositoryID).Scan(&c.ActiveByAuto)
	}
	if err == nil {
		err = s.c.conn.QueryRowContext(ctx, "SELECT count(*) FROM documents WHERE repository_id = ?", s.id.RepositoryID).Scan(&c.Documents)
	}
	return c, s.failed(err)
}

// counted runs a statement that answers with states, numbers and how many.
func (s *Store) counted(ctx context.Context, query string, add func(state memory.State, number, n int)) error {
	rows, err := s.c.conn.QueryContext(ctx, query, s.id.RepositoryID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var state memory.State
		var number, n int
		if err := rows.Scan(&state, &number, &n); err != nil {
			return err
		}
		add(state, number, n)
	}
	return rows.Err()
}

// Denied returns the revoked keys and prefixes, in order (page 4.2). A denial
// stands unless it was lifted itself.
func (s *Store) Denied(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.denied(ctx, s.c.conn)
}

func (s *Store) denied(ctx context.Context, q querier) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT scope, prefix FROM revocations r WHERE repository_id = ?
 AND NOT EXISTS (SELECT 1 FROM lifts l WHERE l.repository_id = r.repository_id AND l.revocation_id = r.id) ORDER BY scope, prefix`, s.id.RepositoryID)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var scope, prefix string
		if err := rows.Scan(&scope, &prefix); err != nil {
			return nil, s.failed(err)
		}
		out = append(out, strings.TrimSuffix(s.keyRoot(contract.MemoryScope(scope))+"/"+prefix, "/"))
	}
	return out, s.failed(rows.Err())
}

// Suppressed says whether a text was forgotten, in whatever case, spacing or
// punctuation (page 4.2, attack A104).
func (s *Store) Suppressed(ctx context.Context, text string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.suppressed(ctx, s.c.conn, text)
	return found, s.failed(err)
}

func (s *Store) suppressed(ctx context.Context, q querier, text string) (bool, error) {
	for _, k := range s.secrets {
		mac, err := hex.DecodeString(memory.Fingerprint(k.key, text))
		if err != nil || len(mac) == 0 {
			continue
		}
		var one int
		err = q.QueryRowContext(ctx, "SELECT 1 FROM fingerprints WHERE repository_id = ? AND secret_id = ? AND mac = ?", s.id.RepositoryID, k.id, mac).Scan(&one)
		if !errors.Is(err, sql.ErrNoRows) {
			return err == nil, err
		}
	}
	return false, nil
}

// AuditRow is one applied or refused transition. It never holds a text or a
// key.
type AuditRow struct {
	At     time.Time
	Op     string
	Reason memory.Reason // "" if applied
	Target string        // version or document id, "" if there was none
	Actor  memory.Principal
	Detail string
}

// Audit returns the latest rows, newest first; limit 0 means 1000.
func (s *Store) Audit(ctx context.Context, limit int) ([]AuditRow, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit <= 0 {
		limit = defaultLimit
	}
	rows, err := s.c.conn.QueryContext(ctx, `SELECT at, op, reason, target, actor_id, actor_login, detail FROM audit
 WHERE repository_id = ? ORDER BY at DESC, id DESC LIMIT ?`, s.id.RepositoryID, limit)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []AuditRow
	for rows.Next() {
		var r AuditRow
		var at int64
		if err := rows.Scan(&at, &r.Op, &r.Reason, &r.Target, &r.Actor.ID, &r.Actor.Login, &r.Detail); err != nil {
			return nil, s.failed(err)
		}
		r.At = fromMillis(at)
		out = append(out, r)
	}
	return out, s.failed(rows.Err())
}
