package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// RunFacts say which run is at work: they go into the manifest of what it
// seals (page 5.1).
type RunFacts struct {
	WorkflowPath string
	Event        string
	ID           int64
	Attempt      int
}

// Vaulted is a repository's store in sealed containers (page 5). One value
// is for one run: it opens every head once and merges them into a private
// copy (vaulted_load.go), and seals a new container when something changed
// (vaulted_save.go). Runs may load and save side by side: whatever one of
// them saved is merged by the next.
type Vaulted struct {
	Home     home.Home
	Keys     vault.Keys
	Identity store.Identity
	Dir      string    // a private folder for the working copy
	Now      time.Time // by this machine's clock
	// Clock is the home's own time, as far as it told it, which counts before the
	// machine's: a row that is later than its container is refused (page 4.4).
	// nil: the home has none.
	Clock func() time.Time
	Run   RunFacts
	Tool  string // version of this program
	// Live are the credentials of this process, which no lesson may hold; nil:
	// there are none.
	Live func() []string
	// Accepted are containers that an admin named by digest, to be merged
	// whatever the floor, the rotation or their run's path say (`recover`).
	Accepted []string
	// AcceptEmpty lets an empty store begin where a lost one is missed.
	AcceptEmpty bool

	// Saves says that this run is likely to save: the listing that a save asks
	// for is then asked for beside the download, which spares a round trip.
	Saves bool

	run     context.Context // of the whole run; nil: nothing is asked ahead
	again   chan listing    // the listing that was asked for beside the download
	opened  bool
	err     error // why there is no memory in this run
	st      *store.Store
	storeID string
	genesis time.Time
	heads   vault.Heads
	listed  []home.Entry
	floor   vault.Floor
	raised  int64  // the next generation is above this one
	waived  bool   // a snapshot is being restored: an older store is no reason to stop
	written bool   // the private copy holds what this run did
	over    string // the id of a store that was uninstalled
	files   int    // private files made so far
	skip    map[string]bool

	Quarantine []Quarantined
	Saved      *home.Entry // the last container that this run saved
	Cleared    Clearance   // what became of older containers after a save
}

// Quarantined is a container that was not used: ignored and named, never
// deleted by itself (page 5.3).
type Quarantined struct {
	ID     string
	Digest string // hex SHA-256; "" where GitHub lists none
	Reason string

	refused bool // its seal opened, and its store is refused
}

// words is the reason as people read it.
func (q Quarantined) words() string { return strings.ReplaceAll(q.Reason, "_", " ") }

// Coordinates are the owning coordinates of keys in this store.
func (v *Vaulted) Coordinates() memory.Coordinates { return v.Identity.Coordinates() }

// Heed tells the floor that was found in a verified comment of ours. It holds
// from now on, whether the store was opened already or not: an older store is
// neither read nor added to (attacks A11, A108).
func (v *Vaulted) Heed(f vault.Floor) { v.floor = v.floor.Higher(f) }

// Seen is the floor that this run leaves behind: the generation and digest of
// the store as it was last loaded or saved, and never less than what it was
// told itself. Unknown if there is none.
func (v *Vaulted) Seen() vault.Floor {
	if v.err != nil || !v.floor.Holds(&v.heads) && v.Saved == nil {
		return v.floor
	}
	n := v.heads.Newest()
	return vault.Floor{Generation: n.Manifest.Generation, Digest: n.Digest}
}

// Expiry is when the newest container of the store expires; zero where the
// home does not say.
func (v *Vaulted) Expiry() time.Time {
	if e, ok := v.entry(v.heads.Newest().ID); ok {
		return e.ExpiresAt
	}
	return time.Time{}
}

// SavedAt is when the newest container of the store was made, by GitHub's
// clock; zero where the home does not say.
func (v *Vaulted) SavedAt() time.Time {
	if e, ok := v.entry(v.heads.Newest().ID); ok {
		return e.CreatedAt
	}
	return time.Time{}
}

func (v *Vaulted) entry(id int64) (home.Entry, bool) {
	if v.Saved != nil && v.Saved.ID == strconv.FormatInt(id, 10) {
		return *v.Saved, true
	}
	for _, e := range v.listed {
		if e.ID == strconv.FormatInt(id, 10) {
			return e, true
		}
	}
	return home.Entry{}, false
}

// View opens the store once and asks questions of it.
func (v *Vaulted) View(ctx context.Context, work func(ctx context.Context, st *store.Store) error) error {
	if err := v.open(ctx); err != nil {
		return err
	}
	if err := v.standing(ctx); err != nil {
		return err
	}
	return work(ctx, v.st)
}

