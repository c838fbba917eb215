package plan

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func act(kind Kind, key string, needs ...string) Action {
	return Action{Kind: kind, Key: key, Needs: needs}
}

// words renders outcomes as one word each, for reading.
func words(out []Outcome) []string {
	var w []string
	for _, o := range out {
		switch {
		case o.Done:
			w = append(w, o.Action.Key+" done")
		case o.Err != nil:
			w = append(w, o.Action.Key+" failed: "+o.Err.Error())
		default:
			w = append(w, o.Action.Key+" skipped: "+o.Skipped)
		}
	}
	return w
}

func TestDoerPerformsInOrderAndReportsEach(t *testing.T) {
	boom := errors.New("disk is full")
	var did []string
	handlers := map[Kind]Handler{
		Transition: func(_ context.Context, a Action) error {
			did = append(did, a.Key)
			switch a.Key {
			case "bad":
				return boom
			case "again":
				return Skip(AlreadyApplied)
			}
			return nil
		},
		Save: func(_ context.Context, a Action) error { did = append(did, a.Key); return nil },
	}
	for _, c := range []struct {
		name    string
		actions []Action
		want    []string
		did     []string
	}{
		{"nothing planned, nothing done", nil, nil, nil},
		{"each is done once, in order",
			[]Action{act(Transition, "a"), act(Save, "s", "a")},
			[]string{"a done", "s done"}, []string{"a", "s"}},
		{"a failed need keeps what needs it from being tried",
			[]Action{act(Transition, "bad"), act(Save, "s", "bad")},
			[]string{"bad failed: disk is full", "s skipped: not tried: an action before it was not done"}, []string{"bad"}},
		{"a failure does not stop what does not need it",
			[]Action{act(Transition, "bad"), act(Transition, "b"), act(Save, "s", "b")},
			[]string{"bad failed: disk is full", "b done", "s done"}, []string{"bad", "b", "s"}},
		{"what an earlier run did satisfies a need",
			[]Action{act(Transition, "again"), act(Save, "s", "again")},
			[]string{"again skipped: already applied", "s done"}, []string{"again", "s"}},
		{"a kind without a handler fails loudly",
			[]Action{act("post_comment", "c")},
			[]string{`c failed: no handler for an action of kind "post_comment"`}, nil},
		{"the zero action fails loudly",
			[]Action{{}}, []string{` failed: no handler for an action of kind ""`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			did = nil
			var reported []Outcome
			got := Doer{Handlers: handlers, Report: func(o Outcome) { reported = append(reported, o) }}.Execute(t.Context(), c.actions)
			if w := words(got); !slices.Equal(w, c.want) {
				t.Errorf("got %q, want %q", w, c.want)
			}
			if w := words(reported); !slices.Equal(w, c.want) {
				t.Errorf("reported %q, want %q", w, c.want)
			}
			if !slices.Equal(did, c.did) {
				t.Errorf("did %q, want %q", did, c.did)
			}
		})
	}
}

func TestDoerStopsWhenTheRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := Doer{Handlers: map[Kind]Handler{Transition: func(context.Context, Action) error { cancel(); return nil }}}
	got := words(d.Execute(ctx, []Action{act(Transition, "a"), act(Transition, "b")}))
	if want := []string{"a done", "b failed: context canceled"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDryRunPerformsNothing(t *testing.T) {
	var reported int
	got := DryRun{Report: func(Outcome) { reported++ }}.Execute(t.Context(), []Action{act(Transition, "a"), act(Save, "s")})
	if want := []string{"a skipped: dry run", "s skipped: dry run"}; !slices.Equal(words(got), want) {
		t.Errorf("got %q, want %q", words(got), want)
	}
	if reported != 2 {
		t.Errorf("reported %d outcomes, want 2", reported)
	}
	if f := Failed(got); f != nil {
		t.Errorf("a dry run failed: %v", f)
	}
}

func TestFailedKeepsOnlyFailures(t *testing.T) {
	boom := errors.New("no")
	got := Failed([]Outcome{{Done: true}, {Err: boom}, {Skipped: "dry run"}})
	if len(got) != 1 || got[0].Err != boom {
		t.Errorf("got %v", got)
	}
}
