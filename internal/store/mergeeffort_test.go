package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// Ten thousand rows from the future took minutes while each was looked for in
// all of its table.
func TestNothingThatAMergeWritesIsLookedForInAWholeTable(t *testing.T) {
	f := newFixture(t)
	fillKept(f)
	fillRecords(f)
	c, err := f.load()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.dropLate(noon.AddDate(-1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	tx, err := f.c.conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	w := &writing{applying: &applying{Store: f.Store, ctx: context.WithoutCancel(t.Context()), tx: tx}, c: c, upserts: map[string]string{}}
	if _, err := w.all(); err != nil {
		t.Fatal(err)
	}
	statements := slices.Collect(maps.Keys(w.statements))
	for _, table := range tables {
		if !slices.Contains(statements, deleteText(table)) && table.name != "secrets" { // a secret has no time
			t.Errorf("no row of %s was removed", table.name)
		}
		statements = append(statements, upsertText(table, columnsOf(table.name)))
	}
	for _, statement := range statements {
		for _, step := range planOf(t, tx, statement) {
			if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "VIRTUAL TABLE") {
				t.Errorf("%s: %s", statement, step)
			}
		}
	}
}

// planOf is how SQLite goes about a statement.
func planOf(t *testing.T, tx *sql.Tx, statement string) (steps []string) {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

// fillRecords adds a row to each table that lessons leave empty.
func fillRecords(f *fixture) {
	f.t.Helper()
	ctx, cause := f.t.Context(), memory.NewCause("noted")
	v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
	f.must(f.on(memory.OpPurge, ada, f.must(f.remember(ada, keyed("a/purged", "This is purged"))).DocumentID))
	f.must(f.dispose(memory.OpAccept, "f1", ""))
	f.must(f.revoke("repo/octocat/ledger/x"))
	f.must(f.unrevoke("repo/octocat/ledger/x"))
	for _, err := range []error{
		f.SetRegister(ctx, Register{Name: "paused", Value: "yes", At: noon, Cause: cause}),
		f.RecordSpending(ctx, cause, "2026-11-30", 7),
		f.RecordUses(ctx, []Use{{Version: v.ID(), Finding: "f1", Day: "2026-11-30", PullRequest: 1}}),
		f.RecordDisplay(ctx, Display{Number: 3, CommentID: 4, SetDigest: cause, At: noon, Items: []DisplayItem{{ID: v.ID(), Digest: memory.TextDigest(v.Text)}}}),
	} {
		if err != nil {
			f.t.Fatal(err)
		}
	}
}
