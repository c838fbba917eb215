package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// What recall searches is derived from the active versions and nothing else,
// so that a pending text cannot be recalled by any mistake in a query (attack
// A70): recall is a full-text index over their words, and places has the
// folders that their globs name. The index keeps no copy of the words, which
// can be made from the version at any time: to take a version out, FTS5 must
// be told the words that it came in with. So a change of recallWords takes a
// migration that ends with UPDATE store SET reindex = 1.

// recallWords are the words by which a lesson is found: of its key, its text,
// its synonyms and its rule, split as the words of a change are.
func recallWords(key memory.Key, lesson string, about []string, rule *memory.Check) string {
	parts := []string{key.Namespace(), key.Rest(), lesson, strings.Join(about, " ")}
	if rule != nil {
		parts = append(parts, rule.Pattern, rule.Prefer, rule.Because)
	}
	return strings.Join(text.Words(strings.Join(parts, "\n")), " ")
}

// index puts an active version, which is not in the index, into it.
func (a *applying) index(id int64, v memory.Version) error {
	if err := a.exec("INSERT INTO recall(rowid, words) VALUES (?, ?)", id, recallWords(v.Key, v.Text, v.About, v.Check)); err != nil {
		return err
	}
	for _, head := range heads(v.Paths, v.Check) {
		if err := a.exec("INSERT OR IGNORE INTO places VALUES (?, ?)", head, id); err != nil {
			return err
		}
	}
	return nil
}

// unindex takes a version out of the index, if it is there. It must stand in
// its row as it did when it came in.
func (a *applying) unindex(id int64) error {
	var there int
	if err := a.row("SELECT count(*) FROM recall_docsize WHERE id = ?", id).Scan(&there); err != nil || there == 0 {
		return err
	}
	rows, err := a.versions("v.id = ?", id)
	if err != nil {
		return err
	}
	for _, v := range rows {
		err := a.exec("INSERT INTO recall(recall, rowid, words) VALUES ('delete', ?, ?)", id, recallWords(v.Key, v.Text, v.About, v.Check))
		if err != nil {
			return err
		}
	}
	return a.exec("DELETE FROM places WHERE id = ?", id)
}

// reindexed is how many versions are read at once to make the index anew.
const reindexed = 500

// reindex makes the full-text index anew from what may be recalled, once a
// migration asked for it.
func (s *Store) reindex(ctx context.Context) error {
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	a := &applying{Store: s, ctx: context.WithoutCancel(ctx), tx: tx}
	if err := a.exec("INSERT INTO recall(recall) VALUES ('delete-all')"); err != nil {
		return err
	}
	for last := int64(0); ; {
		rows, err := a.queryVersions(a.txQuery(), "SELECT "+versionColumns+joinedDocuments+
			" WHERE +v.repository_id = ? AND +v.state = 'active' AND v.id > ? ORDER BY v.id LIMIT ?", s.id.RepositoryID, last, reindexed)
		if err != nil {
			return err
		}
		for _, v := range rows {
			if err := a.exec("INSERT INTO recall(rowid, words) VALUES (?, ?)", v.id, recallWords(v.Key, v.Text, v.About, v.Check)); err != nil {
				return err
			}
			last = v.id
		}
		if len(rows) < reindexed {
			break
		}
	}
	if err := a.exec("UPDATE store SET reindex = 0 WHERE repository_id = ?", s.id.RepositoryID); err != nil {
		return err
	}
	return tx.Commit()
}

// reach are the globs that say where a lesson applies: its own and its
// rule's.
func reach(paths []string, rule *memory.Check) []string {
	if rule == nil || len(rule.In) == 0 {
		return paths
	}
	return append(slices.Clone(paths), rule.In...)
}

// heads are the folders below which a lesson's globs match, "" for a glob
// that could match in any; with a rule that applies everywhere it is "" as
// well. A lesson with neither has none: only its words can find it.
func heads(paths []string, rule *memory.Check) []string {
	var out []string
	for _, glob := range reach(paths, rule) {
		if !strings.HasPrefix(glob, "!") && !slices.Contains(out, head(glob)) {
			out = append(out, head(glob))
		}
	}
	if rule != nil && len(out) == 0 {
		return []string{""}
	}
	return out
}

// head is the longest folder that a glob spells out.
func head(glob string) string {
	end := strings.IndexAny(glob, `*?[{\`)
	if end < 0 {
		end = len(glob)
	}
	return glob[:max(strings.LastIndexByte(glob[:end], '/'), 0)]
}

// folders are "" and every folder that one of the paths lies in, in order.
func folders(paths []string) []string {
	all := map[string]bool{"": true}
	for _, path := range paths {
		for i := strings.LastIndexByte(path, '/'); i > 0 && !all[path[:i]]; i = strings.LastIndexByte(path[:i], '/') {
			all[path[:i]] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
