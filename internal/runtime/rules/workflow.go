package rules

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

var workflowDanger = BuiltIn{
	ID: "builtin/workflow-danger", Title: "Dangerous workflow edit", Severity: contract.SeverityHigh,
	About:  "In `.github/workflows` and composite actions: an action that follows a branch or nothing at all (medium), a checkout of the head under `pull_request_target` or `workflow_run`, and text that a stranger wrote (title, body, branch name) inside `run:` or a script.",
	Leaves: "Actions at a tag or a digest, actions of the same owner, such text in `env:`, `if:` or `with:`.",
	Bad: Example{Path: ".github/workflows/greet.yml",
		Added: "on: pull_request_target\njobs:\n  greet:\n    steps:\n      - run: |\n          echo \"${{ github.event.pull_request.title }}\""},
	Good: Example{Path: ".github/workflows/greet.yml",
		Added: "on: pull_request\njobs:\n  greet:\n    steps:\n      - env:\n          TITLE: ${{ github.event.pull_request.title }}\n        run: echo \"$TITLE\""},
	find: findWorkflowDangers,
}

func (f *file) isWorkflow() bool {
	return (f.ext == ".yml" || f.ext == ".yaml") && strings.HasPrefix(f.Path, ".github/workflows/")
}

// isAction tells the definition of a composite action.
func (f *file) isAction() bool { return f.base == "action.yml" || f.base == "action.yaml" }

func findWorkflowDangers(v *view, emit func(hit)) {
	for _, f := range v.files {
		if f.Status == diff.Deleted || !f.isWorkflow() && (!f.isAction() || f.fixture || f.vendored) {
			continue
		}
		lines := v.lines(f)
		privileged := privilegedTrigger(lines)
		v.fresh(f, func(l diff.Line, trimmed string) {
			if why := v.unpinned(trimmed); why != "" {
				h := at(f, l, why+" Pin it to a commit, or at least to a tag.")
				h.severity = contract.SeverityMedium
				emit(h)
			}
			if privileged != "" && headCheckout.MatchString(trimmed) {
				emit(at(f, l, "Under "+privileged+" this runs with the secrets of the repository, and the head is a stranger's code. Check out nothing, or do it in a job without secrets and with a read-only token."))
			}
			if m := eventText.FindString(trimmed); m != "" && inScript(lines, l.New) {
				emit(at(f, l, "The text is put into the script before the shell reads it, so whoever writes it runs commands. Pass it through env: and quote the variable."))
			}
		})
	}
}

var usesLine = text.Lazy(`^(?:- )?(?:"?uses"?):\s*["']?([A-Za-z0-9_.-]+)/([A-Za-z0-9_./-]+?)(?:@([^\s"'#]*))?["']?\s*(?:#.*)?$`)

// branches are refs that move with every push.
var branches = []string{"main", "master", "develop", "dev", "devel", "trunk", "head", "next", "canary"}

// unpinned says what is wrong with an action's reference, or "".
func (v *view) unpinned(trimmed string) string {
	m := usesLine.FindStringSubmatch(trimmed)
	if m == nil || m[1] == "." || m[1] == ".." || strings.EqualFold(m[1], v.job.Brief.Repo.Owner) {
		return ""
	}
	switch ref := strings.TrimPrefix(strings.ToLower(m[3]), "refs/heads/"); {
	case m[3] == "":
		return "The action has no version, so it is whatever its repository holds at that moment."
	case slices.Contains(branches, ref):
		return "The action follows a branch, so it is whatever was pushed there last."
	}
	return ""
}

var (
	triggerLine  = text.Lazy(`^(?:- |on:\s*\[?.*|"on":.*)?["']?(pull_request_target|workflow_run)\b`)
	headCheckout = text.Lazy(`\bref["']?:\s*["']?.*\$\{\{[^}]*\b(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref|github\.event\.workflow_run\.head_(?:sha|branch))\b` +
		`|\bref["']?:\s*["']?refs/pull/\$\{\{[^}]*\}\}/(?:merge|head)` +
		`|\bgh pr checkout\b|\bgit fetch\b.*\bpull/\$`)
	eventText = text.Lazy(`\$\{\{[^}]*\bgithub\.(?:head_ref\b|event\.(?:` +
		`(?:issue|pull_request|discussion)\.(?:title|body)\b` +
		`|(?:comment|review|review_comment)\.body\b` +
		`|pull_request\.head\.(?:ref|label)\b|pull_request\.head\.repo\.default_branch\b` +
		`|workflow_run\.(?:head_branch|display_title)\b|workflow_run\.head_commit\.(?:message|author\.\w+)\b` +
		`|head_commit\.(?:message|author\.(?:name|email))\b|commits\S*\.(?:message|author\.(?:name|email))\b` +
		`|pages\S*\.page_name\b))`)
)

// privilegedTrigger returns the trigger that gives a workflow secrets while it
// may see a stranger's head, or "".
func privilegedTrigger(lines []string) string {
	for _, l := range lines {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "jobs:") {
			break
		}
		if m := triggerLine.FindStringSubmatch(trimmed); m != nil {
			return m[1]
		}
	}
	return ""
}

var scriptKey = text.Lazy(`^\s*(?:- +)?["']?(run|script)["']?:(?:\s|$)`)

// inScript says whether line n, 1-based, is text of a run: or script: key. It
// walks up through ever smaller indents, which in YAML are the parents.
func inScript(lines []string, n int) bool {
	if n <= 0 || n >= len(lines) {
		return false
	}
	if scriptKey.MatchString(lines[n]) {
		return true
	}
	limit := indent(lines[n])
	for i := n - 1; i > 0 && limit > 0; i-- {
		l := lines[i]
		if strings.TrimSpace(l) == "" || indent(l) >= limit {
			continue
		}
		if m := scriptKey.FindStringSubmatchIndex(l); m != nil && m[2] < limit {
			return true
		}
		limit = indent(l)
	}
	return false
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }
