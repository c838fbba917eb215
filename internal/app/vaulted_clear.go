package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

const (
	// keptContainers stay after a save, and so does whatever is younger than
	// keptFor: the backups of page 5.4.
	keptContainers = 10
	keptFor        = time.Hour
	// maxCleared bounds what one run deletes beside what it is there for;
	// maxErased, what a run deletes that holds a text that is to be gone, and
	// all that a sweep deletes. The next sweep goes on.
	maxCleared = 64
	maxErased  = 256
)

// Clearance says what became of older containers.
type Clearance struct {
	Deleted []string // artifact ids
	Foreign int      // how many of them others had put under our name
	Left    []Left   // those that could not be deleted
	Later   int      // those of ours beyond what one run deletes
	Erasing bool     // because of a forget, redact or purge: ours hold the text
}

// Left is a container that could not be deleted, and why.
type Left struct {
	ID, Why string
	Foreign bool // somebody else's under our name: it never held a text of ours
	Lacking bool // the token may delete none
}

// deleting is a home whose containers can be deleted one by one.
type deleting interface {
	Delete(ctx context.Context, id int64) error
}

// foreignKnowing is a home that others can put containers of our name into.
type foreignKnowing interface{ Foreign() []home.Entry }

// Words says for people what an erasure did, "" if there was none.
func (c Clearance) Words() string {
	if !c.Erasing {
		return ""
	}
	var out []string
	switch n := len(c.Deleted) - c.Foreign; n {
	case 0:
	case 1:
		out = append(out, "The older container that held it was deleted.")
	default:
		out = append(out, fmt.Sprintf("The %d older containers that held it were deleted.", n))
	}
	switch left := ours(c.Left); {
	case len(left) > 0 && left[0].Lacking:
		out = append(out, fmt.Sprintf("Still there, sealed, with the old text: artifact %s. %s", namesOf(left), leftToTheSweep))
	case len(left) > 0:
		out = append(out, fmt.Sprintf("Still there with the old text: artifact %s (%s). The next sweep tries again; a person can delete it under Actions.", namesOf(left), left[0].Why))
	}
	if c.Later > 0 {
		out = append(out, c.later())
	}
	return strings.Join(out, " ")
}

// leftToTheSweep is what a job says that may not delete, as `familiar init`
// writes those of reviews and commands (decision 0015).
const leftToTheSweep = "This job may not delete artifacts; the sweep may, where its job has `actions: write`: at its next time, or as soon as somebody starts its workflow under Actions."

func (c Clearance) later() string {
	return fmt.Sprintf("%s may hold it: one run deletes %d at most, and each sweep goes on.", render.Count(c.Later, "more container"), maxErased)
}

// ours are those of the containers that are not somebody else's.
func ours(left []Left) []Left {
	return slices.DeleteFunc(slices.Clone(left), func(l Left) bool { return l.Foreign })
}

// maxNamed is how many containers an answer names.
const maxNamed = 20

