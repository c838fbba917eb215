package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// Weights of the one score of page 4.6, chosen on the labelled set of
// recall_test.go.
const (
	maxTerms      = 12   // rarest words of the change that are searched for
	maxAskedTerms = 400  // words of a change whose rarity is looked up
	globWeight    = 0.45 // per point of a glob's specificity
	maxGlobBonus  = 5.0
	recencyWeight = 0.3
	recencyDays   = 180.0
	defaultBytes  = 24 << 10
	defaultCount  = 40
)

// ephemeralDays is how long an ephemeral lesson without an end is recalled
// (page 4.2).
const ephemeralDays = 7

// Recall returns the lessons that answer a change, best first: active ones of
// a granted scope that are neither revoked nor expired nor source_only (page
// 4.6). The same store and query give the same list. A change that shares no
// rare words with a lesson, and lies in none of its globs, does not recall it.
func (s *Store) Recall(ctx context.Context, q memory.RecallQuery) (memory.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.Scopes) == 0 {
		return memory.Snapshot{}, nil
	}
	s.kept = nil // it takes as much memory as all rows, and merging is over
	// One read transaction: SQLite would look at the file anew for each of a
	// hundred words.
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return memory.Snapshot{}, s.failed(err)
	}
	defer tx.Rollback()
	// The transaction ends with ctx. That each of its statements watched ctx
	// as well would cost two goroutines a statement.
	r := &recalling{Store: s, ctx: context.WithoutCancel(ctx), tx: tx, q: q, places: map[string]placed{}, compiled: map[string]*sql.Stmt{}}
	defer r.close()
	lessons, err := r.lessons()
	return memory.Snapshot{Lessons: lessons}, err
}

// recalling is one recall inside its transaction.
type recalling struct {
	*Store
	ctx context.Context
	tx  *sql.Tx
	q   memory.RecallQuery

	places   map[string]placed // by the globs
	compiled map[string]*sql.Stmt
	rows     *lookup // of the rows of lessons, once some are wanted
}

func (r *recalling) close() {
	if r.rows != nil {
		r.rows.Close()
	}
}

