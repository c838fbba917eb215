package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// statusWriter writes the one status comment of a thread (page 6.3): creates
// it where there is none, and gives it its words, its tag and its state.
type statusWriter struct {
	r            ActionRequest
	own          own
	repositoryID int64
	number       int
	strict       bool // somebody waits for the answer: not being allowed to give it is a failure
	told         bool // the comment is as finish left it, or was so already
}

// create makes the comment, where there is none yet. The tag is over the
// comment's own id, so it comes by an edit when all is done.
func (w *statusWriter) create(s render.Status) []deed {
	if w.own.ID != 0 {
		return nil
	}
	text := render.StatusComment(s)
	return []deed{{w.action("open the status comment", text.String()), func(ctx context.Context, _ plan.Action) error {
		written, err := w.r.Client.CreateComment(ctx, w.number, text)
		if err != nil {
			return w.allowed(err)
		}
		w.own.Comment = written
		w.own.body, _ = parted(written.Body)
		w.own.intact = w.r.Keys.Len() == 0
		return nil
	}}}
}

// finish brings the comment to what is to be said and remembered. What it
// says already is not written again; a second one that was made in a race
// goes.
func (w *statusWriter) finish(s render.Status, state State) []deed {
	c := render.ComposeStatus(s)
	text := c.Body.String()
	wanted, _ := parted(text)
	state.Display, _ = displayOf(s)
	if w.r.Keys.Len() == 0 {
		state = State{}
	}
	out := []deed{{w.action("say how things stand", text), func(ctx context.Context, _ plan.Action) error {
		if w.own.ID == 0 {
			return plan.Skip("the status comment could not be opened")
		}
		state = wanted.fitting(w.r.Keys, w.repositoryID, w.own.ID, state)
		state.Before = w.own.state.Before
		if w.own.says(wanted, state) {
			w.told = true
			return plan.Skip("it says so already")
		}
		state.Before = w.own.replaced()
		written, err := w.r.Client.EditComment(ctx, w.own.ID, wanted.sealed(w.r.Keys, w.repositoryID, w.own.ID, state, c.Shown))
		if err == nil {
			w.own.Comment, w.told = written, true
		}
		return w.allowed(err)
	}}}
	return append(out, w.tidy()...)
}

// tidy takes away what a race of two runs left beside the comment, also where
// it has nothing new to say. One that is not finished is left to its own run
// while that may be under way.
func (w *statusWriter) tidy() (out []deed) {
	extra := slices.Clone(w.own.spare)
	for _, c := range w.own.half {
		if !w.r.gitHubNow().Before(c.CreatedAt.Add(ownRun)) {
			extra = append(extra, c.ID)
		}
	}
	for _, id := range extra {
		out = append(out, deed{w.action("remove the second status comment", fmt.Sprint(id)), func(ctx context.Context, _ plan.Action) error {
			return degraded(w.r.Client.DeleteComment(ctx, id))
		}})
	}
	return out
}

// tidy takes away, in a look that says nothing else, whatever of ours two runs
// made at one moment: the second status comment, reply and comment on a line.
func (report *ActionReport) tidy(ctx context.Context, r ActionRequest, f commandFacts) {
	w := &statusWriter{r: r, own: f.own, repositoryID: f.repository.ID, number: f.number}
	deeds := append(w.tidy(), spareReplies(r, f)...)
	if f.pull != nil {
		_, spare := withoutSpares(saidLines(r, *f.pull, f.lines), f.lines)
		deeds = append(deeds, removals(r, *f.pull, spare)...)
	}
	report.perform(ctx, r, deeds...)
}

// replaced is the display that an edit of a comment replaces, with the time
// since when it stood there; zero where somebody else edited the comment.
func (o own) replaced() Display {
	d := o.state.Display
	if !o.intact || d.Digest == "" {
		return Display{}
	}
	d.At = o.UpdatedAt
	return d
}

// noteShown records in the store what the comment shows of the lessons that
// wait for approval, with GitHub's time of the edit, which nobody knows before
// it. A display that could not be recorded is covered by no label; the ids
// work all the same.
func (report *ActionReport) noteShown(ctx context.Context, r ActionRequest, w *statusWriter) {
	report.Comment = w.own.Comment
	display, shown := displayOf(report.Status)
	if !w.told || display.Digest == "" || r.Memory == nil || r.DryRun || len(report.Status.Policy.WriteScopes) == 0 {
		return
	}
	known, err := displaysOf(ctx, r.Memory, w.number)
	d := store.Display{Number: w.number, CommentID: w.own.ID, SetDigest: display.Digest, At: w.own.UpdatedAt, Cut: display.Cut}
	if err != nil || slices.ContainsFunc(known, func(k store.Display) bool {
		return k.CommentID == d.CommentID && k.SetDigest == d.SetDigest && k.At.Equal(d.At)
	}) {
		return
	}
	actions := displayActions(d, shown)
	report.Planned = append(report.Planned, actions...)
	report.Outcomes = append(report.Outcomes, storeOutcomes(ctx, r, actions, &report.Status)...)
}

func (w *statusWriter) allowed(err error) error {
	if w.strict {
		return err
	}
	return degraded(err)
}

func (w *statusWriter) action(what, text string) plan.Action {
	return plan.Action{
		Kind: plan.StatusComment, Key: memory.NewCause("status", fmt.Sprint(w.repositoryID), fmt.Sprint(w.number), what, text),
		Summary: fmt.Sprintf("%s on #%d", what, w.number),
	}
}
