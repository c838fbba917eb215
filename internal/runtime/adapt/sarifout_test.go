package adapt

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

func finding(path string, line int, s contract.Severity, title string) review.Finding {
	return review.Finding{Candidate: review.Candidate{Rule: "builtin/x", Severity: s, Path: path, Line: line, Title: title}, ID: "F1", Fingerprint: "ab12"}
}

func TestSARIFThatWeWrite(t *testing.T) {
	f := finding("web/a b:c.js", 3, contract.SeverityCritical, "a [link](https://example.com)")
	f.Body, f.Because = "why", []string{"m-7f3k2q8a"}
	data, err := EncodeSARIF(Written{ID: "abc123", Version: "v1.2.3", Finished: true, Findings: []review.Finding{f, finding("web/app.js", 0, contract.SeverityLow, "on the file")}})
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	n := node{doc}
	run := n.list("runs")[0]
	results := run.list("results")
	for what, got := range map[string][2]string{
		"version":     {n.str("version"), "2.1.0"},
		"tool":        {run.str("tool", "driver", "name") + " " + run.str("tool", "driver", "semanticVersion"), "familiar 1.2.3"},
		"automation":  {run.str("automationDetails", "id"), "familiar/abc123"},
		"level":       {results[0].str("level") + " " + results[1].str("level"), "error note"},
		"uri":         {results[0].list("locations")[0].str("physicalLocation", "artifactLocation", "uri"), "web/a%20b%3Ac.js"},
		"message":     {results[0].str("message", "text"), "a \\[link\\](https://example.com)\n\nwhy"},
		"fingerprint": {results[0].str("partialFingerprints", "familiar/v1"), "ab12"},
		"lessons":     {strings.Join(results[0].strs("properties", "familiar-because"), " "), "m-7f3k2q8a"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %q, want %q", what, got[0], got[1])
		}
	}
	if results[1].list("locations")[0].at("physicalLocation", "region").is() {
		t.Error("a finding on a file has a region")
	}
	if len(run.list("tool", "driver", "rules")) != 1 {
		t.Error("a rule is listed twice")
	}
}

func TestAnUnfinishedReviewIsNoCleanBill(t *testing.T) {
	data, err := EncodeSARIF(Written{Version: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := Read(Source{Form: SARIF, Data: data})
	if err != nil || out.Outcome == runtime.Finished {
		t.Errorf("%+v, %v", out, err)
	}
	if strings.Contains(string(data), "semanticVersion") {
		t.Error("a version that is none is written")
	}
}

// TestWhatWeWriteWeRead: path, line, severity and title come back.
func TestWhatWeWriteWeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[a-zA-Z0-9 _%:#?&+,;=@~é-]{1,12}(/[a-z.%é ]{1,8}x)?`).Draw(t, "path")
		title := rapid.StringMatching(`[a-zA-Z\[\]()#]{1,40}`).Draw(t, "title")
		f := finding(path, rapid.IntRange(0, 9000).Draw(t, "line"), rapid.SampledFrom([]contract.Severity{"info", "low", "medium", "high", "critical"}).Draw(t, "severity"), title)
		data, err := EncodeSARIF(Written{Version: "1.0.0", Finished: true, Findings: []review.Finding{f}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := Read(Source{Form: SARIF, Data: data, Paths: []string{path}})
		if err != nil || len(out.Candidates) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		if c := out.Candidates[0]; c.Path != path || c.Line != f.Line || c.Severity != f.Severity || c.Title != title {
			t.Fatalf("wrote %q:%d %s %q, read %q:%d %s %q", path, f.Line, f.Severity, title, c.Path, c.Line, c.Severity, c.Title)
		}
	})
}
