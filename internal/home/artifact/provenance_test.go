package artifact

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var day = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

func good(id int64) Artifact {
	return Artifact{ID: id, Name: "familiar-memory-7", Size: 10, CreatedAt: day.Add(time.Duration(id) * time.Minute), ExpiresAt: day.AddDate(0, 0, 90), RunID: 5, RepositoryID: 7, HeadRepositoryID: 7}
}

func TestCandidatesAreThoseOfThisRepositoryAndItsOwnHeads(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Artifact)
		reason Rejection
		detail string
	}{
		"ours":                        {func(*Artifact) {}, "", ""},
		"another repository's":        {func(a *Artifact) { a.RepositoryID = 8 }, OtherRepository, "another repository"},
		"no repository is named":      {func(a *Artifact) { a.RepositoryID = 0 }, OtherRepository, "none that GitHub names"},
		"A1 a fork's":                 {func(a *Artifact) { a.HeadRepositoryID = 9 }, FromFork, "fork"},
		"A1 a fork's that is gone":    {func(a *Artifact) { a.HeadRepositoryID = 0 }, FromFork, "gone"},
		"no run is named":             {func(a *Artifact) { a.RunID = 0 }, NoRun, "no run"},
		"A10 expired":                 {func(a *Artifact) { a.Expired = true }, Expired, "it expired on 2027-01-31"},
		"larger than any container":   {func(a *Artifact) { a.Size = MaxBytes + 1 }, TooBig, "more than 67108864"},
		"as large as a container":     {func(a *Artifact) { a.Size = MaxBytes }, "", ""},
		"A1 newer, a fork's, expired": {func(a *Artifact) { a.HeadRepositoryID, a.Expired = 9, true }, FromFork, "fork"},
	} {
		a := good(1)
		c.change(&a)
		kept, rejected := Rules{RepositoryID: 7}.Candidates([]Artifact{a})
		if c.reason == "" {
			if len(kept) != 1 || len(rejected) != 0 {
				t.Errorf("%s: rejected %+v", name, rejected)
			}
			continue
		}
		if len(kept) != 0 || len(rejected) != 1 || rejected[0].Reason != c.reason || !strings.Contains(rejected[0].Detail, c.detail) {
			t.Errorf("%s: kept %v, rejected %+v, want %s because %q", name, kept, rejected, c.reason, c.detail)
		}
		if elsewhere := (Rules{RepositoryID: 7}).Elsewhere(a); elsewhere != (a.HeadRepositoryID == 9 && a.RepositoryID == 7) {
			t.Errorf("%s: may be deleted: %v", name, elsewhere)
		}
	}
	if kept, _ := (Rules{}).Candidates([]Artifact{{ID: 1, RunID: 1}}); len(kept) != 0 {
		t.Error("rules without a repository keep an artifact without one")
	}
}

func TestTheNewestComesFirstAndNoneTwice(t *testing.T) {
	same := good(4)
	same.CreatedAt = good(3).CreatedAt
	kept, _ := Rules{RepositoryID: 7}.Candidates([]Artifact{good(1), good(3), good(2), same, good(3)})
	var got []int64
	for _, a := range kept {
		got = append(got, a.ID)
	}
	if !slices.Equal(got, []int64{4, 3, 2, 1}) {
		t.Errorf("order %v", got)
	}
}

