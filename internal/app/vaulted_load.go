package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// relists bounds how often a listing is asked for again because something in
// it went away meanwhile (page 5.3).
const relists = 3

// twinGenesis is how far apart two stores of one repository may have been
// made to count as one: two first runs at the same moment.
const twinGenesis = time.Hour

// open finds the store, or learns for the whole run that there is none to
// use. A listing that fails is never "no memory yet" (attack A8).
func (v *Vaulted) open(ctx context.Context) error {
	if !v.opened {
		v.opened = true
		v.err = v.find(ctx)
	}
	return v.err
}

// within tells the context of the whole run. The store is opened as one fact
// of a gathering, whose context ends with it; what is asked ahead for the save
// is used after that.
func (v *Vaulted) within(run context.Context) { v.run = run }

func (v *Vaulted) find(ctx context.Context) error {
	if err := v.absorb(ctx); err != nil {
		return err
	}
	if v.st == nil && len(v.Quarantine) > 0 && !v.AcceptEmpty && !v.waived {
		return v.noneOpens()
	}
	return v.outlived(ctx) // none also where a repository has no container yet
}

func (v *Vaulted) noneOpens() error {
	q := v.Quarantine[0]
	if len(v.Quarantine) == 1 {
		return unavailable(NoneOpens, nil, "the only container, %s, does not open (%s), so nothing is read or saved", q.ID, q.Reason).
			with(q.next())
	}
	return unavailable(NoneOpens, nil, "none of the %d containers opens (the newest, %s: %s), so nothing is read or saved", len(v.Quarantine), q.ID, q.Reason).
		with(q.next())
}

// next is the next step where no container opens. Where the seal opened and
// the store in it is refused, the key is right: to look at it again would lead
// nowhere.
func (q Quarantined) next() string {
	if q.refused {
		return "Its seal opened, so memory-key is right; what lies in it is refused, and accepting its digest does not change that. An admin can `restore` a snapshot, or begin anew with `recover --accept-empty`; keep the container, since a later release may read it."
	}
	return howToOpen
}

// howToOpen tells a key that was changed, one that is lost, and a container
// that an admin knows better than we do apart.
const howToOpen = "Check that memory-key is the key that sealed it; an earlier key stands on a second line of the secret. If the key is lost for good, an admin begins anew with `recover --accept-empty` (runbook, \"The key is lost\"); one that opens and was refused all the same, `recover --accept DIGEST` merges."

// absorb lists the containers and merges into the private copy every one
// whose contents it does not hold. It is done once before the store is read,
// and once more before it is saved.
func (v *Vaulted) absorb(ctx context.Context) error {
	for try := 0; ; try++ {
		entries, err := v.list(ctx, try)
		if err != nil {
			return unavailable(Unlisted, err, "the containers cannot be listed, so nothing is read or saved: %v", err)
		}
		v.listed = entries
		gone, err := v.absorbListed(ctx, entries)
		switch {
		case err != nil:
			return err
		case gone == "":
			return nil
		case try == relists:
			return unavailable(Vanishing, nil, "container %s was listed %d times and is not there, so nothing is read or saved", gone, try+1).
				with("Run it again in some minutes.")
		}
	}
}

// Again lists the containers once more and merges what appeared since, for a
// question that a late listing would answer wrongly. If it fails the memory is
// of no use in this run: as it was seen it may be behind.
func (v *Vaulted) Again(ctx context.Context) {
	if v.open(ctx) != nil {
		return
	}
	if early := v.again; early != nil { // of the same moment as the first
		v.again = nil
		<-early
	}
	err := v.absorb(ctx)
	if err == nil {
		err = v.standing(ctx)
	}
	if v.err == nil {
		v.err = err
	}
}

// listing is what the home answered to one question.
type listing struct {
	entries []home.Entry
	err     error
}

// list asks the home. A run that is going to save asks for its second listing
// as soon as it has the first, beside the download.
func (v *Vaulted) list(ctx context.Context, try int) ([]home.Entry, error) {
	if again := v.again; again != nil && try == 0 {
		v.again = nil
		l := <-again
		return l.entries, l.err
	}
	first := v.listed == nil
	entries, err := v.Home.List(ctx)
	if err == nil && first && v.Saves && v.run != nil && len(entries) > 0 {
		v.again = make(chan listing, 1)
		go func(run context.Context, to chan<- listing) {
			entries, err := v.Home.List(run)
			to <- listing{entries, err}
		}(v.run, v.again)
	}
	return entries, err
}

