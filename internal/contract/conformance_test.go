package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// conformanceCase is one line of testdata/conformance: a behaviour of a
// system that governs memory, in the terms of this contract.
type conformanceCase struct {
	Area     string         `json:"area"`
	Name     string         `json:"name"`
	Input    map[string]any `json:"input"`
	Want     map[string]any `json:"want"`
	Stricter string         `json:"stricter,omitempty"` // why ours refuses what was accepted there
}

// conformance runs every case of an area, at least least of them.
func conformance(t *testing.T, area string, least int, run func(*testing.T, conformanceCase)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < least {
		t.Fatalf("%d cases in area %s, want at least %d", len(lines), area, least)
	}
	seen := map[string]bool{}
	for _, line := range lines {
		var c conformanceCase
		if err := StrictJSON([]byte(line), &c, WireLimits()); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if c.Area != area || seen[c.Name] {
			t.Fatalf("%q of area %q is in the file of %s, or there twice", c.Name, c.Area, area)
		}
		seen[c.Name] = true
		t.Run(c.Name, func(t *testing.T) { run(t, c) })
	}
}

func TestConformanceResultContract(t *testing.T) {
	conformance(t, "result-contract", 8, checkVerdict)
}

func TestConformanceResultWire(t *testing.T) {
	conformance(t, "result-wire", 3, func(t *testing.T, c conformanceCase) {
		if c.Input["message"] != nil {
			checkVerdict(t, c)
			return
		}
		node := at(t, tree(t, Schema(SchemaName(c.Input["schema"].(string)))), c.Input["field"].(string))
		got := map[string]any{}
		for key := range c.Want {
			got[key] = schemaFact(node, key)
		}
		if !reflect.DeepEqual(got, c.Want) {
			t.Errorf("got %v, want %v", got, c.Want)
		}
	})
}

// schemaFact reads what a case asks of a schema.
func schemaFact(node map[string]any, key string) any {
	switch key {
	case "arrays":
		var arrays []any
		for _, name := range []string{"read", "proposed", "rejected"} {
			if property, ok := node["properties"].(map[string]any)[name].(map[string]any); ok && property["type"] == "array" {
				arrays = append(arrays, name)
			}
		}
		return arrays
	case "unknown_fields":
		if node["additionalProperties"] == false {
			return "refused"
		}
		return "accepted"
	}
	return node[key]
}

