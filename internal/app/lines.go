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
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/text"
)

// This file keeps the comments on lines in step with what was found (page
// 6.4): each finding once, however many pushes see it; one that is fixed says
// in which commit; one that comes back says that. What a comment is about is
// known by its MACed marker alone (finding_marker.go).

// Annotation is a finding for the run's own list, where its comment could not
// be put on its line.
type Annotation struct {
	Path     string
	Line     int
	Severity string
	Title    string
}

// maxAnnotations is how many of one level GitHub shows of a step.
const maxAnnotations = 10

// saidLine is a comment of ours on a line.
type saidLine struct {
	github.ReviewComment
	ref findingRef
}

// saidLines are those among the comments on a pull request that are about a
// finding of ours: by our author, vouched for by a key where there is one, and
// no answer to another.
func saidLines(r ActionRequest, g pullFacts, there []github.ReviewComment) []saidLine {
	var out []saidLine
	for _, c := range there {
		if !byUs(c.Author, r.Author) || c.InReplyTo != 0 {
			continue
		}
		ref, ok, vouched := decodeFinding(r.Keys, g.repository.ID, g.pull.Number, c.Body)
		if ok && (vouched || r.Keys.Len() == 0) {
			out = append(out, saidLine{c, ref})
		}
	}
	return out
}

// mayHaveLines says whether earlier looks may have left comments on lines
// that this one has to bring up to date.
func mayHaveLines(r ActionRequest, g pullFacts) bool {
	return g.own.ID != 0 && (r.Keys.Len() == 0 || g.own.state.Shown != "" || !g.own.intact)
}

// knownLines are the comments on lines as they were read a moment ago, or
// their absence. known is false where a reviewer took its time since: another
// run may have written meanwhile.
func knownLines(r ActionRequest, g pullFacts) (lines []github.ReviewComment, known bool) {
	fresh := r.Operation == OperationPublish || runtime.Kind(or(string(r.Reviewer), string(g.settings.Runtime.Kind))) == runtime.Rules
	return g.lines, fresh && (g.lines != nil || g.pull.LineComments == 0)
}

// settled says whether a look may tell that a finding is gone: the same
// reviewer looked as the one before, and at this file whole, or the change
// does not have the file any more.
func settledLook(g pullFacts, out reviewed, keyed bool) func(path string) bool {
	whole := out.status.Outcome == review.Reviewed || out.status.Outcome == review.PartlyReviewed || out.status.Outcome == review.NothingToDo
	sameReviewer := g.own.state.By == string(out.by)
	if !keyed || g.own.state.By == "" {
		sameReviewer = out.by == runtime.Rules
	}
	missed := map[string]bool{}
	for _, gap := range out.status.Coverage.Unreviewed {
		missed[gap.Path] = true
	}
	return func(path string) bool { return whole && sameReviewer && !missed[path] }
}

// The first visible line of a comment whose finding is gone, or back, or of
// which a maintainer said something.
var (
	lineStatus = text.Lazy("^(?:\\*\\*(?:Fixed in|Back in|Dismissed|Accepted|Corrected)[^\n]*\n\n)?")
	lineGone   = text.Lazy("^\\*\\*(?:Fixed in|Dismissed)")
	lineSaid   = text.Lazy("^\\*\\*(?:Accepted|Corrected)")
)

var dismissedLine = render.Words("**Dismissed**, and not raised again while that lesson lives.")

