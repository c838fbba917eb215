package arch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// pages are the Markdown files that people read, by path from the top of the
// repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out, err := readPages()
	if err != nil || len(out) < 20 {
		t.Fatalf("%d pages, %v", len(out), err)
	}
	return out
}

var readPages = sync.OnceValues(func() (map[string]string, error) {
	out := map[string]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || rel == "bin" || rel == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".md") || strings.Contains(rel, "testdata/") && !strings.HasSuffix(rel, "README.md") {
			return nil
		}
		data, err := os.ReadFile(p)
		out[rel] = string(data)
		return err
	})
	return out, err
})

var (
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```[ \t]*$")
	coded  = regexp.MustCompile("`[^`\n]*`")
	linked = regexp.MustCompile(`\]\(([^()\s]+)\)|\b(?:src|href|srcset)="([^"]+)"`)
	titled = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
)

// prose is a page without what stands in code.
func prose(page string) string {
	return coded.ReplaceAllString(fenced.ReplaceAllString(page, ""), "")
}

// anchors are the fragments that GitHub gives the titles of a page.
func anchors(page string) []string {
	var out []string
	for _, m := range titled.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(m[1]))
		out = append(out, slug)
	}
	return out
}

func TestEveryLinkInsideThePagesLeadsSomewhere(t *testing.T) {
	all := pages(t)
	links := 0
	for name, page := range all {
		for _, m := range linked.FindAllStringSubmatch(prose(page), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			links++
			file, fragment, _ := strings.Cut(target, "#")
			to := path.Join(path.Dir(name), file)
			if file == "" {
				to = name
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, target)
			} else if fragment != "" && !slices.Contains(anchors(all[to]), fragment) {
				t.Errorf("%s leads to %s, but %s has no such title", name, target, to)
			}
		}
	}
	if links < 60 {
		t.Errorf("found %d links inside the pages, expected many more", links)
	}
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	got := anchors("# What is *not* defended?\n## `[memory]`\n```\n# no title\n```\n### A & B: c-d_e\n")
	if want := []string{"what-is-not-defended", "memory", "a--b-c-d_e"}; !slices.Equal(got, want) {
		t.Errorf("anchors = %q, want %q", got, want)
	}
}

// TestEveryPageIsReachedFromTheREADME: no page is an orphan.
func TestEveryPageIsReachedFromTheREADME(t *testing.T) {
	all := pages(t)
	reached, todo := map[string]bool{}, []string{"README.md"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if reached[name] {
			continue
		}
		reached[name] = true
		for _, m := range linked.FindAllStringSubmatch(prose(all[name]), -1) {
			file, _, _ := strings.Cut(m[1]+m[2], "#")
			to := path.Join(path.Dir(name), file)
			if _, ok := all[to]; ok {
				todo = append(todo, to)
			} else if _, ok := all[path.Join(to, "README.md")]; ok {
				todo = append(todo, path.Join(to, "README.md"))
			}
			// A link to a folder shows all that is in it.
			for other := range all {
				if path.Dir(other) == to {
					todo = append(todo, other)
				}
			}
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "docs/") && !reached[name] {
			t.Errorf("%s cannot be reached from the README", name)
		}
	}
}

// TestEveryLineOfDefenceNamesATest: no row of the two tables of guarantees goes
// without the name of a test, or an id that is in the name of one.
func TestEveryLineOfDefenceNamesATest(t *testing.T) {
	all, rows := pages(t), 0
	held := regexp.MustCompile("`(?:Test|Fuzz)[A-Z]\\w*`|\\b[AG]\\d{1,3}\\b")
	for name, title := range map[string]string{"docs/threat-model.md": "## How it is held", "docs/security.md": "## Guarantees"} {
		_, part, ok := strings.Cut(all[name], title)
		if !ok {
			t.Fatalf("%s has lost its part %q", name, title)
		}
		part, _, _ = strings.Cut(part, "\n## ")
		for _, row := range strings.Split(part, "\n") {
			if !strings.HasPrefix(row, "| ") || strings.HasSuffix(row, "| held by |") {
				continue
			}
			rows++
			if cells := strings.Split(strings.Trim(row, "| "), " | "); !held.MatchString(cells[len(cells)-1]) {
				t.Errorf("%s: no test holds this line: %s", name, row)
			}
		}
	}
	if rows < 45 {
		t.Errorf("found %d lines of defence, expected more", rows)
	}
}

// TestEveryTestThatAPageNamesIsThere: a guarantee without its test is none.
// A name stands whole; an id of an attack or a gate is in the name of a test
// or of a case.
func TestEveryTestThatAPageNamesIsThere(t *testing.T) {
	var sources strings.Builder
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, "_test.go") && !strings.HasSuffix(p, filepath.Join("arch", "docs_test.go")) {
			data, err := os.ReadFile(p)
			sources.Write(data)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := sources.String()
	defined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`).FindAllStringSubmatch(all, -1) {
		defined[m[1]] = true
	}
	known := map[string]bool{}
	for _, words := range regexp.MustCompile(`\bfunc Test(?:[AG]\d{1,3})+[A-Z_a-z]|\b[AG]\d{1,3}\b`).FindAllString(all, -1) {
		for _, id := range regexp.MustCompile(`[AG]\d{1,3}`).FindAllString(words, -1) {
			known[id] = true
		}
	}
	names, ids := 0, 0
	for name, page := range pages(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`").FindAllStringSubmatch(page, -1) {
			names++
			if !defined[m[1]] {
				t.Errorf("%s names %s, which no test is called", name, m[1])
			}
		}
		if name != "docs/threat-model.md" {
			continue
		}
		for _, id := range regexp.MustCompile(`\b[AG]\d{1,3}\b`).FindAllString(page, -1) {
			ids++
			if !known[id] {
				t.Errorf("%s names %s, which is in the name of no test", name, id)
			}
		}
	}
	if names < 40 || ids < 40 {
		t.Errorf("the pages name %d tests and %d ids, expected more", names, ids)
	}
}
