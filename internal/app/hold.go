package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
)

// This file decides when the comment that shows lessons is left as it is. A
// word about what it shows (a label, `approve all`) covers the display that
// stood before it, and only a run that may save can record a new one. So while
// GitHub does not tell who may, while the memory cannot be read just now, and
// while such a word waits for another run, nothing is rewritten: the answers
// are a reply, and the review waits too (pages 6.1 and 6.2, decision 0011).

// unsure says whose permission GitHub did not tell now, in words; "" where it
// told everybody's.
func unsure(shapers []trust.Shaper) string {
	for _, s := range shapers {
		if !s.Ghost && !s.Bot && s.Lookup.Passing {
			_, reason := trust.Standing(s.Lookup, "")
			return s.Login + " " + reason.Text
		}
	}
	return ""
}

// showsLessons says whether the status comment shows lessons that a word can
// be about.
func (g pullFacts) showsLessons() bool { return g.own.intact && g.own.state.Display.Digest != "" }

// held says why the comment stays as it is whatever was asked, or "".
func (g pullFacts) held() string {
	if !g.showsLessons() {
		return ""
	}
	return or(g.unsure, g.unread)
}

// unreadable says why the memory cannot be read in this run although the next one
// may read it, or "". Where it takes a person to mend it (no key opens it, it
// is lost or rolled back), pull requests are reviewed without it meanwhile.
func unreadable(ctx context.Context, m Memory) string {
	if m == nil {
		return ""
	}
	err := m.View(ctx, func(context.Context, *store.Store) error { return nil })
	switch WhyUnavailable(err) {
	case Unlisted, Unreadable, Vanishing:
		return "the memory cannot be read now"
	}
	return ""
}

// heldFor says why it stays in a run whose labels are settled, or "".
func (out settledLabels) heldFor(g pullFacts) string {
	if out.waits && g.showsLessons() {
		return "a label waits"
	}
	return g.held()
}

// heldFor says why it stays in a run whose commands are decided, or "".
func (d *dealing) heldFor() string {
	if d.f.pull == nil {
		return ""
	}
	if d.f.pull.showsLessons() && slices.ContainsFunc(d.items, func(i dealt) bool { return i.verdict == wasFailed }) {
		return "a command waits"
	}
	return d.f.pull.held()
}

// heldDetail is what the run says of itself.
func heldDetail(why string) string {
	return why + ", so the comment that shows lessons stays as it is, and the next run looks again"
}

// hold ends a look that rewrites nothing.
func (out settledLabels) hold(ctx context.Context, r ActionRequest, p pullRun, g pullFacts, why string) ActionReport {
	report := nothing(heldDetail(why))
	report.Trust, report.Comment = g.trust.Scope, g.own.Comment
	if out.answers = append(slices.Clip(p.answers), out.answers...); len(out.answers) == 0 {
		return report
	}
	report.Planned, report.Outcomes, report.Outcome = out.report.Planned, out.report.Outcomes, review.CommandsApplied
	if body := out.replyBody(); !saidByUs(g, body.String()) {
		report.perform(ctx, r, out.reply(r, g))
	}
	if len(plan.Failed(report.Outcomes)) == 0 {
		report.perform(ctx, r, out.removals(r, g)...)
	}
	return report
}

// saidByUs says whether a comment of ours on the thread says just that: an
// outage is told once, however many runs meet it.
func saidByUs(g pullFacts, body string) bool {
	return slices.ContainsFunc(g.comments, func(c github.Comment) bool {
		return byUs(c.Author, g.author) && strings.TrimSpace(bodyOf(c)) == strings.TrimSpace(body)
	})
}

// heldReview answers who asks for a review that has to wait.
func heldReview(why string) string {
	return "The review waits: " + why + "."
}

// replyBody is what a reply to labels says.
func (out settledLabels) replyBody() render.Markup {
	return render.ReplyComment(render.Reply{Answers: out.answers}, render.MaxComment)
}

// replyKey is the idempotency key of a reply to labels.
func replyKey(g pullFacts, body string) string {
	return memory.NewCause("reply to labels", fmt.Sprint(g.repository.ID), fmt.Sprint(g.pull.Number), body)
}
