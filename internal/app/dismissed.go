package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// dismissals are the findings that stay away, by fingerprint, each with the
// document of the lesson for which it does (page 7.5). dispositions come the
// latest first: what was said last counts, and a later accept or correct ends
// a dismissal. One whose lesson is gone, was revoked or has ended is none.
func dismissals(dispositions []store.Disposition, lives func(document string) bool) map[string]string {
	out, decided := map[string]string{}, map[string]bool{}
	for _, d := range dispositions {
		switch {
		case decided[d.Finding]:
		case d.Kind != memory.OpDismiss:
			decided[d.Finding] = true
		case d.Document != "" && lives(d.Document):
			out[d.Finding], decided[d.Finding] = d.Document, true
		}
	}
	return out
}

// living says which documents have a version that is in use now.
func living(existing []memory.Version, denied []string, now time.Time) func(string) bool {
	alive := map[string]bool{}
	for _, v := range existing {
		ended := !v.ValidUntil.IsZero() && v.ValidUntil.Before(now)
		revoked := slices.ContainsFunc(denied, func(prefix string) bool { return memory.Covers(prefix, string(v.Key)) })
		if v.State == memory.Active && !ended && !revoked {
			alive[v.DocumentID] = true
		}
	}
	return func(document string) bool { return alive[document] }
}

// dismissals are those that this review heeds: memory that may not be read,
// or is off, keeps nothing away.
func (f facts) dismissals(v policy.Verdict) map[string]string {
	if !f.readsRepo(v) {
		return nil
	}
	return dismissals(f.memory.dispositions, living(f.memory.existing, v.Policy.Denied, f.now))
}

// readsRepo says whether this review may read what the repository remembers.
func (f facts) readsRepo(v policy.Verdict) bool {
	return f.memory != nil && v.Policy.Enabled && slices.Contains(v.Policy.ReadScopes, contract.ScopeRepo)
}

// dismissed says which findings of a change are not shown, so that a clean
// result never hides that somebody decided so.
func dismissed(checked review.Checked) []render.DismissedFinding {
	var out []render.DismissedFinding
	for _, d := range checked.Dropped {
		if d.Reason == review.DropDismissed {
			out = append(out, render.DismissedFinding{Path: d.Candidate.Path, Line: d.Candidate.Line, Lesson: d.Lesson, Fingerprint: d.Fingerprint})
		}
	}
	return out
}

// usesOf is the payload of plan.RecordUses.
type usesOf struct{ uses []store.Use }

// recordUses notes which version of which lesson shaped which finding, once
// for each head (issue: the trace). Fingerprints only: no word of a finding
// enters memory.
func recordUses(f facts, s memory.Snapshot, findings []review.Finding) []plan.Action {
	versions := map[string]string{}
	for _, v := range s.Lessons {
		versions[v.DocumentID] = v.ID()
	}
	var uses []store.Use
	var said []string
	for _, finding := range findings {
		for _, id := range finding.Because {
			document, _, _ := memory.ParseID(id)
			if versions[document] == "" {
				continue
			}
			uses = append(uses, store.Use{Version: versions[document], Finding: finding.Fingerprint, Day: dayOf(f.now), PullRequest: f.pull, Head: f.change.Head})
			said = append(said, versions[document]+" "+finding.Fingerprint)
		}
	}
	if len(uses) == 0 {
		return nil
	}
	key := memory.NewCause("uses", fmt.Sprint(f.repo.RepoID), fmt.Sprint(f.pull), f.change.Head, dayOf(f.now), strings.Join(said, "\n"))
	return []plan.Action{{Kind: plan.RecordUses, Key: key, Payload: usesOf{uses}, Summary: fmt.Sprintf("note which lessons shaped which findings (%d)", len(uses))}}
}

// said are the words of maintainers that are shown below findings: the last
// word on each, if it accepts or corrects. One that corrects says so with its
// lesson, and counts while that lives; a dismissal that keeps nothing away any
// more says nothing, nor does what was said before it.
func (f facts) said(v policy.Verdict, findings []review.Finding) (out []render.Disposition) {
	if !f.readsRepo(v) {
		return nil
	}
	lives := living(f.memory.existing, v.Policy.Denied, f.now)
	for _, finding := range findings {
		at := slices.IndexFunc(f.memory.dispositions, func(d store.Disposition) bool { return d.Finding == finding.Fingerprint })
		if at < 0 || slices.ContainsFunc(out, func(x render.Disposition) bool { return x.Finding == finding.Fingerprint }) {
			continue
		}
		x := disposition(f.memory.dispositions[at], nil)
		if !lives(x.Lesson) {
			x.Lesson = ""
		}
		if x.Kind != memory.OpAccept && (x.Kind != memory.OpCorrect || x.Lesson == "") {
			continue
		}
		x.Text = f.words(x.Lesson)
		out = append(out, x)
	}
	return out
}

// words are those of a lesson in use.
func (f facts) words(document string) string {
	for _, v := range slices.Backward(f.memory.existing) {
		if v.DocumentID == document && v.State == memory.Active {
			return v.Text
		}
	}
	return ""
}