// statement compiles a statement once; it ends with the transaction.
func (r *recalling) statement(query string) (*sql.Stmt, error) {
	if stmt := r.compiled[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := r.tx.PrepareContext(r.ctx, query)
	if err != nil {
		return nil, r.failed(err)
	}
	r.compiled[query] = stmt
	return stmt, nil
}

func (r *recalling) lessons() ([]memory.Version, error) {
	own, err := r.denied(r.ctx, r.tx)
	if err != nil {
		return nil, err
	}
	r.q.Denied = append(slices.Clone(r.q.Denied), own...)
	hits, err := r.textHits()
	if err != nil {
		return nil, err
	}
	if err := r.placeHits(hits); err != nil {
		return nil, err
	}
	scored, err := r.score(hits)
	if err != nil {
		return nil, err
	}
	return r.budget(currentOnly(scored))
}

// hit is what a lesson has in common with a change.
type hit struct {
	score  float64
	rare   int  // distinct rare words that both have
	placed bool // a glob of it may match
}

// candidate is a lesson that may be recalled, as far as its order depends on
// it.
type candidate struct {
	id        int64
	uid       string // its bytes
	document  string
	number    int
	key       memory.Key
	confirmed time.Time
	score     float64
}

// score reads what hits as far as the score depends on it, and keeps what
// passes the floor.
func (r *recalling) score(hits map[int64]*hit) ([]candidate, error) {
	ids := make([]int64, 0, len(hits))
	for id, h := range hits {
		if h.placed || h.rare >= floorWords {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var out []candidate
	err := r.eachOf(ids, judgedColumns, func(rows scanner) error {
		c, v, err := r.scanJudged(rows)
		if err != nil || !readable(v, r.q) {
			return err
		}
		h, globs := hits[c.id], reach(v.Paths, v.Check)
		p := r.place(globs)
		if passes(globs, v.Check != nil, h, p.matches) {
			c.score = h.score + min(globWeight*float64(p.specificity), maxGlobBonus) + recency(v.ConfirmedAt, r.q.Now)
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

// judgedColumns are what a score and its order depend on: a third of all
// columns, and the text is not among them.
const judgedColumns = "v.id, v.uid, v.document_id, v.number, v.paths, v.rule, v.confirmed_at, d.scope, d.key, d.class, d.valid_until"

// scanJudged reads a candidate without its score, and of its version what
// readable and the floor look at.
func (r *recalling) scanJudged(rows scanner) (candidate, *memory.Version, error) {
	c, v := candidate{}, &memory.Version{State: memory.Active}
	var paths, key string
	var rule sql.NullString
	var confirmed, until sql.NullInt64
	err := rows.Scan(&c.id, &c.uid, &c.document, &c.number, &paths, &rule, &confirmed, &v.Scope, &key, &v.Class, &until)
	if err == nil {
		v.Paths, err = decodeList(paths)
	}
	if err == nil && rule.Valid {
		v.Check, err = decodeRule(rule.String)
	}
	v.Key, v.ConfirmedAt, v.ValidUntil = r.fullKey(v.Scope, key), orZero(confirmed), orZero(until)
	c.key, c.confirmed = v.Key, v.ConfirmedAt
	return c, v, err
}

// eachOf reads columns of the active versions with the given ids, in their
// order.
func (r *recalling) eachOf(ids []int64, columns string, scan func(scanner) error) (err error) {
	if len(ids) > 0 && r.rows == nil {
		if r.rows, err = openLookup(r.path); err != nil {
			return r.failed(err)
		}
	}
	j := &joined{columns: selected(columns)}
	for _, id := range ids {
		active, err := r.join(j, id)
		if err == nil && active {
			err = scan(j)
		}
		if err != nil {
			return r.failed(err)
		}
	}
	return nil
}

// join reads a version of this repository and its document, and says whether
// it is active.
func (r *recalling) join(j *joined, id int64) (active bool, err error) {
	record, err := r.rows.withRowid("versions", id)
	if err != nil || record == "" {
		return false, err
	}
	if j.version, err = decodeRecord(record, j.version[:0]); err != nil || len(j.version) <= verState {
		return false, errImage
	}
	if j.version[1].i != r.id.RepositoryID || j.version[verState].s != string(memory.Active) {
		return false, nil
	}
	record, err = r.rows.document(r.id.RepositoryID, j.version[verDocument].s)
	if err != nil || record == "" {
		return false, err
	}
	j.rowid = id
	j.document, err = decodeRecord(record, j.document[:0])
	return true, err
}

func (r *recalling) eachRow(stmt *sql.Stmt, args []any, scan func(*sql.Rows) error) error {
	rows, err := stmt.QueryContext(r.ctx, args...)
	if err != nil {
		return r.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return r.failed(err)
		}
	}
	return r.failed(rows.Err())
}

// readable says whether a lesson may be handed to this review at all.
func readable(v *memory.Version, q memory.RecallQuery) bool {
	if !v.State.Recallable() || v.Class == memory.SourceOnly || !slices.Contains(q.Scopes, v.Scope) || v.Scope == contract.ScopeFamiliarGlobal {
		return false
	}
	if _, revoked := memory.CoveredBy(q.Denied, string(v.Key)); revoked {
		return false
	}
	return !expired(v, q.Now)
}

func expired(v *memory.Version, now time.Time) bool {
	if !v.ValidUntil.IsZero() {
		return v.ValidUntil.Before(now)
	}
	return v.Class == memory.Ephemeral && v.ConfirmedAt.AddDate(0, 0, ephemeralDays).Before(now)
}

// floorWords are how many rare words a lesson without globs must share with
// the change; one that names other places than those changed needs one more.
const floorWords = 2

// passes is the floor: a glob that matches, a rule that applies everywhere,
// or enough rare words. A raw BM25 value would mean little over a handful of
// lessons.
func passes(globs []string, isRule bool, h *hit, matches bool) bool {
	positive, excluded := false, false
	for _, glob := range globs {
		if strings.HasPrefix(glob, "!") {
			excluded = true
		} else {
			positive = true
		}
	}
	switch {
	case positive && matches:
		return true
	case positive:
		return !isRule && h.rare > floorWords
	case excluded && !matches:
		return false
	case isRule:
		return true
	}
	return h.rare >= floorWords
}

// placed is the closest match of a lesson's globs with a changed path, and
// whether any path matches at all.
type placed struct {
	specificity int
	matches     bool
}

// place matches globs, once for all lessons that share them.
func (r *recalling) place(globs []string) placed {
	if len(globs) == 0 {
		return placed{}
	}
	name := strings.Join(globs, "\x00")
	p, known := r.places[name]
	if !known {
		for _, path := range r.q.Paths {
			if memory.MatchGlobs(globs, path) {
				p.matches = true
				p.specificity = max(p.specificity, memory.GlobSpecificity(globs, path))
			}
		}
		r.places[name] = p
	}
	return p
}

func recency(confirmed, now time.Time) float64 {
	days := max(now.Sub(confirmed).Hours()/24, 0)
	return recencyWeight * math.Exp(-days/recencyDays)
}

// currentOnly sorts by score and keeps, of several lessons of one key (two
// replicas may have taught it at once), the latest confirmed.
func currentOnly(scored []candidate) []candidate {
	current := make(map[memory.Key]*candidate, len(scored))
	for i := range scored {
		c := &scored[i]
		other := current[c.key]
		if other == nil || c.confirmed.After(other.confirmed) || c.confirmed.Equal(other.confirmed) && c.uid > other.uid {
			current[c.key] = c
		}
	}
	out := make([]candidate, 0, len(current))
	for _, c := range current {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.document, b.document), cmp.Compare(a.number, b.number), cmp.Compare(a.uid, b.uid))
	})
	return out
}

// budget takes lessons, best first, while they fit.
func (r *recalling) budget(scored []candidate) ([]memory.Version, error) {
	bytes, count := r.q.MaxBytes, r.q.MaxLessons
	if bytes <= 0 {
		bytes = defaultBytes
	}
	if count <= 0 {
		count = defaultCount
	}
	var out []memory.Version
	for chunk := range slices.Chunk(scored, count) {
		whole, err := r.whole(chunk)
		if err != nil {
			return nil, err
		}
		for _, c := range chunk {
			v := whole[c.id]
			if len(out) == count || bytes == 0 {
				return out, nil
			}
			if size := len(v.Text); size <= bytes {
				bytes -= size
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// whole reads all of the given versions.
func (r *recalling) whole(chunk []candidate) (map[int64]memory.Version, error) {
	ids := make([]int64, len(chunk))
	for i, c := range chunk {
		ids[i] = c.id
	}
	out := make(map[int64]memory.Version, len(ids))
	return out, r.eachOf(ids, versionColumns, func(rows scanner) error {
		v, err := r.scanVersion(rows)
		out[v.id] = v.Version
		return err
	})
}
