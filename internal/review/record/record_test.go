package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/review"
)

var update = flag.Bool("update", false, "rewrite testdata/review.json")

// key is a signer with one 32-byte key.
type key string

func (k key) MAC(context string, parts ...[]byte) string {
	if k == "" {
		return ""
	}
	m := hmac.New(sha256.New, []byte(k))
	m.Write([]byte(context))
	for _, p := range parts {
		m.Write(p)
	}
	return hex.EncodeToString(m.Sum(nil))
}

func (k key) VerifyMAC(context, mac string, parts ...[]byte) bool {
	return k != "" && mac == k.MAC(context, parts...)
}

const ours = key("32 bytes of a key for the tests.")

const secretText = "amounts are stored in minor units"

func sha(s string) string { return Digest(s)[:40] }

// sample is a review with one of everything.
func sample() Input {
	lesson := memory.Version{DocumentID: "m-7f3k2q8a", Number: 2, Key: "repo/octocat/ledger/lessons/minor-units", Text: secretText}
	found := review.Candidate{Rule: "conflict-marker", Severity: contract.SeverityHigh, Path: "services/pay.go", Line: 4,
		Title: "A conflict marker was left", Body: "The reviewer's own words", Because: []string{"m-7f3k2q8a"}}
	elsewhere := review.Candidate{Severity: contract.SeverityLow, Path: "other/file.go", Title: "Not in this change"}
	return Input{
		Run: Run{RepositoryID: 501, Repository: "octocat/ledger", Number: 7, RunID: 9001, Attempt: 1, At: "2026-11-30T10:00:00Z",
			Tool: "familiar/1.2.3", Reviewer: "rules", Trust: contract.TrustMaintainer, Base: sha("base"), Head: sha("head")},
		Profile: Profile{Path: ".github/familiar/profile.yaml", Digest: Digest("profile"), Commit: sha("base")},
		Policy:  Digest("policy"), Snapshot: Digest("snapshot"), Context: Digest("brief"),
		Lessons: []memory.Version{lesson}, Outcome: review.PartlyReviewed,
		Checked: review.Checked{
			Findings: []review.Finding{{Candidate: found, ID: "F2", Fingerprint: Digest("fp")[:32]}},
			Dropped: []review.Drop{
				{Candidate: elsewhere, Reason: review.DropFileNotInChange}, {Candidate: elsewhere, Reason: review.DropFileNotInChange},
				{Candidate: found, Reason: review.DropDuplicate, Fingerprint: Digest("fp")[:32]},
			},
			Coverage: review.Coverage{Files: 2, Reviewed: 1, Unreviewed: []review.Gap{{Path: "big.json", Reason: "it is too large"}}},
		},
		Report: policy.Report{
			Reads:  []policy.ReadVerdict{{Position: 0, Key: lesson.Key, Lessons: []memory.Version{lesson}}, {Position: 1, Refused: memory.ReasonUnsupplied}},
			Writes: []policy.WriteVerdict{{Position: 0, Lesson: memory.NewLesson{Key: "repo/octocat/ledger/lessons/x", Text: "a proposal's own text"}}, {Position: 1, Refused: memory.ReasonSecret}},
		},
		Paths: []string{"services/pay.go", "big.json"},
		Keyed: func(s string) string { return ours.MAC("text", []byte(s)) },
	}
}

