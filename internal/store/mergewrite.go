package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// writing brings the rows of the file to what was joined, in one transaction.
type writing struct {
	*applying
	c       *contents
	report  MergeReport
	upserts map[string]string // the statement of each table
}

// write stores what differs between the contents and the file that they were
// read from, and keeps the index in step.
func (s *Store) write(ctx context.Context, c *contents) (MergeReport, error) {
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return MergeReport{}, s.failed(err)
	}
	defer tx.Rollback()
	w := &writing{applying: &applying{Store: s, ctx: context.WithoutCancel(ctx), tx: tx}, c: c, upserts: map[string]string{}}
	moved, err := w.all()
	if err != nil {
		return MergeReport{}, s.failed(err)
	}
	if !moved {
		c.noted()
		s.kept = c
		return w.report, nil
	}
	if err := s.touch(ctx, tx); err != nil {
		return MergeReport{}, s.failed(err)
	}
	if err := tx.Commit(); err != nil {
		return MergeReport{}, s.failed(err)
	}
	s.changed, s.storeID, s.genesis = true, c.storeID, fromMillis(c.genesis)
	s.keep(c)
	return w.report, s.readSecrets(ctx)
}

// keep keeps what is in the file now for the next merge of this run.
func (s *Store) keep(c *contents) {
	counter, err := s.fileCounter()
	if err != nil {
		return
	}
	c.noted()
	c.counter = counter
	s.kept = c
}

func (w *writing) all() (moved bool, err error) {
	reindexed, err := w.unindexChanged()
	if err != nil {
		return false, err
	}
	for _, t := range slices.Backward(tables) {
		if err := w.removals(t); err != nil {
			return false, err
		}
	}
	for _, t := range tables {
		if err := w.changes(t); err != nil {
			return false, err
		}
	}
	for _, uid := range reindexed {
		if err := w.indexAgain(uid); err != nil {
			return false, err
		}
	}
	result, err := w.tx.ExecContext(w.ctx, "UPDATE store SET store_id = ?, genesis = ?, audit_horizon = ? WHERE repository_id = ? AND (store_id <> ? OR genesis <> ? OR audit_horizon <> ?)",
		w.c.storeID, w.c.genesis, w.c.horizon, w.id.RepositoryID, w.c.storeID, w.c.genesis, w.c.horizon)
	if err != nil {
		return false, err
	}
	head, err := result.RowsAffected()
	r := w.report
	return head+int64(r.Added+r.Changed+r.Removed) > 0, err
}

// unindexChanged takes every version that changed, or whose key did, out of
// the index, and returns the uids of those that may come back.
func (w *writing) unindexChanged() ([]string, error) {
	going, err := w.underOtherKeys()
	if err != nil {
		return nil, err
	}
	maps.Copy(going, w.c.before["versions"])
	var out []string
	for _, uid := range sortedKeys(going) {
		if old := going[uid]; old.rowid != 0 {
			if err := w.unindex(old.rowid); err != nil {
				return nil, err
			}
		}
		if !w.c.gone("versions", uid) {
			out = append(out, uid)
		}
	}
	return out, nil
}

// underOtherKeys are the versions of documents whose key changed.
func (w *writing) underOtherKeys() (map[string]rowOf, error) {
	out, keys := map[string]rowOf{}, map[string]bool{}
	for id, old := range w.c.before["documents"] {
		now := w.c.rows["documents"][id]
		if old.none() || now.none() {
			continue // its versions come or go with it
		}
		changed, err := differ(old, now, docScope, docKey)
		if err != nil {
			return nil, err
		}
		if changed {
			keys[id] = true
		}
	}
	if len(keys) == 0 {
		return out, nil
	}
	for uid, r := range w.c.rows["versions"] {
		f, err := w.c.view(r, verDocument+1)
		if err != nil {
			return nil, err
		}
		if keys[f[verDocument].s] {
			out[uid] = r
		}
	}
	return out, nil
}

// differ says whether two rows differ in one of the columns.
func differ(a, b rowOf, columns ...int) (bool, error) {
	x, err := a.columns()
	if err != nil {
		return false, err
	}
	y, err := b.columns()
	if err != nil {
		return false, err
	}
	return compareIn(x, y, columns) != 0, nil
}

