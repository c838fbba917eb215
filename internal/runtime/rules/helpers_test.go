package rules

import (
	"context"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

// touched makes a modified file with one hunk: deleted lines, then added ones
// from line 1.
func touched(path, deleted, added string) diff.File {
	f := diff.File{Path: path, Status: diff.Modified, OldMode: "100644", NewMode: "100644"}
	h := diff.Hunk{OldStart: 1, NewStart: 1}
	for _, l := range splitLines(deleted) {
		h.OldLines++
		h.Lines = append(h.Lines, diff.Line{Op: diff.Delete, Old: h.OldLines, Text: l})
	}
	for _, l := range splitLines(added) {
		h.NewLines++
		h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: h.NewLines, Text: l})
	}
	if len(h.Lines) > 0 {
		f.Hunks = []diff.Hunk{h}
	}
	return f
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// headOf answers reads from a map.
func headOf(files map[string]string) func(context.Context, string) ([]byte, bool) {
	return func(_ context.Context, path string) ([]byte, bool) {
		text, ok := files[path]
		return []byte(text), ok
	}
}

func jobOf(head map[string]string, files ...diff.File) runtime.Job {
	return runtime.Job{
		Change:   diff.Change{Base: "b", Head: "h", Files: files},
		Rules:    Assemble(nil, nil, memory.Snapshot{}),
		Contents: headOf(head),
	}
}

func reviewed(t testing.TB, job runtime.Job) runtime.Output {
	t.Helper()
	out, err := Reviewer{}.Review(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	if out.Outcome != runtime.Finished {
		t.Fatalf("outcome = %q, want finished", out.Outcome)
	}
	return out
}

// places writes candidates as "rule path:line", for comparing.
func places(list []review.Candidate) string {
	var b strings.Builder
	for _, c := range list {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimPrefix(c.Rule, "builtin/"))
		b.WriteString(" ")
		b.WriteString(c.Path)
		if c.Line > 0 {
			b.WriteString(":")
			b.WriteString(itoa(c.Line))
		}
	}
	return b.String()
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + itoa(n%10)
	}
	return string(rune('0' + n))
}

func exampleJob(e Example) runtime.Job {
	f := touched(e.Path, "", e.Added)
	if e.Added == "" {
		f.Status, f.Binary, f.OldMode = diff.Added, true, ""
	}
	return jobOf(e.Head, f)
}

// memoryOn is a brief that grants reading.
func memoryOn() contract.Brief {
	return contract.Brief{MemoryPolicy: &contract.MemoryPolicy{Enabled: true, ReadScopes: []contract.MemoryScope{contract.ScopeRepo}}}
}
