package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// traces are the forms in which a lesson stands in a file: the text and each
// of its words, as they are, in lower case, escaped as JSON, in UTF-16, in
// hex; the words as recall has them; the slug of its key; its synonyms,
// globs, rule and citations.
func traces(n *memory.NewLesson) map[string][]byte {
	out := map[string][]byte{}
	add := func(name, s string) {
		if s == "" {
			return
		}
		out[name] = []byte(s)
		out[name+", lower case"] = []byte(strings.ToLower(s))
		quoted, _ := json.Marshal(s)
		out[name+", as JSON"] = quoted[1 : len(quoted)-1]
		out[name+", in hex"] = []byte(hex.EncodeToString([]byte(s)))
		var wide []byte
		for _, u := range utf16.Encode([]rune(s)) {
			wide = append(wide, byte(u), byte(u>>8))
		}
		out[name+", in UTF-16"] = wide
	}
	add("text", n.Text)
	add("words", recallWords(n.Key, n.Text, n.About, n.Check))
	for _, w := range text.Words(n.Text) {
		if len(w) >= 6 {
			add("word "+w, w)
			add("stem of "+w, w[:len(w)-2])
		}
	}
	add("key", n.Key.Rest())
	for _, s := range append(append([]string{}, n.About...), n.Paths...) {
		add("list entry "+s, s)
	}
	for _, c := range n.Citations {
		add("cited path", c.Path)
		add("digest", c.Digest)
	}
	if n.Check != nil {
		add("pattern", n.Check.Pattern)
		add("because", n.Check.Because)
		for _, s := range append(append([]string{}, n.Check.Bad...), n.Check.Good...) {
			add("example", s)
		}
	}
	return out
}

func found(data []byte, traces map[string][]byte) []string {
	var out []string
	for name, trace := range traces {
		if bytes.Contains(data, trace) {
			out = append(out, name)
		}
	}
	return out
}

// telling is a lesson whose every word occurs nowhere else.
func telling(tag string) *memory.NewLesson {
	n := lesson(fmt.Sprintf("Quetzalcoatl%s \"flugelhorn\" <marzipan> kerfuffle & Zürichsee camelCasedNincompoop", tag))
	n.About = []string{"bamboozle" + tag, "hullabaloo"}
	n.Paths = []string{"gobbledygook/**/*.go"}
	n.Check = &memory.Check{Kind: memory.CheckNever, Pattern: "collywobbles(", In: []string{"lollygag/**"}, Because: "taradiddle \"quoted\"",
		Bad: []string{"collywobbles(1)"}, Good: []string{"skedaddle()"}}
	n.Citations = []memory.Citation{{Path: "gardyloo/main.go", StartLine: 1, EndLine: 2, Commit: strings.Repeat("e", 40), Digest: strings.Repeat("fade", 16)}}
	return n
}