// removals deletes the rows that are gone.
func (w *writing) removals(t table) error {
	statement := deleteText(t)
	for id, old := range w.c.before[t.name] {
		if !w.c.gone(t.name, id) || old.none() {
			continue
		}
		f, err := old.columns()
		if err != nil {
			return err
		}
		var args []any
		for _, k := range t.named() {
			args = append(args, f[k].value())
		}
		if err := w.exec(statement, args...); err != nil {
			return err
		}
		w.report.Removed++
	}
	return nil
}

// named are the columns that name a row in a file: those of its key, and
// before them the repository, with which every index of names begins.
func (t table) named() []int {
	if i := slices.Index(columnsOf(t.name), "repository_id"); i >= 0 {
		return append([]int{i}, t.key...)
	}
	return t.key
}

func deleteText(t table) string {
	var where []string
	for _, k := range t.named() {
		where = append(where, columnsOf(t.name)[k]+" = ?")
	}
	return "DELETE FROM " + t.name + " WHERE " + strings.Join(where, " AND ")
}

// changes writes the rows that are new or moved on.
func (w *writing) changes(t table) error {
	for id, old := range w.c.before[t.name] {
		r, there := w.c.rows[t.name][id]
		if !there {
			continue
		}
		same := false
		if !old.none() {
			var err error
			if same, err = old.same(r); err != nil {
				return err
			}
		}
		if same {
			continue
		}
		f, err := r.columns()
		if err != nil {
			return err
		}
		rowid, err := w.upsert(t, f)
		if err != nil {
			return err
		}
		if old.none() {
			if t.name == "versions" {
				r.rowid = rowid
				w.c.rows[t.name][id] = r
			}
			w.report.Added++
		} else {
			w.report.Changed++
		}
	}
	return nil
}

// upsert writes a row; rowid is that of a version that is new.
func (w *writing) upsert(t table, f []field) (rowid int64, err error) {
	names := columnsOf(t.name)
	if len(f) != len(names) {
		return 0, fail(Corrupted, w.path, nil, "a row of %s has %d columns instead of %d", t.name, len(f), len(names))
	}
	first := 0
	if t.name == "versions" {
		first = 1 // the row id is this file's own
	}
	if w.upserts[t.name] == "" {
		w.upserts[t.name] = upsertText(t, names[first:])
	}
	args := make([]any, 0, len(f))
	for _, v := range f[first:] {
		args = append(args, v.value())
	}
	result, err := w.result(w.upserts[t.name], args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func upsertText(t table, names []string) string {
	var target, sets []string
	for _, k := range t.named() {
		target = append(target, columnsOf(t.name)[k])
	}
	for _, n := range names {
		if !slices.Contains(target, n) {
			sets = append(sets, n+" = excluded."+n)
		}
	}
	do := "NOTHING"
	if len(sets) > 0 {
		do = "UPDATE SET " + strings.Join(sets, ", ")
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO %s", t.name, strings.Join(names, ", "),
		strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", "), strings.Join(target, ", "), do)
}

// indexAgain puts an active version into the index as it is now.
func (w *writing) indexAgain(uid string) error {
	r := w.c.rows["versions"][uid]
	f, err := r.columns()
	if err != nil || memory.State(f[verState].s) != memory.Active {
		return err
	}
	doc, err := w.c.rows["documents"][f[verDocument].s].columns()
	if err != nil {
		return err
	}
	v := memory.Version{Key: w.fullKey(contract.MemoryScope(doc[docScope].s), doc[docKey].s), Text: f[verText].s}
	err = decode(f[verPaths].s, &v.Paths)
	if err == nil {
		err = decode(f[verAbout].s, &v.About)
	}
	if err == nil && f[verRule].kind == isText {
		v.Check, err = decodeRule(f[verRule].s)
	}
	if err != nil {
		return fail(Corrupted, w.path, err, "the lists of a lesson cannot be read (%v)", err)
	}
	return w.index(r.rowid, v)
}

// value is a column as a statement takes it.
func (f field) value() any {
	switch f.kind {
	case isInt:
		return f.i
	case isText:
		return f.s
	case isBlob:
		return []byte(f.s)
	}
	return nil
}
