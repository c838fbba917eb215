package health

import (
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/config"
)

// stepInputs are those of action.yml that the tests give.
var stepInputs = []string{
	"github-token", "app-id", "app-private-key", "installation-id", "memory-key", "config", "operation", "arguments", "runtime", "exec-command", "model",
	"model-endpoint", "model-api-key", "handover-key", "state-dir", "brief", "result", "sarif", "artifact-days", "max-retries", "fail-on", "dry-run",
}

// example returns the shipped workflow files of a folder, as a repository has
// them.
func example(t *testing.T, folder string) []Workflow {
	t.Helper()
	dir := os.DirFS("../../examples/" + folder)
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var out []Workflow
	for _, e := range entries {
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ParseWorkflow(".github/workflows/"+e.Name(), data))
	}
	return out
}

func factsOf(visibility string, workflows ...Workflow) WorkflowFacts {
	return WorkflowFacts{Workflows: workflows, Config: config.Defaults(), Visibility: visibility, Inputs: stepInputs}
}

func lines(list []Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, string(f.Severity)+" "+string(f.Check)+" "+f.Place()+": "+f.Message)
	}
	return out
}

func TestWhatInitWritesIsSound(t *testing.T) {
	for _, c := range []struct {
		folder, visibility string
		want               []string
	}{
		{"private", "private", nil},
		{"public", "public", []string{"note schedule .github/workflows/familiar-sweep.yml:9: GitHub turns this schedule off after 60 days without activity in the repository."}},
		{"private", "", nil},
		{"public", "private", nil},
	} {
		if got := lines(Workflows(factsOf(c.visibility, example(t, c.folder)...))); !slices.Equal(got, c.want) {
			t.Errorf("%s in a repository that is %q: %s", c.folder, c.visibility, strings.Join(got, "\n"))
		}
	}
}

func TestReviewersToCopyAreSoundBesideTheShippedFiles(t *testing.T) {
	known := map[string][]string{
		".github/workflows/sarif-linter.yml": {"note checkout .github/workflows/sarif-linter.yml:34: The job `review` checks out changes of this repository's own branches beside the memory key."},
	}
	for _, w := range example(t, "reviewers") {
		got := lines(Workflows(factsOf("private", append(example(t, "private"), w)...)))
		if !slices.Equal(got, known[w.Path]) {
			t.Errorf("%s: %s", w.Path, strings.Join(got, "\n"))
		}
	}
}

// base is a workflow without a fault, from which each case takes one thing
// away.
const base = `name: familiar
on:
  pull_request_target:
  issue_comment:
    types: [created]
permissions: {}
jobs:
  review:
    if: >-
      github.event_name != 'issue_comment' ||
      startsWith(github.event.comment.body, '@familiar')
    runs-on: ubuntu-latest
    environment: familiar
    permissions:
      contents: read
      pull-requests: write
      issues: write
      actions: read
    concurrency:
      group: familiar
      queue: max
    steps:
      - uses: familiarhq/familiar@v1
        with:
          memory-key: ${{ secrets.FAMILIAR_MEMORY_KEY }}
`

const sweepFile = `name: sweep
on:
  schedule:
    - cron: "23 4 * * *"
permissions: {}
jobs:
  sweep:
    runs-on: ubuntu-latest
    environment: familiar
    permissions: {contents: read, pull-requests: write, issues: write, actions: write}
    steps:
      - uses: familiarhq/familiar@v1
        with: {memory-key: "${{ secrets.FAMILIAR_MEMORY_KEY }}"}
`

