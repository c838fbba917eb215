package store

import (
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// What recall searches is derived from the active versions and nothing else,
// so that a pending text cannot be recalled by any mistake in a query (attack
// A70): recallable holds their words, recall the full-text index over it, and
// places the folder that each glob names.

// recallWords are the words by which a lesson is found: of its key, its text,
// its synonyms and its rule, split as the words of a change are.
func recallWords(key memory.Key, lesson string, about []string, rule *memory.Check) string {
	parts := []string{key.Namespace(), key.Rest(), lesson, strings.Join(about, " ")}
	if rule != nil {
		parts = append(parts, rule.Pattern, rule.Prefer, rule.Because)
	}
	return strings.Join(text.Words(strings.Join(parts, "\n")), " ")
}

func (a *applying) index(id int64, key memory.Key, lesson string, about []string, rule *memory.Check) error {
	words := recallWords(key, lesson, about, rule)
	if err := a.exec("INSERT INTO recallable VALUES (?, ?)", id, words); err != nil {
		return err
	}
	if err := a.exec("INSERT INTO recall(rowid, words) VALUES (?, ?)", id, words); err != nil {
		return err
	}
	var paths string
	if err := a.tx.QueryRowContext(a.ctx, "SELECT paths FROM versions WHERE repository_id = ? AND id = ?", a.id.RepositoryID, id).Scan(&paths); err != nil {
		return err
	}
	var globs []string
	if err := decode(paths, &globs); err != nil {
		return err
	}
	for _, head := range heads(globs, rule) {
		if err := a.exec("INSERT OR IGNORE INTO places VALUES (?, ?)", head, id); err != nil {
			return err
		}
	}
	return nil
}

func (a *applying) unindex(id int64) error {
	var words string
	err := a.tx.QueryRowContext(a.ctx, "SELECT words FROM recallable WHERE id = ?", id).Scan(&words)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	if err := a.exec("INSERT INTO recall(recall, rowid, words) VALUES ('delete', ?, ?)", id, words); err != nil {
		return err
	}
	if err := a.exec("DELETE FROM places WHERE id = ?", id); err != nil {
		return err
	}
	return a.exec("DELETE FROM recallable WHERE id = ?", id)
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
