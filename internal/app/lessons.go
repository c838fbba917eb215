package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// ListRequest asks which lessons there are.
type ListRequest struct {
	Stores  Memory
	Pending bool
	Query   string // words, or a path; "" for all
	All     bool   // also what is no longer used
	Select  memory.Selection
}

// List returns lessons, the latest first. A store that does not exist yet
// has none.
func List(ctx context.Context, r ListRequest) ([]memory.Version, error) {
	states := []memory.State{memory.Active, memory.ReviewRequired}
	switch {
	case len(r.Select.States) > 0:
		states = r.Select.States
	case r.Pending:
		states = []memory.State{memory.ReviewRequired}
	case r.All:
		states = nil
	}
	var out []memory.Version
	err := r.Stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		var err error
		out, err = st.List(ctx, store.Filter{States: states, Query: r.Query, Limit: everything})
		if err == nil && len(out) == 0 && r.Query != "" {
			// No word of any lesson: the query may be a path that globs match.
			out, err = st.List(ctx, store.Filter{States: states, Path: r.Query, Limit: everything})
		}
		if err != nil {
			return err
		}
		out, err = chosen(ctx, st, r.Select, out)
		return err
	})
	return out, err
}

// everything is a limit that no store reaches.
const everything = 1 << 30

// chosen are the versions of a list that the selection takes. Only where it
// asks for owners are the other versions of their documents read.
func chosen(ctx context.Context, st *store.Store, s memory.Selection, list []memory.Version) ([]memory.Version, error) {
	owners := map[string]memory.Principal{}
	if s.Owner != "" {
		all, err := st.List(ctx, store.Filter{States: memory.States(), Limit: everything})
		if err != nil {
			return nil, err
		}
		owners = memory.Owners(all)
	}
	return slices.DeleteFunc(list, func(v memory.Version) bool { return !s.Takes(v, owners[v.DocumentID]) }), nil
}

// Show returns all versions of the lesson that an id names, the first one
// first, or the refusal with the candidates.
func Show(ctx context.Context, stores Memory, id string) ([]memory.Version, *memory.Refusal, error) {
	var versions []memory.Version
	var refusal *memory.Refusal
	err := stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			refusal = nothingTaught("show", id)
			return nil
		}
		var err error
		versions, refusal, err = st.Get(ctx, id)
		return err
	})
	return versions, refusal, err
}

func nothingTaught(op, id string) *memory.Refusal {
	return &memory.Refusal{Op: op, Target: id, Reason: memory.ReasonUnknownID, Detail: "Nothing was taught here yet, so there is no lesson of that id."}
}

// DecideRequest is what a person does to lessons that exist, by id, or to a
// key or prefix: every verb of page 4.2 but those that teach.
type DecideRequest struct {
	Stores   Memory
	Intent   intent.Intent
	Operator memory.Principal
	Now      time.Time
	DryRun   bool
	By       *Asked // nil: the person at the command line, an admin of the file (decision 0002)
}

// Asked is how a change reached a store whose file its author does not have.
type Asked struct {
	Standing memory.Standing // of its author, by live look-up
	Through  memory.Through
	Event    string // digest of the event: what is asked by it is done once
}

// Decided is what became of one id, key or prefix.
type Decided struct {
	ID       string
	Version  memory.Version
	Already  bool
	Replaced []string       // ids of versions that an approval superseded
	Former   memory.Version // the first of them, as it stood
	Refused  *memory.Refusal
	Denial   *render.Denial // of a revoke or unrevoke
}

// operations maps the verbs of this use case to transitions.
var operations = map[intent.Verb]memory.Op{
	intent.VerbForget:   memory.OpForget,
	intent.VerbApprove:  memory.OpApprove,
	intent.VerbReject:   memory.OpReject,
	intent.VerbEdit:     memory.OpEdit,
	intent.VerbRetire:   memory.OpRetire,
	intent.VerbKeep:     memory.OpKeep,
	intent.VerbRedact:   memory.OpRedact,
	intent.VerbPurge:    memory.OpPurge,
	intent.VerbRevoke:   memory.OpRevoke,
	intent.VerbUnrevoke: memory.OpUnrevoke,
}