func TestARunIsOursByRepositoryWorkflowAndEvent(t *testing.T) {
	rules := Rules{RepositoryID: 7, Workflows: []string{".github/workflows/familiar.yml"}, DefaultBranch: "main"}
	run := Run{ID: 5, RepositoryID: 7, Path: ".github/workflows/familiar.yml", Event: "workflow_run", HeadBranch: "topic"}
	for name, c := range map[string]struct {
		change func(*Run)
		on     bool
		reason Rejection
		detail string
	}{
		"A4 workflow_run, whatever its head":      {func(*Run) {}, false, "", ""},
		"A4 pull_request_target":                  {func(r *Run) { r.Event = "pull_request_target" }, false, "", ""},
		"issue_comment":                           {func(r *Run) { r.Event = "issue_comment" }, false, "", ""},
		"issues":                                  {func(r *Run) { r.Event = "issues" }, false, "", ""},
		"A5 push":                                 {func(r *Run) { r.Event, r.HeadBranch = "push", "main" }, true, OtherEvent, `"push"`},
		"A5 pull_request":                         {func(r *Run) { r.Event = "pull_request" }, true, OtherEvent, "a branch may have changed"},
		"no event":                                {func(r *Run) { r.Event = "" }, true, OtherEvent, `""`},
		"another spelling of an event":            {func(r *Run) { r.Event = "Issues" }, true, OtherEvent, "Issues"},
		"another workflow":                        {func(r *Run) { r.Path = ".github/workflows/evil.yml" }, true, OtherWorkflow, "memory.workflows"},
		"no workflow":                             {func(r *Run) { r.Path = "" }, true, OtherWorkflow, `""`},
		"another repository":                      {func(r *Run) { r.RepositoryID = 8 }, true, OtherRepository, "another repository"},
		"a run that is gone":                      {func(r *Run) { r.ID = 0 }, true, NoRun, "not there any more"},
		"a schedule on the default branch":        {func(r *Run) { r.Event, r.HeadBranch = "schedule", "main" }, false, "", ""},
		"a schedule elsewhere":                    {func(r *Run) { r.Event = "schedule" }, true, OtherBranch, `"topic"`},
		"a dispatch on the default branch":        {func(r *Run) { r.Event, r.HeadBranch = "workflow_dispatch", "main" }, true, "", ""},
		"a dispatch on a branch":                  {func(r *Run) { r.Event = "workflow_dispatch" }, true, OtherBranch, `"topic"`},
		"A3 a dispatch on a tag of the same name": {func(r *Run) { r.Event, r.HeadBranch = "workflow_dispatch", "main" }, false, OtherBranch, "tag"},
	} {
		r := run
		c.change(&r)
		reason, detail := rules.Run(r, c.on)
		if reason != c.reason || !strings.Contains(detail, c.detail) {
			t.Errorf("%s: %q because %q, want %q because %q", name, reason, detail, c.reason, c.detail)
		}
	}
	if reason, _ := (Rules{RepositoryID: 7, Workflows: []string{""}}).Run(Run{ID: 1, RepositoryID: 7, Event: "issues"}, true); reason != OtherWorkflow {
		t.Error("a run without a path matches a rule without one")
	}
	if reason, _ := (Rules{RepositoryID: 7, Workflows: run0()}).Run(Run{ID: 1, RepositoryID: 7, Path: run0()[0], Event: "schedule"}, true); reason != OtherBranch {
		t.Error("a run without a branch matches a default branch that is not known")
	}
}

func run0() []string { return []string{".github/workflows/familiar.yml"} }

func TestNothingIsKeptOfAnotherRepositoryWhateverElseItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{RepositoryID: rapid.Int64Range(-1, 3).Draw(t, "ours")}
		var all []Artifact
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			all = append(all, Artifact{ID: rapid.Int64Range(1, 9).Draw(t, "id"), RepositoryID: rapid.Int64Range(-1, 3).Draw(t, "repo"), HeadRepositoryID: rapid.Int64Range(-1, 3).Draw(t, "head"),
				RunID: rapid.Int64Range(0, 2).Draw(t, "run"), Expired: rapid.Bool().Draw(t, "expired"), CreatedAt: day.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "age")))})
		}
		kept, rejected := rules.Candidates(all)
		seen := map[int64]bool{}
		for i, a := range kept {
			if a.RepositoryID != rules.RepositoryID || a.HeadRepositoryID != rules.RepositoryID || rules.RepositoryID <= 0 || a.Expired || a.RunID <= 0 || seen[a.ID] {
				t.Fatalf("kept %+v", a)
			}
			if i > 0 && newestFirst(kept[i-1], a) >= 0 {
				t.Fatalf("%+v stands before %+v", kept[i-1], a)
			}
			seen[a.ID] = true
		}
		for _, r := range rejected {
			if r.Reason == "" || r.Detail == "" || seen[r.Artifact.ID] {
				t.Fatalf("rejected %+v", r)
			}
			seen[r.Artifact.ID] = true
		}
		for _, a := range all {
			if !seen[a.ID] {
				t.Fatalf("%+v is neither kept nor rejected", a)
			}
		}
	})
}
