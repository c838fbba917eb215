package rules

import (
	"context"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
)

// BenchmarkOneMegabyteChange reviews a change of 1 MB of added lines in 20
// files, with the built-in rules and twenty taught ones.
func BenchmarkOneMegabyteChange(b *testing.B) {
	line := "\treturn shop.Total(cart.Items, currency) // adds what is in the cart, without shipping\n"
	text := strings.Repeat(line, 50_000/len(line))
	var list []diff.File
	for _, ext := range []string{".go", ".ts", ".py", ".rb", ".rs"} {
		for i := range 4 {
			list = append(list, touched("src/f"+itoa(i)+ext, "", text))
		}
	}
	var lessons []memory.Version
	for i := range 20 {
		check := &memory.Check{Kind: memory.CheckNever, Pattern: "forbidden" + itoa(i)}
		if i%2 == 0 {
			check.Regex, check.Pattern = true, `\bforbidden`+itoa(i)+`\s*\(`
		}
		lessons = append(lessons, lesson("m-000000"+itoa(10+i), check))
	}
	job := taughtJob(lessons, list...)
	b.SetBytes(int64(20 * len(text)))
	b.ReportAllocs()
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() {
			if _, err := (Reviewer{}).Review(context.Background(), job); err != nil {
				b.Fatal(err)
			}
		})
	}
	cpu.Report(b)
}
