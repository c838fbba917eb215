package artifact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// Limits of pages 5.2 and 5.3.
const (
	MaxBytes         = 64 << 20 // of one container
	MaxDownloads     = 32       // that nobody vouched for, in a run
	MaxDownloadBytes = 1 << 30  // of those
	MaxLookUps       = 200      // of runs that turned out to be none of ours
)

// Options say whose containers a home keeps, and as which run.
type Options struct {
	Client   Client
	Uploader Uploader // nil: nothing can be saved here
	// Rules of provenance. Own.Path always counts among the workflows.
	Rules Rules
	// More returns further workflow files that count (memory.workflows). It is
	// asked once, and only for a container that another one made; nil: none.
	More func(ctx context.Context) ([]string, error)
	Own  Run // the run that is doing this; the zero value away from a runner
	// Sleep waits, or returns the context's error; nil for the real thing.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Home keeps containers as artifacts. It is for one run; its methods may be
// called by several goroutines, but for Save.
type Home struct {
	client   Client
	uploader Uploader
	rules    Rules
	more     func(context.Context) ([]string, error)
	own      Run
	sleep    func(context.Context, time.Duration) error
	names    [2]string

	moreOnce      sync.Once
	moreWorkflows []string
	moreErr       error

	mu         sync.Mutex
	known      map[int64]Artifact // of the last listing
	unverified map[int64]int64    // downloads nobody vouched for -> bytes
	saved      []Artifact         // by this home, that are still there
	superseded map[int64]bool     // in the seen set of a newer one, the caller says
	vouched    map[int64]bool     // a person named it, whatever its run
	foreign    []Artifact         // of the last listing: under our name, from another repository
	expired    []Artifact         // of the last listing: of this repository, the newest first
	strangers  map[int64]bool     // whose run was looked up and is none of ours
}

var _ home.Home = (*Home)(nil)

// Names are the two names of a repository's containers (page 5.1).
func Names(repositoryID int64) [2]string {
	name := "familiar-memory-" + strconv.FormatInt(repositoryID, 10)
	return [2]string{name, name + "-again"}
}

// New returns a home. Nothing is asked yet.
func New(o Options) *Home {
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	rules := o.Rules
	if o.Own.Path != "" && !slices.Contains(rules.Workflows, o.Own.Path) {
		rules.Workflows = append(slices.Clone(rules.Workflows), o.Own.Path)
	}
	return &Home{client: o.Client, uploader: o.Uploader, rules: rules, more: o.More, own: o.Own, sleep: o.Sleep, names: Names(rules.RepositoryID),
		known: map[int64]Artifact{}, unverified: map[int64]int64{}, superseded: map[int64]bool{},
		vouched: map[int64]bool{}, strangers: map[int64]bool{}}
}

// Listing is what is there under our names.
type Listing struct {
	Kept     []Artifact // may be opened, the newest first
	Rejected []Rejected
}

// Listing lists both names, in parallel. If either fails, all of it fails: a
// part of a list could hide the newest container (A8).
func (h *Home) Listing(ctx context.Context) (Listing, error) {
	var found [2][]Artifact
	var failed [2]error
	var both sync.WaitGroup
	for i, name := range h.names {
		both.Go(func() { found[i], failed[i] = h.client.Artifacts(ctx, name) })
	}
	both.Wait()
	if err := cmp.Or(failed[0], failed[1]); err != nil { // of two, always the same is told
		return Listing{}, h.fail(home.Unreadable, "the artifacts named "+h.names[0], err, "they cannot be listed: "+err.Error(),
			"Memory stays off for this run, and nothing is saved; run it again.")
	}
	var l Listing
	l.Kept, l.Rejected = h.rules.Candidates(slices.Concat(found[0], found[1]))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.foreign, h.expired = nil, nil
	for _, r := range l.Rejected {
		switch {
		case h.rules.Elsewhere(r.Artifact):
			h.foreign = append(h.foreign, r.Artifact)
		case r.Reason == Expired:
			h.expired = append(h.expired, r.Artifact)
		}
	}
	h.known = make(map[int64]Artifact, len(l.Kept))
	for _, a := range l.Kept {
		h.known[a.ID] = a
	}
	return l, nil
}

// List returns the containers that may be opened, the newest first. Whether
// one's run is one of ours is asked when it is loaded, since most are only
// ever named in the seen set of a newer one.
func (h *Home) List(ctx context.Context) ([]home.Entry, error) {
	l, err := h.Listing(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]home.Entry, 0, len(l.Kept))
	for _, a := range l.Kept {
		out = append(out, Entry(a))
	}
	return out, nil
}

// Entry is an artifact in the words of package home.
func Entry(a Artifact) home.Entry {
	return home.Entry{ID: strconv.FormatInt(a.ID, 10), Digest: hexOf(a.Digest), Size: a.Size, CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt}
}

const digestPrefix = "sha256:"