// absorbListed goes from the newest to the oldest; what an admin accepted by
// name comes before all others, so that it holds where they contradict it. What
// a retired key sealed waits until it is known since when the current one
// seals. gone names a container that went away meanwhile.
func (v *Vaulted) absorbListed(ctx context.Context, entries []home.Entry) (gone string, err error) {
	var waiting []home.Entry
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b home.Entry) int {
		if v.accepted(a.Digest) == v.accepted(b.Digest) {
			return 0
		} else if v.accepted(a.Digest) {
			return -1
		}
		return 1
	})
	for _, pass := range []bool{false, true} {
		list := entries
		if pass {
			list = waiting
		}
		for _, e := range list {
			id, err := strconv.ParseInt(e.ID, 10, 64)
			if err != nil || v.heads.Covers(id) || v.skip[e.ID] {
				continue
			}
			later, err := v.absorbOne(ctx, id, e, pass)
			if home.KindOf(err) == home.Gone {
				return e.ID, nil
			}
			if err != nil {
				return "", err
			}
			if later {
				waiting = append(waiting, e)
			}
		}
	}
	return "", nil
}

// absorbOne opens one container and merges it, or quarantines it. One that is
// sound and does not merge is never left out: what it holds would be missing
// from everything that is saved after it. The error is what ends the use of
// memory in this run, or of kind home.Gone.
func (v *Vaulted) absorbOne(ctx context.Context, id int64, e home.Entry, retiredToo bool) (later bool, err error) {
	if v.accepted(e.Digest) {
		if h, ok := v.Home.(vouching); ok {
			h.Vouch(e)
		}
	}
	zip, err := v.Home.Load(ctx, e)
	if err == nil && !retiredToo && v.Keys.Len() > 1 && !v.accepted(e.Digest) && v.underRetired(zip) {
		return true, nil
	}
	head := vault.Head{ID: id, ListedAt: e.CreatedAt}
	if err == nil {
		var opened vault.Opened
		path := v.file()
		if opened, err = v.openContainer(ctx, e, zip, path); err == nil {
			head.Digest, head.Manifest = opened.Digest, opened.Manifest
			zip = nil // not held on to while the store is opened
			err = v.bring(ctx, e, path)
		}
	}
	switch kind := home.KindOf(err); {
	case err == nil:
		v.heads.Add(head)
		if h, ok := v.Home.(verifying); ok {
			h.Verified(e)
		}
		return false, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case WhyUnavailable(err) == Unmerged && v.acceptedHead() && !v.accepted(e.Digest):
		v.setAside(id, e, head.Manifest.Generation)
		return false, nil
	case WhyUnavailable(err) != "":
		return false, err
	case kind == home.Gone:
		return false, err
	case kind == home.Unreadable:
		// Not this container's fault: a newer one that cannot be fetched
		// now must not be replaced by an older one.
		return false, unavailable(Unreadable, err, "container %s cannot be downloaded, so nothing is read or saved: %v", e.ID, err)
	case kind == home.Exhausted:
		return false, unavailable(Flooded, err, "%v", err)
	case vault.KindOf(err) == vault.NewerSchema, store.KindOf(err) == store.NewerVersion:
		return false, unavailable(Newer, err, "container %s was saved by a later release (%v), so nothing is read or saved", e.ID, err)
	case store.KindOf(err) == store.Unwritable, store.KindOf(err) == store.Unusable, errors.As(err, new(*os.PathError)):
		// The machine's fault, such as a full disk.
		return false, unavailable(Unreadable, err, "container %s cannot be unpacked here: %v", e.ID, err)
	}
	v.quarantine(e, err)
	return false, nil
}

// verifying is a home that bounds what it downloads unverified.
type verifying interface{ Verified(e home.Entry) }

// vouching is a home that judges where a container comes from, unless a
// person vouched for it.
type vouching interface{ Vouch(e home.Entry) }

func (v *Vaulted) quarantine(e home.Entry, err error) {
	if v.skip == nil {
		v.skip = map[string]bool{}
	}
	v.skip[e.ID] = true
	v.Quarantine = append(v.Quarantine, Quarantined{ID: e.ID, Digest: e.Digest, Reason: reasonOf(err), refused: store.KindOf(err) != ""})
}

// reasonOf is the word under which a container is quarantined.
func reasonOf(err error) string {
	if k := vault.KindOf(err); k != "" {
		return string(k)
	}
	var h *home.Error
	if errors.As(err, &h) {
		return h.Detail
	}
	var s *store.Error
	if errors.As(err, &s) {
		return "its store is refused: " + s.Detail
	}
	return err.Error()
}

func (v *Vaulted) accepted(digest string) bool {
	return digest != "" && slices.ContainsFunc(v.Accepted, func(a string) bool {
		return strings.EqualFold(strings.TrimPrefix(a, "sha256:"), digest)
	})
}

