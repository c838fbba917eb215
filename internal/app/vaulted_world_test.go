package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// cloud keeps containers as GitHub keeps artifacts: by id, dated, with an
// end, and without a compare-and-swap.
type cloud struct {
	mu      sync.Mutex
	now     time.Time
	next    int64
	kept    []cloudEntry // the oldest first
	lag     int          // listings that do not show the newest yet
	deleted []int64
}

type cloudEntry struct {
	home.Entry
	data []byte
}

// cloudHome is one run's view of it. fail is asked before every call.
type cloudHome struct {
	*cloud
	fail    func(op string) error
	refuses bool // no permission to delete
	refused *int // how often it refused to delete; nil: nobody counts
	vouched []string
	listed  int
}

func newCloud() *cloud { return &cloud{now: flowNow, next: 100} }

func (h *cloudHome) asked(op string) error {
	if h.fail == nil {
		return nil
	}
	return h.fail(op)
}

func (h *cloudHome) List(context.Context) ([]home.Entry, error) {
	if err := h.asked("list"); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listed++
	var out []home.Entry
	shown := h.kept
	if h.lag > 0 && len(shown) > 0 {
		h.lag--
		shown = shown[:len(shown)-1]
	}
	for _, e := range slices.Backward(shown) {
		if h.now.Before(e.ExpiresAt) {
			out = append(out, e.Entry)
		}
	}
	return out, nil
}

func (h *cloudHome) Load(_ context.Context, e home.Entry) ([]byte, error) {
	if err := h.asked("load"); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.kept {
		if k.ID == e.ID {
			return k.data, nil
		}
	}
	return nil, &home.Error{Kind: home.Gone, Where: e.ID, Detail: "it is gone"}
}

func (h *cloudHome) Save(_ context.Context, data []byte) (home.Entry, error) {
	if err := h.asked("save"); err != nil {
		return home.Entry{}, err
	}
	e := h.put(data)
	return e, h.asked("saved")
}

func (c *cloud) put(data []byte) home.Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	e := home.Entry{ID: strconv.FormatInt(c.next, 10), Digest: home.Digest(data), Size: int64(len(data)), CreatedAt: c.now, ExpiresAt: c.now.AddDate(0, 0, 90)}
	c.kept = append(c.kept, cloudEntry{e, data})
	return e
}

func (h *cloudHome) Delete(_ context.Context, id int64) error {
	if h.refuses {
		if h.refused != nil {
			*h.refused++
		}
		return &home.Error{Kind: home.Forbidden, Detail: "it cannot be deleted: the token lacks actions: write"}
	}
	if err := h.asked("delete"); err != nil {
		return err
	}
	h.drop(id)
	return nil
}

func (c *cloud) drop(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deleted = append(c.deleted, id)
	c.kept = slices.DeleteFunc(c.kept, func(e cloudEntry) bool { return e.ID == strconv.FormatInt(id, 10) })
}

func (h *cloudHome) Vouch(e home.Entry) { h.vouched = append(h.vouched, e.ID) }

func (c *cloud) pass(d time.Duration) { c.now = c.now.Add(d) }

func (c *cloud) ids() (out []string) {
	for _, e := range c.kept {
		out = append(out, e.ID)
	}
	return out
}

