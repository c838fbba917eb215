package contract

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRulesBetweenTheFieldsOfAResult(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Result)
		want   string // "" where it is accepted
	}{
		"success with an exit reason": {func(r *Result) { r.ExitReason = ptr(ExitInfraError) },
			`$.exit_reason: contradiction: status "success" has no exit_reason`},
		"failure without an exit reason": {func(r *Result) { r.Status = StatusFailure },
			`$.exit_reason: contradiction: status "failure" needs an exit_reason`},
		"needs input without an exit reason": {func(r *Result) { r.Status = StatusNeedsInput },
			`$.exit_reason: contradiction: status "needs_input" needs an exit_reason`},
		"partial without an exit reason": {func(r *Result) { r.Status = StatusPartial }, ""},
		"partial with an exit reason":    {func(r *Result) { r.Status, r.ExitReason = StatusPartial, ptr(ExitInfraError) }, ""},
		"failure with an exit reason":    {func(r *Result) { r.Status, r.ExitReason = StatusFailure, ptr(ExitInfraError) }, ""},
		"no review but complete evidence": {func(r *Result) { r.Review.Mode = ModeNone },
			`$.review.evidence_status: contradiction: mode "none" goes with "not_applicable" alone`},
		"a review whose evidence does not apply": {func(r *Result) { r.Review.EvidenceStatus = EvidenceNotApplicable },
			`$.review.evidence_status: contradiction: mode "pull_request" never goes with "not_applicable"`},
		"a reviewed comment whose evidence does not apply": {func(r *Result) {
			r.Review.Mode, r.Review.EvidenceStatus = ModeReviewComment, EvidenceNotApplicable
		}, `$.review.evidence_status: contradiction: mode "review_comment" never goes with "not_applicable"`},
		"a complete review of no file": {func(r *Result) { r.Review.ReviewedFiles = nil },
			`$.review.reviewed_files: contradiction: a review without files has evidence_status "missing", not "complete"`},
		"a partial review of no file": {func(r *Result) { r.Review.ReviewedFiles, r.Review.EvidenceStatus = nil, EvidencePartial },
			`$.review.reviewed_files: contradiction: a review without files has evidence_status "missing", not "partial"`},
		"a review of no file that admits it":     {func(r *Result) { r.Review.ReviewedFiles, r.Review.EvidenceStatus = nil, EvidenceMissing }, ""},
		"files although the evidence is missing": {func(r *Result) { r.Review.EvidenceStatus = EvidenceMissing }, ""},
		"another contract version": {func(r *Result) { r.ContractVersion = "3" },
			`$.contract_version: not_in_set: only "2" is understood`},
		"no contract version": {func(r *Result) { r.ContractVersion = "" },
			`$.contract_version: not_in_set: only "2" is understood`},
		"the zero status": {func(r *Result) { r.Status = "" }, `$.status: not_in_set: the word is not one of the allowed ones`},
		"line zero": {func(r *Result) { r.Review.Findings = []Finding{{Severity: SeverityLow, Line: ptr(0)}} },
			`$.review.findings[0].line: out_of_range: the least is 1`},
		"a severity nobody knows": {func(r *Result) { r.Review.Findings = []Finding{{Severity: "grave"}} },
			`$.review.findings[0].severity: not_in_set: the word is not one of the allowed ones`},
		"a memory scope nobody knows": {func(r *Result) {
			r.MemoryUsed = &MemoryUsed{Enabled: true, Read: []MemoryRead{{ID: "x", Scope: "galaxy"}}}
		}, ""},
		"entries in a report that says memory is off": {func(r *Result) {
			r.MemoryUsed = &MemoryUsed{Proposed: []MemoryWrite{{Key: "k", Summary: "s", Scope: "repo", Approval: ApprovalAuto}}}
		}, ""},
		"an approval nobody knows": {func(r *Result) { r.MemoryUsed = &MemoryUsed{Proposed: []MemoryWrite{{Approval: "zebra"}}} },
			`$.memory_used.proposed[0].approval: not_in_set: the word is not one of the allowed ones`},
	} {
		t.Run(name, func(t *testing.T) {
			r := cleanResult()
			c.change(&r)
			data, err := EncodeResult(r)
			if c.want == "" {
				if err != nil {
					t.Fatalf("not written: %v", err)
				}
				agree(t, ResultSchema, data, true)
				return
			}
			if err == nil || err.Error() != "result not written: "+c.want {
				t.Errorf("writing: got  %v\nwant result not written: %s", err, c.want)
			}
			if data != nil {
				t.Errorf("bytes beside the error: %s", data)
			}
			wire := must(encode(canonicalResult(r), ""))
			got, err := DecodeResult(wire)
			if err == nil || err.Error() != c.want {
				t.Errorf("reading: got  %v\nwant %s", err, c.want)
			}
			if !reflect.DeepEqual(got, Result{}) {
				t.Errorf("a result beside the error: %+v", got)
			}
		})
	}
}

