package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
)

// operation is one thing that a person asked for by starting the workflow:
// who asks, what they may do now, and when GitHub heard it.
type operation struct {
	r       ActionRequest
	s       surroundings
	words   memoryWords
	actor   memory.Principal
	at      time.Time
	through memory.Through
	event   string // digest of the event; the same for every attempt of the run
}

// operateMemory does one verb of `familiar memory` inside the repository's own
// workflow, where its memory can be saved (pages 5.7, 6.7). Who asks is the
// sender of the event, by live permission and ownership; an input that names
// somebody is not looked at (attack A37).
func operateMemory(ctx context.Context, r ActionRequest) (ActionReport, error) {
	words, err := readMemoryWords(r.Arguments)
	if err != nil {
		return ActionReport{}, err
	}
	if words.options["dry-run"] != "" {
		r.DryRun = true
	}
	o, err := beginOperation(ctx, r, words)
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{Outcome: review.CommandsApplied, Trust: o.s.scope(r)}
	if why := o.refused(capability(words.verb)); why != "" {
		report.refuse(words.verb, why)
		return report, nil
	}
	switch words.verb {
	case "list", "search":
		err = o.list(ctx, &report)
	case "show":
		err = o.show(ctx, &report)
	case "verify":
		err = o.verify(ctx, &report)
	case "export":
		err = o.export(ctx, &report)
	case "snapshot":
		err = o.snapshot(ctx, &report)
	case "restore":
		err = o.restore(ctx, &report)
	case "recover":
		err = o.recover(ctx, &report)
	default:
		err = o.change(ctx, &report)
	}
	if err != nil {
		return report, err
	}
	o.shown(ctx, &report)
	return report, nil
}

// beginOperation gathers who asks and what is there.
func beginOperation(ctx context.Context, r ActionRequest, words memoryWords) (*operation, error) {
	if r.Trigger.Kind != event.WorkflowDispatch {
		return nil, &InputError{"operation", fmt.Sprintf("%s is for a workflow_dispatch, and this is the event %s; start the workflow on the default branch", r.Operation, render.Log(r.Trigger.Name))}
	}
	s, err := gatherSurroundings(ctx, r)
	if err != nil {
		return nil, err
	}
	if ref := r.Trigger.Ref; ref != "" && ref != "refs/heads/"+s.repository.DefaultBranch {
		return nil, &InputError{"operation", fmt.Sprintf("%s works on the default branch alone (%s), and this run is on %s: nobody would read what it saves", r.Operation, s.repository.DefaultBranch, render.Log(ref))}
	}
	o := &operation{r: r, s: s, words: words, at: r.gitHubNow()}
	o.r.Author = s.author
	if a := r.Trigger.Sender; a != nil && !a.IsBot() {
		o.actor = memory.Principal{ID: a.ID, Login: a.Login}
	}
	if r.RunID > 0 {
		run, err := r.Client.WorkflowRun(ctx, r.RunID)
		if err != nil {
			return nil, err
		}
		o.at = run.CreatedAt
	}
	o.event = memory.NewCause("workflow_dispatch", fmt.Sprint(s.repository.ID), fmt.Sprint(r.RunID), strings.Join(r.Arguments, "\n"))
	o.through = memory.Through{Kind: "workflow_dispatch", ID: fmt.Sprint(r.RunID), URL: r.RunURL}
	return o, nil
}

// refused says why whoever asks may not do op, or why nobody can now, or "".
func (o *operation) refused(op memory.Op) string {
	switch refusal := memory.May(o.s.standing, op); {
	case o.actor.ID <= 0:
		return "A bot, an app or a deleted account started this run, and none commands."
	case refusal != nil:
		return refusal.Detail + " Here " + o.s.why + "."
	case o.r.Memory == nil:
		return "Memory is off here: " + o.r.MemoryOff + "."
	case op != memory.OpRecover && op != memory.OpUninstall && o.s.usable(o.r) != "":
		return "The memory cannot be used: " + o.s.usable(o.r) + "."
	}
	return ""
}

// refuse notes that what somebody asked for was not done: whoever started a
// run waits for its end, so the run fails.
func (report *ActionReport) refuse(command, why string) {
	report.answer(command, false, why)
	report.Outcome, report.Detail = review.Failed, "not done"
}

// answer notes what became of what somebody asked for.
func (report *ActionReport) answer(command string, done bool, text string) {
	command = redact.Scrub(command) // what was asked for, in their words
	report.Status.Answers = append(report.Status.Answers, render.Answer{Command: command, Done: done, Text: text})
	word := "done"
	if !done {
		word = "not done"
	}
	report.Said = append(report.Said, fmt.Sprintf("`%s`: %s. %s", command, word, text))
}

// change does a verb of page 4.2 to the lessons, key or prefix that is named.
func (o *operation) change(ctx context.Context, report *ActionReport) error {
	in, err := o.words.intended()
	if err != nil {
		return err
	}
	decided, err := Decide(ctx, DecideRequest{
		Stores: o.r.Memory, Intent: in, Operator: o.actor, Now: o.at, DryRun: o.r.DryRun,
		By: &Asked{Standing: o.s.standing, Through: o.through, Event: o.event},
	})
	for _, d := range decided {
		command := o.words.verb + " " + d.ID
		switch {
		case d.Refused != nil:
			report.refuse(command, d.Refused.Detail)
		case o.r.DryRun:
			report.answer(command, false, "This is a dry run; nothing was stored.")
		case d.Already:
			report.answer(command, true, "It was done before.")
		case d.Denial != nil:
			report.answer(command, true, render.Denied(*d.Denial))
		default:
			report.answer(command, true, strings.TrimSpace(changedWords(in.Verb)+" "+o.r.Memory.Cleared.Words()))
		}
	}
	if len(decided) == 0 && err == nil {
		report.answer(o.words.verb, true, "Nothing waits for approval.")
	}
	if err == nil && !o.r.DryRun && o.r.Memory.Saved != nil {
		report.perform(ctx, o.r, pruned(o.r, report))
	}
	o.noted(report)
	return err
}

// noted puts the generation of the store into the outputs.
func (o *operation) noted(report *ActionReport) {
	report.Status.Generation, report.Status.Expiry = o.r.Memory.Seen().Generation, o.r.Memory.Expiry()
}

// changedWords say what a verb did.
func changedWords(v intent.Verb) string {
	switch v {
	case intent.VerbForget, intent.VerbRedact:
		return "Its text is gone from the store. Where people quoted it, it still stands."
	case intent.VerbPurge:
		return "It is gone from the store with all that was known of it; a denial of its key keeps the key. Where people quoted it, it still stands."
	case intent.VerbRevoke:
		return "Nothing of it is read or written from now on."
	case intent.VerbUnrevoke:
		return "The denial is lifted."
	case intent.VerbRetire:
		return "It is out of use; its text is kept."
	case intent.VerbKeep:
		return "It stays."
	case intent.VerbEdit:
		return "It has the new words."
	case intent.VerbReject:
		return "It will not be used."
	}
	return "It is in use from now on."
}

// shown brings the dashboard up to date with what was done. What is only
// looked at changes nothing there.
func (o *operation) shown(ctx context.Context, report *ActionReport) {
	if o.r.Memory.Saved != nil {
		writeDashboard(ctx, o.r, &o.s, report)
	}
}
