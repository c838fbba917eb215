package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mayBeAbsent and mayBeNull are the whole list of what contract version 2
// leaves open; everything else is required and never null.
var (
	mayBeAbsent = []string{
		"$.branch", "$.exit_reason", "$.memory_used", "$.memory_used.read", "$.memory_used.proposed", "$.memory_used.rejected",
		"$.familiar.model", "$.task.diff_hunk", "$.review_context", "$.audit_instruction", "$.memory_policy",
		"$.memory_policy.denied", "$.memory_policy.retention_days",
	}
	mayBeNull = []string{
		"$.branch", "$.exit_reason", "$.memory_used", "$.review.findings[].line", "$.review.findings[].recommendation",
		"$.review.tests_run[].output_summary", "$.review.no_findings_reason",
		"$.familiar.model", "$.task.diff_hunk", "$.review_context", "$.review_context.kind", "$.audit_instruction",
		"$.memory_policy", "$.memory_policy.tenant_scope", "$.memory_policy.repo_scope", "$.memory_policy.branch_scope",
		"$.memory_policy.retention_days",
	}
	closedWords = []string{
		"$.contract_version", "$.status", "$.exit_reason", "$.review.mode", "$.review.evidence_status", "$.review.findings[].severity",
		"$.review.tests_run[].status", "$.memory_used.proposed[].approval", "$.memory_used.rejected[].reason",
		"$.trigger", "$.task.kind", "$.review_context.kind", "$.repo.clone_url",
		"$.memory_policy.trust_scope", "$.memory_policy.read_scopes[]", "$.memory_policy.write_scopes[]",
	}
)

// needed tells of places that the fields beside them make necessary.
func needed(doc any, path string) bool {
	root := doc.(map[string]any)
	policy, _ := root["memory_policy"].(map[string]any)
	switch path {
	case "$.exit_reason":
		return root["status"] == "failure" || root["status"] == "needs_input"
	case "$.memory_policy.tenant_scope", "$.memory_policy.repo_scope":
		return policy["enabled"] == true
	}
	return false
}

// eachChange runs a change on every place of every document and undoes it.
func eachChange(t *testing.T, change func(schema SchemaName, doc any, p place)) {
	t.Helper()
	for name, doc := range documents(t) {
		for schema, root := range doc {
			t.Run(name, func(*testing.T) {
				for _, p := range places("$", root, nil, nil)[1:] {
					change(schema, root, p)
					p.replace(p.value)
				}
			})
		}
	}
}

func raw(t failer, doc any) []byte {
	data, err := json.Marshal(doc)
	if err != nil {
		t.Errorf("%v", err)
	}
	return data
}

func TestSchemaAndTypesAgreeOnEveryDroppedField(t *testing.T) {
	seen := map[string]bool{}
	eachChange(t, func(schema SchemaName, doc any, p place) {
		if p.remove == nil {
			return
		}
		p.remove()
		want := slices.Contains(mayBeAbsent, p.path) && !needed(doc, p.path)
		seen[p.path] = true
		agree(t, schema, raw(t, doc), want)
	})
	allSeen(t, seen, mayBeAbsent)
}

func TestSchemaAndTypesAgreeOnEveryNull(t *testing.T) {
	seen := map[string]bool{}
	eachChange(t, func(schema SchemaName, doc any, p place) {
		p.replace(nil)
		seen[p.path] = true
		agree(t, schema, raw(t, doc), slices.Contains(mayBeNull, p.path) && !needed(doc, p.path))
	})
	allSeen(t, seen, mayBeNull)
}

func TestSchemaAndTypesRefuseAnUnknownFieldInEveryObject(t *testing.T) {
	objects := map[string]bool{}
	for name, doc := range documents(t) {
		for schema, root := range doc {
			t.Run(name, func(t *testing.T) {
				for _, p := range places("$", root, nil, nil) {
					object, ok := p.value.(map[string]any)
					if !ok {
						continue
					}
					objects[p.path] = true
					for _, key := range []string{"extra", "", "Extra", "$schema"} {
						object[key] = true
						agree(t, schema, raw(t, root), false)
						delete(object, key)
					}
					for _, key := range slices.Sorted(maps.Keys(object)) {
						variant := strings.ToUpper(key[:1]) + key[1:]
						object[variant] = object[key]
						agree(t, schema, raw(t, root), false)
						delete(object, variant)
					}
				}
			})
		}
	}
	if len(objects) < 20 {
		t.Errorf("only %d kinds of object were tried: %v", len(objects), objects)
	}
}

func TestSchemaAndTypesRefuseEveryWrongType(t *testing.T) {
	eachChange(t, func(schema SchemaName, doc any, p place) {
		for _, other := range []any{map[string]any{}, []any{}, "text", true, json.Number("1.5"), json.Number("7")} {
			if sameType(p.value, other) || p.value == nil {
				continue
			}
			p.replace(other)
			agree(t, schema, raw(t, doc), false)
		}
	})
}

func sameType(a, b any) bool {
	n, aNumber := a.(json.Number)
	m, bNumber := b.(json.Number)
	if aNumber && bNumber {
		return strings.Contains(n.String(), ".") == strings.Contains(m.String(), ".")
	}
	return fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b)
}

func TestSchemaAndTypesAgreeOnEveryOtherWord(t *testing.T) {
	seen := map[string]bool{}
	eachChange(t, func(schema SchemaName, doc any, p place) {
		word, ok := p.value.(string)
		if !ok {
			return
		}
		closed := slices.Contains(closedWords, p.path)
		seen[p.path] = true
		for _, other := range []string{"zebra", "", " " + word, strings.ToUpper(word) + "X"} {
			p.replace(other)
			if closed {
				agree(t, schema, raw(t, doc), false)
			} else {
				inStep(t, schema, raw(t, doc))
			}
		}
	})
	allSeen(t, seen, closedWords)
}

