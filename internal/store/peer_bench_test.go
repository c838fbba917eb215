package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
)

// BenchmarkPlainFTS5 asks a full-text index of the same texts, with no scopes,
// states, globs, floor or budget, for the forty best of the twelve words of
// the change that the fewest lessons have. Which words those are is known to
// it beforehand; recall finds out itself.
func BenchmarkPlainFTS5(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("lessons=%d", n), func(b *testing.B) {
			db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "plain.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			plainIndex(b, db, n)
			match := rarestWords(b, db)
			var cpu benchtest.Processor
			for b.Loop() {
				cpu.Count(b, func() {
					if plainSearch(b, db, match) == 0 {
						b.Fatal("nothing was found")
					}
				})
			}
			cpu.Report(b)
		})
	}
}

func plainIndex(b *testing.B, db *sql.DB, n int) {
	b.Helper()
	tx, err := db.Begin()
	if err == nil {
		_, err = tx.Exec("CREATE VIRTUAL TABLE lessons USING fts5(text, tokenize = 'porter unicode61')")
	}
	if err != nil {
		b.Fatal(err)
	}
	insert, err := tx.Prepare("INSERT INTO lessons VALUES (?)")
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if _, err := insert.Exec(threeSentences(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// rarestWords is a question for the twelve rarest words of the change.
func rarestWords(b *testing.B, db *sql.DB) string {
	b.Helper()
	type word struct {
		text string
		docs int
	}
	var words []word
	for _, term := range benchChange().Terms {
		w := word{text: term.Word}
		err := db.QueryRow("SELECT count(*) FROM lessons WHERE lessons MATCH ?", `"`+w.text+`"`).Scan(&w.docs)
		if err != nil {
			b.Fatal(err)
		}
		if w.docs > 0 {
			words = append(words, w)
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return a.docs - b.docs })
	var quoted []string
	for _, w := range words[:maxTerms] {
		quoted = append(quoted, `"`+w.text+`"`)
	}
	return strings.Join(quoted, " OR ")
}

func plainSearch(b *testing.B, db *sql.DB, match string) (found int) {
	rows, err := db.Query("SELECT text FROM lessons WHERE lessons MATCH ? ORDER BY bm25(lessons) LIMIT 40", match)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			b.Fatal(err)
		}
		found++
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return found
}
