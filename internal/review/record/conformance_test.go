package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/review"
)

// TestConformanceReviewJSON carries the shared cases of the area
// "review-json" in our terms. Where one is about something that this product
// does not do (stages, recommendations to merge), the case holds what stands
// in its place, or that nothing does.
func TestConformanceReviewJSON(t *testing.T) {
	f, err := os.Open("../../../testdata/conformance/review-json.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	checks := map[string]func(*testing.T, wanted){
		"attestation": attestation, "candidate id": candidateID, "candidate keys": candidateKeys, "candidate kinds": drops,
		"candidate limits in the producer": candidateLimits, "candidate status": verdicts, "caps": caps, "duplicate candidate": twice,
		"human-review limitation": limitation, "open blocker": open, "open warning only": open, "receipts": receipts,
		"recommendations": outcomes, "run keys": runKeys, "top-level keys": topKeys,
	}
	in := bufio.NewScanner(f)
	for in.Scan() {
		var c struct {
			Name  string
			Input map[string]any
			Want  map[string]any
		}
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		check := checks[c.Name]
		if check == nil {
			t.Errorf("no check of the case %q", c.Name)
			continue
		}
		delete(checks, c.Name)
		t.Run(c.Name, func(t *testing.T) { check(t, wanted{c.Input, c.Want}) })
	}
	if len(checks) > 0 {
		t.Errorf("cases that are gone: %v", checks)
	}
}

type wanted struct{ input, want map[string]any }

func (w wanted) words(name string) []string {
	var out []string
	for _, x := range w.want[name].([]any) {
		out = append(out, x.(string))
	}
	return out
}

func (w wanted) number(name string) int { return int(w.want[name].(float64)) }