// hexOf is the hex of a SHA-256 digest, "" for none or another kind.
func hexOf(digest string) string {
	hex, ok := strings.CutPrefix(digest, digestPrefix)
	if !ok || len(hex) != 64 {
		return ""
	}
	return strings.ToLower(hex)
}

// Load downloads a container while it looks up the run that made it. A
// container of a run that is none of ours is kind Rejected, whatever its
// bytes; one that went away meanwhile kind Gone: list again.
func (h *Home) Load(ctx context.Context, e home.Entry) ([]byte, error) {
	a, err := h.find(ctx, e)
	if err != nil {
		return nil, err
	}
	checked, err := h.checkFirst(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := h.reserve(a); err != nil {
		return nil, err
	}
	// The look-up is remembered and goes on beside a download that fails; the
	// download of what is none of ours is given up.
	downloading, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var data []byte
	var notOurs, unread error
	var both sync.WaitGroup
	both.Go(func() {
		if checked {
			return
		}
		if notOurs = h.checkRun(ctx, a); notOurs != nil {
			giveUp()
		}
	})
	both.Go(func() {
		var err error
		data, err = h.client.Zip(downloading, a.ID)
		unread = h.downloadFailed(a, err)
	})
	both.Wait()
	if err := cmp.Or(notOurs, unread); err != nil {
		if ctx.Err() != nil {
			return nil, h.fail(home.Unreadable, where(a), ctx.Err(), "the run was cancelled", "Run it again.")
		}
		return nil, err
	}
	return data, h.checkBytes(a, e, data)
}

// checkFirst looks up the run before the download once a container of a run
// that is none of ours was met: somebody puts many there, and those shall not
// use up the downloads of a run (page 5.3).
func (h *Home) checkFirst(ctx context.Context, a Artifact) (checked bool, err error) {
	h.mu.Lock()
	met := len(h.strangers)
	h.mu.Unlock()
	switch {
	case met == 0:
		return false, nil
	case met >= MaxLookUps:
		return false, h.fail(home.Exhausted, where(a), nil, fmt.Sprintf("%d containers of runs that are none of ours were met in this run", met),
			"Memory stays off; delete the artifacts named "+h.names[0]+" that are not yours.")
	}
	return true, h.checkRun(ctx, a)
}

// Vouch says that a person named this container by its digest: it is loaded
// whatever its run was. Its seal still decides.
func (h *Home) Vouch(e home.Entry) {
	if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.vouched[id] = true
	}
}

// Foreign are the artifacts of the last listing that lie under our name and
// of which GitHub says that they come from another repository: nobody here
// can miss them, so they may be deleted.
func (h *Home) Foreign() []home.Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []home.Entry
	for _, a := range h.foreign {
		out = append(out, Entry(a))
	}
	return out
}

// Expired are the containers of the last listing whose time is over, of runs in
// this repository, the newest first. GitHub lists them for a while, and gives
// nothing of them any more.
func (h *Home) Expired() []home.Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []home.Entry
	for _, a := range h.expired {
		out = append(out, Entry(a))
	}
	return out
}

// MadeByUs looks up whether a run of ours made an expired container of the last
// listing.
func (h *Home) MadeByUs(ctx context.Context, e home.Entry) (bool, error) {
	h.mu.Lock()
	i := slices.IndexFunc(h.expired, func(a Artifact) bool { return strconv.FormatInt(a.ID, 10) == e.ID })
	var a Artifact
	if i >= 0 {
		a = h.expired[i]
	}
	h.mu.Unlock()
	if i < 0 {
		return false, nil
	}
	err := h.checkRun(ctx, a)
	if home.KindOf(err) == home.Rejected {
		return false, nil
	}
	return err == nil, err
}

// find looks an entry up in the last listing, and lists again if it is not
// there.
func (h *Home) find(ctx context.Context, e home.Entry) (Artifact, error) {
	gone := &home.Error{Kind: home.Gone, Where: "artifact " + strconv.Quote(e.ID), Detail: "it is not there", Fix: "List again."}
	id, err := strconv.ParseInt(e.ID, 10, 64)
	if err != nil || id <= 0 {
		return Artifact{}, gone
	}
	if a, ok := h.listed(id); ok {
		return a, nil
	}
	if _, err := h.Listing(ctx); err != nil {
		return Artifact{}, err
	}
	if a, ok := h.listed(id); ok {
		return a, nil
	}
	return Artifact{}, gone
}

func (h *Home) listed(id int64) (Artifact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.known[id]
	return a, ok
}

// reserve counts a download before it is made.
func (h *Home) reserve(a Artifact) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, again := h.unverified[a.ID]; !again && len(h.unverified) >= MaxDownloads {
		return h.fail(home.Exhausted, where(a), nil, fmt.Sprintf("%d containers were downloaded in this run, and none of those could be opened", MaxDownloads),
			"Memory stays off; delete the artifacts named "+h.names[0]+" that are not yours.")
	}
	total := a.Size
	for id, n := range h.unverified {
		if id != a.ID {
			total += n
		}
	}
	if total > MaxDownloadBytes {
		return h.fail(home.Exhausted, where(a), nil, "more than 1 GiB was downloaded in this run, and none of it could be opened",
			"Memory stays off; delete the artifacts named "+h.names[0]+" that are not yours.")
	}
	h.unverified[a.ID] = a.Size
	return nil
}

