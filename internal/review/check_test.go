package review

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"pgregory.net/rapid"
)

// file makes a changed file out of a patch.
func file(t testing.TB, path, patch string) diff.File {
	t.Helper()
	f, err := diff.ParsePatch(path, "", diff.Modified, patch, diff.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sample is a change of every sort of file.
func sample(t testing.TB) diff.Change {
	t.Helper()
	moved := file(t, "new/name.go", "@@ -1 +1,2 @@\n keep\n+added")
	moved.Status, moved.OldPath = diff.Renamed, "old/name.go"
	partial := file(t, "long.txt", "@@ -0,0 +1 @@\n+one")
	partial.Partial = "more than 1 lines of this file changed; the rest was not read"
	return diff.Change{
		Base: "b", Head: "h",
		Files: []diff.File{
			file(t, "a.go", "@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2\n three\n@@ -40 +41 @@\n-x\n+sleep()"),
			moved,
			{Path: "logo.png", Status: diff.Added, Binary: true},
			{Path: "vendor/lib", Status: diff.Modified, Submodule: true},
			{Path: "gone.go", Status: diff.Deleted, Hunks: file(t, "gone.go", "@@ -1 +0,0 @@\n-x").Hunks},
			{Path: "run.sh", Status: diff.Modified, OldMode: "100644", NewMode: "100755"},
			partial,
		},
		Omitted: []diff.Omission{
			{Path: "long.txt", Reason: partial.Partial},
			{Path: "huge.txt", Reason: "the change is larger than 64 MiB; what follows was not read"},
		},
	}
}

func candidate(path string, line int) Candidate {
	return Candidate{Rule: "builtin/x", Severity: contract.SeverityMedium, Path: path, Line: line, Title: "Something is off"}
}

func places(c Checked) string {
	var out []string
	for _, f := range c.Findings {
		s := fmt.Sprintf("%s %s:%d %s", f.ID, f.Path, f.Line, f.Severity)
		if f.FileLevel {
			s += fmt.Sprintf(" file-level(%d)", f.Reported)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func drops(c Checked) string {
	var out []string
	for _, d := range c.Dropped {
		out = append(out, d.Candidate.Path+" "+d.Reason)
	}
	return strings.Join(out, "; ")
}

func TestA100AFindingOutsideTheChangeIsDroppedAndCountedWhateverMemorySays(t *testing.T) {
	// A model cites an approved lesson as its reason to report a file that this
	// change does not touch: memory is background and never evidence.
	because := candidate("src/untouched.go", 3)
	because.Because = []string{"m-7f3k2q8a"}
	because.Body = "The lesson m-7f3k2q8a proves that this file is wrong."
	got := Check(sample(t), []Candidate{because, candidate("a.go", 2)}, []string{"a.go", "src/untouched.go"}, Options{})
	if want := "F1 a.go:2 medium"; places(got) != want {
		t.Errorf("findings %q, want %q", places(got), want)
	}
	if want := "src/untouched.go file_not_in_change"; drops(got) != want {
		t.Errorf("dropped %q, want %q", drops(got), want)
	}
	if got.Coverage.Outside != 1 {
		t.Errorf("the file that was claimed and is not in the change is not counted: %+v", got.Coverage)
	}
}

func TestALineMustLieInAHunkElseTheFindingIsANoteOnTheFile(t *testing.T) {
	for name, tc := range map[string]struct {
		path string
		line int
		want string
	}{
		"an added line":                    {"a.go", 2, "F1 a.go:2 medium"},
		"a context line":                   {"a.go", 4, "F1 a.go:4 medium"},
		"a line between the hunks":         {"a.go", 20, "F1 a.go:0 medium file-level(20)"},
		"a line beyond the file":           {"a.go", 1 << 30, "F1 a.go:0 medium file-level(1073741824)"},
		"no line":                          {"a.go", 0, "F1 a.go:0 medium file-level(0)"},
		"a negative line":                  {"a.go", -4, "F1 a.go:0 medium file-level(0)"},
		"a line of a deleted file":         {"gone.go", 1, "F1 gone.go:0 medium file-level(1)"},
		"a binary":                         {"logo.png", 1, "F1 logo.png:0 medium file-level(1)"},
		"a mode change":                    {"run.sh", 1, "F1 run.sh:0 medium file-level(1)"},
		"the old name of a moved file":     {"old/name.go", 2, "F1 new/name.go:0 medium file-level(2)"},
		"the new name of a moved file":     {"new/name.go", 2, "F1 new/name.go:2 medium"},
		"a path with a dot before it":      {"./a.go", 2, "F1 a.go:2 medium"},
		"a path that goes up and down":     {"x/../a.go", 2, "F1 a.go:2 medium"},
		"a path in other case":             {"A.go", 2, ""},
		"a path above":                     {"../a.go", 2, ""},
		"an absolute path":                 {"/a.go", 2, ""},
		"no path":                          {"", 2, ""},
		"a file that could not be read":    {"huge.txt", 1, ""},
		"the name of a folder of the tree": {"new", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := candidate(tc.path, tc.line)
			text := "new text"
			c.Replacement = &text
			got := Check(sample(t), []Candidate{c}, nil, Options{})
			if places(got) != tc.want {
				t.Errorf("findings %q, want %q", places(got), tc.want)
			}
			if tc.want == "" && drops(got) != tc.path+" file_not_in_change" {
				t.Errorf("dropped %q", drops(got))
			}
			for _, f := range got.Findings {
				if f.FileLevel != (f.Replacement == nil) {
					t.Error("a suggestion belongs to a line, and to nothing else")
				}
			}
		})
	}
}

func TestFindingsAreOrderedNumberedAndMerged(t *testing.T) {
	high := candidate("new/name.go", 2)
	high.Severity = contract.SeverityHigh
	again := candidate("a.go", 2)
	again.Severity, again.Because = contract.SeverityCritical, []string{"m-b", "m-a"}
	first := candidate("a.go", 2)
	first.Because = []string{"m-a"}
	other := candidate("a.go", 2)
	other.Rule = "builtin/y"
	low := candidate("a.go", 41)
	low.Severity = contract.SeverityLow
	got := Check(sample(t), []Candidate{low, other, first, again, high}, nil, Options{})
	want := "F1 a.go:2 critical; F2 new/name.go:2 high; F3 a.go:2 medium; F4 a.go:41 low"
	if places(got) != want {
		t.Errorf("findings %q, want %q", places(got), want)
	}
	if drops(got) != "a.go duplicate" {
		t.Errorf("dropped %q", drops(got))
	}
	if f := got.Findings[0]; f.Rule != "builtin/x" || !reflect.DeepEqual(f.Because, []string{"m-a", "m-b"}) {
		t.Errorf("the merged one says %s, because of %q", f.Rule, f.Because)
	}
	if len(first.Because) != 1 {
		t.Error("merging changed the caller's candidate")
	}
}

func TestWithoutRulesTheTitleTellsFindingsApart(t *testing.T) {
	a, b, c := candidate("a.go", 2), candidate("a.go", 2), candidate("a.go", 2)
	a.Rule, b.Rule, c.Rule = "", "", ""
	b.Title, c.Title = "something is OFF.", "Another thing"
	got := Check(sample(t), []Candidate{a, b, c}, nil, Options{})
	if want := "F1 a.go:2 medium; F2 a.go:2 medium"; places(got) != want || drops(got) != "a.go duplicate" {
		t.Errorf("findings %q, dropped %q", places(got), drops(got))
	}
}

func TestCandidatesAreDroppedForAReason(t *testing.T) {
	with := func(change func(*Candidate)) Candidate {
		c := candidate("a.go", 2)
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		c    Candidate
		opts Options
		want string
	}{
		"below the floor":     {candidate("a.go", 2), Options{MinSeverity: contract.SeverityHigh}, DropBelowSeverity},
		"at the floor":        {candidate("a.go", 2), Options{MinSeverity: contract.SeverityMedium}, ""},
		"no severity":         {with(func(c *Candidate) { c.Severity = "" }), Options{}, DropUnknownSeverity},
		"a made-up severity":  {with(func(c *Candidate) { c.Severity = "blocker" }), Options{}, DropUnknownSeverity},
		"nothing said":        {with(func(c *Candidate) { c.Title, c.Body = " \n\x00", "\t" }), Options{}, DropEmpty},
		"a body alone":        {with(func(c *Candidate) { c.Title, c.Body = "", "why" }), Options{}, ""},
		"an ignored path":     {candidate("a.go", 2), Options{Ignore: []string{"*.go"}}, DropIgnoredPath},
		"an exception to it":  {candidate("a.go", 2), Options{Ignore: []string{"*.go", "!a.go"}}, ""},
		"another path":        {candidate("a.go", 2), Options{Ignore: []string{"docs/**"}}, ""},
		"only exceptions":     {candidate("a.go", 2), Options{Ignore: []string{"!docs/**"}}, ""},
		"a limit of findings": {candidate("a.go", 2), Options{MaxFindings: 1}, ""},
	} {
		got := Check(sample(t), []Candidate{tc.c}, nil, tc.opts)
		if tc.want == "" {
			if len(got.Findings) != 1 || len(got.Dropped) != 0 {
				t.Errorf("%s: findings %q, dropped %q; want it to stand", name, places(got), drops(got))
			}
			continue
		}
		if drops(got) != "a.go "+tc.want || len(got.Findings) != 0 {
			t.Errorf("%s: findings %q, dropped %q; want %s", name, places(got), drops(got), tc.want)
		}
	}
	two := Check(sample(t), []Candidate{candidate("a.go", 41), candidate("a.go", 2)}, nil, Options{MaxFindings: 1})
	if places(two) != "F1 a.go:2 medium" || drops(two) != "a.go too_many" {
		t.Errorf("findings %q, dropped %q", places(two), drops(two))
	}
}

func TestAReviewThatClaimsTooMuchIsRefusedWhole(t *testing.T) {
	claims := Options{Mode: contract.ModePullRequest, Evidence: contract.EvidenceComplete}
	got := Check(sample(t), []Candidate{candidate("a.go", 2)}, nil, claims)
	if got.Refused != RefusedCompleteWithoutFiles || len(got.Findings) != 0 || got.Outcome() != Failed {
		t.Errorf("refused %q, findings %q, outcome %q", got.Refused, places(got), got.Outcome())
	}
	// Named files that are all strange leave a review with none: it stands, and
	// is not complete.
	got = Check(sample(t), []Candidate{candidate("a.go", 2)}, []string{"elsewhere.go", "elsewhere.go"}, claims)
	if got.Refused != "" || got.Coverage.Reviewed != 0 || got.Coverage.Outside != 1 || got.Outcome() != PartlyReviewed {
		t.Errorf("refused %q, coverage %+v, outcome %q", got.Refused, got.Coverage, got.Outcome())
	}
	claims.Evidence = contract.EvidencePartial
	if got = Check(sample(t), nil, nil, claims); got.Refused != "" {
		t.Errorf("a partial review without files is refused: %q", got.Refused)
	}
	if got = Check(sample(t), []Candidate{candidate("a.go", 2)}, nil, Options{MinSeverity: "hihg"}); got.Refused != RefusedNoSeverityFloor || len(got.Findings) != 0 {
		t.Errorf("a floor that is no severity lets %q through (%q)", places(got), got.Refused)
	}
}

func TestCoverageIsCountedByUs(t *testing.T) {
	got := Check(sample(t), nil, []string{"a.go", "a.go", "long.txt", "logo.png", "elsewhere"}, Options{}).Coverage
	want := Coverage{
		Files: 4, Reviewed: 1, Outside: 1,
		Unreviewed: []Gap{
			{"new/name.go", "the reviewer did not look at it"},
			{"logo.png", "a binary file"},
			{"vendor/lib", "a submodule"},
			{"long.txt", "more than 1 lines of this file changed; the rest was not read"},
			{"huge.txt", "the change is larger than 64 MiB; what follows was not read"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestTheOutcomeFollowsTheCoverage(t *testing.T) {
	text := file(t, "a.go", "@@ -1 +1 @@\n-a\n+b")
	binary := diff.File{Path: "logo.png", Status: diff.Added, Binary: true}
	for name, tc := range map[string]struct {
		change   diff.Change
		reviewed []string
		found    []Candidate
		opts     Options
		want     Outcome
	}{
		"all of it":                      {diff.Change{Files: []diff.File{text}}, []string{"a.go"}, nil, Options{}, Reviewed},
		"by its old name":                {diff.Change{Files: []diff.File{sample(t).Files[1]}}, []string{"old/name.go"}, nil, Options{}, Reviewed},
		"none of it":                     {diff.Change{Files: []diff.File{text}}, nil, nil, Options{}, PartlyReviewed},
		"a binary beside it":             {diff.Change{Files: []diff.File{text, binary}}, []string{"a.go"}, nil, Options{}, Reviewed},
		"a binary alone":                 {diff.Change{Files: []diff.File{binary}}, nil, nil, Options{}, NothingToDo},
		"a finding on a binary":          {diff.Change{Files: []diff.File{binary}}, nil, []Candidate{candidate("logo.png", 0)}, Options{}, Reviewed},
		"an empty change":                {diff.Change{}, nil, nil, Options{}, NothingToDo},
		"all of it ignored":              {diff.Change{Files: []diff.File{text}}, nil, nil, Options{Ignore: []string{"**"}}, NothingToDo},
		"the rest of it not read":        {diff.Change{Files: []diff.File{text}, Omitted: []diff.Omission{{Reason: "too large"}}}, []string{"a.go"}, nil, Options{}, PartlyReviewed},
		"an ignored file not read":       {diff.Change{Files: []diff.File{text}, Omitted: []diff.Omission{{Path: "x.lock", Reason: "too large"}}}, []string{"a.go"}, nil, Options{Ignore: []string{"*.lock"}}, Reviewed},
		"named as omitted by the reader": {diff.Change{Files: []diff.File{text}, Omitted: []diff.Omission{{Path: "a.go", Reason: "no patch"}}}, []string{"a.go"}, nil, Options{}, PartlyReviewed},
	} {
		got := Check(tc.change, tc.found, tc.reviewed, tc.opts)
		if got.Outcome() != tc.want {
			t.Errorf("%s: %q, want %q (%+v)", name, got.Outcome(), tc.want, got.Coverage)
		}
	}
}

func TestOutcomesAreAClosedSet(t *testing.T) {
	for _, o := range outcomes {
		if got, err := ParseOutcome(string(o)); got != o || err != nil {
			t.Errorf("ParseOutcome(%q) = %q, %v", o, got, err)
		}
	}
	for _, s := range []string{"", "Reviewed", "done"} {
		if got, err := ParseOutcome(s); got != "" || err == nil || !strings.Contains(err.Error(), "is no outcome; known are") {
			t.Errorf("ParseOutcome(%q) = %q, %v", s, got, err)
		}
	}
}

func TestCandidateTextIsBoundedAndValid(t *testing.T) {
	long := strings.Repeat("é\x00\n", 10_000)
	half := "half \xff"
	c := Candidate{Rule: long, Title: long, Body: "one\r\ntwo\x07 \xff\rthree", Evidence: long, Recommendation: long, Replacement: &half,
		Because: append(strings.Split(strings.Repeat("m-a ", 5), " "), strings.Split(strings.Repeat("x ", 3)+strings.TrimSpace(many(40)), " ")...)}
	n := c.normal()
	if n.Body != "one\ntwo  \uFFFD\nthree" {
		t.Errorf("body %q", n.Body)
	}
	for name, s := range map[string]string{"rule": n.Rule, "title": n.Title, "evidence": n.Evidence, "recommendation": n.Recommendation} {
		if !utf8.ValidString(s) || len(s) > maxBody || strings.ContainsAny(s, "\x00\r") || !strings.HasSuffix(s, ellipsis) {
			t.Errorf("%s is %d bytes, valid %v, ends %q", name, len(s), utf8.ValidString(s), s[max(0, len(s)-10):])
		}
		if name != "recommendation" && strings.Contains(s, "\n") {
			t.Errorf("%s has several lines", name)
		}
	}
	if n.Replacement != nil {
		t.Error("a suggestion that is no text was kept")
	}
	if len(n.Because) != maxBecause || n.Because[0] != "m-a" || n.Because[1] != "x" {
		t.Errorf("because %q", n.Because)
	}
	whole := "x := 1\n\ty()"
	if got := (Candidate{Replacement: &whole}).normal(); got.Replacement == nil || *got.Replacement != whole {
		t.Error("a good suggestion was changed")
	}
	tooLong := strings.Repeat("x", maxReplacement+1)
	if got := (Candidate{Replacement: &tooLong}).normal(); got.Replacement != nil {
		t.Error("half a suggestion would be a wrong one")
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "m-%d ", i)
	}
	return b.String()
}

func TestNormalIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(0, 400, 1200), rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		}))
		c := Candidate{Rule: text.Draw(t, "rule"), Title: text.Draw(t, "title"), Body: text.Draw(t, "body"), Evidence: text.Draw(t, "evidence"),
			Because: rapid.SliceOf(text).Draw(t, "because")}
		once := c.normal()
		if twice := once.normal(); !reflect.DeepEqual(once, twice) {
			t.Fatalf("once %+v\ntwice %+v", once, twice)
		}
		if len(once.Title) > maxTitle || !utf8.ValidString(once.Title+once.Body+once.Evidence) {
			t.Fatalf("title of %d bytes, or text that is not UTF-8", len(once.Title))
		}
	})
}

func TestCheckKeepsItsPromisesForAnyCandidates(t *testing.T) {
	change := sample(t)
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.Custom(func(t *rapid.T) Candidate {
			return Candidate{
				Rule:     rapid.SampledFrom([]string{"", "builtin/x", "m-1"}).Draw(t, "rule"),
				Severity: rapid.SampledFrom([]contract.Severity{"", "info", "low", "medium", "high", "critical", "x"}).Draw(t, "severity"),
				Path:     rapid.SampledFrom([]string{"a.go", "new/name.go", "old/name.go", "logo.png", "x", "", "gone.go"}).Draw(t, "path"),
				Line:     rapid.IntRange(-1, 45).Draw(t, "line"),
				Title:    rapid.SampledFrom([]string{"", "T", "t", "U"}).Draw(t, "title"),
			}
		})
		in := rapid.SliceOfN(gen, 0, 40).Draw(t, "candidates")
		least := rapid.SampledFrom([]contract.Severity{"", "low", "high"}).Draw(t, "least")
		got := Check(change, in, nil, Options{MinSeverity: least, MaxFindings: 10})
		if len(got.Findings)+len(got.Dropped) != len(in) {
			t.Fatalf("%d findings and %d drops of %d candidates", len(got.Findings), len(got.Dropped), len(in))
		}
		prints := map[string]bool{}
		for i, f := range got.Findings {
			file, ok := change.File(f.Path)
			switch {
			case !ok:
				t.Fatalf("%q is not in the change", f.Path)
			case f.Line != 0 && !file.InHunk(f.Line):
				t.Fatalf("line %d of %s lies in no hunk", f.Line, f.Path)
			case f.FileLevel != (f.Line == 0):
				t.Fatalf("line %d, file level %v", f.Line, f.FileLevel)
			case f.ID != fmt.Sprintf("F%d", i+1):
				t.Fatalf("number %d is called %s", i+1, f.ID)
			case least != "" && !f.Severity.AtLeast(least):
				t.Fatalf("%s is below %s", f.Severity, least)
			case i > 0 && f.Severity.Rank() > got.Findings[i-1].Severity.Rank():
				t.Fatal("the graver one comes later")
			case prints[f.Fingerprint]:
				t.Fatalf("two findings have the fingerprint %s", f.Fingerprint)
			case f.Fingerprint != Fingerprint(f.Candidate, change):
				t.Fatalf("the fingerprint depends on how it is asked for: %+v", f)
			}
			prints[f.Fingerprint] = true
		}
	})
}