// keepLines are the edits of comments whose finding is gone since, or back.
func keepLines(r ActionRequest, g pullFacts, out reviewed, ours []saidLine) []deed {
	tells := settledLook(g, out, r.Keys.Len() > 0)
	var deeds []deed
	for _, c := range ours {
		found := slices.ContainsFunc(out.status.Findings, func(f review.Finding) bool { return f.Fingerprint == c.ref.Fingerprint && f.Path == c.ref.Path })
		away := slices.ContainsFunc(out.status.Dismissed, func(d render.DismissedFinding) bool { return d.Fingerprint == c.ref.Fingerprint })
		marker, text := apart(c.Body)
		was := lineStatus.FindString(text)
		rest, gone := text[len(was):], lineGone.MatchString(was)
		said, isSaid := out.status.WordOn(c.ref.Fingerprint)
		head := render.Markup{}
		switch {
		case away:
			head = dismissedLine
		case found && isSaid:
			head = render.SaidOnLine(said)
		case found && gone:
			head = render.BackIn(g.pull.Head.SHA)
		case found && lineSaid.MatchString(was): // its lesson is gone
		case !found && !gone && tells(c.ref.Path):
			head = render.FixedIn(g.pull.Head.SHA)
		default:
			continue
		}
		if !strings.HasPrefix(was, head.String()) || head.Empty() {
			deeds = append(deeds, editLine(r, g, c, headed(head, render.AsItStands(rest)).Under(marker)))
		}
	}
	return deeds
}

// headed puts the line that says how things stand above the text of a finding.
func headed(head, text render.Markup) render.Markup {
	if head.Empty() {
		return text
	}
	return head.Then(render.Words("\n\n"), text)
}

// apart splits a comment on a line into its hidden line and the text.
func apart(body string) (marker, text string) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	marker = findingLine.FindString(body)
	return strings.TrimRight(marker, "\n") + "\n", strings.TrimLeft(body[len(marker):], "\n")
}

func editLine(r ActionRequest, g pullFacts, c saidLine, text render.Markup) deed {
	a := plan.Action{
		Kind: plan.LineComments, Key: memory.NewCause("line", fmt.Sprint(g.repository.ID), fmt.Sprint(c.ID), text.String()),
		Summary: fmt.Sprintf("bring the comment on %s up to date", render.Log(c.ref.Path)),
	}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		return degraded(r.Client.EditReviewComment(ctx, c.ID, text))
	}}
}

// newLines puts findings on their lines that are not there yet, as one review.
// What cannot be put there becomes an annotation.
func (report *ActionReport) newLines(r ActionRequest, g pullFacts, findings []review.Finding, ours []saidLine) []deed {
	wanted := onLines(findings)
	wanted = wanted[:min(len(wanted), g.settings.Review.MaxComments)]
	var missing []review.Finding
	var comments []github.LineComment
	for _, f := range wanted {
		ref := refOf(f, g.pull.Base.SHA, g.pull.Head.SHA)
		if slices.ContainsFunc(ours, func(c saidLine) bool { return c.ref.same(ref) }) {
			continue
		}
		missing = append(missing, f)
		marker := encodeFinding(r.Keys, g.repository.ID, g.pull.Number, ref)
		body := render.LineComment(f)
		if said, ok := report.Status.WordOn(f.Fingerprint); ok { // in another pull request, where it was found too
			body = headed(render.SaidOnLine(said), body)
		}
		comments = append(comments, github.LineComment{Path: f.Path, Line: f.Line, Body: body.Under(marker)})
	}
	if len(comments) == 0 {
		return nil
	}
	a := plan.Action{
		Kind: plan.LineComments, Key: memory.NewCause("lines", fmt.Sprint(g.repository.ID), g.pull.Head.SHA, fmt.Sprint(len(comments))),
		Summary: "put " + render.Count(len(comments), "finding") + " on the change",
	}
	return []deed{{a, func(ctx context.Context, _ plan.Action) error {
		written, err := r.Client.CreateReview(ctx, g.pull.Number, github.NewReview{CommitID: g.pull.Head.SHA, Comments: comments})
		if err != nil {
			report.annotate(missing)
			return degraded(err)
		}
		if n := len(written.Dropped); n > 0 {
			for _, d := range written.Dropped {
				report.annotate(missing[d.Index : d.Index+1])
			}
			return plan.Skip(fmt.Sprintf("%d of %d are not on their lines: %s", n, len(comments), written.Dropped[0].Reason))
		}
		return nil
	}}}
}

// annotate adds findings to the list of the run.
func (report *ActionReport) annotate(findings []review.Finding) {
	for _, f := range findings {
		if len(report.Annotations) < maxAnnotations {
			report.Annotations = append(report.Annotations, Annotation{Path: f.Path, Line: f.Line, Severity: string(f.Severity), Title: f.ID + " " + f.Title})
		}
	}
}