// Verified says that a container was opened: its download no longer counts
// against the bounds of this run.
func (h *Home) Verified(e home.Entry) {
	id, _ := strconv.ParseInt(e.ID, 10, 64)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.unverified, id)
}

// checkRun asks whether the run that made it is one of ours.
func (h *Home) checkRun(ctx context.Context, a Artifact) error {
	h.mu.Lock()
	vouched := h.vouched[a.ID]
	h.mu.Unlock()
	if vouched {
		return nil
	}
	run, err := h.client.Run(ctx, a.RunID)
	if errors.Is(err, ErrGone) {
		run, err = Run{}, nil
	}
	if err != nil {
		return h.fail(home.Unreadable, where(a), err, "the run that made it cannot be looked up: "+err.Error(), "Memory stays off for this run; run it again.")
	}
	onDefault := false
	if h.rules.NeedsBranch(run) && run.HeadBranch == h.rules.DefaultBranch {
		if onDefault, err = h.client.OnBranch(ctx, run.HeadSHA, h.rules.DefaultBranch); err != nil {
			return h.fail(home.Unreadable, where(a), err, "whether its run was on the default branch cannot be looked up: "+err.Error(), "Memory stays off for this run; run it again.")
		}
	}
	rules, err := h.rulesFor(ctx, run)
	if err != nil {
		return h.fail(home.Unreadable, where(a), err, "whether its workflow is one of memory.workflows cannot be looked up: "+err.Error(), "Memory stays off for this run; run it again.")
	}
	if reason, detail := rules.Run(run, onDefault); reason != "" {
		h.mu.Lock()
		h.strangers[a.ID] = true
		delete(h.unverified, a.ID) // what is foreign does not count (page 5.3)
		h.mu.Unlock()
		return h.fail(home.Rejected, where(a), nil, detail, "It is ignored; delete it if it is not yours.")
	}
	return nil
}

// rulesFor are the rules of provenance, with the workflows that the
// configuration names where the run is of none of the others.
func (h *Home) rulesFor(ctx context.Context, run Run) (Rules, error) {
	rules := h.rules
	if h.more == nil || run.Path == "" || run.RepositoryID != rules.RepositoryID || slices.Contains(rules.Workflows, run.Path) {
		return rules, nil
	}
	h.moreOnce.Do(func() { h.moreWorkflows, h.moreErr = h.more(ctx) })
	rules.Workflows = slices.Concat(rules.Workflows, h.moreWorkflows)
	return rules, h.moreErr
}

func (h *Home) downloadFailed(a Artifact, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrGone):
		return h.fail(home.Gone, where(a), err, "it was deleted or has expired", "List again.")
	case errors.Is(err, ErrTooLarge):
		return h.fail(home.TooLarge, where(a), err, fmt.Sprintf("it has more than %d bytes", int64(MaxBytes)), "Delete it, or restore a smaller snapshot.")
	}
	return h.fail(home.Unreadable, where(a), err, "it cannot be downloaded: "+err.Error(), "Memory stays off for this run; run it again.")
}

// checkBytes holds the bytes against what was said of them. Where GitHub says
// nothing, the container's own seal has to do (A15).
func (h *Home) checkBytes(a Artifact, e home.Entry, data []byte) error {
	if len(data) > MaxBytes {
		return h.downloadFailed(a, ErrTooLarge)
	}
	got := home.Digest(data)
	for _, want := range []string{hexOf(a.Digest), e.Digest} {
		if want != "" && want != got {
			return h.fail(home.Changed, where(a), nil, "its bytes are not those that its digest names", "It is ignored; delete it.")
		}
	}
	if a.Digest != "" && hexOf(a.Digest) == "" {
		return h.fail(home.Changed, where(a), nil, "its digest is of a kind that is not known", "It is ignored; update this action.")
	}
	return nil
}

// Delete deletes a container. It needs the permission `actions: write`.
func (h *Home) Delete(ctx context.Context, id int64) error {
	if err := h.client.Delete(ctx, id); err != nil {
		kind := home.Unwritable
		if errors.Is(err, ErrForbidden) {
			kind = home.Forbidden
		}
		return h.fail(kind, "artifact "+strconv.FormatInt(id, 10), err, "it cannot be deleted: "+err.Error(), "Nothing else was changed.")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.known, id)
	return nil
}

func where(a Artifact) string { return "artifact " + strconv.FormatInt(a.ID, 10) }

func (h *Home) fail(kind home.Kind, where string, cause error, detail, fix string) *home.Error {
	return &home.Error{Kind: kind, Where: where, Detail: strings.TrimRight(detail, "."), Fix: fix, Cause: cause}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
