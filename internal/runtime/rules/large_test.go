package rules

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// largeChange has n files of 34 changed lines, of all kinds, each with a
// finding of a taught rule in it.
func largeChange(n int) []diff.File {
	kinds := []string{"docs/page%d.md", "pkg/part%d_test.go", "pkg/part%d.go", "api/part%d.pb.go", "internal/auth/part%d.go", ".github/workflows/part%d.sh", "data/part%d.json"}
	text := strings.Repeat("\treturn shop.Total(cart.Items, currency) // adds what is in the cart\n", 33) + "\tforbidden()"
	var out []diff.File
	for i := range n {
		out = append(out, touched(fmt.Sprintf(kinds[i%len(kinds)], i), "", text))
	}
	return out
}

func TestAChangeOfThousandsOfFilesIsReviewedRiskiestFirst(t *testing.T) {
	forbidden := lesson("m-00000001", &memory.Check{Kind: memory.CheckNever, Pattern: "forbidden("})
	job := taughtJob([]memory.Version{forbidden}, largeChange(3000)...)
	if added, _ := job.Change.Counts(); added < 100_000 {
		t.Fatalf("the change adds %d lines", added)
	}
	job.Change.Omitted = []diff.Omission{{Path: "huge.go", Reason: "GitHub shows none of its 90000 changed lines"}}
	out := reviewed(t, job)
	if len(out.Candidates) != MaxPerRule {
		t.Fatalf("%d candidates", len(out.Candidates))
	}
	for _, c := range out.Candidates {
		if review.RiskOf(c.Path, diff.Attributes{}) != review.RiskRights {
			t.Errorf("%s is listed before riskier files", c.Path)
		}
	}
	if len(out.Skipped) != 3000-MaxPerRule || !strings.Contains(out.Skipped[0].Reason, "1 more matches are not listed") {
		t.Errorf("%d notes of what is not listed, the first %+v", len(out.Skipped), out.Skipped[0])
	}
	checked := review.Check(job.Change, out.Candidates, out.Reviewed, review.Options{})
	if checked.Outcome() != review.PartlyReviewed || checked.Coverage.Files != 3001 || checked.Coverage.Reviewed != 3000 {
		t.Errorf("%s, %d of %d files", checked.Outcome(), checked.Coverage.Reviewed, checked.Coverage.Files)
	}
	if len(checked.Coverage.Unreviewed) != 1 || checked.Coverage.Unreviewed[0].Path != "huge.go" {
		t.Errorf("unreviewed %+v", checked.Coverage.Unreviewed)
	}
}

// allocated is what one review of a change of n files takes, in bytes.
func allocated(t *testing.T, n int) uint64 {
	t.Helper()
	job := taughtJob([]memory.Version{lesson("m-00000001", &memory.Check{Kind: memory.CheckNever, Pattern: "absent("})}, largeChange(n)...)
	var before, after runtime.MemStats
	reviewed(t, job) // what is loaded once is loaded
	runtime.GC()
	runtime.ReadMemStats(&before)
	reviewed(t, job)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestMemoryOfAReviewGrowsWithTheChangeAndNoFaster(t *testing.T) {
	small, large := allocated(t, 300), allocated(t, 3000)
	if large > 13*small {
		t.Errorf("300 files take %d KiB and 3,000 take %d KiB", small>>10, large>>10)
	}
	if large > 256<<20 && !raced { // CI measures once more without the detector
		t.Errorf("3,000 files with 100,000 lines take %d MiB", large>>20)
	}
	t.Logf("300 files: %d KiB; 3,000 files: %d KiB", small>>10, large>>10)
}

func TestWhatAProgramWroteIsNotHeldToTheStyleOfPeople(t *testing.T) {
	leftover := "\tdebugger;"
	files := []diff.File{touched("web/client.ts", "", leftover), touched("web/hand.ts", "", leftover), touched("web/api.generated.ts", "", leftover)}
	job := jobOf(nil, files...)
	job.Attributes = diff.ParseAttributes([]byte("web/client.ts linguist-generated\n"))
	out := reviewed(t, job)
	if len(out.Candidates) != 1 || out.Candidates[0].Path != "web/hand.ts" {
		t.Errorf("findings %s", places(out.Candidates))
	}
	// A secret is one wherever it stands.
	secret := "const key = \"gh" + "p_" + strings.Repeat("aB3xZ9", 6) + "\";"
	job.Change.Files = []diff.File{touched("web/client.ts", "", secret)}
	if out := reviewed(t, job); len(out.Candidates) != 1 {
		t.Errorf("a secret in a generated file: %s", places(out.Candidates))
	}
}