func TestSchemaAndTypesAgreeOnEveryOtherMember(t *testing.T) {
	words := everyWord()
	eachChange(t, func(schema SchemaName, doc any, p place) {
		if !slices.Contains(closedWords, p.path) || p.value == nil {
			return
		}
		for _, word := range words {
			p.replace(word)
			inStep(t, schema, raw(t, doc))
		}
	})
}

// everyWord is every member of every closed set.
func everyWord() []string {
	var out []string
	add := func(words ...string) { out = append(out, words...) }
	add(asStrings(trustScopes)...)
	add(asStrings(memoryScopes)...)
	add(asStrings(severities)...)
	add(asStrings(approvals)...)
	add(asStrings(statuses)...)
	add(asStrings(exitReasons)...)
	add(asStrings(reviewModes)...)
	add(asStrings(evidence)...)
	add(asStrings(testStatuses)...)
	add(asStrings(declines)...)
	add(asStrings(briefTriggers)...)
	add(asStrings(taskKinds)...)
	add(asStrings(contextKinds)...)
	return out
}

func asStrings[T ~string](set []T) []string {
	var out []string
	for _, v := range set {
		out = append(out, string(v))
	}
	return out
}

func TestSchemaAndTypesAgreeOnTheBoundsOfEveryInteger(t *testing.T) {
	refused := 0
	eachChange(t, func(schema SchemaName, doc any, p place) {
		if _, ok := p.value.(json.Number); !ok {
			return
		}
		for _, n := range []string{
			"-9223372036854775809", "-1", "0", "1", "36500", "36501", "2147483647", "2147483648",
			"9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551616",
		} {
			p.replace(json.Number(n))
			data := raw(t, doc)
			inStep(t, schema, data)
			if decoders[schema](data) != nil {
				refused++
			}
		}
	})
	if refused < 20 {
		t.Errorf("only %d integers were refused", refused)
	}
}

func TestSchemaAndTypesAgreeOnTheBoundsOfStringsAndArrays(t *testing.T) {
	longest := strings.Repeat("é", MaxString)
	r := fullResult()
	for name, c := range map[string]struct {
		set  func(*Result, string)
		text string
		want bool
	}{
		"the longest summary":  {func(r *Result, s string) { r.Summary = s }, longest, true},
		"a longer summary":     {func(r *Result, s string) { r.Summary = s }, longest + "x", false},
		"a longer file":        {func(r *Result, s string) { r.Review.ReviewedFiles = []string{s} }, longest + "x", false},
		"a longer memory key":  {func(r *Result, s string) { r.MemoryUsed.Proposed[0].Key = s }, longest + "x", false},
		"the longest read id":  {func(r *Result, s string) { r.MemoryUsed.Read[0].ID = s }, longest, true},
		"a longer output":      {func(r *Result, s string) { r.Review.TestsRun[0].OutputSummary = &s }, longest + "x", false},
		"most limitations":     {func(r *Result, _ string) { r.Review.Limitations = make([]string, MaxItems) }, "", true},
		"one limitation more":  {func(r *Result, _ string) { r.Review.Limitations = make([]string, MaxItems+1) }, "", false},
		"one file more":        {func(r *Result, _ string) { r.FilesChanged = make([]string, MaxItems+1) }, "", false},
		"one memory read more": {func(r *Result, _ string) { r.MemoryUsed.Read = make([]MemoryRead, MaxItems+1) }, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := r
			report := *fullResult().MemoryUsed
			r.MemoryUsed = &report
			r.Review.TestsRun = slices.Clone(r.Review.TestsRun)
			c.set(&r, c.text)
			data := raw(t, r)
			if got := schemaError(ResultSchema, data) == nil; got != c.want {
				t.Errorf("accepted by the schema is %v, want %v", got, c.want)
			}
			if got := decoders[ResultSchema](data) == nil; got != c.want {
				t.Errorf("accepted by the decoder is %v, want %v", got, c.want)
			}
		})
	}
}

// TestEverySchemaBoundsEveryStringAndArray: what the scanner bounds in one
// place, the schemas must state at each.
func TestEverySchemaBoundsEveryStringAndArray(t *testing.T) {
	for _, name := range SchemaNames() {
		for _, p := range places("$", tree(t, Schema(name)), nil, nil) {
			node, ok := p.value.(map[string]any)
			if !ok {
				continue
			}
			switch kind := fmt.Sprint(node["type"]); {
			case strings.Contains(kind, "string") && node["enum"] == nil && fmt.Sprint(node["maxLength"]) != fmt.Sprint(MaxString):
				t.Errorf("%s %s: a string without maxLength %d", name, p.path, MaxString)
			case strings.Contains(kind, "array") && fmt.Sprint(node["maxItems"]) != fmt.Sprint(MaxItems):
				t.Errorf("%s %s: an array without maxItems %d", name, p.path, MaxItems)
			case strings.Contains(kind, "object") && node["properties"] != nil && node["additionalProperties"] != false:
				t.Errorf("%s %s: an object that takes unknown fields", name, p.path)
			}
		}
	}
}

// inStep fails where only one of the two accepts.
func inStep(t failer, name SchemaName, data []byte) {
	t.Helper()
	bySchema, byType := schemaError(name, data), decoders[name](data)
	if (bySchema == nil) != (byType == nil) {
		t.Errorf("%s: the schema says %v, the decoder %v\n%s", name, bySchema, byType, data)
	}
}

func allSeen(t *testing.T, seen map[string]bool, want []string) {
	t.Helper()
	for _, path := range want {
		if !seen[path] {
			t.Errorf("%s never occurred in the documents", path)
		}
	}
}