func TestErrorsNeverRepeatTheInput(t *testing.T) {
	secret := "ghp" + "_" + strings.Repeat("a1B2", 9)
	clean := string(must(EncodeResult(fullResult())))
	for name, data := range map[string]string{
		"as a value outside a set": strings.Replace(clean, `"severity": "high"`, `"severity": "`+secret+`"`, 1),
		"as an unknown key":        strings.Replace(clean, `"severity": "high"`, `"severity": "high", "`+secret+`": 1`, 1),
		"as a key in memory_used":  strings.Replace(clean, `"enabled": true`, `"enabled": true, "`+secret+`": 1`, 1),
		"as a key there twice":     strings.Replace(clean, `"enabled": true`, `"`+secret+`":1, "`+secret+`": 1`, 1),
		"as the version":           strings.Replace(clean, `"contract_version": "2"`, `"contract_version": "`+secret+`"`, 1),
		"instead of a number":      strings.Replace(clean, `"line": 12`, `"line": "`+secret+`"`, 1),
		"instead of JSON":          strings.Replace(clean, `"line": 12`, `"line": `+secret, 1),
		"after the end":            clean + secret,
		"in front":                 secret + clean,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeResult([]byte(data))
			if err == nil {
				t.Fatal("accepted")
			}
			if strings.Contains(err.Error(), secret[:8]) {
				t.Errorf("the error repeats the input: %v", err)
			}
		})
	}
}

func TestAnotherVersionIsNamedBeforeAnythingElse(t *testing.T) {
	_, err := DecodeResult([]byte(`{"contract_version":"3","outcome":"fine"}`))
	if want := `$.contract_version: not_in_set: only "2" is understood`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAResultFileHasALimit(t *testing.T) {
	clean := must(EncodeResult(cleanResult()))
	full := append(clean, []byte(strings.Repeat(" ", MaxResultBytes-len(clean)))...)
	if _, err := DecodeResult(full); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
	_, err := DecodeResult(append(full, ' '))
	if want := "$: too_large: 16777217 bytes, at most 16777216 are read"; err == nil || err.Error() != want {
		t.Errorf("one byte more: got %v, want %s", err, want)
	}
}

func TestEncodingLeavesTheCallersResultAlone(t *testing.T) {
	report := &MemoryUsed{Enabled: true, Read: []MemoryRead{}}
	r := Result{MemoryUsed: report, ContractVersion: Version, Status: StatusPartial, Review: Review{Mode: ModeNone, EvidenceStatus: EvidenceNotApplicable}}
	data, err := EncodeResult(r)
	if err != nil {
		t.Fatal(err)
	}
	if report.Read == nil || r.Commits != nil {
		t.Errorf("the caller's value changed: %+v %+v", r, report)
	}
	if strings.Contains(string(data), `"commits": null`) || strings.Contains(string(data), `"read"`) {
		t.Errorf("arrays are not canonical:\n%s", data)
	}
}

func TestBytesThatAreNotUTF8AreWrittenAsReplacements(t *testing.T) {
	r := cleanResult()
	r.Summary = "caf\xe9"
	data, err := EncodeResult(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResult(data)
	if err != nil || got.Summary != "caf\ufffd" {
		t.Errorf("got %q, %v", got.Summary, err)
	}
}

func TestGeneratedResultsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := canonicalResult(results.Draw(t, "result"))
		data, err := EncodeResult(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeResult(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		again, err := EncodeResult(got)
		if err != nil || string(again) != string(data) {
			t.Fatalf("encodes to %s, then to %s (%v)", data, again, err)
		}
	})
}
