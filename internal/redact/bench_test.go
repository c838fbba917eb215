package redact

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
)

// sourceDiff is a megabyte of added lines: this module's own sources, over and
// over, each time with one credential in it.
func sourceDiff(b *testing.B) string {
	b.Helper()
	var out strings.Builder
	for round := 0; out.Len() < 1<<20; round++ {
		before := out.Len()
		err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || out.Len() >= 1<<20 {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out.WriteString("+++ b/" + path + "\n+" + strings.ReplaceAll(string(data), "\n", "\n+") + "\n")
			return nil
		})
		if err != nil || out.Len() == before {
			b.Fatal(err)
		}
		out.WriteString("+const apiKey = \"" + body(40) + "\"\n")
	}
	return out.String()[:1<<20]
}

// proposals are a thousand texts of the length of a lesson, one in twenty of
// them with something to find.
func proposals() []string {
	prose := []string{
		"Money is rounded half-even in services/billing; never use float for an amount.",
		"Tax tables live in src/tax/tables.rs, not in the database; load them through TaxTables::load_once() at start-up.",
		"The API tokens of tests come from testutil.NewToken, so that no key is ever committed.",
		"Prefer errors.Is over comparing, since every error from the store is wrapped.",
		"Retries of the payment client are bounded by PAYMENT_MAX_ATTEMPTS; a new call site needs its own idempotency key.",
	}
	out := make([]string, 1000)
	for i := range out {
		out[i] = prose[i%len(prose)]
		if i%20 == 0 {
			out[i] += " token = " + body(30+i%20)
		}
	}
	return out
}

func BenchmarkProposals(b *testing.B) {
	texts := proposals()
	library()
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() {
			for _, s := range texts {
				Refuse(s)
			}
		})
	}
	cpu.Report(b)
}

func BenchmarkProposalsLibraryAlone(b *testing.B) {
	texts, d := proposals(), library().decoding
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() {
			for _, s := range texts {
				d.DetectString(s)
			}
		})
	}
	cpu.Report(b)
}

func BenchmarkDiff(b *testing.B) {
	diff := sourceDiff(b)
	library()
	b.SetBytes(int64(len(diff)))
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() { Find(diff) })
	}
	cpu.Report(b)
}

// The library alone is given a sixteenth of the text: on all of it at once it
// takes minutes. Both report bytes a second, which is what to compare.
func BenchmarkDiffLibraryAlone(b *testing.B) {
	diff, d := sourceDiff(b)[:1<<16], library().decoding
	b.SetBytes(int64(len(diff)))
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() { d.DetectString(diff) })
	}
	cpu.Report(b)
}

func BenchmarkSixteenthOfDiff(b *testing.B) {
	diff := sourceDiff(b)[:1<<16]
	library()
	b.SetBytes(int64(len(diff)))
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() { Find(diff) })
	}
	cpu.Report(b)
}
