package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/store"
)

// uninstall takes familiar out of a repository, for an admin: first a snapshot
// is kept, then every lesson goes, the containers with them, the labels and
// the dashboard; what a workflow cannot take away is told. Each part is tried
// for itself, and nothing is taken away before the snapshot is there.
func uninstall(ctx context.Context, r ActionRequest) (ActionReport, error) {
	o, err := beginOperation(ctx, r, memoryWords{verb: "uninstall"})
	if err != nil {
		return ActionReport{}, err
	}
	report := ActionReport{Outcome: review.CommandsApplied, Trust: o.s.scope(r)}
	if r.Memory == nil {
		// Without a key there is no memory of ours to take away, and still the rest.
		if refusal := memory.May(o.s.standing, memory.OpUninstall); refusal != nil || o.actor.ID <= 0 {
			report.refuse("uninstall", o.refused(memory.OpUninstall))
			return report, nil
		}
	} else if why := o.refused(memory.OpUninstall); why != "" {
		report.refuse("uninstall", why)
		return report, nil
	}
	if r.Memory != nil && !o.emptied(ctx, &report) {
		return report, nil
	}
	o.unlabelled(ctx, &report)
	o.closed(ctx, &report)
	report.Said = append(report.Said, o.remains()...)
	if report.Failed() {
		report.Outcome = review.Failed
	}
	return report, nil
}

// emptied keeps a snapshot and takes the memory away. false: the snapshot
// could not be kept, so nothing was taken.
func (o *operation) emptied(ctx context.Context, report *ActionReport) bool {
	exists := false
	err := o.r.Memory.View(ctx, func(_ context.Context, st *store.Store) error { exists = st != nil; return nil })
	if err == nil && exists {
		err = o.snapshot(ctx, report)
	}
	if err != nil {
		report.refuse("uninstall", "No snapshot could be kept, so nothing was taken away: "+strings.TrimSuffix(err.Error(), ".")+".")
		return false
	}
	if !exists {
		report.answer("uninstall", true, "There was no memory.")
		return true
	}
	actions := []plan.Action{
		{Kind: plan.Transition, Key: o.event, Summary: "take every lesson away", Payload: &TransitionTask{Transition: memory.Transition{
			Op: memory.OpUninstall, Cause: o.event, At: o.at, Actor: o.actor, Standing: o.s.standing, Through: o.through,
		}}},
		{Kind: plan.Save, Key: memory.NewCause("save", o.event), Summary: "seal and upload the empty store", Needs: []string{o.event}},
	}
	report.Planned = append(report.Planned, actions...)
	report.Outcomes = append(report.Outcomes, storeOutcomes(ctx, o.r, actions, &report.Status)...)
	if len(plan.Failed(report.Outcomes)) > 0 {
		report.refuse("uninstall", "The memory could not be taken away; what is said above stays. Run the job again.")
		return false
	}
	report.perform(ctx, o.r, o.withoutContainers(report))
	return true
}

// withoutContainers deletes every container that is left, the empty one last.
func (o *operation) withoutContainers(report *ActionReport) deed {
	a := plan.Action{Kind: plan.Prune, Key: memory.NewCause("uninstall", o.event), Summary: "delete the containers"}
	return deed{a, func(ctx context.Context, _ plan.Action) error {
		gone, err := o.r.Memory.deleteAll(ctx)
		if err != nil {
			return err
		}
		if len(gone.left) > 0 {
			report.Said = append(report.Said, gone.stillThere())
			return plan.Skip(lacking + gone.left[0].Why)
		}
		report.answer("uninstall", true, fmt.Sprintf("Every lesson and %s are gone.", render.Count(gone.deleted, "container")))
		return nil
	}}
}

// emptying is what became of all containers.
type emptying struct {
	deleted int
	left    []Left
	kept    string // the empty one, kept because others of ours are left
}

