package handover

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/vault"
)

func keyFor(t testing.TB, job string) vault.Keys {
	k, err := vault.JobKeys("the token of "+job, "sealed note")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var issued = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func digits(c string, n int) string { return strings.Repeat(c, n) }

func aNote() Note {
	return Note{
		RunID: 9001, Attempt: 1, RepositoryID: 501, Number: 7, Head: digits("a", 40), Policy: digits("1", 64), Brief: digits("2", 64),
		Snapshot: digits("3", 64), Text: digits("4", 64), Diff: digits("5", 64), Lessons: []string{"m-7f3k2q8a@2"},
		Nonce: digits("6", 32), IssuedAt: issued.Format(time.RFC3339),
	}
}

func itsRun() Facts {
	return Facts{RepositoryID: 501, RunID: 9001, Attempt: 1, Number: 7, Head: digits("a", 40), Policy: digits("1", 64), Now: issued.Add(10 * time.Minute)}
}

func sealed(t testing.TB, n Note) []byte {
	data, err := Seal(n, keyFor(t, "job"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestANoteComesBackAsItWasSealed(t *testing.T) {
	data := sealed(t, aNote())
	got, err := Open(data, keyFor(t, "job"))
	if err != nil {
		t.Fatal(err)
	}
	want := aNote()
	want.Schema, want.MAC = Schema, got.MAC
	if a, b := string(encode(got)), string(encode(want)); a != b {
		t.Errorf("opened\n%s\nsealed\n%s", a, b)
	}
	if reason, why := Accept(got, itsRun()); reason != "" || why != "" {
		t.Errorf("its own run refuses it: %s, %s", reason, why)
	}
}

func TestWhichNoteStandsForARun(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Note, *Facts)
		reason Reason
		words  string
	}{
		"its own run":                             {func(*Note, *Facts) {}, "", ""},
		"a later attempt publishes":               {func(_ *Note, f *Facts) { f.Attempt = 3 }, "", ""},
		"two hours to the second":                 {func(_ *Note, f *Facts) { f.Now = issued.Add(2 * time.Hour) }, "", ""},
		"a clock five minutes behind":             {func(_ *Note, f *Facts) { f.Now = issued.Add(-5 * time.Minute) }, "", ""},
		"another repository":                      {func(_ *Note, f *Facts) { f.RepositoryID = 502 }, OtherRepository, "another repository"},
		"a repository that is not known":          {func(n *Note, f *Facts) { n.RepositoryID, f.RepositoryID = 0, 0 }, OtherRepository, "another repository"},
		"a note of another run, replayed":         {func(_ *Note, f *Facts) { f.RunID = 9002 }, OtherRun, "run 9001, and this is run 9002"},
		"away from a runner":                      {func(n *Note, f *Facts) { n.RunID, f.RunID = 0, 0 }, OtherRun, "belong into one run"},
		"an earlier attempt replays a later one":  {func(n *Note, f *Facts) { n.Attempt = 2 }, LaterAttempt, "attempt 2, and this is attempt 1"},
		"another pull request":                    {func(_ *Note, f *Facts) { f.Number = 8 }, OtherPull, "#7, and this run is about #8"},
		"two hours and a second":                  {func(_ *Note, f *Facts) { f.Now = issued.Add(2*time.Hour + time.Second) }, Expired, "run prepare again"},
		"a clock six minutes behind":              {func(_ *Note, f *Facts) { f.Now = issued.Add(-6 * time.Minute) }, NotYet, "still to come"},
		"a time without a clock":                  {func(_ *Note, f *Facts) { f.Now = time.Time{} }, NotYet, "still to come"},
		"the head moved":                          {func(_ *Note, f *Facts) { f.Head = digits("b", 40) }, HeadMoved, "the head moved"},
		"no head is known":                        {func(n *Note, f *Facts) { n.Head, f.Head = "", "" }, HeadMoved, "the head moved"},
		"the policy changed":                      {func(_ *Note, f *Facts) { f.Policy = digits("9", 64) }, PolicyChanged, "nothing of the result is used"},
		"no policy is known":                      {func(n *Note, f *Facts) { n.Policy, f.Policy = "", "" }, PolicyChanged, "nothing of the result is used"},
		"the repository decides before the run":   {func(_ *Note, f *Facts) { f.RepositoryID, f.RunID = 1, 1 }, OtherRepository, ""},
		"a moved head decides before the policy":  {func(_ *Note, f *Facts) { f.Head, f.Policy = "", "" }, HeadMoved, ""},
		"an old note decides before a moved head": {func(_ *Note, f *Facts) { f.Now, f.Head = issued.Add(3*time.Hour), "" }, Expired, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, f := aNote(), itsRun()
			c.change(&n, &f)
			reason, why := Accept(n, f)
			if reason != c.reason || !strings.Contains(why, c.words) || (reason == "") != (why == "") {
				t.Errorf("%q, %q; want %q, ... %q", reason, why, c.reason, c.words)
			}
		})
	}
}

func TestTheZeroFactsAcceptNothing(t *testing.T) {
	if reason, _ := Accept(aNote(), Facts{}); reason == "" {
		t.Error("facts that nobody looked up let a note through")
	}
	if reason, _ := Accept(Note{}, Facts{}); reason == "" {
		t.Error("an empty note passes with empty facts")
	}
}

func TestWhatIsNoNote(t *testing.T) {
	good := string(sealed(t, aNote()))
	edit := func(from, to string) []byte {
		if !strings.Contains(good, from) {
			t.Fatalf("the note has no %q", from)
		}
		return []byte(strings.Replace(good, from, to, 1))
	}
	for name, c := range map[string]struct {
		data   []byte
		reason Reason
		words  string
	}{
		"nothing":                           {nil, Malformed, "not one"},
		"not JSON":                          {[]byte("a note"), Malformed, "not one"},
		"A65: a key twice":                  {edit(`"attempt":1`, `"attempt":1,"attempt":1`), Malformed, "duplicate"},
		"A65: a key in another case":        {edit(`"run_id"`, `"Run_ID"`), Malformed, "run_id"},
		"A65: data behind it":               {append([]byte(good), `{"run_id":1}`...), Malformed, "not one"},
		"an unknown field":                  {edit(`"attempt":1`, `"attempt":1,"trust":"maintainer"`), Malformed, "unknown"},
		"a field is missing":                {edit(`"number":7,`, ``), Malformed, "number"},
		"another schema":                    {edit(Schema, "familiar-note-2"), Malformed, "schema"},
		"too large":                         {bytes.Repeat([]byte(" "), MaxNote+1), Malformed, "at most"},
		"a head that is none":               {edit(digits("a", 40), digits("a", 39)), Malformed, "head"},
		"a digest in capital letters":       {edit(digits("1", 64), digits("F", 64)), Malformed, "policy"},
		"a time in another zone":            {edit("09:00:00Z", "10:00:00+01:00"), Malformed, "issued_at"},
		"another head":                      {edit(digits("a", 40), digits("b", 40)), Forged, "changed since"},
		"another pull request":              {edit(`"number":7`, `"number":8`), Forged, "changed since"},
		"another attempt":                   {edit(`"attempt":1`, `"attempt":2`), Forged, "changed since"},
		"a later time":                      {edit("09:00:00Z", "11:00:00Z"), Forged, "changed since"},
		"a lesson more":                     {edit(`["m-7f3k2q8a@2"]`, `["m-7f3k2q8a@2","m-00000000@1"]`), Forged, "changed since"},
		"the MAC taken off":                 {edit(`"mac":"`, `"mac":"0`), Forged, "changed since"},
		"A64: a lesson of another snapshot": {edit(`m-7f3k2q8a@2`, `m-7f3k2q8b@2`), Forged, "changed since"},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := Open(c.data, keyFor(t, "job"))
			var refused *Refused
			if !errors.As(err, &refused) || refused.Reason != c.reason || !strings.Contains(refused.Detail, c.words) {
				t.Fatalf("error %v, want %s ... %q", err, c.reason, c.words)
			}
			if n.Number != 0 || n.Head != "" {
				t.Error("there is a note beside the error")
			}
		})
	}
}

