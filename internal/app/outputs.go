package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
)

// Output is one output of the step (page 6.7).
type Output struct{ Name, Value string }

// Outputs are the step's outputs. Numbers are counts of this run.
// A run that looked at several pull requests counts over all, and names no
// one comment.
func Outputs(r ActionReport) []Output {
	s := r.Status
	for _, o := range r.Others {
		s.Policy.Enabled = s.Policy.Enabled || o.Status.Policy.Enabled
		s.Lessons = append(s.Lessons, o.Status.Lessons...)
		s.Proposals = append(s.Proposals, o.Status.Proposals...)
		s.Refusals = append(s.Refusals, o.Status.Refusals...)
		s.Findings = append(s.Findings, o.Status.Findings...)
		s.Generation = max(s.Generation, o.Status.Generation)
	}
	return []Output{
		{"outcome", string(r.Outcome)},
		{"trust-scope", string(r.Trust)},
		{"memory-enabled", strconv.FormatBool(s.Policy.Enabled)},
		{"memory-read", strconv.Itoa(len(s.Lessons))},
		{"memory-pending", strconv.Itoa(len(s.Proposals))},
		{"memory-refused", strconv.Itoa(len(s.Refusals))},
		{"findings", strconv.Itoa(len(s.Findings))},
		{"status-comment-id", number(r.Comment.ID)},
		{"status-comment-url", r.Comment.URL},
		{"store-generation", number(s.Generation)},
		{"brief-path", r.BriefPath},
		{"result-path", r.ResultPath},
	}
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// AnyFinding says whether there is a finding of at least the severity, also
// where an earlier run reviewed the same and this one had nothing to do.
func (r ActionReport) AnyFinding(least contract.Severity) bool {
	for _, f := range r.Status.Findings {
		if f.Severity.AtLeast(least) {
			return true
		}
	}
	return r.worst != "" && r.worst.AtLeast(least) || slices.ContainsFunc(r.Others, func(o ActionReport) bool { return o.AnyFinding(least) })
}

// maxSummary keeps a summary below the size that the runner takes.
const maxSummary = 900 << 10

// Summary is the job summary: what the status comment says, what was done,
// and a picture of the run (page 6.4).
func Summary(r ActionReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## familiar: %s\n\n", render.Text(or(string(r.Outcome), "prepared")))
	if r.Detail != "" {
		fmt.Fprintf(&b, "%s\n\n", render.Prose(r.Detail))
	}
	for _, list := range [][]string{r.Said, r.Warnings} {
		for _, line := range list {
			b.WriteString("- " + render.Prose(line) + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(r.Block)
	if r.Reviewed || len(r.Status.Answers) > 0 && len(r.Said) == 0 {
		b.WriteString(render.Markdown(r.Status) + "\n")
	}
	if len(r.Outcomes) > 0 {
		b.WriteString("\n### What was done\n\n| action | what | outcome |\n|---|---|---|\n")
		for _, o := range r.Outcomes {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", render.TableCell(string(o.Action.Kind)), render.TableCell(o.Action.Summary), render.TableCell(said(o)))
		}
	}
	if r.Reviewed {
		b.WriteString("\n" + picture(r))
	}
	for _, o := range r.Others {
		b.WriteString("\n---\n\n" + Summary(o))
	}
	if b.Len() > maxSummary {
		return b.String()[:0] + fmt.Sprintf("## familiar: %s\n\nThe summary is too large to show.\n", render.Text(string(r.Outcome)))
	}
	return b.String()
}

func said(o plan.Outcome) string {
	switch {
	case o.Err != nil:
		return "failed: " + o.Err.Error()
	case o.Skipped != "":
		return o.Skipped
	}
	return "done"
}

// picture shows the run in one line of boxes. Every label is a number or one
// of our own words.
func picture(r ActionReport) string {
	s := r.Status
	memory := "memory off"
	if s.Policy.Enabled {
		memory = fmt.Sprintf("reads %d scopes, may propose %d", len(s.Policy.ReadScopes), len(s.Policy.WriteScopes))
	}
	return fmt.Sprintf("```mermaid\nflowchart LR\n  event[event] --> trust[trust: %s]\n  trust --> grants[%s]\n  grants --> used[read %d, proposed %d, refused %d]\n  used --> out[%d findings, %s]\n```\n",
		r.Trust, memory, len(s.Lessons), len(s.Proposals), len(s.Refusals), len(s.Findings), r.Outcome)
}