// deleteAll deletes every listed container and every foreign one; the empty
// one last, and only where no other of ours is left. While one is, the empty
// one keeps the next run from reading what the other still holds.
func (v *Vaulted) deleteAll(ctx context.Context) (out emptying, err error) {
	d, ok := v.Home.(deleting)
	if !ok {
		return out, nil
	}
	entries, err := v.Home.List(ctx)
	if err != nil {
		return out, err
	}
	slices.Reverse(entries)
	if h, ok := v.Home.(foreignKnowing); ok {
		entries = append(h.Foreign(), entries...)
	}
	if h, ok := v.Home.(expiring); ok { // they hold nothing any more, but whoever begins anew would be asked about them
		for _, e := range h.Expired() {
			if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil {
				_ = d.Delete(ctx, id) // one that stays goes with the listing in time
			}
		}
	}
	empty := strconv.FormatInt(v.heads.Newest().ID, 10)
	entries = append(slices.DeleteFunc(entries, func(e home.Entry) bool { return e.ID == empty }), home.Entry{ID: empty})
	for _, e := range entries {
		if e.ID == empty && len(ours(out.left)) > 0 {
			out.kept = empty
			break
		}
		foreign := v.foreign(e)
		id, err := strconv.ParseInt(e.ID, 10, 64)
		if err == nil {
			err = d.Delete(ctx, id)
		}
		if err != nil {
			out.left = append(out.left, Left{ID: e.ID, Why: detailOf(err), Foreign: foreign})
			continue
		}
		out.deleted++
	}
	return out, nil
}

// stillThere names the containers that are left, and what they hold.
func (e emptying) stillThere() string {
	if e.kept == "" {
		return fmt.Sprintf("Still there: the containers %s (%s). None of them holds a lesson; delete them under Actions, or wait until they expire.", namesOf(e.left), e.left[0].Why)
	}
	held := ours(e.left)
	return fmt.Sprintf("Still there, with the lessons as they were when it was saved: the containers %s (%s). The empty container %s was kept, so that no run reads them again: delete them under Actions first and that one last.", namesOf(held), held[0].Why, e.kept)
}

// unlabelled deletes the labels of familiar.
func (o *operation) unlabelled(ctx context.Context, report *ActionReport) {
	l := o.s.settings.Familiar.Labels
	var deeds []deed
	for _, name := range []string{l.Approve, l.Reject, l.Review, l.NoMemory, l.Skip, dashboardLabel} {
		if !strings.HasPrefix(name, "familiar:") {
			continue // a name of the team's own may serve other ends too
		}
		a := plan.Action{Kind: plan.Label, Key: memory.NewCause("label", "delete", name), Summary: "delete the label " + render.Log(name)}
		deeds = append(deeds, deed{a, func(ctx context.Context, _ plan.Action) error {
			return degraded(o.r.Client.DeleteLabel(ctx, name))
		}})
	}
	report.perform(ctx, o.r, deeds...)
}

// closed closes the dashboard and overwrites what it says.
func (o *operation) closed(ctx context.Context, report *ActionReport) {
	n := o.s.issue.Number
	if n == 0 || o.s.issue.State != "open" {
		return
	}
	report.perform(ctx, o.r, deed{dashboardAction(o.s, "close the dashboard", "uninstall"), func(ctx context.Context, _ plan.Action) error {
		_, err := o.r.Client.CloseIssue(ctx, n, render.Words("familiar was uninstalled here, and what it remembered is gone. GitHub keeps earlier versions of this text in the issue's history until somebody deletes the issue.\n"))
		return degraded(err)
	}})
}

// remains says what a workflow cannot take away.
func (o *operation) remains() []string {
	return []string{
		"What remains, for you to take away: the workflow files below `.github/workflows`, `" + or(o.s.settings.path, ConfigPath) + "` and `.github/familiar`; the environment with the secret `FAMILIAR_MEMORY_KEY`; status comments, comments on lines and what people quoted; the snapshot, until its artifact expires.",
		"Keep the key as long as you keep the snapshot: without it nobody opens it.",
	}
}