// swap replaces old by new in the file without a fault, and fails where there
// is nothing to replace.
func swap(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("nothing reads %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func TestUnsafeShapesAreFoundAndSayWhyAndWhatToDo(t *testing.T) {
	const file = ".github/workflows/familiar.yml"
	for _, c := range []struct {
		name       string
		swaps      []string
		visibility string
		want       []string
	}{
		{"nothing is wrong", nil, "private", nil},
		{"the key on a trigger that a pull request edits", []string{"pull_request_target", "pull_request"}, "private",
			[]string{"warning trigger " + file + ":3: `pull_request` starts the job `review`, which reads the memory key."}},
		{"the same without an environment", []string{"pull_request_target", "pull_request_review", "    environment: familiar\n", ""}, "private", []string{
			"error trigger " + file + ":3: `pull_request_review` starts the job `review`, which reads the memory key.",
			"warning environment " + file + ":8: The job `review` reads the memory key without an environment."}},
		{"no environment in public", []string{"    environment: familiar\n", "", "pull_request_target", "workflow_dispatch"}, "public",
			[]string{"error environment " + file + ":8: The job `review` reads the memory key without an environment."}},
		{"the head beside the key", []string{"    steps:\n", "    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"}, "private",
			[]string{"error checkout " + file + ":25: The job `review` checks out the change that a pull request makes, on the trigger `issue_comment`."}},
		{"the head of our own branches only", []string{"    steps:\n", "    steps:\n      - uses: actions/checkout@v4\n        with: {ref: \"${{ github.head_ref }}\"}\n", "github.event_name != 'issue_comment' ||", "github.event.pull_request.head.repo.id == github.event.repository.id ||"}, "private",
			[]string{"note checkout " + file + ":24: The job `review` checks out changes of this repository's own branches beside the memory key."}},
		{"the head from a fork's repository", []string{"    steps:\n", "    steps:\n      - uses: actions/checkout@v4\n        with: {repository: \"${{ github.event.pull_request.head.repo.full_name }}\"}\n"}, "private",
			[]string{"error checkout " + file + ":24: The job `review` checks out the change that a pull request makes, on the trigger `issue_comment`."}},
		{"the head by gh", []string{"    steps:\n", "    steps:\n      - run: gh pr checkout 7\n"}, "private",
			[]string{"error checkout " + file + ":23: The job `review` checks out the change that a pull request makes, on the trigger `issue_comment`."}},
		{"the head by git", []string{"    steps:\n", "    steps:\n      - run: git fetch origin pull/7/head && git checkout FETCH_HEAD\n"}, "private",
			[]string{"error checkout " + file + ":23: The job `review` checks out the change that a pull request makes, on the trigger `issue_comment`."}},
		{"the base is no head", []string{"    steps:\n", "    steps:\n      - uses: actions/checkout@v4\n        with: {ref: \"${{ github.event.pull_request.base.sha }}\"}\n"}, "private", nil},
		{"a stranger's words in a script", []string{"    steps:\n", "    steps:\n      - run: echo \"${{ github.event.comment.body }}\"\n"}, "private",
			[]string{"error trigger " + file + ":23: A script of the job `review` holds `${{ github.event.comment.body }}`."}},
		{"the key itself", []string{"${{ secrets.FAMILIAR_MEMORY_KEY }}", "AGE-" + "SECRET-KEY-" + "1QQ"}, "private",
			[]string{"error key " + file + ":25: The memory key itself stands in the file."}},
		{"the key as a variable", []string{"secrets.FAMILIAR_MEMORY_KEY", "vars.FAMILIAR_MEMORY_KEY"}, "private",
			[]string{"error key " + file + ":25: The memory key is a variable, not a secret."}},
		{"the key from an environment variable", []string{"secrets.FAMILIAR_MEMORY_KEY", "env.KEY"}, "private",
			[]string{"error key " + file + ":25: The memory key does not come from a secret."}},
		{"a permission is missing", []string{"      issues: write\n", ""}, "private",
			[]string{"error permissions " + file + ":14: The job `review` lacks the permission `issues: write`."}},
		{"a permission to read where it has to write", []string{"pull-requests: write", "pull-requests: read"}, "private",
			[]string{"error permissions " + file + ":14: The job `review` lacks the permission `pull-requests: write`."}},
		{"a permission too many", []string{"contents: read", "contents: write", "      actions: read\n", "      actions: read\n      id-token: write\n"}, "private", []string{
			"warning permissions " + file + ":14: The job `review` has the permission `contents: write`, which familiar does not use.",
			"warning permissions " + file + ":14: The job `review` has the permission `id-token: write`, which familiar does not use."}},
		{"all permissions", []string{"    permissions:\n      contents: read\n      pull-requests: write\n      issues: write\n      actions: read\n", "    permissions: write-all\n"}, "private",
			[]string{"warning permissions " + file + ":14: The job `review` has `write-all`."}},
		{"no permissions stated", []string{"permissions: {}\n", "", "    permissions:\n      contents: read\n      pull-requests: write\n      issues: write\n      actions: read\n", ""}, "private",
			[]string{"warning permissions " + file + ":7: The job `review` states no permissions."}},
		{"pruning is allowed", []string{"actions: read", "actions: write"}, "private", nil},
		{"commands cancel each other", []string{"queue: max", "cancel-in-progress: true"}, "private",
			[]string{"warning queue " + file + ":19: A new command cancels the one that the job `review` is at."}},
		{"commands that wait are dropped", []string{"      queue: max\n", ""}, "private",
			[]string{"warning queue " + file + ":19: Of commands that wait for the job `review`, GitHub keeps one."}},
		{"concurrency at the top", []string{"permissions: {}\n", "permissions: {}\nconcurrency: all\n"}, "private",
			[]string{"warning queue " + file + ":7: concurrency stands at the top of a workflow that comments start."}},
		{"another handle in the filter", []string{"'@familiar'", "'@helper'"}, "private",
			[]string{"error handle " + file + ":9: The if: filter does not let comments through that start with @familiar."}},
		{"a longer handle in the filter", []string{"'@familiar'", "'@familiar-2'"}, "private",
			[]string{"error handle " + file + ":9: The if: filter does not let comments through that start with @familiar."}},
		{"no filter", []string{" ||\n      startsWith(github.event.comment.body, '@familiar')", ""}, "private",
			[]string{"warning handle " + file + ":4: Every comment starts a job."}},
		{"a trigger that GitHub blocks", nil, "public",
			[]string{"warning actions " + file + ":3: This public repository starts reviews by `pull_request_target`."}},
		{"an input that the step does not have", []string{"memory-key:", "memory-kye: x\n          memory-key:"}, "private",
			[]string{"error workflow " + file + ":25: The step has no input `memory-kye`."}},
		{"a branch as version", []string{"familiar@v1", "familiar@main"}, "private",
			[]string{"note workflow " + file + ":23: The action is taken from the branch `main`."}},
		{"a runner without containers", []string{"ubuntu-latest", "windows-latest"}, "private",
			[]string{"error workflow " + file + ":8: The job `review` runs on `windows-latest`."}},
		{"a machine that stays", []string{"ubuntu-latest", "[self-hosted, linux]"}, "private",
			[]string{"note workflow " + file + ":8: The job `review` runs on a machine that stays, without state-dir."}},
		{"a short life of the memory", []string{"          memory-key", "          artifact-days: 2\n          memory-key"}, "private",
			[]string{"error artifact .github/workflows/sweep.yml:3: The memory lives for 2 days, and the sweep that stores it anew comes every 24 hours."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Workflows(factsOf(c.visibility, ParseWorkflow(file, []byte(swap(t, base, c.swaps...))), ParseWorkflow(".github/workflows/sweep.yml", []byte(sweepFile))))
			got = slices.DeleteFunc(got, func(f Finding) bool { return strings.HasPrefix(f.Message, "GitHub turns this schedule off") })
			if !slices.Equal(lines(got), c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(lines(got), "\n"), strings.Join(c.want, "\n"))
			}
			for _, f := range got {
				if f.Reason == "" || f.Fix == "" {
					t.Errorf("%s says neither why nor what to do: %+v", f.Message, f)
				}
			}
		})
	}
}