// namesOf names containers for people.
func namesOf(left []Left) string {
	var ids []string
	for _, l := range left[:min(len(left), maxNamed)] {
		ids = append(ids, l.ID)
	}
	out := strings.Join(ids, ", ")
	if more := len(left) - maxNamed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// outcomes says in the summary what was deleted, and once what could not be.
// Nothing of it fails a run: what was to be saved is saved.
func (c Clearance) outcomes() []plan.Outcome {
	var out []plan.Outcome
	if n := len(c.Deleted); n > 0 {
		out = append(out, plan.Outcome{Done: true, Action: plan.Action{Kind: plan.Prune, Key: memory.NewCause("prune", c.Deleted[0]), Summary: "delete " + render.Count(n, "older container")}})
	}
	if n := len(c.Left); n > 0 {
		why := c.Left[0].Why
		if c.Left[0].Lacking {
			why = leftToTheSweep
		}
		out = append(out, plan.Outcome{Skipped: why, Action: plan.Action{Kind: plan.Prune, Key: memory.NewCause("prune", c.Left[0].ID), Summary: fmt.Sprintf("delete %d more", n)}})
	}
	return out
}

// erases tells whether a text is to be gone: then the older containers go at
// once.
func erases(actions []plan.Action) bool {
	return slices.ContainsFunc(actions, func(a plan.Action) bool {
		t, ok := a.Payload.(*TransitionTask)
		if !ok || t.Applied.Refused != nil {
			return false
		}
		switch t.Transition.Op {
		case memory.OpForget, memory.OpRedact, memory.OpPurge, memory.OpFade:
			return true
		}
		return false
	})
}

// clear deletes, after a verified save, the containers that nobody needs any
// more: those that the saved one has in its seen set and that are neither
// young nor among the last ten; all of them if a text is to be gone; and what
// others put under our name.
func (v *Vaulted) clear(ctx context.Context, erase bool) {
	d, ok := v.Home.(deleting)
	if !ok || v.Saved == nil {
		return
	}
	v.Cleared = Clearance{Erasing: erase}
	v.delete(ctx, d, v.unneeded(erase, maxCleared))
}

// unneeded lists what may go: what holds a text that is to be gone, first and
// all of it; then up to most of what others put under our name and of what is
// too old, the oldest first.
func (v *Vaulted) unneeded(erase bool, most int) []home.Entry {
	var held, rest []home.Entry
	if h, ok := v.Home.(foreignKnowing); ok {
		rest = append(rest, h.Foreign()...)
	}
	for _, e := range slices.Backward(v.superseded(erase)) {
		if erase {
			held = append(held, e)
		} else {
			rest = append(rest, e)
		}
	}
	return append(v.atMost(held), rest[:min(len(rest), most)]...)
}

// atMost bounds what one run deletes of what holds a text that is to be gone,
// and counts what is left for the next sweep.
func (v *Vaulted) atMost(held []home.Entry) []home.Entry {
	v.Cleared.Later += max(0, len(held)-maxErased)
	return held[:min(len(held), maxErased)]
}

// foreign tells whether others put a container under our name.
func (v *Vaulted) foreign(e home.Entry) bool {
	h, ok := v.Home.(foreignKnowing)
	return ok && slices.ContainsFunc(h.Foreign(), func(o home.Entry) bool { return o.ID == e.ID })
}

// superseded are the listed containers that the newest head has in its seen
// set and that are not kept as backups, the newest first.
func (v *Vaulted) superseded(erase bool) []home.Entry {
	newest := v.heads.Newest()
	backups := keptContainers - 1 // and the newest itself
	var out []home.Entry
	for _, e := range v.listed {
		id, err := strconv.ParseInt(e.ID, 10, 64)
		if err != nil || id == newest.ID {
			continue
		}
		backup := backups > 0
		backups--
		switch {
		case !slices.Contains(newest.Manifest.Seen, id): // not in the store
		case erase, !backup && v.now().Sub(e.CreatedAt) > keptFor:
			out = append(out, e)
		}
	}
	return out
}

func (v *Vaulted) delete(ctx context.Context, d deleting, entries []home.Entry) {
	for i, e := range entries {
		foreign := v.foreign(e)
		id, err := strconv.ParseInt(e.ID, 10, 64)
		if err == nil {
			err = d.Delete(ctx, id)
		}
		if err != nil {
			lacking := home.KindOf(err) == home.Forbidden
			v.Cleared.Left = append(v.Cleared.Left, Left{ID: e.ID, Why: detailOf(err), Foreign: foreign, Lacking: lacking})
			switch {
			case !v.Cleared.Erasing:
				return // said once
			case lacking: // what it may not do to one it may not do to any
				for _, e := range entries[i+1:] {
					v.Cleared.Left = append(v.Cleared.Left, Left{ID: e.ID, Why: detailOf(err), Foreign: v.foreign(e), Lacking: true})
				}
				return
			}
			continue
		}
		v.Cleared.Deleted = append(v.Cleared.Deleted, e.ID)
		if foreign {
			v.Cleared.Foreign++
		}
		v.listed = slices.DeleteFunc(v.listed, func(o home.Entry) bool { return o.ID == e.ID })
	}
}

func detailOf(err error) string {
	if e, ok := err.(*home.Error); ok {
		return e.Detail
	}
	return err.Error()
}

// Prune deletes what nobody needs any more, and saves only where that takes a
// head away: the sweep calls it. Containers that may still hold a forgotten
// text go as well, since an earlier run may have failed to delete them (page
// 4.2).
func (v *Vaulted) Prune(ctx context.Context) (Clearance, error) {
	if err := v.View(ctx, nobody); err != nil || v.st == nil {
		return Clearance{}, err
	}
	d, ok := v.Home.(deleting)
	if !ok {
		return Clearance{}, nil
	}
	erased, err := v.erasedUntil(ctx)
	if err != nil {
		return Clearance{}, err
	}
	if err := v.unite(ctx, erased); err != nil {
		return Clearance{}, err
	}
	before := v.Cleared
	v.Cleared = Clearance{}
	var entries []home.Entry
	for _, e := range slices.Backward(v.superseded(true)) {
		if e.CreatedAt.Before(erased) {
			v.Cleared.Erasing = true
			entries = append(entries, e)
		}
	}
	entries = v.atMost(entries)
	for _, e := range v.unneeded(false, maxErased) {
		if len(entries) < maxErased && !slices.ContainsFunc(entries, func(o home.Entry) bool { return o.ID == e.ID }) {
			entries = append(entries, e)
		}
	}
	v.delete(ctx, d, entries)
	out := v.Cleared
	v.Cleared = before
	return out, nil
}

// unite saves what several heads hold together, where one of them may still
// hold a text that another one lacks: of a run that saved beside the forget.
// Nobody has such a head in its seen set until somebody saves, so that the
// text would stay as long as nobody did.
func (v *Vaulted) unite(ctx context.Context, erased time.Time) error {
	heads := v.heads.List()
	if len(heads) < 2 || !slices.ContainsFunc(heads, func(h vault.Head) bool { return h.ListedAt.Before(erased) }) {
		return nil
	}
	if err := v.save(ctx); err != nil {
		v.err = err
		return err
	}
	return nil
}

// erasedRegister keeps when a run last saved a store from which a text had been
// taken, by that run's clock.
const erasedRegister = "erased"

// underWay is how long after that a run may still save that had loaded before.
const underWay = 24 * time.Hour

// dateErasure notes that what is about to be saved lacks a text that older
// containers hold.
func (v *Vaulted) dateErasure(ctx context.Context) error {
	return v.st.SetRegister(ctx, store.Register{Name: erasedRegister, At: v.now(), Cause: memory.NewCause(erasedRegister)})
}

// erasedUntil is the time until which a superseded container may hold a text
// that was erased; the zero time if nothing ever was. An erasure is dated by
// its event, and a command is taken up as long as lookBack after it was
// written: where no save dated it, the containers of that time count as well.
func (v *Vaulted) erasedUntil(ctx context.Context) (time.Time, error) {
	event, err := v.st.LastErasure(ctx)
	if err != nil || event.IsZero() {
		return time.Time{}, err
	}
	saved, ok, err := v.st.Register(ctx, erasedRegister)
	if err != nil || !ok || saved.At.Before(event) {
		return event.Add(lookBack + underWay), err
	}
	return saved.At.Add(underWay), nil
}

// Refresh saves the store again, unchanged, once a third of the newest
// container's lifetime has passed, so that it never expires while the sweep
// runs (page 5.4). saved is false where nothing was due.
func (v *Vaulted) Refresh(ctx context.Context) (saved bool, err error) {
	if err := v.View(ctx, nobody); err != nil || v.st == nil {
		return false, err
	}
	e, ok := v.entry(v.heads.Newest().ID)
	if !ok || e.ExpiresAt.IsZero() || v.now().Sub(e.CreatedAt) < e.ExpiresAt.Sub(e.CreatedAt)/3 {
		return false, nil
	}
	if err := v.save(ctx); err != nil {
		v.err = err
		return false, err
	}
	v.clear(ctx, false)
	return true, nil
}
