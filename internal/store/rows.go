package store

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// versionColumns are read by scanVersion, in its order.
const versionColumns = `v.id, v.uid, v.document_id, v.number, v.text, v.paths, v.about, v.rule, v.citations, v.source,
 v.creator_id, v.creator_login, v.created_at, v.origin_repository_id, v.pull_request, v.base, v.merge_base, v.head, v.finding,
 v.state, v.confirmed_by_id, v.confirmed_by_login, v.confirmed_at, v.confirmed_kind, v.confirmed_event, v.confirmed_url, v.approved,
 d.scope, d.key, d.class, d.valid_until, d.renewed_at, d.announced_at, d.last_used, v.state_at, v.state_op`

const (
	joinedDocuments = ` FROM versions v JOIN documents d ON d.repository_id = v.repository_id AND d.document_id = v.document_id`
	fromVersions    = joinedDocuments + ` WHERE v.repository_id = ?`
)

// row is a version with its place in this file.
type row struct {
	id  int64  // rowid, this file's alone
	uid string // the same in every replica

	stateAt int64 // since when it is in its state
	stateOp memory.Op
	memory.Version
}

// scanVersion reads one row. What is no member of a closed set, or no JSON of
// ours, is corruption.
func (s *Store) scanVersion(rows scanner) (row, error) {
	var r row
	var paths, about, citations, scope, key string
	var rule sql.NullString
	var created int64
	var confirmed, until, renewed, announced sql.NullInt64
	err := rows.Scan(&r.id, (*digest)(&r.uid), &r.DocumentID, &r.Number, &r.Text, &paths, &about, &rule, &citations, &r.Source,
		&r.Creator.ID, &r.Creator.Login, &created, &r.Provenance.RepositoryID, &r.Provenance.PullRequest,
		&r.Provenance.Base, &r.Provenance.MergeBase, &r.Provenance.Head, &r.Provenance.Finding,
		&r.State, &r.ConfirmedBy.ID, &r.ConfirmedBy.Login, &confirmed, &r.ConfirmedThrough.Kind, &r.ConfirmedThrough.ID, &r.ConfirmedThrough.URL,
		&r.Approved, &scope, &key, &r.Class, &until, &renewed, &announced, &r.LastUsed, &r.stateAt, &r.stateOp)
	if err != nil {
		return row{}, err
	}
	r.CreatedAt, r.Scope, r.Key = fromMillis(created), contract.MemoryScope(scope), s.fullKey(contract.MemoryScope(scope), key)
	r.ConfirmedAt, r.ValidUntil = orZero(confirmed), orZero(until)
	r.RenewedAt, r.AnnouncedAt = orZero(renewed), orZero(announced)
	var problem error
	if r.Paths, problem = decodeList(paths); problem == nil {
		r.About, problem = decodeList(about)
	}
	if problem == nil {
		r.Citations, problem = decodeCitations(citations)
	}
	if problem == nil && rule.Valid {
		r.Check, problem = decodeRule(rule.String)
	}
	if problem != nil {
		return row{}, fail(Corrupted, s.path, problem, "a list of %s cannot be read (%v)", r.ID(), problem)
	}
	if _, err := memory.ParseSource(string(r.Source)); err != nil {
		return row{}, fail(Corrupted, s.path, err, "the source of %s is unknown", r.ID())
	}
	return r, nil
}

// queryVersions runs a SELECT of versionColumns.
func (s *Store) queryVersions(q queryFunc, query string, args ...any) ([]row, error) {
	rows, err := q(query, args...)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []row
	for rows.Next() {
		r, err := s.scanVersion(rows)
		if err != nil {
			return nil, s.failed(err)
		}
		out = append(out, r)
	}
	return out, s.failed(rows.Err())
}

type queryFunc func(query string, args ...any) (*sql.Rows, error)

func versionsOf(rows []row) []memory.Version {
	out := make([]memory.Version, len(rows))
	for i, r := range rows {
		out[i] = r.Version
	}
	return out
}

// fullKey spells a stored key with the coordinates that the repository has
// now.
func (s *Store) fullKey(scope contract.MemoryScope, rest string) memory.Key {
	return memory.Key(s.keyRoot(scope) + "/" + rest)
}

func (s *Store) keyRoot(scope contract.MemoryScope) string {
	if scope == contract.ScopeTenantShared {
		return fmt.Sprintf("tenant/%d", s.id.InstallationID)
	}
	return "repo/" + s.id.Owner + "/" + s.id.Name
}

// storedKey is the part of a key that is stored: all but the coordinates.
func storedKey(k memory.Key) string { return k.Namespace() + "/" + k.Rest() }

// encode spells lists and rules as JSON without HTML escapes, so that a text
// has one stored form; nothing is "[]".
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	s := string(bytes.TrimSpace(b.Bytes()))
	if s == "null" {
		return "[]", nil
	}
	return s, nil
}

func decode(s string, into any) error {
	if s == "[]" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("more than one value")
	}
	return nil
}

// decodeList reads a list of strings; most are plain, and need no decoder.
func decodeList(s string) ([]string, error) {
	if s == "[]" {
		return nil, nil
	}
	if plainList(s) {
		return strings.Split(s[2:len(s)-2], `","`), nil
	}
	var out []string
	err := decode(s, &out)
	return out, err
}

// millis is a time as it is stored; the zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// orZero is a time that may be NULL; NULL is the zero time.
func orZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return fromMillis(ms.Int64)
}

// nullMillis stores the zero time as NULL.
func nullMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}