// Execute performs planned actions on the private copy; the save seals and
// uploads it. After a save that failed nothing more is read or saved in this
// run: what the private copy holds then was never acknowledged.
func (v *Vaulted) Execute(ctx context.Context, actions []plan.Action, report func(plan.Outcome)) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if v.Saved != nil && onlyUse(actions) {
		return plan.Doer{Handlers: map[plan.Kind]plan.Handler{plan.MarkUsed: leftToTheNext, plan.RecordUses: leftToTheNext, plan.Save: leftToTheNext}, Report: report}.Execute(ctx, actions)
	}
	if err := v.ready(ctx, actions); err != nil {
		return unsaved(actions, nil, err)
	}
	v.written = true
	var failed error
	var cleared []plan.Outcome
	h := storeHandlers(v.st)
	h[plan.Save] = func(ctx context.Context, _ plan.Action) error {
		if !v.st.Changed() {
			return plan.Skip("nothing changed")
		}
		if erases(actions) {
			failed = v.dateErasure(ctx)
		}
		if failed == nil {
			failed = v.save(ctx)
		}
		if failed != nil {
			v.err = failed
			return failed
		}
		v.clear(ctx, erases(actions))
		cleared = v.Cleared.outcomes()
		return nil
	}
	outcomes := plan.Doer{Handlers: h, Report: report}.Execute(ctx, actions)
	if failed != nil && onlyUse(actions) {
		return unnoted(outcomes, failed)
	}
	if failed != nil {
		return unsaved(actions, outcomes, failed)
	}
	return append(outcomes, cleared...)
}

// leftToTheNext is the handler of a day of use after a save: it is not worth
// a second one, and the next review notes it.
func leftToTheNext(context.Context, plan.Action) error {
	return plan.Skip("left to the next review: this run saved already")
}

// onlyUse tells a save that only notes on which day lessons were used, and
// for which findings.
func onlyUse(actions []plan.Action) bool {
	return !slices.ContainsFunc(actions, func(a plan.Action) bool {
		return a.Kind != plan.MarkUsed && a.Kind != plan.RecordUses && a.Kind != plan.Save
	})
}

// unnoted are the outcomes of a review that stands although its day of use
// could not be saved: the next review notes it.
func unnoted(outcomes []plan.Outcome, err error) []plan.Outcome {
	for i := range outcomes {
		outcomes[i].Done, outcomes[i].Err, outcomes[i].Skipped = false, nil, "not noted: "+err.Error()
	}
	return outcomes
}

// ready opens the store, or makes the first one.
func (v *Vaulted) ready(ctx context.Context, actions []plan.Action) error {
	if err := v.open(ctx); err != nil {
		return err
	}
	if err := v.standing(ctx); err != nil || v.st != nil {
		return err
	}
	if path, ok := restores(actions); ok {
		return v.startFrom(ctx, path)
	}
	st, err := store.Create(ctx, v.file(), v.Identity, v.beginning(actions))
	if err != nil {
		return err
	}
	v.adopt(st)
	return nil
}

// beginning is the genesis of a new store: when GitHub says that what it begins
// with was asked for. By the clocks of their machines two first runs that meet
// might be hours apart, and then one's store is refused (decision 0008).
func (v *Vaulted) beginning(actions []plan.Action) time.Time {
	var at time.Time
	for _, a := range actions {
		if t, ok := a.Payload.(*TransitionTask); ok && t.Transition.At.After(at) {
			at = t.Transition.At
		}
	}
	if at.IsZero() {
		return v.now()
	}
	return at
}

// now is the time that is stored, and that containers are compared with.
func (v *Vaulted) now() time.Time {
	if v.Clock != nil {
		return v.Clock()
	}
	return v.Now
}

// adopt makes an open store the private copy.
func (v *Vaulted) adopt(st *store.Store) {
	st.Watch(v.Live)
	v.st, v.storeID, v.genesis = st, st.StoreID(), st.Genesis()
}

// file is the path of a new private file.
func (v *Vaulted) file() string {
	v.files++
	return filepath.Join(v.Dir, fmt.Sprintf("store-%d.db", v.files))
}

// Close ends the use of the private copy.
func (v *Vaulted) Close() error {
	if v.st == nil {
		return nil
	}
	return v.st.Close()
}

// removed deletes a private file that is not needed again.
func removed(path string) { _ = os.Remove(path) } // the folder goes with the run