// Decide does to each lesson that is named what the intent says: each id has
// its own answer. A refusal is one of them and no error.
func Decide(ctx context.Context, r DecideRequest) ([]Decided, error) {
	op, ok := operations[r.Intent.Verb]
	if !ok {
		return nil, fmt.Errorf("%s is not something that is done to a lesson by its id", r.Intent.Verb)
	}
	words, refusal := otherWords(r)
	if refusal != nil {
		return []Decided{{ID: strings.Join(r.Intent.IDs, ", "), Refused: refusal}}, nil
	}
	if op == memory.OpRevoke || op == memory.OpUnrevoke {
		return r.denying(ctx, op)
	}
	if r.By != nil && r.Intent.All && op == memory.OpApprove {
		return []Decided{{ID: "all", Refused: nothingShown()}}, nil
	}
	return r.each(ctx, op, words)
}

// each does it to every lesson that is named.
func (r DecideRequest) each(ctx context.Context, op memory.Op, words *memory.NewLesson) ([]Decided, error) {
	ids, shown, err := targets(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []Decided
	for i, id := range ids {
		d, err := r.decide(ctx, op, id, shown[i], words)
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

// nothingShown refuses to approve everything that waits where nothing of it
// was displayed: a set is approved as it was shown (page 4.3), and a form
// shows nothing. The person who has the file decides alone what is in it.
func nothingShown() *memory.Refusal {
	return &memory.Refusal{Op: string(memory.OpApprove), Target: "all", Reason: memory.ReasonApprovalMismatch,
		Detail: "`approve all` approves what was shown, and a run that is started by hand has shown nothing. Look with `list pending` and name the ids, or write it in a comment where the proposals are shown. Nothing was changed."}
}

// decide does it to one lesson.
func (r DecideRequest) decide(ctx context.Context, op memory.Op, id string, f found, words *memory.NewLesson) (Decided, error) {
	refusal := f.refusal
	if refusal == nil && len(f.versions) == 0 {
		refusal = nothingTaught(string(op), id)
	}
	if refusal == nil {
		// Whose lesson it is, is asked of everybody.
		refusal = memory.MayTouch(op, r.Operator, r.standing(), f.document)
	}
	if refusal != nil {
		return Decided{ID: id, Refused: refusal}, nil
	}
	last := meant(f.versions)
	t := r.transition(op, id)
	t.Target, t.Digest, t.Lesson = id, memory.TextDigest(last.Text), words
	if o := r.Intent.Options; op == memory.OpKeep && (o.Class != "" || !o.Until.IsZero()) {
		t.Keep = &memory.Keeping{Class: o.Class, Until: o.Until, SetUntil: !o.Until.IsZero()}
	}
	applied, err := applyOne(ctx, r.Stores, &TransitionTask{Transition: t}, string(op)+" "+id, r.DryRun)
	if r.DryRun {
		applied.Version = last
	}
	return Decided{ID: id, Version: applied.Version, Already: applied.Already, Replaced: applied.Replaced, Former: applied.Former, Refused: applied.Refused}, err
}

// meant is the version whose text an approval is bound to: the last one that
// waits, else the last one.
func meant(versions []memory.Version) memory.Version {
	for _, v := range slices.Backward(versions) {
		if v.State.Pending() {
			return v
		}
	}
	return versions[len(versions)-1]
}

// transition is what every change by this person has in common.
func (r DecideRequest) transition(op memory.Op, what string) memory.Transition {
	t := memory.Transition{
		Op: op, At: r.Now, Actor: r.Operator, Standing: r.standing(), Through: memory.Through{Kind: "local_command"},
		Cause: localCause(r.Operator, r.Now, string(op)+" "+what),
	}
	if r.By != nil {
		t.Through, t.Cause = r.By.Through, memory.NewCause(r.By.Event, string(op), what)
	}
	return t
}

func (r DecideRequest) standing() memory.Standing {
	if r.By != nil {
		return r.By.Standing
	}
	return memory.StandingAdmin
}

// denying revokes a key, prefix or the key of a lesson, or lifts that, and
// says what it met.
func (r DecideRequest) denying(ctx context.Context, op memory.Op) ([]Decided, error) {
	met, refusal, err := denialOf(ctx, r.Stores, r.Intent)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return []Decided{{ID: met.Named, Refused: refusal}}, nil
	}
	do := func() ([]Decided, error) { return r.each(ctx, op, nil) }
	if r.Intent.Target != "" {
		do = func() ([]Decided, error) { return r.deny(ctx, op) }
	}
	out, err := do()
	for i := range out {
		of := met
		of.Already = out[i].Already
		out[i].Denial = &of
	}
	return out, err
}

// deny revokes a key or prefix, or lifts that.
func (r DecideRequest) deny(ctx context.Context, op memory.Op) ([]Decided, error) {
	prefix := fullPrefix(r.Intent.Target, r.Stores.Coordinates())
	t := r.transition(op, prefix)
	t.Prefix = prefix
	applied, err := applyOne(ctx, r.Stores, &TransitionTask{Transition: t}, string(op)+" "+prefix, r.DryRun)
	return []Decided{{ID: prefix, Already: applied.Already, Refused: applied.Refused}}, err
}

// fullPrefix is a key or prefix as a person names it, with the coordinates
// that it is spoken about in.
func fullPrefix(s string, c memory.Coordinates) string {
	for _, root := range []string{"repo/", "tenant/"} {
		if strings.HasPrefix(s, root) {
			return s
		}
	}
	return "repo/" + c.Owner + "/" + c.Name + "/" + s
}

// otherWords are the words that an edit, or an approval in other words, gives
// to a lesson: looked at as those of a new one. Everything else of the lesson
// stays.
func otherWords(r DecideRequest) (*memory.NewLesson, *memory.Refusal) {
	if r.Intent.Verb != intent.VerbEdit && !r.Intent.Reworded {
		return nil, nil
	}
	n, refusal := newLesson(r.Intent, r.Stores.Coordinates())
	if refusal != nil {
		refusal.Op = string(operations[r.Intent.Verb])
		return nil, refusal
	}
	n.Provenance = memory.Provenance{}
	return &n, nil
}

// found is what the store has under one id.
type found struct {
	versions []memory.Version // those that were named
	document []memory.Version // all of their document, which tell whose it is
	refusal  *memory.Refusal
}

func find(ctx context.Context, st *store.Store, id string) (found, error) {
	versions, refusal, err := st.Get(ctx, id)
	if err != nil || refusal != nil {
		return found{refusal: refusal}, err
	}
	document, refusal, err := st.Get(ctx, versions[0].DocumentID)
	return found{versions, document, refusal}, err
}

// targets resolves the ids of an intent; "all" means everything pending.
func targets(ctx context.Context, r DecideRequest) ([]string, []found, error) {
	ids := r.Intent.IDs
	var shown []found
	err := r.Stores.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			shown = make([]found, len(ids))
			return nil
		}
		if r.Intent.All {
			pending, err := st.List(ctx, store.Filter{States: []memory.State{memory.ReviewRequired}, Limit: everything})
			if err != nil {
				return err
			}
			for _, v := range pending {
				ids = append(ids, v.ID())
			}
		}
		for _, id := range ids {
			f, err := find(ctx, st, id)
			if err != nil {
				return err
			}
			shown = append(shown, f)
		}
		return nil
	})
	return ids, shown, err
}
