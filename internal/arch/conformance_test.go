package arch

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leftOut are the areas of the shared conformance cases that this product
// does not carry, or does not carry yet, each with its reason. Whoever
// builds the subject moves its area to testdata/conformance.
var leftOut = map[string]string{
	"caller-resolver": "another server's resolution of machine callers; here nobody but a person has a standing",
	"doc":             "names of one system's exports; here no such function exists and the enums are closed",
	"env":             "one tool's .env syntax; this product reads no such file",
	"gap":             "carried as tables in memory, since both cases are about a missing context",
	"route":           "another server's HTTP routes; this product has no endpoint",
	"runtime-interop": "what another runtime's head does with its own brief",
	"webhook":         "another server's webhook; this product has no endpoint",
}

// mustCarry are the areas that no change may leave out again.
var mustCarry = []string{
	"trust-derivation", "policy-grant", "policy-grant-doc", "write-validation", "read-validation", "revocation",
	"result-contract", "result-wire", "brief-wire", "content", "gate", "source", "accept", "order", "enum",
	"normaliser", "entry", "exit-code", "commands", "redaction", "config", "doctor",
	"manifest", "archive", "identity", "snapshot", "restore", "memory-admin", "quarantine", "quarantine-lifecycle", "quarantine-recovery",
	"command-routing", "routing", "self-trigger",
	"api-inspect", "api-revoke", "tombstone", "purge", "sweep", "deprecate", "ownership", "retention", "visibility", "grants", "uninstall", "audit-rows",
	"review-json", "feedback", "record", "memory-policy", "status-comment", "citation",
}

// leastCarried is how many of the shared cases are carried at the least.
const leastCarried = 150

// names reads area -> names of cases from JSON Lines.
func names(t *testing.T, path string, into map[string]map[string]bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c struct{ Area, Name string }
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if into[c.Area] == nil {
			into[c.Area] = map[string]bool{}
		}
		into[c.Area][c.Name] = true
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
}

func carriedCases(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../testdata/conformance/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conformance data: %v", err)
	}
	carried := map[string]map[string]bool{}
	for _, f := range files {
		names(t, f, carried)
		area := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		if len(carried[area]) == 0 {
			t.Errorf("%s carries no case of its own area", f)
		}
	}
	return carried
}

// TestEveryCarriedAreaIsRun: a file of cases that no test reads proves
// nothing.
func TestEveryCarriedAreaIsRun(t *testing.T) {
	carried := carriedCases(t)
	var tests strings.Builder
	err := filepath.WalkDir("..", func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, "../arch") {
			return err
		}
		data, err := os.ReadFile(p)
		tests.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for area := range carried {
		if s := tests.String(); !strings.Contains(s, `"`+area+`"`) && !strings.Contains(s, area+".jsonl") {
			t.Errorf("no test names the conformance area %s", area)
		}
	}
	for _, area := range mustCarry {
		if len(carried[area]) == 0 {
			t.Errorf("area %s is no longer carried", area)
		}
	}
}

// TestSharedConformanceIsCarriedOrLeftOut holds our data against the shared
// cases where they lie beside the checkout, as in CI.
func TestSharedConformanceIsCarriedOrLeftOut(t *testing.T) {
	const path = "../../../shared/conformance/cases.jsonl"
	if _, err := os.Stat(path); err != nil {
		t.Log("the shared cases are not beside this checkout; the carried ones are tested in their packages")
		return
	}
	shared := map[string]map[string]bool{}
	names(t, path, shared)
	carried := carriedCases(t)
	total := 0
	for area, cases := range shared {
		if reason, out := leftOut[area]; out && len(carried[area]) == 0 {
			if len(reason) < 20 {
				t.Errorf("area %s is left out without a reason", area)
			}
			continue
		}
		for name := range cases {
			if !carried[area][name] {
				t.Errorf("case %q of area %s is neither carried nor left out", name, area)
				continue
			}
			total++
		}
	}
	if total < leastCarried {
		t.Errorf("%d shared cases are carried, want at least %d", total, leastCarried)
	}
	t.Logf("%d shared cases carried", total)
}