func testForgetLeavesNoByte(t *testing.T) {
	f := newFixture(t)
	for batch := range 6 { // enough for several pages and segments of the index
		var fillers []*memory.NewLesson
		for i := range 50 {
			fillers = append(fillers, keyed(fmt.Sprintf("filler/k%d-%d", batch, i), fmt.Sprintf("Filler lesson number %d about topic%d and subject%d in %d", i, i%17, i%23, batch)))
		}
		f.bulk(fillers...)
	}
	first, second := telling("one"), telling("two")
	second.Key = first.Key
	v := f.must(f.remember(ada, first))
	v2 := f.must(f.remember(ada, second)) // the first is an older version now
	if v2.DocumentID != v.DocumentID {
		t.Fatalf("%s is not a version of %s", v2.ID(), v.ID())
	}
	copied := telling("two")
	copied.Key = memory.Key("repo/octocat/ledger/copies/quetzalcoatl")
	pending := f.must(f.propose(3, func() *memory.NewLesson { n := telling("three"); n.Check, n.Key = nil, copied.Key; return n }()))
	f.must(f.on(memory.OpReject, mara, pending.ID()))

	all := map[string][]byte{}
	for _, n := range []*memory.NewLesson{first, second, telling("three")} {
		for name, trace := range traces(n) {
			all[name] = trace
		}
	}
	all["explicit key"] = []byte("quetzalcoatl")
	before := found(f.saved(), all)
	if len(before) < 30 {
		t.Fatalf("before the forget only %d of %d traces are in the file: %v", len(before), len(all), before)
	}
	// The rejected proposal has another text, so it is no copy; a person who
	// wants it gone remembers and forgets it. Here it is taught by its owner.
	third := telling("three")
	third.Key = "repo/octocat/ledger/lessons/third"
	v3 := f.must(f.remember(ada, third))
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	f.must(f.on(memory.OpForget, ada, v3.DocumentID))

	if left := found(f.saved(), all); len(left) > 0 {
		t.Errorf("after the forget the saved file still holds %v", left)
	}
	versions, err := f.List(t.Context(), Filter{States: []memory.State{memory.Tombstoned}})
	if err != nil || len(versions) != 4 {
		t.Fatalf("%d tombstones, %v; want both versions, the third and the copy", len(versions), err)
	}
	for _, v := range versions {
		if v.Text != "[redacted]" || v.Paths != nil || v.About != nil || v.Check != nil || v.Citations != nil || v.Key.Namespace() != "redacted" {
			t.Errorf("%s stands as %+v", v.ID(), v)
		}
		if v.Creator.ID == 0 || v.CreatedAt.IsZero() {
			t.Errorf("%s lost who made it and when", v.ID())
		}
	}
}

func testForgetThenCloseThenSave(t *testing.T) {
	f := newFixture(t)
	n := telling("closed")
	v := f.must(f.remember(ada, n))
	f.must(f.remember(ada, lesson("Amounts are in cents")))
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	f.Close()
	s, err := Open(t.Context(), f.path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f.Store = s
	if left := found(f.saved(), traces(n)); len(left) > 0 {
		t.Errorf("the saved file still holds %v", left)
	}
	if got := f.recall("cents amounts"); len(got) != 1 {
		t.Errorf("the other lesson is recalled %d times", len(got))
	}
}

func TestForgetIsAtOnceAndForGood(t *testing.T) {
	f := newFixture(t)
	n := lesson("Amounts are in cents")
	n.Paths = []string{"billing/**"}
	v := f.must(f.remember(ada, n))
	if got := f.recall("amounts cents", "billing/a.go"); len(got) != 1 {
		t.Fatalf("recalled %v", got)
	}
	gone := f.must(f.on(memory.OpForget, ada, v.DocumentID))
	if gone.State != memory.Tombstoned || gone.Text != "[redacted]" {
		t.Errorf("it stands as %+v", gone)
	}
	if got := f.recall("amounts cents", "billing/a.go"); len(got) != 0 {
		t.Errorf("recalled %v", got)
	}
	f.refused(f.on(memory.OpForget, ada, v.DocumentID), memory.ReasonWrongState, "no text left")
}

func testOnlyTheOwnerForgets(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	f.refused(f.on(memory.OpForget, mara, v.DocumentID), memory.ReasonNotYours, "belongs to ada", "retire", "Nothing was changed")
	f.refused(f.on(memory.OpForget, memory.Principal{Login: "ada"}, v.DocumentID), memory.ReasonNotYours)
	f.refused(f.on(memory.OpForget, ada, "m-00000000"), memory.ReasonUnknownID)
	f.refused(f.on(memory.OpForget, ada, "   "), memory.ReasonUnknownID)
	pending := f.must(f.propose(1, lesson("Times are in UTC")))
	f.refused(f.on(memory.OpForget, ada, pending.DocumentID), memory.ReasonNotYours, "nobody")
}

func testAForgottenTextIsSuppressed(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents, always")))
	f.must(f.remember(ada, keyed("x/y", "Times are in UTC")))
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	for _, again := range []string{"Amounts are in cents, always", "AMOUNTS are in cents -- always!", "amounts  are in cents always."} {
		yes, err := f.Suppressed(t.Context(), again)
		if err != nil || !yes {
			t.Errorf("%q is not suppressed (%v)", again, err)
		}
	}
	if yes, _ := f.Suppressed(t.Context(), "Amounts are in mills, always"); yes {
		t.Error("another text is suppressed")
	}
	f.refused(f.propose(1, lesson("amounts are in CENTS always")), memory.ReasonSuppressed, "only a maintainer")
	f.refused(f.remember(mara, lesson("amounts are in CENTS always")), memory.ReasonSuppressed, "`again: yes`")
	n := lesson("amounts are in CENTS always")
	n.Again = true
	back := f.must(f.remember(mara, n))
	if back.DocumentID == v.DocumentID || back.Number != 1 {
		t.Errorf("it came back as %s, a version of what was forgotten", back.ID())
	}
	p := f.propose(1, lesson("something else"))
	p.Lesson.Again = true
	f.must(p)
	f.must(f.on(memory.OpForget, mara, back.DocumentID))
	again := f.propose(1, lesson("Amounts are in cents always"))
	again.Lesson.Again = true
	f.refused(again, memory.ReasonSuppressed) // a runtime cannot say again
}

func TestForgetTakesCopiesWithIt(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, keyed("a/b", "Amounts are in cents")))
	f.must(f.remember(ada, keyed("a/b", "Amounts are in mills")))
	pending := f.must(f.propose(1, lesson("amounts are in cents.")))
	other := f.must(f.propose(1, lesson("Times are in UTC")))
	f.must(f.on(memory.OpForget, ada, v.DocumentID))
	state := func(id string) memory.State {
		got, _, err := f.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got[0].State
	}
	if s := state(pending.ID()); s != memory.Tombstoned {
		t.Errorf("the pending copy is %s", s)
	}
	if s := state(other.ID()); s != memory.ReviewRequired {
		t.Errorf("another proposal is %s", s)
	}
}

