package app

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/review/record"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// The shared cases of the areas "feedback", "record" and "memory-policy", in
// our terms: what they call a receipt is the MACed marker of a finding, what
// they call an artifact is review.json.

type feedbackCase struct {
	Area, Name  string
	Input, Want map[string]any
}

func (c feedbackCase) in(name string) string {
	s, _ := c.Input[name].(string)
	return s
}

func (c feedbackCase) wants(name string) string {
	s, _ := c.Want[name].(string)
	return s
}

func TestConformanceFeedback(t *testing.T) {
	checks := map[string]func(*testing.T, feedbackCase){
		"payload keys": storesIDs, "refused: entry text over 2000 characters": longestLesson, "namespace": keyOfFeedback,
		"refused: payload symlink": linkedMember, "evidence digest": evidenceDigest, "receipt default": receiptIsMarker,
		"refused: 101 evidence items": manyPlaces, "refused: 21 paths": onePath, "refused: receipt names another file": otherNumber,
		"what is uploaded": storesIDs,
	}
	for _, area := range []string{"feedback", "record", "memory-policy"} {
		for _, c := range feedbackCases(t, area) {
			t.Run(area+"/"+c.Name, func(t *testing.T) {
				switch check := checks[c.Name]; {
				case check != nil:
					check(t, c)
				case c.Input["comment"] != nil:
					c.parses(t)
				case c.Want["believed"] != nil:
					c.marker(t)
				case c.Input["artifact"] != nil:
					c.artifact(t)
				case c.Input["path"] != nil, c.Input["path_chars"] != nil:
					c.paths(t)
				default:
					t.Errorf("nothing checks this case: %+v", c)
				}
			})
		}
	}
}

