package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// RecoverRequest asks what stands in the way of the memory, and to clear it
// away (pages 5.3 and 5.5). Nothing is accepted that is not named.
type RecoverRequest struct {
	Memory *Vaulted // nil: there is none to recover
	// Accept are digests of containers to merge deliberately: below the floor,
	// sealed under a retired key, or from a run that is not ours.
	Accept []string
	// AcceptEmpty begins an empty store where one is missed. It is refused
	// while a container opens.
	AcceptEmpty bool
	// Floor is the highest that is known; what is saved lies above it.
	Floor vault.Floor
	// StateDir is where a marker of an unfinished run may lie; "": nowhere.
	StateDir string

	Actor memory.Principal
	Cause string // digest of what caused it
	At    time.Time
}

// RecoverReport says what was found and done.
type RecoverReport struct {
	Heads      []vault.Head
	Quarantine []Quarantined
	Problem    string // why memory is still off; "": it is on
	Marker     string // what became of the marker of an unfinished run; "": there was none
	Saved      bool
	Generation int64
}

// Recover looks at the memory as a run does, proves an unfinished run gone,
// merges what is accepted by name, and saves that as a generation of its own
// above the floor, with an audit row.
func Recover(ctx context.Context, r RecoverRequest) (RecoverReport, error) {
	var out RecoverReport
	if r.StateDir != "" {
		said, err := runtime.ClearMarker(r.StateDir)
		if err != nil {
			return out, err
		}
		out.Marker = said
	}
	if r.Memory == nil {
		return out, nil
	}
	v := r.Memory
	v.Accepted = append(v.Accepted, r.Accept...)
	v.AcceptEmpty = v.AcceptEmpty || r.AcceptEmpty
	if len(r.Accept) > 0 || r.AcceptEmpty {
		if err := v.reconsider(); err != nil {
			return out, err
		}
	}
	v.Heed(r.Floor)
	err := v.View(ctx, nobody)
	out.Heads, out.Quarantine = v.heads.List(), v.Quarantine
	if err == nil {
		err = r.missing(v)
	}
	if err != nil {
		out.Problem = err.Error()
		return out, nil
	}
	if len(r.Accept) == 0 && !r.AcceptEmpty {
		return out, nil
	}
	return r.save(ctx, v, out)
}

// reconsider lets the containers be looked at once more, with what is accepted
// by now: a run fetches the store before it knows what it is asked, and by whom.
func (v *Vaulted) reconsider() error {
	st := v.st
	v.opened, v.err, v.st, v.storeID, v.genesis = false, nil, nil, "", time.Time{}
	v.heads, v.listed, v.skip, v.Quarantine = vault.Heads{}, nil, nil, nil
	if st == nil {
		return nil
	}
	return st.Close()
}

// nobody asks nothing: the store is opened and judged.
func nobody(context.Context, *store.Store) error { return nil }

// missing says which accepted container is not there or does not open.
func (r RecoverRequest) missing(v *Vaulted) error {
	if r.AcceptEmpty && v.st != nil {
		return fmt.Errorf("there is a store that opens, generation %d; an empty one is begun only where none does", v.heads.Newest().Manifest.Generation)
	}
	for _, digest := range r.Accept {
		digest = strings.ToLower(strings.TrimPrefix(digest, "sha256:"))
		found := false
		for _, h := range v.heads.List() {
			found = found || h.Digest == digest
		}
		for _, e := range v.listed {
			found = found || e.Digest == digest && !v.skip[e.ID]
		}
		if !found {
			return fmt.Errorf("no container of digest %.12s opens here; those that are listed and quarantined are named above", digest)
		}
	}
	return nil
}

func (r RecoverRequest) save(ctx context.Context, v *Vaulted, out RecoverReport) (RecoverReport, error) {
	v.raised = max(v.raised, r.Floor.Generation)
	task := &actTask{act: store.Act{Op: store.ActRecover, Cause: r.Cause, At: r.At, Actor: r.Actor,
		Detail: fmt.Sprintf("accepted %s, empty: %v", render.Count(len(r.Accept), "container"), r.AcceptEmpty)}}
	outcomes := v.Execute(ctx, []plan.Action{
		{Kind: plan.RecordAct, Key: r.Cause, Payload: task, Summary: "record the recovery"},
		{Kind: plan.Save, Key: memory.NewCause("save", r.Cause), Summary: "seal and upload the store"},
	}, nil)
	for _, o := range plan.Failed(outcomes) {
		return out, o.Err
	}
	out.Heads, out.Saved = v.heads.List(), v.Saved != nil
	out.Generation = v.Seen().Generation
	return out, nil
}

// actTask is the payload of plan.RecordAct.
type actTask struct{ act store.Act }