func TestAnotherKeyOpensNoNote(t *testing.T) {
	for name, key := range map[string]Signer{"another job's": keyFor(t, "another job"), "none": vault.Keys{}} {
		var refused *Refused
		if _, err := Open(sealed(t, aNote()), key); !errors.As(err, &refused) || refused.Reason != Forged {
			t.Errorf("with the key %s: %v", name, err)
		}
	}
	if _, err := Seal(aNote(), vault.Keys{}); err == nil || !strings.Contains(err.Error(), "without a key") {
		t.Errorf("sealed without a key: %v", err)
	}
	odd := aNote()
	odd.RunID = 0
	if _, err := Seal(odd, keyFor(t, "job")); err == nil || !strings.Contains(err.Error(), "run_id") {
		t.Errorf("sealed away from a runner: %v", err)
	}
}

// TestNoByteOfANoteCanBeChanged: whatever is done to the bytes, the note that
// opens is the one that was sealed, or none.
func TestNoByteOfANoteCanBeChanged(t *testing.T) {
	key := keyFor(t, "job")
	data := sealed(t, aNote())
	want, err := Open(data, key)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		changed := bytes.Clone(data)
		at := rapid.IntRange(0, len(changed)-1).Draw(t, "at")
		changed[at] = rapid.Byte().Draw(t, "byte")
		got, err := Open(changed, key)
		if err == nil && string(encode(got)) != string(encode(want)) {
			t.Fatalf("byte %d: another note opens: %s", at, changed)
		}
	})
}