func feedbackCases(t *testing.T, area string) []feedbackCase {
	t.Helper()
	f, err := os.Open("../../testdata/conformance/" + area + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	var out []feedbackCase
	for in := bufio.NewScanner(f); in.Scan(); {
		var c feedbackCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func feedbackKeys(t *testing.T, seed string) vault.Keys {
	t.Helper()
	text, _, err := vault.NewKey(strings.NewReader(strings.Repeat(seed, 64)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := vault.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var letters = strings.NewReplacer("{700 letters}", strings.Repeat("x", 700), "{701 letters}", strings.Repeat("x", 701))

func (c feedbackCase) parses(t *testing.T) {
	all := intent.Parse("/familiar "+letters.Replace(c.in("comment")), intent.Options{})
	if len(all) != 1 {
		t.Fatalf("%d commands", len(all))
	}
	in := all[0]
	switch {
	case c.wants("problem") != "":
		if !strings.Contains(in.Problem, c.wants("problem")) {
			t.Errorf("the problem is %q", in.Problem)
		}
	case in.Problem != "":
		t.Errorf("the problem is %q", in.Problem)
	case c.wants("verb") != "" && string(in.Verb) != c.wants("verb"):
		t.Errorf("the verb is %s", in.Verb)
	case c.wants("text") != "" && in.Text != c.wants("text"):
		t.Errorf("the lesson is %q", in.Text)
	case c.Want["chars"] != nil && float64(len(in.Text)) != c.Want["chars"]:
		t.Errorf("the lesson has %d characters", len(in.Text))
	}
}

func sampleRef() findingRef {
	return findingRef{ID: "F2", Fingerprint: "0123abcd0123abcd0123abcd0123abcd", Path: "services/pay.go", Line: 4,
		Base: strings.Repeat("b", 40), Head: strings.Repeat("a", 40), Candidate: review.CandidateID(sampleCandidate())}
}

func sampleCandidate() review.Candidate {
	return review.Candidate{Severity: contract.SeverityLow, Path: "services/pay.go", Line: 4, Title: "the reviewer's own title", Body: "the reviewer's own body"}
}

// marker: what is hidden in a comment is believed only if our key made it for
// this pull request, in its one form.
func (c feedbackCase) marker(t *testing.T) {
	keys := feedbackKeys(t, "a")
	line := encodeFinding(keys, 501, 7, sampleRef())
	if _, _, vouched := decodeFinding(keys, 501, 7, line+"\nthe words"); !vouched {
		t.Fatal("our own marker is not believed")
	}
	remade := func(change func(map[string]any)) string {
		data, err := json.Marshal(sampleRef())
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		if data, err = json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		return "<!-- familiar:finding v1 " + base64.RawStdEncoding.EncodeToString(data) + " " + keys.MAC(macFinding, findingParts(501, 7, data)...) + " -->"
	}
	switch m := c.Input["marker"].(type) {
	case string: // another key
		line = encodeFinding(feedbackKeys(t, "b"), 501, 7, sampleRef())
	case map[string]any: // also where the key is ours
		line = remade(func(ref map[string]any) {
			for k, v := range m {
				ref[k] = v
			}
		})
	default:
		switch of, ok := c.Input["marker_of"].(map[string]any); {
		case ok:
			line = encodeFinding(keys, int64(of["repository"].(float64)), int(of["number"].(float64)), sampleRef())
		case c.Input["marker_bytes"] != nil:
			line = remade(func(ref map[string]any) { ref["path"] = strings.Repeat("p", int(c.Input["marker_bytes"].(float64))) })
		default:
			t.Fatalf("%+v", c.Input)
		}
	}
	if _, ok, vouched := decodeFinding(keys, 501, 7, line+"\nthe words"); ok && vouched {
		t.Errorf("it is believed: %.200s", line)
	}
}

// keptRecords answers with one record.
type keptRecords struct {
	data    []byte
	problem string
	err     error
}

func (k keptRecords) Put(context.Context, string, []byte) error { return nil }

func (k keptRecords) Find(context.Context, string) ([]FoundRecord, error) {
	if k.data == nil && k.problem == "" {
		return nil, k.err
	}
	return []FoundRecord{{ID: 4242, Data: k.data, Problem: k.problem}}, k.err
}

func sampleRecord() record.Record {
	return record.Make(record.Input{
		Run: record.Run{RepositoryID: 501, Repository: "lumen/ledger", Number: 7, RunID: 1, Attempt: 1, At: "2026-11-30T10:00:00Z", Tool: "familiar/test",
			Reviewer: "rules", Trust: contract.TrustMaintainer, Base: sampleRef().Base, Head: sampleRef().Head},
		Policy: record.Digest("p"), Snapshot: record.Digest("s"), Context: record.Digest("c"), Outcome: review.Reviewed,
		Checked: review.Checked{Findings: []review.Finding{{Candidate: sampleCandidate(), ID: "F2", Fingerprint: sampleRef().Fingerprint}}},
	})
}

// artifact: a record that is there and speaks against the finding refuses the
// feedback; one that bears it out, or none, does not.
func (c feedbackCase) artifact(t *testing.T) {
	keys := feedbackKeys(t, "a")
	rec := sampleRecord()
	signer := keys
	switch c.in("artifact") {
	case "without it":
		rec.Candidates = []record.Candidate{}
	case "another head":
		rec.Run.Head = strings.Repeat("c", 40)
	case "another key":
		signer = feedbackKeys(t, "b")
	}
	data, err := record.Seal(rec, signer)
	if err != nil {
		t.Fatal(err)
	}
	kept := keptRecords{data: data}
	switch c.in("artifact") {
	case "edited":
		kept.data = bytes.Replace(data, []byte(`"severity":"low"`), []byte(`"severity":"info"`), 1)
	case "symlink":
		kept = keptRecords{problem: "its review.json is no regular file"}
	}
	_, _, against := borneOut(context.Background(), ActionRequest{Keys: keys, Records: kept}, 501, 7, sampleRef())
	if !strings.Contains(against, c.wants("refused")) || !strings.Contains(against, "artifact 4242") || !strings.Contains(against, "Nothing was stored") {
		t.Errorf("%q, want it to say %q", against, c.wants("refused"))
	}
}

func TestFeedbackNeedsNoRecordAndTakesOneThatBearsItOut(t *testing.T) {
	keys := feedbackKeys(t, "a")
	data, err := record.Seal(sampleRecord(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		kept    Records
		checked bool
		doubt   string
	}{
		{"no artifact any more", keptRecords{}, false, ""},
		{"away from a runner", nil, false, ""},
		{"the record of that review", keptRecords{data: data}, true, ""},
		{"a listing that fails", keptRecords{err: fmt.Errorf("GitHub answered 502")}, false, "GitHub answered 502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checked, doubt, against := borneOut(context.Background(), ActionRequest{Keys: keys, Records: c.kept}, 501, 7, sampleRef())
			if checked != c.checked || doubt != c.doubt || against != "" {
				t.Errorf("checked %t, doubt %q, against %q", checked, doubt, against)
			}
		})
	}
}

// linkedMember: unpacking is the artifact home's; here its problem refuses.
func linkedMember(t *testing.T, c feedbackCase) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "review.json"}
	h.SetMode(os.ModeSymlink | 0o777)
	if _, err := z.CreateHeader(h); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	c.Input["artifact"] = "symlink"
	c.artifact(t)
}

func feedbackFacts(headRepo int64, status diff.Status, path string) commandFacts {
	g := pullFacts{}
	g.pull.Head.RepoID, g.pull.Base.RepoID = headRepo, 501
	return commandFacts{number: 7, pull: &g, repository: event.Repository{ID: 501}, files: []diff.File{{Path: path, Status: status}}, author: "github-actions[bot]"}
}

func (c feedbackCase) paths(t *testing.T) {
	path := c.in("path")
	if n, ok := c.Input["path_chars"].(float64); ok {
		path = strings.Repeat("p", int(n))
	}
	got := pathsOf(feedbackFacts(501, diff.Modified, path), findingRef{Path: path})
	if float64(len(got)) != c.Want["paths"] {
		t.Errorf("%q", got)
	}
}

func onePath(t *testing.T, c feedbackCase) {
	if got := pathsOf(feedbackFacts(501, diff.Modified, "a/b.go"), findingRef{Path: "a/b.go"}); float64(len(got)) > c.Want["paths_at_most"].(float64) || got[0] != "a/b.go" {
		t.Errorf("%q", got)
	}
}

func evidenceDigest(t *testing.T, c feedbackCase) {
	if got := review.EvidenceDigest(c.in("path"), 1); got != record.Digest(c.wants("sha256_of")) {
		t.Errorf("%s", got)
	}
}

func receiptIsMarker(t *testing.T, _ feedbackCase) {
	keys := feedbackKeys(t, "a")
	f := feedbackFacts(501, diff.Modified, "services/pay.go")
	r := ActionRequest{Keys: keys}
	f.lines = []github.ReviewComment{{ID: 1, Author: &event.Actor{Login: "github-actions[bot]"}, Body: encodeFinding(keys, 501, 7, sampleRef()) + "\nwords"}}
	ref, no := findingOf(context.Background(), r, f, spoken{}, "F2")
	if no != nil || ref.Fingerprint != sampleRef().Fingerprint {
		t.Errorf("%+v, %+v", ref, no)
	}
	f.lines[0].Author.Login = "mallory"
	if _, no := findingOf(context.Background(), r, f, spoken{}, "F2"); no == nil {
		t.Error("somebody else's copy of the marker is believed")
	}
}

func otherNumber(t *testing.T, c feedbackCase) {
	keys := feedbackKeys(t, "a")
	f := feedbackFacts(501, diff.Modified, "services/pay.go")
	f.lines = []github.ReviewComment{{ID: 1, Author: &event.Actor{Login: "github-actions[bot]"}, Body: encodeFinding(keys, 501, 7, sampleRef()) + "\nwords"}}
	_, no := findingOf(context.Background(), ActionRequest{Keys: keys}, f, spoken{}, "F9")
	if no == nil || !strings.Contains(no.text, c.wants("refused")) {
		t.Errorf("%+v", no)
	}
}

func manyPlaces(t *testing.T, _ feedbackCase) {
	c := feedbackCase{Input: map[string]any{"marker": map[string]any{"path": []string{"a", "b"}}}}
	c.marker(t)
}

var ledgerCoordinates = store.Identity{RepositoryID: 501, Owner: "lumen", Name: "ledger"}.Coordinates()

func feedbackOn(t *testing.T, words string) memory.NewLesson {
	t.Helper()
	in := intent.Intent{Verb: intent.VerbDismiss, Finding: "F2", Text: words, Line: 1}
	lesson, refusal := feedbackLesson(in, sampleRef(), []string{"services/pay.go"}, ledgerCoordinates, 7)
	if refusal != nil {
		t.Fatalf("%+v", refusal)
	}
	return lesson
}

func keyOfFeedback(t *testing.T, c feedbackCase) {
	if got := feedbackOn(t, c.in("lesson")).Key; string(got) != c.wants("key") {
		t.Errorf("the key is %s", got)
	}
}

func longestLesson(t *testing.T, _ feedbackCase) {
	l := feedbackOn(t, strings.Repeat("x", intent.MaxLesson))
	if len(l.Text) != 700 || len(l.Paths) != 1 || len(l.Key) > 256 {
		t.Errorf("%d characters, %d paths, key %s", len(l.Text), len(l.Paths), l.Key)
	}
}

// storesIDs: a disposition stores the person's lesson and where it came from,
// and none of the reviewer's words.
func storesIDs(t *testing.T, c feedbackCase) {
	st := feedbackStore(t)
	lesson := feedbackOn(t, "we vendor this")
	applied, err := st.Apply(context.Background(), memory.Transition{
		Op: memory.OpDismiss, Cause: memory.NewCause("a"), At: aMoment, Actor: memory.Principal{ID: 11, Login: "mara"}, Standing: memory.StandingMaintainer,
		Through: memory.Through{Kind: "issue_comment", ID: "9"}, Number: 7, Finding: sampleRef().Fingerprint, Lesson: &lesson,
	})
	if err != nil || applied.Refused != nil {
		t.Fatalf("%+v, %v", applied.Refused, err)
	}
	v := applied.Version
	if v.Text != "we vendor this" || v.Source != memory.UserAuthored || v.Class != memory.Standard || v.Paths[0] != "services/pay.go" || v.ConfirmedBy.Login != "mara" ||
		v.Provenance != (memory.Provenance{RepositoryID: 501, PullRequest: 7, Base: sampleRef().Base, Head: sampleRef().Head, Finding: sampleRef().Fingerprint}) {
		t.Errorf("%+v", v)
	}
	data := savedBytes(t, st)
	never, _ := c.Want["never"].([]any)
	for _, words := range never {
		if bytes.Contains(data, []byte(words.(string))) {
			t.Errorf("the store holds %q", words)
		}
	}
	if !bytes.Contains(data, []byte("we vendor this")) {
		t.Error("the store does not hold the lesson")
	}
}

var aMoment = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func feedbackStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Create(context.Background(), t.TempDir()+"/store.db", store.Identity{RepositoryID: 501, Owner: "lumen", Name: "ledger", InstallationID: 1}, aMoment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() }) // a test's own
	return st
}

func savedBytes(t *testing.T, st *store.Store) []byte {
	t.Helper()
	path := t.TempDir() + "/saved.db"
	if err := st.SaveTo(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