// keysNamed are keys that a test's words always give.
func keysNamed(t testing.TB, names ...string) vault.Keys {
	t.Helper()
	var lines []string
	for _, name := range names {
		identity, _, err := vault.NewKey(strings.NewReader(strings.Repeat(name+" is a test's own key. ", 4)))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, identity)
	}
	keys, err := vault.ParseKeys(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var shop = store.Identity{RepositoryID: 5, Owner: "acme", Name: "shop"}

// run is a run's memory over the cloud; end it before the next one if order
// matters.
func (c *cloud) run(t *testing.T, change ...func(*Vaulted, *cloudHome)) *Vaulted {
	t.Helper()
	h := &cloudHome{cloud: c}
	v := &Vaulted{Home: h, Keys: keysNamed(t, "first"), Identity: shop, Dir: t.TempDir(), Now: c.now, Tool: "test",
		Run: RunFacts{WorkflowPath: ".github/workflows/familiar.yml", Event: "issue_comment", ID: 7, Attempt: 1}}
	for _, f := range change {
		f(v, h)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v
}

func under(keys vault.Keys) func(*Vaulted, *cloudHome) {
	return func(v *Vaulted, _ *cloudHome) { v.Keys = keys }
}

func failing(f func(op string) error) func(*Vaulted, *cloudHome) {
	return func(_ *Vaulted, h *cloudHome) { h.fail = f }
}

// teach is a planned command; the same words are the same command.
func teach(words string, at time.Time) plan.Action {
	key, _ := memory.NewRepoKey(shop.Coordinates(), "lessons/"+strings.ReplaceAll(words, " ", "-"))
	t := memory.Transition{
		Op: memory.OpRemember, At: at, Actor: mara, Standing: memory.StandingMaintainer, Cause: memory.NewCause("test", words), Through: memory.Through{Kind: "issue_comment"},
		Lesson: &memory.NewLesson{
			Key: key, Scope: contract.ScopeRepo, Text: words, Source: memory.UserAuthored, State: memory.Active,
			Class: memory.Standard, Approved: memory.ApprovedConfirmed, Provenance: memory.Provenance{RepositoryID: shop.RepositoryID},
		},
	}
	return plan.Action{Kind: plan.Transition, Key: t.Cause, Payload: &TransitionTask{Transition: t}, Summary: "remember " + words}
}

func touching(op memory.Op, id string, at time.Time) plan.Action {
	t := memory.Transition{Op: op, At: at, Actor: mara, Standing: memory.StandingMaintainer, Cause: memory.NewCause("test", string(op), id),
		Through: memory.Through{Kind: "issue_comment"}, Target: id}
	return plan.Action{Kind: plan.Transition, Key: t.Cause, Payload: &TransitionTask{Transition: t}, Summary: string(op) + " " + id}
}

// does performs actions and a save, and fails the test unless all was done.
func does(t *testing.T, v *Vaulted, actions ...plan.Action) {
	t.Helper()
	if err := did(t, v, actions...); err != nil {
		t.Fatal(err)
	}
}

func did(t *testing.T, v *Vaulted, actions ...plan.Action) error {
	t.Helper()
	var errs []error
	for _, o := range plan.Failed(v.Execute(t.Context(), append(actions, saveAction), nil)) {
		errs = append(errs, o.Err)
	}
	return errors.Join(errs...)
}

// inState are the texts of the lessons in one state, sorted.
func inState(t *testing.T, v *Vaulted, state memory.State) (out []string) {
	t.Helper()
	err := v.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		versions, err := st.List(ctx, store.Filter{States: []memory.State{state}})
		for _, l := range versions {
			out = append(out, l.Text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func idOf(t *testing.T, v *Vaulted, text string) string {
	t.Helper()
	id := ""
	err := v.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		versions, err := st.List(ctx, store.Filter{States: []memory.State{memory.Active}})
		for _, l := range versions {
			if l.Text == text {
				id = l.DocumentID
			}
		}
		return err
	})
	if err != nil || id == "" {
		t.Fatalf("no lesson %q: %v", text, err)
	}
	return id
}

func wantTexts(t *testing.T, v *Vaulted, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := inState(t, v, memory.Active); !slices.Equal(got, want) {
		t.Errorf("the store holds %q, want %q", got, want)
	}
}

func wantOff(t *testing.T, v *Vaulted, why Unavailable, words ...string) {
	t.Helper()
	err := v.View(t.Context(), nobody)
	if WhyUnavailable(err) != why {
		t.Fatalf("memory is off because of %q (%v), want %q", WhyUnavailable(err), err, why)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

var errDown = &home.Error{Kind: home.Unreadable, Where: "GitHub", Detail: "it answered 503"}

// onCall fails one kind of call, from its nth on.
func onCall(op string, n int, err error) func(string) error {
	return func(asked string) error {
		if asked != op {
			return nil
		}
		if n--; n > 0 {
			return nil
		}
		return err
	}
}

func lessonNumber(i int) string { return fmt.Sprintf("lesson number %d", i) }