func TestAnotherWorkflowThatLaysOutTheHeadWithATokenThatWrites(t *testing.T) {
	other := `on: pull_request_target
jobs:
  test:
    runs-on: ubuntu-latest
    permissions: {contents: read, issues: write}
    steps:
      - uses: actions/checkout@v4
        with: {ref: "${{ github.head_ref }}"}
      - run: make test
`
	judge := func(text string) []string {
		return lines(Workflows(factsOf("private", append(example(t, "private"), ParseWorkflow(".github/workflows/test.yml", []byte(text)))...)))
	}
	want := []string{"warning checkout .github/workflows/test.yml:8: The job `test` checks out the change that a pull request makes, on the trigger `pull_request_target`."}
	if got := judge(other); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for name, text := range map[string]string{
		"a token that only reads":            swap(t, other, "issues: write", "issues: read"),
		"a trigger that gives forks nothing": swap(t, other, "pull_request_target", "pull_request"),
	} {
		if got := judge(text); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheSecretOfTheKeyInAnotherJob(t *testing.T) {
	leak := "on: pull_request\njobs:\n  debug:\n    runs-on: ubuntu-latest\n    steps:\n      - env: {K: \"${{ secrets['FAMILIAR_MEMORY_KEY'] }}\"}\n        run: env\n"
	got := lines(Workflows(factsOf("public", append(example(t, "public"), ParseWorkflow(".github/workflows/debug.yml", []byte(leak)))...)))
	want := []string{
		"error trigger .github/workflows/debug.yml:1: `pull_request` starts the job `debug`, which reads the memory key.",
		"error environment .github/workflows/debug.yml:3: The job `debug` reads the memory key without an environment.",
	}
	if !slices.Equal(got[:min(2, len(got))], want) {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]bool{
		"${{ secrets.FAMILIAR_MEMORY_KEY }}": true, "${{ SECRETS.familiar_memory_key }}": true, "${{ secrets.FAMILIAR_MEMORY_KEY_2 }}": false,
		"${{ secrets.MY_FAMILIAR_MEMORY_KEY }}": false, "FAMILIAR_MEMORY_KEY": false, "${{ secrets.FAMILIAR_MEMORY_KEY_2 || secrets.FAMILIAR_MEMORY_KEY }}": true,
	} {
		if got := mentions([]Scalar{{Value: text}}, DefaultKeySecret); got != want {
			t.Errorf("mentions(%s) = %v", text, got)
		}
	}
}

func TestNoWorkflowStartsFamiliar(t *testing.T) {
	want := []string{"warning workflow .github/workflows: No workflow file starts familiar."}
	for name, list := range map[string][]Workflow{
		"no file": nil, "another's": {ParseWorkflow("a.yml", []byte("on: push\njobs: {x: {steps: [{run: ls}]}}\n"))},
	} {
		if got := lines(Workflows(factsOf("", list...))); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestHalfOfAPairThatNothingWaitsForIsNamed(t *testing.T) {
	left := ParseWorkflow(requestFile, []byte("name: familiar request\non: pull_request\npermissions: {}\njobs: {note: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}}\n"))
	const want = "note workflow .github/workflows/familiar-request.yml: No workflow of familiar waits for the runs of this one."
	if got := lines(Workflows(factsOf("private", append(example(t, "private"), left)...))); !slices.Contains(got, want) {
		t.Errorf("left behind by another set-up: %q", got)
	}
	if got := lines(Workflows(factsOf("public", example(t, "public")...))); slices.Contains(got, want) {
		t.Errorf("the pair that is whole: %q", got)
	}
}

func TestTheSweepIsThereOftenEnoughAndByItself(t *testing.T) {
	main := ParseWorkflow(".github/workflows/familiar.yml", []byte(base))
	for _, c := range []struct{ name, sweep, want string }{
		{"there is none", "", "warning schedule .github/workflows: No schedule starts familiar."},
		{"a cron that nobody can read", swap(t, sweepFile, "23 4 * * *", "whenever"), "warning schedule .github/workflows: No schedule starts familiar."},
		{"with other triggers", swap(t, sweepFile, "  schedule:", "  issue_comment:\n  schedule:"), "warning schedule .github/workflows/sweep.yml:4: The schedule stands in a file with other triggers."},
		{"once a month", swap(t, sweepFile, "23 4 * * *", "23 4 1 * *"), "error artifact .github/workflows/sweep.yml:3: The memory lives for 80 days, and the sweep that stores it anew comes every 30 days."},
	} {
		list := []Workflow{main}
		if c.sweep != "" {
			list = append(list, ParseWorkflow(".github/workflows/sweep.yml", []byte(swap(t, c.sweep, "with: {", "with: {artifact-days: 80, "))))
		}
		got := slices.DeleteFunc(Workflows(factsOf("private", list...)), func(f Finding) bool { return f.Check == CheckHandle })
		if len(got) == 0 || lines(got)[0] != c.want {
			t.Errorf("%s: %q", c.name, lines(got))
		}
	}
}

func TestCronIntervals(t *testing.T) {
	const day = 24 * time.Hour
	for cron, want := range map[string]time.Duration{
		"23 4 * * *": day, "0 */6 * * *": 6 * time.Hour, "*/15 * * * *": 15 * time.Minute, "0 0,12 * * *": 12 * time.Hour, "0 4 * * 1": 7 * day,
		"0 4 * * MON-FRI": 84 * time.Hour, "0 4 1,15 * *": 15 * day, "0 4 1 1 *": 365 * day, "0 8-17 * * *": 144 * time.Minute,
		"": 0, "daily": 0, "x 4 * * *": 0, "0 4 * *": 0, "*/0 * * * *": 0,
	} {
		if got := cronEvery(cron); got != want {
			t.Errorf("cronEvery(%q) = %s, want %s", cron, got, want)
		}
	}
}

func TestThePairOfAPublicRepositoryFitsTogether(t *testing.T) {
	list := example(t, "public")
	alone := slices.DeleteFunc(slices.Clone(list), func(w Workflow) bool { return w.Name == "familiar-request" })
	got := lines(Workflows(factsOf("", alone...)))
	if want := []string{"error trigger .github/workflows/familiar.yml:13: No workflow file has the name `familiar-request`, whose runs start this one."}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLabelsOfAnotherNameHaveToBeInTheFilter(t *testing.T) {
	f := factsOf("private", example(t, "private")...)
	f.Config.Familiar.Labels.Approve, f.Config.Familiar.Labels.Skip = "memory:yes", "Familiar:Skip"
	got := Workflows(f)
	if len(got) != 1 || got[0].Field != "familiar.labels.approve" || got[0].Message != "The if: filter starts no job for the label `memory:yes`." {
		t.Errorf("got %+v", got)
	}
	f.Workflows[1] = ParseWorkflow(f.Workflows[1].Path, []byte(swap(t, f.Workflows[1].Text, "startsWith(github.event.label.name, 'familiar:')", "startsWith(github.event.label.name, 'familiar:') || github.event.label.name == 'memory:yes'")))
	if got := Workflows(f); len(got) != 0 {
		t.Errorf("named in the filter: %q", lines(got))
	}
}

func TestSafeRepairsMakeTheirFindingGoAway(t *testing.T) {
	const file = ".github/workflows/familiar.yml"
	text := swap(t, base, "      queue: max\n", "")
	facts := func(text string) WorkflowFacts {
		f := factsOf("private", ParseWorkflow(file, []byte(text)), ParseWorkflow("sweep.yml", []byte(sweepFile)))
		f.Config.Familiar.Handle = "helper"
		return f
	}
	list := Workflows(facts(text))
	if len(list) != 2 || list[0].Repair == nil || list[1].Repair == nil {
		t.Fatalf("findings %+v", list)
	}
	got := Repaired(list, func(path string) (string, bool) { return text, path == file })
	want := swap(t, base, "'@familiar'", "'@helper'")
	if !reflect.DeepEqual(got, map[string]string{file: want}) {
		t.Fatalf("got %s", got[file])
	}
	if left := Workflows(facts(got[file])); len(left) > 0 {
		t.Errorf("left %q", lines(left))
	}
	if again := Repaired(list, func(string) (string, bool) { return want, true }); len(again) != 0 {
		t.Errorf("a file that reads otherwise was changed: %v", again)
	}
	if created := Repaired([]Finding{{Repair: &Repair{Path: "a", Create: "x"}}, {Repair: &Repair{Path: "b", Create: "y"}}}, func(p string) (string, bool) { return "mine", p == "b" }); !reflect.DeepEqual(created, map[string]string{"a": "x"}) {
		t.Errorf("created %v", created)
	}
}

func TestRepairOfQueueIsLeftToAPersonWhereTheLineHasAnotherForm(t *testing.T) {
	for _, form := range []string{"concurrency: familiar", "concurrency: {group: familiar}", "concurrency:\n      group: >-\n        familiar", "concurrency:\n      group: familiar\n      queue: single"} {
		text := swap(t, base, "concurrency:\n      group: familiar\n      queue: max", form)
		got := Workflows(factsOf("private", ParseWorkflow("f.yml", []byte(text)), ParseWorkflow("sweep.yml", []byte(sweepFile))))
		if len(got) != 1 || got[0].Check != CheckQueue || got[0].Repair != nil {
			t.Errorf("%s: %+v", form, got)
		}
	}
}

func TestHostileWorkflowFilesAreBounded(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for _, c := range []string{"b", "c", "d", "e", "f", "g"} {
		prev := string(c[0] - 1)
		bomb += c + ": &" + c + " [*" + prev + ", *" + prev + ", *" + prev + ", *" + prev + ", *" + prev + ", *" + prev + ", *" + prev + ", *" + prev + ", *" + prev + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"size":        {strings.Repeat("#", maxWorkflowBytes+1), "more than the 1048576 that are read"},
		"a bomb":      {bomb, "larger or deeper, with its aliases"},
		"depth":       {strings.Repeat("[", 60_000), "more lists and mappings"},
		"deep":        {"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "larger or deeper"},
		"a loop":      {"on: &x\n  push: *x\n", "larger or deeper"},
		"no mapping":  {"- a\n", "a workflow is a mapping"},
		"empty":       {"", "a workflow is a mapping"},
		"broken YAML": {"on: [", "it is no YAML"},
	} {
		if w := ParseWorkflow("a.yml", []byte(c.text)); !strings.Contains(w.Problem, c.want) {
			t.Errorf("%s: problem %q", name, w.Problem)
		}
	}
	got := Workflows(factsOf("", append(example(t, "private"), ParseWorkflow(".github/workflows/a.yml", []byte("on: [")))...))
	if len(got) != 1 || got[0].Check != CheckWorkflow || got[0].Severity != Warning || !strings.HasPrefix(got[0].Message, ".github/workflows/a.yml cannot be read: it is no YAML") {
		t.Errorf("got %+v", got)
	}
}

func FuzzParseWorkflow(f *testing.F) {
	f.Add([]byte(base))
	f.Add([]byte(sweepFile))
	f.Add([]byte("on: {pull_request: {types: x}}\njobs: {a: &a {steps: [{uses: 'a/familiar@v1'}]}, b: {<<: *a, if: x}}"))
	f.Add([]byte("a: &a\n  <<: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := ParseWorkflow(".github/workflows/a.yml", data)
		list := Workflows(factsOf("public", w))
		for _, x := range list {
			if x.Message == "" || x.Reason == "" || x.Fix == "" || x.Line < 0 || x.Line > strings.Count(string(data), "\n")+1 {
				t.Fatalf("finding %+v", x)
			}
		}
		repaired := Repaired(list, func(string) (string, bool) { return w.Text, true })
		for path, text := range repaired {
			if path != w.Path || text == w.Text || w.Problem != "" {
				t.Fatalf("repair of %s", path)
			}
		}
	})
}
