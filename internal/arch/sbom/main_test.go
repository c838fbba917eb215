package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestLicenceID(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"wrapped anywhere", "Permission is hereby granted,\n   free of\n\tcharge, to any person", "MIT"},
		{"Apache's title", "Apache License\n  Version 2.0, January 2004", "Apache-2.0"},
		{"three clauses", "Redistribution and use in source and binary forms ... Neither the name of X", "BSD-3-Clause"},
		{"two clauses", "Redistribution and use in source and binary forms, with or without", "BSD-2-Clause"},
		{"Mozilla's", "Mozilla Public License Version 2.0", "MPL-2.0"},
		{"none that is known", "Do as you like.", ""},
		{"nothing", "", ""},
	} {
		if got := licenceID(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTerms(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE-3RD-PARTY.md": "theirs", "LICENSE": "ours", "NOTICE": "notice", "README.md": "no terms", "licenses.go": "package x",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := terms(dir)
	if err != nil || strings.Join(got, "|") != "ours|theirs|notice" {
		t.Errorf("terms = %q, %v: a module's own come first", got, err)
	}
	for _, c := range []struct{ dir, want string }{
		{"", "it is not in the module cache; run go mod download"},
		{t.TempDir(), "it has no file with its terms"},
	} {
		if _, err := terms(c.dir); err == nil || err.Error() != c.want {
			t.Errorf("terms(%q): %v, want %q", c.dir, err, c.want)
		}
	}
}

// TestOneBinary: the bill and the notices of a binary that is there, this
// test itself, are whole and the same each time.
func TestOneBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second, notices bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(out, "v1.2.3", false, []string{self}); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("the bill differs from one making to the next")
	}
	var got bom
	if err := json.Unmarshal(first.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "CycloneDX" || got.Spec != "1.6" || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got.Serial) {
		t.Errorf("not a bill: %s %s %s", got.Format, got.Spec, got.Serial)
	}
	if len(got.Components) == 0 || got.Components[0].Ref != "pkg:golang/std@"+strings.TrimPrefix(runtime.Version(), "go") {
		t.Errorf("Go itself is not in it: %+v", got.Components)
	}
	if err := run(&notices, "", true, []string{self, self}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(notices.String(), "(BSD-3-Clause)"); n < 1 || !strings.Contains(notices.String(), "The Go Authors") {
		t.Errorf("the notices lack Go's:\n%.300s", notices.String())
	}
}

func TestMaterials(t *testing.T) {
	b := binary{digest: "ab", info: &debug.BuildInfo{Main: debug.Module{Path: "example.org/a b"}, Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-tags", Value: "x"}}}}
	got := materials(b, "v1.2.3", []licensed{{&debug.Module{Path: "m.example/x/v2", Version: "v2.0.0+incompatible", Sum: "h1:s="}, "MIT", "text"}})
	if got.Metadata.Component.PURL != "pkg:golang/example.org/a%20b@v1.2.3" || len(got.Metadata.Component.Properties) != 1 {
		t.Errorf("the main component is %+v", got.Metadata.Component)
	}
	c := got.Components[0]
	if c.PURL != "pkg:golang/m.example/x/v2@v2.0.0+incompatible" || c.Licences[0].Licence.ID != "MIT" || c.Properties[0].Value != "h1:s=" || got.Dependencies[0].DependsOn[0] != c.Ref {
		t.Errorf("the component is %+v", c)
	}
}

func TestModulesAreThoseOfAllBinariesOnce(t *testing.T) {
	module := func(path string) *debug.Module { return &debug.Module{Path: path} }
	replaced := &debug.Module{Path: "old", Replace: module("new")}
	got := modules([]binary{
		{info: &debug.BuildInfo{Deps: []*debug.Module{module("b"), replaced}}},
		{info: &debug.BuildInfo{Deps: []*debug.Module{module("b"), module("a")}}},
	})
	var paths []string
	for _, m := range got {
		paths = append(paths, m.Path)
	}
	if strings.Join(paths, " ") != "a b new" {
		t.Errorf("modules = %v", paths)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, files := range [][]string{nil, {"a", "b"}} {
		if err := run(&bytes.Buffer{}, "v1", false, files); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", files, err)
		}
	}
	if err := run(&bytes.Buffer{}, "v1", false, []string{"main.go"}); err == nil {
		t.Error("a file that is no binary made a bill")
	}
}