func TestConformanceBriefWire(t *testing.T) {
	conformance(t, "brief-wire", 1, func(t *testing.T, c conformanceCase) {
		p := fullPolicy()
		p.Denied = nil // ours alone, and left out when empty
		doc := tree(t, must(EncodeBrief(reviewBrief(p), ShapeNested)))
		got := slices.Sorted(maps.Keys(at(t, doc, c.Input["field"].(string))))
		var want []string
		for _, key := range c.Want["keys"].([]any) {
			want = append(want, key.(string))
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestConformanceExitCode(t *testing.T) {
	conformance(t, "exit-code", 5, func(t *testing.T, c conformanceCase) {
		code, _ := c.Input["code"].(float64)
		timedOut, _ := c.Input["timed_out"].(bool)
		class := ClassifyExit(Exit{Code: int(code), TimedOut: timedOut, ResultUsable: c.Input["result"] == "usable"})
		got := map[string]any{"class": string(class), "retry": class.Retry(), "requires_result": class.RequiresResult()}
		if !reflect.DeepEqual(got, c.Want) {
			t.Errorf("got %v, want %v", got, c.Want)
		}
	})
}

// checkVerdict changes a clean result as the case says and decodes it; the
// schema must come to the same verdict.
func checkVerdict(t *testing.T, c conformanceCase) {
	doc := tree(t, must(EncodeResult(cleanResult())))
	for path, value := range c.Input["set"].(map[string]any) {
		dot := strings.LastIndexByte(path, '.')
		at(t, doc, path[:dot])[path[dot+1:]] = value
	}
	data := raw(t, doc)
	agree(t, ResultSchema, data, c.Want["verdict"] == "accept")
	got := map[string]any{"verdict": "accept"}
	var refused *DecodeError
	if _, err := DecodeResult(data); errors.As(err, &refused) {
		got = map[string]any{"verdict": "refuse", "path": refused.Path, "reason": string(refused.Reason)}
	}
	if !reflect.DeepEqual(got, c.Want) {
		t.Errorf("got %v, want %v", got, c.Want)
	}
}

// at finds the object at a path of names.
func at(t *testing.T, doc any, path string) map[string]any {
	t.Helper()
	node := doc.(map[string]any)
	for _, name := range strings.Split(path, ".")[1:] {
		child, ok := node[name].(map[string]any)
		if !ok {
			t.Fatalf("no object %s at %s", name, path)
		}
		node = child
	}
	return node
}

// TestA65ResultKeysThatDifferInCaseOrComeTwiceAndTrailingData holds the
// attack next to encoding/json, which falls for every one of them.
func TestA65ResultKeysThatDifferInCaseOrComeTwiceAndTrailingData(t *testing.T) {
	const honest = `"approval": "pending"`
	clean := string(must(EncodeResult(fullResult())))
	for name, c := range map[string]struct {
		old, forged string
		want        Reason
	}{
		"a second approval":                       {honest, honest + `, "approval": "auto"`, DuplicateKey},
		"a second approval, escaped":              {honest, honest + `, "\u0061pproval": "auto"`, DuplicateKey},
		"an Approval in another case":             {honest, honest + `, "Approval": "auto"`, CaseVariant},
		"an APPROVAL alone":                       {honest, `"APPROVAL": "auto"`, CaseVariant},
		"a long s, which folds to s":              {`"status": "partial"`, `"\u017ftatus": "partial"`, CaseVariant},
		"a Kelvin sign, which folds to k":         {`"key": "repo/`, `"\u212aey": "repo/`, CaseVariant},
		"a second memory_used":                    {`"memory_used": {`, `"memory_used": {"enabled": false}, "memory_used": {`, DuplicateKey},
		"a MEMORY_USED in another case":           {`"memory_used": {`, `"MEMORY_USED": {"enabled": false}, "memory_used": {`, CaseVariant},
		"a TRUST that is no field at all":         {`"memory_used": {`, `"TRUST": "maintainer", "memory_used": {`, UnknownField},
		"a second review":                         {`"review": {`, `"review": null, "review": {`, NullValue},
		"a second enabled, null first":            {`"enabled": true`, `"enabled": true, "enabled": null`, DuplicateKey},
		"a second severity in a list":             {`"severity": "info"`, `"severity": "info", "severity": "critical"`, DuplicateKey},
		"a second result behind the first":        {"\n}\n", "\n}\n{}", TrailingData},
		"a bracket behind the result":             {"\n}\n", "\n}}", TrailingData},
		"a comment behind the result":             {"\n}\n", "\n}// fine", TrailingData},
		"a NUL behind the result":                 {"\n}\n", "\n}\x00", TrailingData},
		"a byte order mark in front":              {"{\n  \"contract_version\"", "\ufeff{\n  \"contract_version\"", Syntax},
		"the whole result in a list":              {"{\n  \"contract_version\"", "[{\n  \"contract_version\"", WrongType},
		"a form feed for white space":             {"{\n  \"contract_version\"", "{\f\n  \"contract_version\"", Syntax},
		"a no-break space for white space":        {"{\n  \"contract_version\"", "{\u00a0\n  \"contract_version\"", Syntax},
		"a key that replacement would make equal": {honest, honest + `, "approval\ud800": "auto"`, LoneSurrogate},
	} {
		t.Run(name, func(t *testing.T) {
			forged := strings.Replace(clean, c.old, c.forged, 1)
			if forged == clean {
				t.Fatalf("%s does not occur in the result", c.old)
			}
			got, err := DecodeResult([]byte(forged))
			wantReason(t, err, c.want)
			if !reflect.DeepEqual(got, Result{}) {
				t.Errorf("a result beside the error: %+v", got)
			}
		})
	}
	forged := strings.Replace(clean, honest, honest+`, "Approval": "auto"`, 1)
	var fooled Result
	if err := json.NewDecoder(bytes.NewReader([]byte(forged + "{}"))).Decode(&fooled); err != nil || fooled.MemoryUsed.Proposed[0].Approval != ApprovalAuto {
		t.Errorf("encoding/json no longer falls for the attack (%v, %+v): is the scanner still needed?", err, fooled.MemoryUsed)
	}
}