func members(t *testing.T, in Input) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(sealed(t, in), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func keysOf(m any) []string {
	var out []string
	for k := range m.(map[string]any) {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func attestation(t *testing.T, w wanted) {
	r, err := Open(sealed(t, sample()), ours)
	if err != nil || r.Signed.Algorithm != w.want["algorithm"] {
		t.Fatalf("%+v, %v", r.Signed, err)
	}
	mac := r.Signed.MAC
	r.Signed = nil
	over, err := r.encode()
	if err != nil || ours.MAC(macContext, over) != mac || strings.ContainsAny(string(over), "\n\t") || !strings.HasPrefix(string(over), `{"candidates":`) {
		t.Errorf("the MAC is not over %s: %v", w.want["over"], err)
	}
}

func candidateID(t *testing.T, w wanted) {
	form := regexp.MustCompile(w.want["form"].(string))
	a := review.CandidateID(review.Candidate{Path: "a", Title: "one"})
	b := review.CandidateID(review.Candidate{Path: "a", Title: "two"})
	if !form.MatchString(a) || a == b || a != review.CandidateID(review.Candidate{Path: "a", Title: "one"}) {
		t.Errorf("%s and %s", a, b)
	}
}

func candidateKeys(t *testing.T, w wanted) {
	if got := keysOf(members(t, sample())["candidates"].([]any)[0]); !slices.Equal(got, w.words("keys")) {
		t.Errorf("%v", got)
	}
}

func drops(t *testing.T, w wanted) {
	if !slices.Equal(review.DropReasons(), w.words("drops")) {
		t.Errorf("%v", review.DropReasons())
	}
}

func candidateLimits(t *testing.T, w wanted) {
	c := review.Candidate{Path: "a.go", Severity: contract.SeverityLow, Title: strings.Repeat("t", 4000), Body: strings.Repeat("b", 90000)}
	for i := range 60 {
		c.Because = append(c.Because, fmt.Sprintf("m-%08d", i))
	}
	checked := review.Check(diffOf("a.go"), []review.Candidate{c}, nil, review.Options{})
	in := sample()
	in.Checked = checked
	data := string(sealed(t, in))
	r := Make(in)
	if len(r.Candidates[0].Because) > w.number("because_at_most") || strings.Contains(data, "tttt") || strings.Contains(data, "bbbb") {
		t.Errorf("%s", data)
	}
}

func verdicts(t *testing.T, w wanted) {
	for _, v := range w.words("verdicts") {
		if !Verdict(v).Known() {
			t.Errorf("%s is no verdict", v)
		}
	}
	if Verdict("").Known() || Verdict("candidate").Known() {
		t.Error("the set is not closed")
	}
}

func caps(t *testing.T, w wanted) {
	in := sample()
	for i := range 10500 {
		in.Paths = append(in.Paths, fmt.Sprint("p", i))
	}
	for i := range 2500 {
		in.Checked.Dropped = append(in.Checked.Dropped, review.Drop{Candidate: review.Candidate{Path: "p", Line: i + 1}, Reason: review.DropTooMany})
	}
	for i := range 150 {
		in.Checked.Coverage.Unreviewed = append(in.Checked.Coverage.Unreviewed, review.Gap{Reason: fmt.Sprint("reason ", i)})
	}
	for i := range 1200 {
		in.Report.Reads = append(in.Report.Reads, policy.ReadVerdict{Position: i})
	}
	r := Make(in)
	got := []int{len(r.Coverage.Changed), len(r.Candidates), len(r.Limits), len(r.Memory.Reads)}
	want := []int{w.number("changed"), w.number("candidates"), w.number("limitations"), w.number("claims")}
	if !slices.Equal(got, want) || r.More == 0 {
		t.Errorf("%v, want %v; %d more", got, want, r.More)
	}
	if _, err := Open(sealed(t, in), ours); err != nil {
		t.Errorf("a record at its bounds does not open: %v", err)
	}
}

func twice(t *testing.T, w wanted) {
	r := Make(sample())
	r.Candidates = append(r.Candidates, r.Candidates[0])
	if field := r.wrong(); !strings.Contains(field, w.want["refused"].(string)) {
		t.Errorf("%q", field)
	}
}

func limitation(t *testing.T, w wanted) {
	m := members(t, sample())
	if m["outcome"] != w.want["outcome"] || fmt.Sprint(m["limitations"]) != fmt.Sprint(w.want["limitations"]) {
		t.Errorf("%v, %v", m["outcome"], m["limitations"])
	}
}

// open: a record never says whether to merge.
func open(t *testing.T, w wanted) {
	in := sample()
	in.Checked.Findings[0].Severity = contract.Severity(w.input["severity"].(string))
	m := members(t, in)
	published := 0
	for _, c := range m["candidates"].([]any) {
		if c.(map[string]any)["verdict"] == "published" && c.(map[string]any)["severity"] == w.input["severity"] {
			published++
		}
	}
	if _, there := m[w.want["no_key"].(string)]; there || published != w.number("published") {
		t.Errorf("%d published; %v", published, keysOf(m))
	}
}

func receipts(t *testing.T, w wanted) {
	m := members(t, sample())
	for _, name := range w.words("digests") {
		if s, _ := m[name].(string); !isHex(s, 64) {
			t.Errorf("%s is %v", name, m[name])
		}
	}
}

func outcomes(t *testing.T, w wanted) {
	for _, o := range w.words("outcomes") {
		if !isOutcome(o) {
			t.Errorf("%s is no outcome", o)
		}
	}
	if isOutcome("merge_after_fixes") || isOutcome("") {
		t.Error("the set is not closed")
	}
}

func runKeys(t *testing.T, w wanted) {
	if got := keysOf(members(t, sample())["run"]); !slices.Equal(got, w.words("keys")) {
		t.Errorf("%v", got)
	}
}

func topKeys(t *testing.T, w wanted) {
	if got := keysOf(members(t, sample())); !slices.Equal(got, w.words("keys")) {
		t.Errorf("%v", got)
	}
}

// diffOf is a change of one file.
func diffOf(path string) diff.Change {
	return diff.Change{Files: []diff.File{{Path: path, Status: diff.Modified}}}
}
