package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// termFiles are what a module calls its terms, in capital letters.
var termFiles = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"}

// terms are the texts of a module's terms: its own first, then those of what
// it took from others, in order of the files' names.
func terms(dir string) ([]string, error) {
	if dir == "" {
		return nil, errors.New("it is not in the module cache; run go mod download")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var own, others []string
	for _, f := range files {
		base, _, _ := strings.Cut(strings.ToUpper(f.Name()), ".")
		name, _, of := strings.Cut(base, "-")
		if f.IsDir() || !slices.Contains(termFiles, name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		if text := strings.TrimSpace(string(data)); of || name == "NOTICE" {
			others = append(others, text)
		} else {
			own = append(own, text)
		}
	}
	if len(own)+len(others) == 0 {
		return nil, errors.New("it has no file with its terms")
	}
	return append(own, others...), nil
}

// marks are sentences that tell a licence; the first that is there counts. What
// a text says beside it is in the notices all the same.
var marks = []struct{ id, says string }{
	{"MPL-2.0", "mozilla public license"},
	{"Apache-2.0", "apache license version 2.0"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"BSD-3-Clause", "neither the name of"},
	{"BSD-3-Clause", "the names of its contributors may not be used"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms"},
	{"ISC", "permission to use, copy, modify, and/or distribute"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"CC0-1.0", "creative commons cc0 1.0 universal"},
	{"0BSD", "permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted."},
}

// licenceID is the SPDX id of a text, "" if it is none that is known here.
func licenceID(text string) string {
	flat := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, m := range marks {
		if strings.Contains(flat, m.says) {
			return m.id
		}
	}
	return ""
}
