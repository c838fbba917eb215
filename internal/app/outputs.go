package app

import (
	"slices"
	"strconv"

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

// Summary is the job summary.
func Summary(r ActionReport) render.Markup { return render.JobSummary(summaryOf(r)) }

func summaryOf(r ActionReport) render.Summary {
	s := r.Status
	out := render.Summary{Outcome: string(r.Outcome), Detail: r.Detail, Said: r.Said, Warnings: r.Warnings, Block: r.Block}
	if r.Reviewed || len(s.Answers) > 0 && len(r.Said) == 0 {
		out.Status = &s
	}
	for _, o := range r.Outcomes {
		out.Deeds = append(out.Deeds, render.Deed{Kind: string(o.Action.Kind), What: o.Action.Summary, Result: said(o)})
	}
	if r.Reviewed {
		out.Picture = &render.Picture{
			Trust: string(r.Trust), Outcome: string(r.Outcome), Memory: s.Policy.Enabled, ReadScopes: len(s.Policy.ReadScopes), WriteScopes: len(s.Policy.WriteScopes),
			Read: len(s.Lessons), Proposed: len(s.Proposals), Refused: len(s.Refusals), Findings: len(s.Findings),
		}
	}
	for _, o := range r.Others {
		out.Others = append(out.Others, summaryOf(o))
	}
	return out
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
