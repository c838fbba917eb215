package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// whole is a description with one operation of every path in the list, each
// with prose, an answer and a reference that refers to itself.
func whole(t *testing.T, leaveOut string) []byte {
	t.Helper()
	op := map[string]any{
		"operationId": "x", "summary": "chatter",
		"parameters":  []any{map[string]any{"name": "page", "in": "query", "description": "chatter", "schema": map[string]any{"type": "integer"}}},
		"requestBody": map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": map[string]any{"type": "object", "required": []any{"title"}, "properties": map[string]any{"title": map[string]any{"type": "string", "example": "chatter"}}}}}},
		"responses": map[string]any{
			"200": map[string]any{"description": "chatter", "content": map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/tree"}}}},
			"404": map[string]any{"$ref": "#/components/responses/gone"},
		},
	}
	paths := map[string]any{}
	for path, methods := range operations {
		item := map[string]any{}
		for _, m := range methods {
			if strings.ToUpper(m)+" "+path != leaveOut {
				item[m] = op
			}
		}
		paths[path] = item
	}
	paths["/elsewhere"] = map[string]any{"get": op}
	raw, err := json.Marshal(map[string]any{"openapi": "3.0.3", "paths": paths, "components": map[string]any{"schemas": map[string]any{
		"tree":   map[string]any{"required": []any{"kids"}, "oneOf": []any{map[string]any{"type": "object"}}, "properties": map[string]any{"kids": map[string]any{"$ref": "#/components/schemas/tree"}, "required": map[string]any{"type": "boolean"}}},
		"unused": map[string]any{"type": "string"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestACutKeepsWhatValidationNeedsAndNothingElse(t *testing.T) {
	out, err := Cut(whole(t, ""), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, gone := range []string{"chatter", "elsewhere", "unused", "404"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q is still there", gone)
		}
	}
	for _, kept := range []string{
		`"version":"1.2.3"`, `"license":{"name":"MIT"}`,
		`"required":["title"],"type":"object"`,
		`"answer-tree":{"anyOf":[{"type":"object"}],"properties":{"kids":{"$ref":"#/components/schemas/answer-tree"},"required":{"type":"boolean"}}}`,
	} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is missing", kept)
		}
	}
	again, err := Cut(whole(t, ""), "1.2.3")
	if err != nil || string(again) != text {
		t.Errorf("a second cut differs (%v)", err)
	}
}

func TestACutNamesWhatTheDescriptionLacks(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"no JSON", []byte("{"), "not an OpenAPI description"},
		{"a path", []byte("{}"), "is not in the description"},
		{"a method", whole(t, "GET /repos/{owner}/{repo}"), "GET /repos/{owner}/{repo} is not in the description"},
		{"a reference to nothing", []byte(strings.ReplaceAll(string(whole(t, "")), "schemas/tree", "schemas/bush")), "reference #/components/schemas/bush points at nothing"},
		{"a reference out of the document", []byte(strings.ReplaceAll(string(whole(t, "")), "#/components/schemas/tree", "other.json#/x")), "points elsewhere"},
	} {
		if _, err := Cut(c.raw, "1"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := run("", "", ""); err == nil || !strings.Contains(err.Error(), "needs -in FILE") {
		t.Errorf("without a file: %v", err)
	}
}
