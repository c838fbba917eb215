package adapt

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
)

// ownSeverity is the property that carries our severity, which SARIF's three
// levels cannot.
const ownSeverity = "familiar-severity"

type (
	sarifLog struct {
		Schema  string         `json:"$schema"`
		Version string         `json:"version"`
		Runs    []sarifOutcome `json:"runs"`
	}
	sarifOutcome struct {
		Tool        sarifTool         `json:"tool"`
		Automation  *sarifAutomation  `json:"automationDetails,omitempty"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string          `json:"name"`
		Version string          `json:"semanticVersion,omitempty"`
		Rules   []sarifRuleItem `json:"rules"`
	}
	sarifRuleItem struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Properties          sarifProperties   `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifProperties struct {
		Severity contract.Severity `json:"familiar-severity"`
		Because  []string          `json:"familiar-because,omitempty"`
	}
)

// Written is what a SARIF file is made of.
type Written struct {
	ID       string // what was reviewed, such as a commit; "" where one is enough
	Version  string // of this program
	Findings []review.Finding
	// Finished says that the review came to its end; a reader must not take
	// an unfinished one for a clean bill.
	Finished bool
}

// EncodeSARIF writes findings as a SARIF 2.1.0 log with a run for each review.
// The same findings give the same bytes.
func EncodeSARIF(reviews ...Written) ([]byte, error) {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: sarifVersion, Runs: []sarifOutcome{}}
	for _, w := range reviews {
		log.Runs = append(log.Runs, runOf(w))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(log)
	return b.Bytes(), err
}

func runOf(w Written) sarifOutcome {
	run := sarifOutcome{
		Tool:        sarifTool{sarifDriver{Name: "familiar", Version: semantic(w.Version), Rules: []sarifRuleItem{}}},
		Invocations: []sarifInvocation{{w.Finished}}, Results: []sarifResult{}, ColumnKind: "utf16CodeUnits",
	}
	if w.ID != "" {
		run.Automation = &sarifAutomation{"familiar/" + w.ID}
	}
	for _, f := range w.Findings {
		id := or(f.Rule, "review")
		at := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRuleItem) bool { return r.ID == id })
		if at < 0 {
			at = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleItem{id})
		}
		run.Results = append(run.Results, resultOf(f, id, at))
	}
	return run
}

func resultOf(f review.Finding, id string, rule int) sarifResult {
	r := sarifResult{
		RuleID: id, RuleIndex: rule, Level: levelOf(f.Severity), Message: sarifText{messageOf(f)},
		Properties: sarifProperties{Severity: f.Severity, Because: f.Because},
	}
	p := sarifPhysical{Artifact: sarifArtifact{URI: uriOf(f.Path), URIBaseID: "%SRCROOT%"}}
	if f.Line > 0 {
		p.Region = &sarifRegion{f.Line}
	}
	r.Locations = []sarifLocation{{p}}
	if f.Fingerprint != "" {
		r.PartialFingerprints = map[string]string{"familiar/v1": f.Fingerprint}
	}
	return r
}

// messageOf is title, body and recommendation; a square bracket would start a
// link.
func messageOf(f review.Finding) string {
	parts := []string{f.Title}
	for _, p := range []string{f.Body, f.Recommendation} {
		if p = strings.TrimSpace(p); p != "" && p != f.Title {
			parts = append(parts, p)
		}
	}
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(strings.Join(parts, "\n\n"))
}

func levelOf(s contract.Severity) string {
	switch s {
	case contract.SeverityCritical, contract.SeverityHigh:
		return "error"
	case contract.SeverityMedium:
		return "warning"
	}
	return "note"
}

// uriOf is a path as a relative reference: every part encoded, and nothing
// that could be taken for a scheme.
func uriOf(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// semantic keeps a version only where it is one as SARIF wants it.
func semantic(v string) string {
	v = strings.TrimPrefix(v, "v")
	if v == "" || v[0] < '0' || v[0] > '9' || strings.Count(v, ".") < 2 {
		return ""
	}
	return v
}