// underRetired tells a container of a key that no longer seals. Nothing is
// believed of it: opening it checks the MAC under that very key.
func (v *Vaulted) underRetired(zip []byte) bool {
	m, err := vault.ReadManifest(zip)
	return err == nil && m.KeyID != v.Keys.CurrentID() && slices.Contains(v.Keys.IDs(), m.KeyID)
}

// openContainer writes a container's store to a new file at path.
func (v *Vaulted) openContainer(ctx context.Context, e home.Entry, zip []byte, path string) (vault.Opened, error) {
	want := vault.Expect{RepositoryID: v.Identity.RepositoryID, AnyStore: true, Digest: e.Digest, Loaded: e.Digest, ListedAt: e.CreatedAt}
	if v.Keys.Len() > 1 && (len(v.Accepted) == 0 || !v.accepted(home.Digest(zip))) {
		since, err := v.currentSince(ctx)
		if err != nil {
			return vault.Opened{}, err
		}
		want.CurrentSince = since
	}
	return openInto(path, zip, v.Keys, want)
}

// keyRegister names the register that keeps since when a key seals, so that a
// rotation is dated although its first container is long pruned.
func keyRegister(keyID string) string { return "key/" + keyID }

// currentSince is GitHub's date of the first container under the current key,
// as far as anybody knows: the earliest of those that were opened, and what
// the store remembers.
func (v *Vaulted) currentSince(ctx context.Context) (time.Time, error) {
	var since time.Time
	earlier := func(t time.Time) {
		if since.IsZero() || t.Before(since) {
			since = t
		}
	}
	for _, h := range v.heads.List() {
		if h.Manifest.KeyID == v.Keys.CurrentID() {
			earlier(h.ListedAt)
		}
	}
	if v.st == nil {
		return since, nil
	}
	r, ok, err := v.st.Register(ctx, keyRegister(v.Keys.CurrentID()))
	if err != nil {
		return time.Time{}, err
	}
	if ok {
		earlier(r.At)
	}
	return since, nil
}

// bring takes a verified container's store, which is in the private file at
// path, into the private copy.
func (v *Vaulted) bring(ctx context.Context, e home.Entry, path string) error {
	st, err := store.Open(ctx, path, v.Identity)
	if err != nil {
		removed(path)
		return err
	}
	if v.st != nil {
		if err := v.giveWay(ctx, e, st); err != nil {
			return errors.Join(err, st.Close())
		}
	}
	if v.st == nil {
		if _, err := st.DropLater(ctx, e.CreatedAt); err != nil {
			return errors.Join(err, st.Close())
		}
		v.adopt(st)
		return nil
	}
	defer removed(path)
	return closeAfter(st, v.unmerged(e, v.merge(ctx, st, e.CreatedAt)))
}

// giveWay gives up the store that is open where another is this repository's
// own; what was done to it by now cannot be saved then.
func (v *Vaulted) giveWay(ctx context.Context, e home.Entry, other *store.Store) error {
	first, err := v.beganFirst(ctx, other)
	switch {
	case err != nil || !first:
		return err
	case v.written:
		return unavailable(Unsaved, nil, "container %s, of the store that this repository began with, is listed only now, so nothing was saved", e.ID).
			with("Run the job again.")
	}
	return v.yield()
}

// beganFirst says whether another store is this repository's own, and the one
// that is open is not: the first that it met fixes the store id (page 5.1),
// and a run that a late list told of no container may have begun a second one.
// One that an admin began anew or accepted stays, and one that was uninstalled
// is over.
func (v *Vaulted) beganFirst(ctx context.Context, other *store.Store) (bool, error) {
	if other.StoreID() == v.storeID || v.genesis.Sub(other.Genesis()) <= twinGenesis || v.acceptedHead() || v.over == other.StoreID() {
		return false, nil
	}
	anew, err := acted(ctx, v.st, store.ActRecover)
	if err != nil || anew {
		return false, err
	}
	over, err := acted(ctx, other, string(memory.OpUninstall))
	if over {
		v.over = other.StoreID() // its older containers do not know it yet
	}
	return !over, err
}

// acted says whether an act is in the audit of a store.
func acted(ctx context.Context, st *store.Store, op string) (bool, error) {
	rows, err := st.Audit(ctx, everything)
	return slices.ContainsFunc(rows, func(r store.AuditRow) bool { return r.Op == op }), err
}

// yield quarantines what was opened so far, which is of a second store.
func (v *Vaulted) yield() error {
	for _, h := range v.heads.List() {
		e, _ := v.entry(h.ID)
		v.quarantine(e, &vault.Error{Kind: vault.WrongStore, Detail: fmt.Sprintf("it belongs to store %s, which began beside this repository's own", v.storeID)})
	}
	st := v.st
	v.st, v.storeID, v.genesis, v.heads = nil, "", time.Time{}, vault.Heads{}
	return st.Close()
}

