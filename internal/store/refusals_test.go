package store

import (
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestRefusalsOfAReportAreAuditedOnceAndWithoutTheirWords(t *testing.T) {
	f := newFixture(t)
	refusals := []memory.Refusal{
		{Op: "propose", Target: "repo/octocat/ledger/conventions/a-secret-plan", Reason: memory.ReasonSecret, Detail: "a secret plan"},
		{Op: "read", Target: "repo/octocat/ledger/nope", Reason: memory.ReasonUnsupplied},
		{Op: "propose", Target: "repo/octocat/ledger/conventions/a-secret-plan", Reason: memory.ReasonSecret},
	}
	for range 2 { // the same work, done again
		if err := f.RecordRefusals(t.Context(), memory.NewCause("review", "head"), noon, ada, refusals); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := f.Audit(t.Context(), 0)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, want 3: %v", len(rows), err)
	}
	count := map[string]int{}
	for _, r := range rows {
		count[r.Op+" "+string(r.Reason)]++
		if r.Target != "" || r.Detail != "refused in a runtime's report" || r.Actor != ada || !r.At.Equal(noon) {
			t.Errorf("row %+v", r)
		}
	}
	if count["propose secret"] != 2 || count["read unsupplied"] != 1 {
		t.Errorf("rows %v", count)
	}
	if !f.Changed() {
		t.Error("the store does not know that it changed")
	}
	if err := f.RecordRefusals(t.Context(), memory.NewCause("review", "other"), noon, ada, nil); err != nil {
		t.Fatal(err)
	}
}
