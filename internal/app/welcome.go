package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// This file is about the first run after installation (pages 6.2 and 6.3): it
// makes the labels that the repository lacks, and its comment greets. That a
// run is the first is known by the labels themselves, which need no memory;
// where there is one it remembers that, so that later runs need not ask.

// labelsRegister is what the store remembers of it.
const labelsRegister = "labels"

// labelColor is that of the labels which this product makes.
const labelColor = "5319e7"

// welcome is what a first run does.
type welcome struct {
	greet   bool
	missing []github.Label
	note    []plan.Action // for the store, with whatever else is saved
}

// ourLabels are the labels of a configuration, in the order of page 6.2.
func ourLabels(l config.Labels) []github.Label {
	is := intent.DefaultLabelNames()
	l = config.Labels{Approve: or(l.Approve, is.Approve), Reject: or(l.Reject, is.Reject), Review: or(l.Review, is.Review), NoMemory: or(l.NoMemory, is.NoMemory), Skip: or(l.Skip, is.Skip)}
	return []github.Label{
		{Name: l.Approve, Color: labelColor, Description: "Approve the lessons that familiar shows here, in these words"},
		{Name: l.Reject, Color: labelColor, Description: "Reject the lessons that familiar shows here"},
		{Name: l.Review, Color: labelColor, Description: "Have familiar review this now"},
		{Name: l.NoMemory, Color: labelColor, Description: "familiar neither reads nor writes memory here"},
		{Name: l.Skip, Color: labelColor, Description: "familiar leaves this alone"},
	}
}

// firstRun finds out whether this is the first run. Only a trusted run asks:
// neither a fork's nor a stranger's change makes labels here.
func firstRun(ctx context.Context, r ActionRequest, l config.Labels, scope contract.TrustScope) (w welcome) {
	want := ourLabels(l)
	if r.Trigger.Kind == event.PullRequest || scope == contract.TrustExternal || scope == contract.TrustForkPR || scope == "" || labelsNoted(ctx, r, want) {
		return w
	}
	have, err := r.Client.Labels(ctx)
	if err != nil {
		return w // the next run asks again
	}
	known := map[string]bool{}
	for _, l := range have {
		known[strings.ToLower(l.Name)] = true
	}
	for _, l := range want {
		if !known[strings.ToLower(l.Name)] {
			w.missing = append(w.missing, l)
		}
	}
	w.greet = len(w.missing) == len(want)
	if r.Memory != nil {
		now := r.gitHubNow().Truncate(time.Second)
		w.note = []plan.Action{{
			Kind: plan.SetRegister, Key: memory.NewCause(labelsRegister, labelNamesOf(want)), Summary: "remember that the labels are there",
			Payload: store.Register{Name: labelsRegister, Value: labelNamesOf(want), At: now, Cause: memory.NewCause(labelsRegister, labelNamesOf(want), fmt.Sprint(now.Unix()))},
		}}
	}
	return w
}

// welcome finds out whether commands are the first that is heard of here. On
// an issue the names of the labels are asked for where they matter.
func (d *dealing) welcome(ctx context.Context) welcome {
	scope := scopeOf(d.said[len(d.said)-1].standing)
	if d.f.pull != nil {
		w := firstRun(ctx, d.r, d.f.pull.settings.Familiar.Labels, scope)
		d.f.pull.first = &w
		return w
	}
	if labelsNoted(ctx, d.r, nil) {
		return welcome{}
	}
	l := d.f.settings.Familiar.Labels
	if d.f.settings.path == "" { // nobody asked for them
		var err error
		if l, err = labelsAsConfigured(ctx, d.r, d.f.repository); err != nil {
			return welcome{} // the next run asks again
		}
	}
	return firstRun(ctx, d.r, l, scope)
}

// labelsAsConfigured reads the names of the labels at the live head of the
// default branch.
func labelsAsConfigured(ctx context.Context, r ActionRequest, repo event.Repository) (config.Labels, error) {
	head, err := r.Client.BranchHead(ctx, repo.DefaultBranch)
	if err != nil {
		return config.Labels{}, err
	}
	path := or(r.Config, ConfigPath)
	data, _, err := r.Client.FileAt(ctx, path, head)
	if err != nil {
		return config.Labels{}, err
	}
	c, _ := config.Parse(path, data)
	return c.Familiar.Labels, nil
}

func labelNamesOf(labels []github.Label) string {
	var names []string
	for _, l := range labels {
		names = append(names, l.Name)
	}
	return strings.Join(names, "\n")
}

// labelsNoted says whether the store remembers that these labels are there;
// nil: any.
func labelsNoted(ctx context.Context, r ActionRequest, want []github.Label) bool {
	if r.Memory == nil {
		return false
	}
	noted := false
	_ = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		register, ok, err := st.Register(ctx, labelsRegister)
		noted = ok && (want == nil || register.Value == labelNamesOf(want))
		return err
	}) // a store that cannot be asked remembers nothing
	return noted
}

// deeds make the labels that are missing.
func (w welcome) deeds(r ActionRequest) []deed {
	if len(w.missing) == 0 {
		return nil
	}
	a := plan.Action{Kind: plan.Label, Key: memory.NewCause("labels", labelNamesOf(w.missing)), Summary: "make the labels that this repository lacks: " + render.Log(strings.ReplaceAll(labelNamesOf(w.missing), "\n", ", "))}
	return []deed{{a, func(ctx context.Context, _ plan.Action) error {
		_, err := r.Client.CreateLabels(ctx, w.missing)
		return degraded(err)
	}}}
}