// unmerged turns the refusal to merge a container whose seal and store are
// sound into the end of memory in this run. Every other error stays.
func (v *Vaulted) unmerged(e home.Entry, err error) error {
	var s *store.Error
	if !errors.As(err, &s) || s.Kind != store.Corrupted {
		return err
	}
	var others []string
	for _, h := range v.heads.List() {
		others = append(others, strconv.FormatInt(h.ID, 10))
	}
	return unavailable(Unmerged, err, "container %s and %s are both sealed with our key and contradict each other (%s), so nothing is read or saved", e.ID, strings.Join(others, ", "), s.Detail).
		with(fmt.Sprintf("One of them was changed by other means. An admin can look at the runs that made them and `recover` with `accept` and the digest of the right one: %s has %s, and %d has %s. The other is set aside then, and what only it holds is lost.",
			e.ID, e.Digest, v.heads.Newest().ID, v.heads.Newest().Digest))
}

// setAside leaves a container out for good that contradicts what an admin
// accepted: the next one that is saved has it in its seen set, so that no run
// opens it again.
func (v *Vaulted) setAside(id int64, e home.Entry, generation int64) {
	v.heads.Cover(id)
	v.raised = max(v.raised, generation)
	v.quarantine(e, &home.Error{Kind: home.Rejected, Detail: "it contradicts what an admin accepted"})
}

// merge brings another store of this repository in. One with another store id
// is refused, unless both began at the same moment: then two first runs met,
// and neither's commands may be lost.
func (v *Vaulted) merge(ctx context.Context, other *store.Store, sealedAt time.Time) error {
	rules := store.MergeRules{SealedAt: sealedAt}
	if id := other.StoreID(); id != v.storeID {
		if apart := other.Genesis().Sub(v.genesis).Abs(); apart > twinGenesis {
			return &vault.Error{Kind: vault.WrongStore, Detail: fmt.Sprintf("it belongs to store %s, not to %s", id, v.storeID)}
		}
		rules.AnyStore = true
	}
	if _, err := v.st.Merge(ctx, other, rules); err != nil {
		return err
	}
	v.adopt(v.st)
	return nil
}

// standing says why the store that was found may not be used: it is older
// than one that was seen, or missing although one was seen. GitHub may list a
// fresh container late, so it looks again before it says so.
func (v *Vaulted) standing(ctx context.Context) error {
	if v.floor.Holds(&v.heads) {
		return nil
	}
	if err := v.absorb(ctx); err != nil {
		v.err = err
		return err
	}
	switch {
	case v.floor.Holds(&v.heads):
		return nil
	case v.waived, v.AcceptEmpty && len(v.heads.List()) == 0, v.acceptedHead():
		v.raised = max(v.raised, v.floor.Generation)
		return nil
	}
	v.err = v.belowFloor()
	return v.err
}

// afterLoss is the next step where no container is left.
const afterLoss = "An admin can `restore` a snapshot, or `recover` with `accept empty` to begin anew."

// belowFloor says in which of three ways the store is older than one that was
// seen.
func (v *Vaulted) belowFloor() error {
	if len(v.heads.List()) == 0 {
		return unavailable(Lost, nil, "the store is lost or expired: generation %d was seen (%.12s), and no container is left; nothing is read or saved", v.floor.Generation, v.floor.Digest).
			with(afterLoss)
	}
	n := v.heads.Newest()
	if i := slices.IndexFunc(v.Quarantine, func(q Quarantined) bool { return q.Digest != "" && q.Digest == v.floor.Digest }); i >= 0 {
		q := v.Quarantine[i]
		return unavailable(Rollback, nil, "the newest store that was seen here, generation %d, is in the container %s, which is quarantined (%s); what it holds is in none of the others, so nothing is read or saved",
			v.floor.Generation, q.ID, q.words()).
			with(fmt.Sprintf("If memory-key was changed, put the line that sealed it back, below the new one. Otherwise an admin can go on without what only that container holds: `recover` with `accept %s`.", n.Digest))
	}
	return unavailable(Rollback, nil, "the store was rolled back: generation %d was seen (%.12s), but the newest container is generation %d; it is refused, and nothing is read or saved",
		v.floor.Generation, v.floor.Digest, n.Manifest.Generation).
		with(fmt.Sprintf("If newer containers were deleted on purpose, an admin can `recover` with `accept %s`.", n.Digest))
}

func (v *Vaulted) acceptedHead() bool {
	return slices.ContainsFunc(v.heads.List(), func(h vault.Head) bool { return v.accepted(h.Digest) })
}