func TestFingerprintsNeedTheStoresOwnKey(t *testing.T) {
	one, two := newFixture(t), newFixture(t)
	if bytes.Equal(one.fingerprint("Amounts are in cents"), two.fingerprint("Amounts are in cents")) {
		t.Error("two stores give one text the same fingerprint")
	}
	if one.storeID == two.storeID {
		t.Error("two stores have one id")
	}
}

// Words leave the full-text index though it is never made anew: of many
// lessons, taught and forgotten in turns over several saves, no word of a
// forgotten one is in the file, and those that stay are found.
func TestForgottenWordsLeaveAnIndexOfManyPieces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var gone, stays []string
	letters := strings.NewReplacer("0", "ab", "1", "ce", "2", "di", "3", "fo", "4", "gu", "5", "ha", "6", "je", "7", "ki", "8", "lo", "9", "mu")
	word := func(i int) string { return letters.Replace(fmt.Sprint((i+1)*7919)) + "quux" }
	for i := range 150 {
		v := f.must(f.remember(ada, keyed(fmt.Sprintf("a/k%d", i), "A lesson about "+word(i)+" and x"+word(i))))
		if i%3 == 0 {
			f.must(f.on(memory.OpForget, ada, v.DocumentID))
			gone = append(gone, word(i))
		} else {
			stays = append(stays, word(i)+" x"+word(i))
		}
		if i%40 == 0 {
			f.saved()
		}
	}
	data := bytes.ToLower(f.saved())
	for _, w := range gone {
		if bytes.Contains(data, []byte(w)) {
			t.Errorf("%q is still in the file", w)
		}
	}
	for _, words := range stays {
		if got := f.recall(words); len(got) != 1 {
			t.Errorf("%q recalls %v", words, got)
		}
	}
}

// A migration that changes which words a version has asks for the index to be
// made anew, and opening does it.
func TestAnIndexThatAMigrationAskedForIsMadeOnOpening(t *testing.T) {
	path := savedFile(t)
	tamper("UPDATE versions SET text = 'Walruses are counted in dozens' WHERE id = 7", "UPDATE store SET reindex = 1")(t, path)
	for range 2 {
		s, err := Open(t.Context(), path, ledger)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{Store: s, t: t}
		if got := f.recalled("walruses dozens"); len(got) != 1 || got[0].Text != "Walruses are counted in dozens" {
			t.Errorf("recalled %v", got)
		}
		if n := f.number("SELECT reindex FROM store"); n != 0 {
			t.Error("it would be made anew once more")
		}
		s.Close()
	}
}
