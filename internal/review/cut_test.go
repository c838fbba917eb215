package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/diff"
)

// newFile is a new file of n lines of the given width.
func newFile(path string, n, width int) diff.File {
	return diff.FromContent(path, "100644", []byte(strings.Repeat(strings.Repeat("x", width)+"\n", n)), diff.Limits{})
}

func size(f diff.File) int { return CutFileBytes + 2*len(f.Path) + hunkCost(f.Hunks[0]) }

func TestACutShowsTheRiskiestFirstAndNamesTheRest(t *testing.T) {
	files := []diff.File{
		newFile("a.md", 10, 100), newFile("b.go", 10, 100), newFile("auth.go", 10, 100), newFile("go.sum", 10, 100),
		{Path: "logo.png", Status: diff.Added, Binary: true}, {Path: "moved.go", OldPath: "old.go", Status: diff.Renamed},
		newFile("ignored/x.go", 10, 100), newFile("elsewhere.txt", 10, 100),
	}
	budget := size(files[1]) + size(files[2]) + size(files[0])/2
	got := Cut(diff.Change{Files: files}, CutOptions{Bytes: budget, Paths: []string{"**", "!elsewhere.txt"}, Ignore: []string{"ignored/**"}})
	if want := []string{"auth.go", "b.go"}; !slices.Equal(got.Whole, want) || !slices.Equal(pathsOf(got.Files), want) {
		t.Errorf("whole %v, shown %v", got.Whole, pathsOf(got.Files))
	}
	want := []diff.Omission{{Path: "a.md", Reason: leftOut}, {Path: "go.sum", Reason: leftOut}}
	if !slices.Equal(got.Left, want) {
		t.Errorf("left %+v", got.Left)
	}
}

func TestAFileThatDoesNotFitIsShownAsFarAsItFits(t *testing.T) {
	big := newFile("big.go", 1000, 100)
	got := Cut(diff.Change{Files: []diff.File{big, newFile("small.go", 2, 10)}}, CutOptions{Bytes: 50_000})
	if len(got.Files) != 2 || got.Files[0].Path != "big.go" || !slices.Equal(got.Whole, []string{"small.go"}) {
		t.Fatalf("shown %v, whole %v", pathsOf(got.Files), got.Whole)
	}
	h := got.Files[0].Hunks[0]
	if h.NewLines != len(h.Lines) || h.OldLines != 0 || len(h.Lines) < 200 || len(h.Lines) > 216 {
		t.Errorf("%d lines, said to be %d", len(h.Lines), h.NewLines)
	}
	if want := fmt.Sprintf("only %d of its 1000 changed lines were shown: the change is larger than the token budget", len(h.Lines)); len(got.Left) != 1 || got.Left[0].Reason != want {
		t.Errorf("left %+v, want %q", got.Left, want)
	}
	if len(big.Hunks[0].Lines) != 1000 || big.Hunks[0].NewLines != 1000 {
		t.Error("the change itself was cut")
	}
}

func TestLaterHunksOfAFileAreLeftBeforeAHunkIsTorn(t *testing.T) {
	f := newFile("a.go", 20, 100)
	f.Status = diff.Modified
	for start := range 2 {
		next := f.Hunks[0]
		next.NewStart = 500 * (start + 1)
		f.Hunks = append(f.Hunks, next)
	}
	got := Cut(diff.Change{Files: []diff.File{f}}, CutOptions{Bytes: 2*size(f) + 300})
	if len(got.Files) != 1 || len(got.Files[0].Hunks) != 1 || got.Left[0].Reason != "only 20 of its 60 changed lines were shown: the change is larger than the token budget" {
		t.Errorf("%+v", got.Left)
	}
}

func TestACutNeverExceedsItsBudgetAndLosesNoFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var files []diff.File
		for i := range rapid.IntRange(0, 12).Draw(t, "files") {
			files = append(files, newFile(fmt.Sprintf("f%d.go", i), rapid.IntRange(1, 80).Draw(t, "lines"), rapid.IntRange(1, 200).Draw(t, "width")))
		}
		budget := rapid.IntRange(-10, 60_000).Draw(t, "budget")
		got := Cut(diff.Change{Files: files}, CutOptions{Bytes: budget})
		spent := 0
		for _, f := range got.Files {
			spent += CutFileBytes + 2*len(f.Path)
			for _, h := range f.Hunks {
				spent += hunkCost(h)
			}
		}
		if spent > max(budget, 0) {
			t.Fatalf("spent %d of %d", spent, budget)
		}
		if len(got.Whole)+len(got.Left) != len(files) {
			t.Fatalf("%d whole and %d left of %d", len(got.Whole), len(got.Left), len(files))
		}
	})
}
