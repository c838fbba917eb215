package contract

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// update rewrites the golden files and the copies of the schemas:
//
//	go test ./internal/contract -update
var update = flag.Bool("update", false, "rewrite testdata/contract and docs/schemas")

const goldenFolder = "../../testdata/contract"

func ptr[T any](v T) *T { return &v }

// fullPolicy is a policy with every field of it.
func fullPolicy() *MemoryPolicy {
	return &MemoryPolicy{
		Enabled:          true,
		TenantScope:      &TenantScope{InstallationID: 42, AccountID: 1001, AccountLogin: "octo-org"},
		RepoScope:        &RepoScope{RepoID: 9007199254740993, Owner: "octo-org", Name: "billing", Visibility: "private", DefaultBranch: "main"},
		BranchScope:      &BranchScope{BaseRef: "main", HeadRef: "fix/rounding", SameRepo: true},
		TrustScope:       TrustMaintainer,
		ReadScopes:       []MemoryScope{ScopeRepo, ScopeTenantShared},
		WriteScopes:      []MemoryScope{ScopeRepo},
		ApprovalRequired: true,
		Retention:        Retention{MaxAgeDays: 365, DeleteOnUninstall: true, RedactSecrets: true},
		Denied:           []string{"repo/octo-org/billing/lessons/old-tax-table"},
	}
}

func reviewBrief(policy *MemoryPolicy) Brief {
	return Brief{
		ContractVersion: Version,
		Trigger:         TriggerPRReviewComment,
		Repo: BriefRepo{
			Owner: "octo-org", Name: "billing", CloneURL: "https://github.com/octo-org/billing.git", DefaultBranch: "main",
		},
		Task:             Task{Kind: TaskAddressReviewComment, PRNumber: 17, CommentBody: "@familiar review"},
		Familiar:         BriefFamiliar{ID: "familiar", DisplayName: "Familiar", Skills: []string{}},
		Workspace:        Workspace{Root: "/github/workspace"},
		ReviewContext:    &ReviewContext{Kind: ContextPullRequest, Files: []ContextFile{{"src/tax/round.go"}, {"docs/tax & rounding.md"}}},
		AuditInstruction: ptr("Look at money first: rounding, currencies, <amount> fields."),
		MemoryPolicy:     policy,
	}
}

type goldenBrief struct {
	shape PolicyShape
	brief Brief
}

func goldenBriefs() map[string]goldenBrief {
	off := &MemoryPolicy{TrustScope: TrustMaintainer, ReadScopes: []MemoryScope{}, WriteScopes: []MemoryScope{}, ApprovalRequired: true}
	fork := fullPolicy()
	fork.TrustScope, fork.WriteScopes, fork.ReadScopes = TrustForkPR, []MemoryScope{}, []MemoryScope{ScopeRepo}
	fork.BranchScope.SameRepo, fork.Denied = false, nil
	issue := reviewBrief(nil)
	issue.Trigger, issue.ReviewContext, issue.AuditInstruction = TriggerIssueAssigned, nil, nil
	issue.Task = Task{Kind: TaskFixIssue, IssueNumber: 42, IssueTitle: "Totals are off by a cent", IssueBody: "Rounding differs\nbetween invoice and ledger."}
	mention := issue
	mention.Trigger = TriggerIssueMention
	mention.Task = Task{Kind: TaskRespondToMention, IssueNumber: 42, CommentBody: "@familiar why is this?"}
	mention.Familiar = BriefFamiliar{ID: "familiar", DisplayName: "Familiar", Model: ptr("local/small"), Skills: []string{"tax"}}
	comment := reviewBrief(nil)
	comment.Task.DiffHunk = ptr("@@ -1 +1 @@\n-a\n+b")
	return map[string]goldenBrief{
		"brief-review-nested-policy":        {ShapeNested, reviewBrief(fullPolicy())},
		"brief-review-flat-policy":          {ShapeFlat, reviewBrief(fullPolicy())},
		"brief-review-of-a-fork":            {ShapeNested, reviewBrief(fork)},
		"brief-memory-off-nested":           {ShapeNested, reviewBrief(off)},
		"brief-memory-off-flat":             {ShapeFlat, reviewBrief(off)},
		"brief-issue-without-memory-policy": {ShapeNested, issue},
		"brief-mention-with-model":          {ShapeNested, mention},
		"brief-review-comment-with-hunk":    {ShapeNested, comment},
	}
}

func cleanResult() Result {
	return Result{
		ContractVersion: Version, Status: StatusSuccess,
		Commits: []Commit{}, FilesChanged: []string{}, Summary: "Nothing to say about this change.",
		Review: Review{
			Mode: ModePullRequest, EvidenceStatus: EvidenceComplete,
			ReviewedFiles: []string{"src/tax/round.go"}, SupportingFiles: []string{},
			Findings: []Finding{}, TestsRun: []TestRun{}, NoFindingsReason: ptr("The one changed line keeps half-even rounding."), Limitations: []string{},
		},
	}
}