func sealed(t *testing.T, in Input) []byte {
	t.Helper()
	data, err := Seal(Make(in), ours)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReviewJSONIsTheGoldenFile(t *testing.T) {
	data := sealed(t, sample())
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile("testdata/review.json", pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/review.json")
	if err != nil || !bytes.Equal(want, pretty.Bytes()) {
		t.Errorf("review.json differs from testdata/review.json (%v); -update writes it:\n%s", err, pretty.Bytes())
	}
	opened, err := Open(data, ours)
	if err != nil {
		t.Fatal(err)
	}
	again, err := opened.encode()
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("what was opened is not what was sealed: %v", err)
	}
}

func TestReviewJSONHoldsIDsAndDigestsAndNoWord(t *testing.T) {
	data := string(sealed(t, sample()))
	for _, words := range []string{secretText, "minor-units", "minor", "proposal's own", "conflict marker", "reviewer's own words", "conflict-marker", "services/pay.go", "other/file.go", "Not in this change"} {
		if strings.Contains(data, words) {
			t.Errorf("it holds %q:\n%s", words, data)
		}
	}
	if strings.Contains(data, Digest(secretText)) || strings.Contains(data, Digest("a proposal's own text")) {
		t.Error("it holds a plain digest of a lesson's text, which can be guessed at")
	}
	for _, id := range []string{"m-7f3k2q8a@2", `"finding":"F2"`, Digest("services/pay.go")} {
		if !strings.Contains(data, id) {
			t.Errorf("it does not hold %s", id)
		}
	}
}

func TestTheSameCandidateIsListedOnceAndCounted(t *testing.T) {
	r := Make(sample())
	if len(r.Candidates) != 2 || r.Candidates[0].Times != 2 || r.Candidates[0].Verdict != Published || r.Candidates[1].Times != 2 {
		t.Errorf("candidates: %+v", r.Candidates)
	}
	in := sample()
	for i := range MaxCandidates + 7 {
		in.Checked.Dropped = append(in.Checked.Dropped, review.Drop{Candidate: review.Candidate{Path: "p", Line: i + 1, Title: "t"}, Reason: review.DropTooMany})
	}
	if r := Make(in); len(r.Candidates) != MaxCandidates || r.More != 9 {
		t.Errorf("%d candidates and %d more", len(r.Candidates), r.More)
	}
}

// edited changes one value of a sealed record and seals it again, as whoever
// holds a key could, or leaves the attestation as it was.
func edited(t *testing.T, data []byte, change func(map[string]any)) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func reasonOf(err error) Reason {
	var r *Refused
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func TestARecordThatIsNotOursIsRefused(t *testing.T) {
	data := sealed(t, sample())
	run := func(m map[string]any) map[string]any { return m["run"].(map[string]any) }
	candidate := func(m map[string]any) map[string]any { return m["candidates"].([]any)[0].(map[string]any) }
	for _, c := range []struct {
		name string
		data []byte
		key  key
		want Reason
		says string
	}{
		{"as it was made", data, ours, "", ""},
		{"another key", data, "another key of thirty-two bytes!", Forged, "was not made with this key, or was changed since"},
		{"no key", data, "", Forged, "was not made with this key"},
		{"its head edited", edited(t, data, func(m map[string]any) { run(m)["head"] = sha("other") }), ours, Forged, "changed since"},
		{"a verdict edited", edited(t, data, func(m map[string]any) { candidate(m)["severity"] = "low" }), ours, Forged, "changed since"},
		{"the attestation taken away", edited(t, data, func(m map[string]any) { delete(m, "attestation") }), ours, Forged, "no attestation"},
		{"another algorithm", edited(t, data, func(m map[string]any) { m["attestation"].(map[string]any)["algorithm"] = "none" }), ours, Malformed, "algorithm"},
		{"an unknown key", edited(t, data, func(m map[string]any) { m["statement"] = "x" }), ours, Malformed, "unknown_field"},
		{"a missing key", edited(t, data, func(m map[string]any) { delete(m, "policy") }), ours, Malformed, "policy"},
		{"a digest in capitals", edited(t, data, func(m map[string]any) { m["context"] = strings.ToUpper(Digest("brief")) }), ours, Malformed, "context"},
		{"a digest of no digits", edited(t, data, func(m map[string]any) { candidate(m)["evidence"] = strings.Repeat("G", 64) }), ours, Malformed, "candidates[0].evidence"},
		{"an unknown verdict", edited(t, data, func(m map[string]any) { candidate(m)["verdict"] = "maybe" }), ours, Malformed, "verdict"},
		{"a candidate id of another form", edited(t, data, func(m map[string]any) { candidate(m)["id"] = "L-XYZ" }), ours, Malformed, "candidates[0].id"},
		{"a published one with a reason of a drop", edited(t, data, func(m map[string]any) { candidate(m)["reason"] = "duplicate" }), ours, Malformed, "candidates[0].reason"},
		{"one candidate twice", edited(t, data, func(m map[string]any) {
			m["candidates"] = append(m["candidates"].([]any), candidate(m))
		}), ours, Malformed, "there twice"},
		{"a profile from the head", edited(t, data, func(m map[string]any) { m["profile"].(map[string]any)["commit"] = sha("head") }), ours, Malformed, "profile.commit"},
		{"a profile outside", edited(t, data, func(m map[string]any) { m["profile"].(map[string]any)["path"] = "../profile.yaml" }), ours, Malformed, "profile.path"},
		{"more reviewed than there is", edited(t, data, func(m map[string]any) { m["coverage"].(map[string]any)["reviewed"] = 3 }), ours, Malformed, "coverage.reviewed"},
		{"white space", append([]byte(" "), data...), ours, Malformed, "one form"},
		{"a key twice", bytes.Replace(data, []byte(`{"attestation"`), []byte(`{"schema":"familiar-review-1","attestation"`), 1), ours, Malformed, ""},
		{"data behind it", append(slices.Clone(data), "{}"...), ours, Malformed, ""},
		{"nothing", nil, ours, Malformed, ""},
		{"too large", bytes.Repeat([]byte(" "), MaxBytes+1), ours, Malformed, "bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(c.data, c.key)
			if got := reasonOf(err); got != c.want || (err == nil) != (c.want == "") {
				t.Fatalf("refused as %q (%v), want %q", got, err, c.want)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || r.Schema != "" || strings.Contains(err.Error(), sha("other"))) {
				t.Errorf("%v, want it to say %q and repeat nothing; the record is %+v", err, c.says, r)
			}
		})
	}
}

func TestARecordBearsOutItsOwnFindingsAlone(t *testing.T) {
	in := sample()
	in.Checked.Dropped = append(in.Checked.Dropped, review.Drop{Candidate: review.Candidate{Path: "a", Title: "dismissed before"}, Reason: review.DropDismissed, Fingerprint: Digest("dropped")[:32]})
	r := Make(in)
	fp, id := Digest("fp")[:32], r.Candidates[0].ID
	for _, c := range []struct {
		name                    string
		repository              int64
		number                  int
		head, finger, candidate string
		want                    Reason
	}{
		{"the finding as it was published", 501, 7, sha("head"), fp, id, ""},
		{"a marker that names no candidate", 501, 7, sha("head"), fp, "", ""},
		{"another repository", 502, 7, sha("head"), fp, id, Elsewhere},
		{"another pull request", 501, 8, sha("head"), fp, id, Elsewhere},
		{"another head", 501, 7, sha("other"), fp, id, Elsewhere},
		{"a finding that it does not have", 501, 7, sha("head"), Digest("none")[:32], "", Absent},
		{"another candidate under the fingerprint", 501, 7, sha("head"), fp, "L-0000000000000000", Absent},
		{"one that was dropped", 501, 7, sha("head"), Digest("dropped")[:32], "", Absent},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := r.Verify(c.repository, c.number, c.head, c.finger, c.candidate); reasonOf(err) != c.want || (err == nil) != (c.want == "") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestNothingIsAttestedWithoutAKeyOrHalf(t *testing.T) {
	if _, err := Seal(Make(sample()), key("")); err == nil || !strings.Contains(err.Error(), "without a key") {
		t.Errorf("sealed without a key: %v", err)
	}
	in := sample()
	in.Run.Head = "not a commit"
	if _, err := Seal(Make(in), ours); err == nil || !strings.Contains(err.Error(), "run.head") {
		t.Errorf("sealed with a head that is none: %v", err)
	}
}

// TestAnyChangeOfAnyByteIsSeen: no byte of a record is outside its MAC.
func TestAnyChangeOfAnyByteIsSeen(t *testing.T) {
	data := sealed(t, sample())
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		b := rapid.Byte().Draw(t, "byte")
		changed := slices.Clone(data)
		changed[at] = b
		if _, err := Open(changed, ours); (err == nil) != (b == data[at]) {
			t.Fatalf("byte %d made %q: %v", at, b, err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	data, err := Seal(Make(sample()), ours)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{}`))
	f.Add(bytes.ReplaceAll(data, []byte("null"), []byte("[]")))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := Open(in, ours)
		if err == nil && !bytes.Equal(in, data) {
			t.Fatalf("bytes that were never sealed are believed: %s", in)
		}
		if err != nil && (r.Schema != "" || reasonOf(err) == "") {
			t.Fatalf("an error beside a record: %+v, %v", r, err)
		}
	})
}
