package review

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"pgregory.net/rapid"
)

// added is a change that adds one file with these lines.
func added(lines []string) diff.Change {
	return diff.Change{Files: []diff.File{diff.FromContent("dir/a.go", "100644", []byte(strings.Join(lines, "\n")+"\n"), diff.Limits{})}}
}

func at(line int) Candidate { return candidate("dir/a.go", line) }

func TestAFingerprintStaysWhenOtherLinesComeGoOrChange(t *testing.T) {
	other := rapid.StringMatching(`other [a-z]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(other, rapid.Just("found()")), 1, 20).Draw(t, "lines")
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		lines[i] = "found()"
		before := Fingerprint(at(i+1), added(lines))

		above := rapid.SliceOfN(other, 0, 10).Draw(t, "inserted above")
		where := rapid.IntRange(0, i).Draw(t, "where")
		moved := append(append(append([]string{}, lines[:where]...), above...), lines[where:]...)
		for j := range moved {
			if strings.HasPrefix(moved[j], "other") && rapid.Bool().Draw(t, "changes") {
				moved[j] = "other changed"
			}
		}
		moved = append(moved, rapid.SliceOfN(rapid.OneOf(other, rapid.Just("found()")), 0, 5).Draw(t, "below")...)
		line := i + 1 + len(above)
		moved[line-1] = rapid.SampledFrom([]string{"", "\t", "    "}).Draw(t, "indent") + moved[line-1] + rapid.SampledFrom([]string{"", "  ", "\r"}).Draw(t, "end")
		if after := Fingerprint(at(line), added(moved)); after != before {
			t.Fatalf("line %d of %q, then line %d of %q: fingerprint changed", i+1, lines, line, moved)
		}
	})
}

func TestEveryFoundLineHasAFingerprintOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", " x", "x ", ""}), 1, 20).Draw(t, "lines")
		change := added(lines)
		seen := map[string]int{}
		for i := range lines {
			p := Fingerprint(at(i+1), change)
			if j, ok := seen[p]; ok {
				t.Fatalf("lines %d and %d of %q share a fingerprint", j, i+1, lines)
			}
			seen[p] = i + 1
		}
	})
}

func TestWhatAFingerprintDependsOn(t *testing.T) {
	change := added([]string{"one", "two", "two"})
	base := at(2)
	want := Fingerprint(base, change)
	if len(want) != 32 || strings.Trim(want, "0123456789abcdef") != "" {
		t.Errorf("%q is not 32 hexadecimal digits", want)
	}
	other := func(edit func(*Candidate)) string {
		c := base
		edit(&c)
		return Fingerprint(c, change)
	}
	for name, tc := range map[string]struct {
		got  string
		same bool
	}{
		"severity":                   {other(func(c *Candidate) { c.Severity = "low" }), true},
		"body and evidence":          {other(func(c *Candidate) { c.Body, c.Evidence = "x", "y" }), true},
		"lessons":                    {other(func(c *Candidate) { c.Because = []string{"m-1"} }), true},
		"the title of a rule":        {other(func(c *Candidate) { c.Title = "reworded" }), true},
		"the rule":                   {other(func(c *Candidate) { c.Rule = "builtin/y" }), false},
		"the occurrence":             {other(func(c *Candidate) { c.Line = 3 }), false},
		"another line's text":        {other(func(c *Candidate) { c.Line = 1 }), false},
		"no line":                    {other(func(c *Candidate) { c.Line = 0 }), false},
		"another path":               {other(func(c *Candidate) { c.Path = "b.go" }), false},
		"a boundary between fields":  {other(func(c *Candidate) { c.Rule, c.Path = "builtin/xdir", "a.go" }), false},
		"a rule named like its head": {other(func(c *Candidate) { c.Rule = "" }), false},
	} {
		if (tc.got == want) != tc.same {
			t.Errorf("%s: same %v, want %v", name, tc.got == want, tc.same)
		}
	}
	untitled := base
	untitled.Rule = ""
	shouted := untitled
	shouted.Title = strings.ToUpper(untitled.Title) + "!"
	if Fingerprint(untitled, change) != Fingerprint(shouted, change) {
		t.Error("without a rule the folded title names the finding")
	}
}

func TestFingerprintsAreKept(t *testing.T) {
	// Published comments carry these: a change of the digest would raise every
	// finding anew and needs a new first field.
	got := Fingerprint(at(1), added([]string{"one"}))
	if want := "1d0de02b5c9f975e7c997585f2cf9944"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