// fullResult has every field, and every kind of entry.
func fullResult() Result {
	r := cleanResult()
	r.Status, r.ExitReason, r.Branch = StatusPartial, ptr(ExitTestFailure), ptr("fix/rounding")
	r.Commits = []Commit{{SHA: "0f3c2a9", Message: "Round half to even"}}
	r.FilesChanged = []string{"src/tax/round.go"}
	r.PRBody = "Rounds *half to even*."
	r.Review.SupportingFiles = []string{"src/tax/rates.go"}
	r.Review.NoFindingsReason = nil
	r.Review.Findings = []Finding{
		{SeverityHigh, "src/tax/round.go", ptr(12), "Rounds half up", "`math.Round` rounds half away from zero.", ptr("Use the ledger's helper.")},
		{SeverityInfo, "src/tax/round.go", nil, "No test", "The file has no test.", nil},
	}
	r.Review.TestsRun = []TestRun{{"go test ./...", TestFailed, ptr("1 of 80 failed")}, {"go vet ./...", TestNotRun, nil}}
	r.Review.Limitations = []string{"The generated file was not read."}
	r.MemoryUsed = &MemoryUsed{
		Enabled:  true,
		Read:     []MemoryRead{{"repo/octo-org/billing/lessons/rounding", "repo"}},
		Proposed: []MemoryWrite{{"repo/octo-org/billing/lessons/tax-tables", "Tax tables live in src/tax/rates.go.", "repo", ApprovalPending}},
		Rejected: []MemoryDecline{{"The reviewer's address", "somewhere", DeclinePII}},
	}
	return r
}

func goldenResults() map[string]Result {
	missing := cleanResult()
	missing.Status, missing.Review.EvidenceStatus = StatusPartial, EvidenceMissing
	missing.Review.ReviewedFiles, missing.Review.NoFindingsReason = []string{}, nil
	missing.Review.Limitations = []string{"No file of the change could be read."}
	none := cleanResult()
	none.Review = Review{
		Mode: ModeNone, EvidenceStatus: EvidenceNotApplicable, ReviewedFiles: []string{}, SupportingFiles: []string{},
		Findings: []Finding{}, TestsRun: []TestRun{}, Limitations: []string{},
	}
	gaveUp, asks, off := none, none, cleanResult()
	gaveUp.Status, gaveUp.ExitReason, gaveUp.Summary = StatusFailure, ptr(ExitGitConflict), "The branch cannot be merged."
	asks.Status, asks.ExitReason, asks.Summary = StatusNeedsInput, ptr(ExitAmbiguousSpec), "Which of the two tables is right?"
	off.MemoryUsed = &MemoryUsed{}
	return map[string]Result{
		"result-findings-and-memory-used": fullResult(),
		"result-clean-review":             cleanResult(),
		"result-clean-review-memory-off":  off,
		"result-review-without-evidence":  missing,
		"result-without-a-review":         none,
		"result-gave-up-on-a-conflict":    gaveUp,
		"result-asks-for-a-specification": asks,
	}
}

// golden compares got with a golden file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join(goldenFolder, name+".json")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", file, got, want)
	}
}

func TestGoldenBriefs(t *testing.T) {
	for name, g := range goldenBriefs() {
		t.Run(name, func(t *testing.T) {
			data, err := EncodeBrief(g.brief, g.shape)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, data)
			if g.shape == ShapeFlat {
				got, err := DecodeFlatBrief(data)
				if want := flattenBrief(g.brief); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("decodes to %+v, %v; want %+v", got, err, want)
				}
				agree(t, SessionBriefFlatSchema, data, true)
				return
			}
			got, err := DecodeBrief(data)
			if err != nil || !reflect.DeepEqual(got, g.brief) {
				t.Errorf("decodes to %+v, %v; want %+v", got, err, g.brief)
			}
			agree(t, SessionBriefSchema, data, true)
		})
	}
}

func TestGoldenResults(t *testing.T) {
	for name, want := range goldenResults() {
		t.Run(name, func(t *testing.T) {
			data, err := EncodeResult(want)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, data)
			got, err := DecodeResult(data)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("decodes to %+v, %v; want %+v", got, err, want)
			}
			agree(t, ResultSchema, data, true)
		})
	}
}

func TestNoGoldenFileIsLeftOver(t *testing.T) {
	files, err := filepath.Glob(goldenFolder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	if want := len(goldenBriefs()) + len(goldenResults()); len(files) != want {
		t.Errorf("%d files in %s, the tests know %d", len(files), goldenFolder, want)
	}
}

func TestSchemasUnderDocsAreIdentical(t *testing.T) {
	const folder = "../../docs/schemas"
	for _, name := range SchemaNames() {
		file := filepath.Join(folder, string(name))
		if *update {
			if err := os.WriteFile(file, Schema(name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, Schema(name)) {
			t.Errorf("%s is not the embedded schema (%v); copy it with: go test ./internal/contract -update", file, err)
		}
	}
	for _, dir := range []string{folder, "schemas"} {
		files, err := filepath.Glob(dir + "/*.schema.json")
		files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "familiar.schema.json" }) // of the configuration: config keeps it
		if err != nil || len(files) != len(SchemaNames()) {
			t.Errorf("%s holds %d schemas (%v), want %d", dir, len(files), err, len(SchemaNames()))
		}
	}
}

func TestSchemaOfAnUnknownNameIsNil(t *testing.T) {
	for _, name := range []SchemaName{"", "result", "../doc.go"} {
		if got := Schema(name); got != nil {
			t.Errorf("Schema(%q) = %q, want nil", name, got)
		}
	}
}
