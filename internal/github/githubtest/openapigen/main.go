package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	in := flag.String("in", "", "generated/api.github.com.json of the package @octokit/openapi")
	out := flag.String("out", "testdata/openapi/github.json", "file to write")
	version := flag.String("version", "", "version of that package, noted in the file")
	flag.Parse()
	if err := run(*in, *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "openapigen:", err)
		os.Exit(1)
	}
}

func run(in, out, version string) error {
	if in == "" || version == "" {
		return errors.New("needs -in FILE and -version VERSION of the package it came from")
	}
	raw, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	cut, err := Cut(raw, version)
	if err != nil {
		return err
	}
	return os.WriteFile(out, cut, 0o644)
}

// Cut returns the subset of a description that the list names, as compact
// JSON with sorted keys and a final newline.
func Cut(raw []byte, version string) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("not an OpenAPI description: %w", err)
	}
	c := &cutter{source: doc, components: map[string]map[string]any{}}
	paths, err := c.paths()
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err = enc.Encode(map[string]any{
		"openapi": doc["openapi"],
		"info": map[string]any{
			"title":       "Part of GitHub's REST description that the stand-in validates against",
			"version":     version,
			"description": "Cut by openapigen from generated/api.github.com.json of the package @octokit/openapi; prose, examples and the list of required answer fields are left out.",
			"license":     map[string]any{"name": "MIT"},
		},
		"paths":      paths,
		"components": c.components,
	})
	return buf.Bytes(), err
}