func TestBundleAndAnswerComeBackAsTheyWere(t *testing.T) {
	b := Bundle{Note: []byte("note"), Brief: []byte("{}"), Memory: []byte("[]"), MemoryText: []byte("# x\n"), Diff: []byte("\xff\x00 not UTF-8"), ReplyTo: "age1example"}
	data, err := EncodeBundle(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeBundle(data)
	if err != nil || !bytes.Equal(got.Diff, b.Diff) || string(got.Note) != "note" || got.ReplyTo != b.ReplyTo || string(got.MemoryText) != "# x\n" {
		t.Errorf("%+v, %v", got, err)
	}
	if bytes.Count(data, []byte("\n")) != 1 {
		t.Error("a hand-over is to be one line, to travel in a job's output")
	}
	a := Answer{Note: []byte("note"), Form: "sarif", Result: []byte("\xfe")}
	data, err = EncodeAnswer(a)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeAnswer(data)
	if err != nil || back.Form != "sarif" || !bytes.Equal(back.Result, a.Result) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestWhatIsNoBundle(t *testing.T) {
	good, err := EncodeBundle(Bundle{Note: []byte("note")})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"nothing":              nil,
		"an answer":            mustAnswer(t),
		"A65: a key twice":     bytes.Replace(good, []byte(`"note":`), []byte(`"note":"","note":`), 1),
		"A65: another case":    bytes.Replace(good, []byte(`"brief"`), []byte(`"Brief"`), 1),
		"A65: data behind it":  append(bytes.Clone(good), '{', '}'),
		"base64 that is none":  bytes.Replace(good, []byte(`"brief":""`), []byte(`"brief":"???"`), 1),
		"a very long reply_to": bytes.Replace(good, []byte(`"reply_to":""`), []byte(`"reply_to":"`+digits("a", 5000)+`"`), 1),
	} {
		if _, err := DecodeBundle(data); err == nil || !strings.Contains(err.Error(), "this is no hand-over") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustAnswer(t testing.TB) []byte {
	data, err := EncodeAnswer(Answer{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzOpen(f *testing.F) {
	key := keyFor(f, "job")
	f.Add(sealed(f, aNote()))
	f.Add([]byte(`{"schema":"familiar-note-1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Open(data, key)
		if err != nil {
			return
		}
		// What opens was sealed by this key: sealing it again says the same.
		again, err := Seal(n, key)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(data, &a) != nil || json.Unmarshal(again, &b) != nil {
			t.Fatal("it opens and is no JSON")
		}
	})
}

func FuzzBundle(f *testing.F) {
	good, _ := EncodeBundle(Bundle{Note: []byte("n"), Diff: []byte{0xff}})
	f.Add(good)
	f.Add(mustAnswer(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := DecodeBundle(data); err == nil {
			if out, err := EncodeBundle(b); err != nil {
				t.Fatal(err)
			} else if _, err := DecodeBundle(out); err != nil {
				t.Fatal(err)
			}
		}
		if a, err := DecodeAnswer(data); err == nil {
			if _, err := EncodeAnswer(a); err != nil {
				t.Fatal(err)
			}
		}
	})
}
