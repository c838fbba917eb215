package app

import (
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

func stateKeys(t testing.TB, seed string) vault.Keys {
	t.Helper()
	key, _, err := vault.NewKey(strings.NewReader(strings.Repeat(seed, 40)))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := vault.ParseKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

var sampleState = State{
	Head: strings.Repeat("a", 40), Inputs: strings.Repeat("b", 64), Worst: contract.SeverityHigh,
	Floor:   Floor{Generation: 7, Digest: strings.Repeat("c", 64)},
	Display: Display{Digest: strings.Repeat("d", 64), At: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), Cut: true},
}

// TestStateIsBoundToItsComment: the line of one comment means nothing under
// another repository, number, comment or key.
func TestStateIsBoundToItsComment(t *testing.T) {
	k := stateKeys(t, "one key, for these tests ")
	line := encodeState(k, 501, 7, 90, sampleState)
	if got, ok := decodeState(k, 501, 7, 90, line); !ok || !got.same(sampleState) {
		t.Fatalf("decoded %+v, %v", got, ok)
	}
	for name, ok := range map[string]bool{
		"another repository": second(decodeState(k, 502, 7, 90, line)),
		"another number":     second(decodeState(k, 501, 8, 90, line)),
		"another comment":    second(decodeState(k, 501, 7, 91, line)),
		"another key":        second(decodeState(stateKeys(t, "some other key entirely "), 501, 7, 90, line)),
		"no key":             second(decodeState(vault.Keys{}, 501, 7, 90, line)),
		"a changed byte":     second(decodeState(k, 501, 7, 90, strings.Replace(line, "v1 ey", "v1 fy", 1))),
		"nothing":            second(decodeState(k, 501, 7, 90, "")),
		"another version":    second(decodeState(k, 501, 7, 90, strings.Replace(line, "v1", "v2", 1))),
	} {
		if ok {
			t.Errorf("%s: believed", name)
		}
	}
	if encodeState(vault.Keys{}, 501, 7, 90, sampleState) != "" || encodeState(k, 501, 7, 90, State{}) != "" {
		t.Error("a line without a key, or without anything to say")
	}
	if len(line) > 1500 || strings.Count(line, "\n") != 1 || strings.Contains(strings.TrimSuffix(line, " -->\n"), "--> ") {
		t.Errorf("the line is %q", line)
	}
}

func second(_ State, ok bool) bool { return ok }

// TestWhichCommentIsOurs: by author and marker, the verified one first.
func TestWhichCommentIsOurs(t *testing.T) {
	k := stateKeys(t, "one key, for these tests ")
	unsealed, _ := parted("<!-- familiar:status v1 lumen/ledger#7 -->\nAll is well.\n")
	by := func(id int64, login, text string) github.Comment {
		return github.Comment{Comment: event.Comment{ID: id, Body: text, Author: &event.Actor{ID: id, Login: login}}}
	}
	good := func(id int64) string {
		return unsealed.sealed(k, 501, id, sampleState, render.AsItStands(unsealed.text)).String()
	}
	edited := strings.Replace(good(3), "well", "ill", 1)
	for _, c := range []struct {
		name     string
		comments []github.Comment
		id       int64
		intact   bool
		head     string
		spare    int // made in a race, or never finished
	}{
		{"none", nil, 0, false, "", 0},
		{"somebody else's with our marker", []github.Comment{by(1, "mara", good(1))}, 0, false, "", 0},
		{"another thread's", []github.Comment{by(1, "bot", strings.Replace(good(1), "#7", "#8", 1))}, 0, false, "", 0},
		{"ours", []github.Comment{by(1, "mara", good(1)), by(2, "Bot", good(2))}, 2, true, sampleState.Head, 0},
		{"ours as GitHub sends it back", []github.Comment{by(2, "bot", strings.ReplaceAll(strings.TrimSpace(good(2)), "\n", "\r\n"))}, 2, true, sampleState.Head, 0},
		{"ours, edited: its state stands, its words do not", []github.Comment{by(3, "bot", edited)}, 3, false, sampleState.Head, 0},
		{"the verified one before an older one that is not", []github.Comment{by(1, "bot", good(9)), by(3, "bot", edited), by(5, "bot", good(5))}, 5, true, sampleState.Head, 0},
		{"two that verify: the older stays", []github.Comment{by(6, "bot", good(6)), by(5, "bot", good(5))}, 5, true, sampleState.Head, 1},
		{"one that was opened and never finished, beside ours", []github.Comment{by(4, "bot", "<!-- familiar:status v1 lumen/ledger#7 -->\nAll is well."), by(5, "bot", good(5))}, 5, true, sampleState.Head, 1},
		{"two that were: the older is finished", []github.Comment{by(6, "bot", "<!-- familiar:status v1 lumen/ledger#7 -->\nA."), by(4, "bot", "<!-- familiar:status v1 lumen/ledger#7 -->\nB.")}, 4, false, "", 1},
		{"somebody else's is not taken away", []github.Comment{by(4, "mara", "<!-- familiar:status v1 lumen/ledger#7 -->\nAll is well."), by(5, "bot", good(5))}, 5, true, sampleState.Head, 0},
		{"nor is a copy of ours by a bot of the same name", []github.Comment{by(6, "bot", good(5)), by(5, "bot", good(5))}, 5, true, sampleState.Head, 0},
		{"one that was opened and never finished", []github.Comment{by(4, "bot", "<!-- familiar:status v1 lumen/ledger#7 -->\nAll is well.")}, 4, false, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := findOwn(c.comments, k, "bot", "lumen/ledger", 501, 7)
			if o.ID != c.id || o.intact != c.intact || o.state.Head != c.head || len(o.spare)+len(o.half) != c.spare {
				t.Errorf("found %d, intact %v, head %q, spare %v, half made %v", o.ID, o.intact, o.state.Head, o.spare, o.half)
			}
		})
	}
	o := findOwn([]github.Comment{by(2, "bot", good(2))}, k, "bot", "lumen/ledger", 501, 7)
	if !o.says(unsealed, sampleState) || o.says(unsealed, State{Head: "x"}) {
		t.Error("whether it says so already is told wrongly")
	}
	other, _ := parted("<!-- familiar:status v1 lumen/ledger#7 -->\nAll is lost.\n")
	if o.says(other, sampleState) {
		t.Error("other words count as the same")
	}
}

// FuzzParted: whatever a comment holds, nothing is believed that no key of
// ours made.
func FuzzParted(f *testing.F) {
	k := stateKeys(f, "one key, for these tests ")
	b, _ := parted("<!-- familiar:status v1 lumen/ledger#7 -->\nAll is well.\n")
	genuine := b.sealed(k, 501, 2, sampleState, render.AsItStands(b.text)).String()
	f.Add(genuine)
	f.Add(strings.Replace(genuine, "state v1", "state v1 x", 1))
	f.Add("<!-- familiar:status v1 a/b#99999999999999999999 -->\n")
	f.Fuzz(func(t *testing.T, s string) {
		b, ok := parted(s)
		if !ok {
			return
		}
		state, believed := decodeState(k, 501, 7, 2, b.state)
		if believed && !state.same(sampleState) {
			t.Errorf("believed %+v of %q", state, s)
		}
		if !strings.Contains(render.Marker(b.repo, b.number, ""), " "+b.repo+"#") {
			return // the repository's name is none, and is not written
		}
		if again, ok := parted(b.sealed(k, 501, 2, State{}, render.AsItStands(b.text)).String()); !ok || again.text != b.text {
			t.Errorf("%q becomes %q", b.text, again.text)
		}
	})
}