func TestCandidatesComeOutOfAResult(t *testing.T) {
	line, zero, say := 7, 0, "do this"
	got := CandidatesFromResult(contract.Result{Review: contract.Review{Findings: []contract.Finding{
		{Severity: "high", File: "a", Line: &line, Title: "T", Body: "B", Recommendation: &say},
		{Severity: "low", File: "b"},
		{Severity: "low", File: "c", Line: &zero},
	}}})
	want := []Candidate{
		{Severity: "high", Path: "a", Line: 7, Title: "T", Body: "B", Recommendation: "do this"},
		{Severity: "low", Path: "b"},
		{Severity: "low", Path: "c"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := CandidatesFromResult(contract.Result{}); len(got) != 0 {
		t.Errorf("nothing gives %+v", got)
	}
}

func TestAPathThatIsNotUTF8IsFoundByTheNameThatIsShown(t *testing.T) {
	change := diff.Change{Files: []diff.File{file(t, "raw\xff.txt", "@@ -1 +1 @@\n-a\n+b")}}
	got := Check(change, []Candidate{candidate("raw\uFFFD.txt", 1)}, []string{"raw\uFFFD.txt"}, Options{})
	if len(got.Findings) != 1 || got.Findings[0].Path != "raw\xff.txt" || got.Coverage.Reviewed != 1 {
		t.Errorf("findings %q, dropped %q, coverage %+v", places(got), drops(got), got.Coverage)
	}
}

func TestManyFindingsOnAFileOfManyLinesTakeNoLongTime(t *testing.T) {
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = "the same line"
	}
	change := added(lines)
	candidates := make([]Candidate, 20_000)
	for i := range candidates {
		candidates[i] = candidate("dir/a.go", i+1)
	}
	got := Check(change, candidates, nil, Options{}) // quadratic work would take minutes here
	if len(got.Findings) != defaultMaxFindings || len(got.Dropped) != len(candidates)-defaultMaxFindings {
		t.Errorf("%d findings, %d drops", len(got.Findings), len(got.Dropped))
	}
}
