package rules

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

// maxLine is the longest added line that the built-in rules read. Longer ones
// are minified or data, and nothing in them is worth a remark.
const maxLine = 2000

// view is a change as the built-in rules look at it: files with their kind
// worked out once.
type view struct {
	ctx   context.Context
	job   runtime.Job
	files []*file
	// change is the job's, with its files in the order of files.
	change diff.Change
	// moved counts, by text, the lines that the change deletes somewhere: a
	// line that only moved is not new.
	moved map[string]int
}

// file is one changed file with what its path says about it.
type file struct {
	diff.File
	base     string // file name in lower case
	ext      string // with its dot, lower case
	dirs     []string
	language language
	test     bool // holds tests
	fixture  bool // data of tests
	prose    bool // documentation
	vendored bool // somebody else's code
	machine  bool // a program wrote it, as far as its path and the attributes tell
	added    []diff.Line
}

// language groups extensions that share their debuggers and test frameworks.
type language string

const (
	javascript language = "javascript"
	python     language = "python"
	ruby       language = "ruby"
	golang     language = "go"
	rust       language = "rust"
	php        language = "php"
	elixir     language = "elixir"
	java       language = "java"
	swift      language = "swift"
	shell      language = "shell"
	other      language = ""
)

var languages = map[string]language{
	".js": javascript, ".jsx": javascript, ".ts": javascript, ".tsx": javascript, ".mjs": javascript, ".cjs": javascript,
	".mts": javascript, ".cts": javascript, ".vue": javascript, ".svelte": javascript,
	".py": python, ".pyi": python, ".rb": ruby, ".rake": ruby, ".go": golang, ".rs": rust, ".php": php,
	".ex": elixir, ".exs": elixir, ".java": java, ".kt": java, ".kts": java, ".scala": java, ".swift": swift,
	".sh": shell, ".bash": shell, ".zsh": shell, ".ksh": shell, ".fish": shell,
}

var (
	testDirs    = []string{"test", "tests", "__tests__", "spec", "specs", "e2e", "cypress", "testing", "integration"}
	fixtureDirs = []string{
		"testdata", "fixtures", "fixture", "__fixtures__", "__snapshots__", "snapshots", "__mocks__", "cassettes",
		"test-data", "test_data", "testfiles", "goldens", "golden", "corpus",
	}
	vendorDirs  = []string{"vendor", "node_modules", "third_party", "third-party", "thirdparty", "bower_components", ".yarn", "dist"}
	proseExts   = []string{".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt", ".html", ".htm", ".tex", ".org", ".1", ".ipynb"}
	proseDirs   = []string{"docs", "doc", "documentation", "examples", "example"}
	localeDirs  = []string{"locale", "locales", "i18n", "l10n", "lang", "langs", "translations", "lproj"}
	localeExts  = []string{".po", ".pot", ".arb", ".xlf", ".xliff", ".strings", ".resx"}
	fixtureExts = []string{".snap", ".golden", ".cassette"}
)

func newView(ctx context.Context, job runtime.Job) *view {
	v := &view{ctx: ctx, job: job, change: job.Change, moved: map[string]int{}}
	// What is riskiest comes first, so that a bounded list holds it.
	v.change.Files = review.ByRisk(job.Change.Files, job.Attributes)
	for _, f := range v.change.Files {
		file := newFile(f)
		file.machine = diff.Generated(f.Path, job.Attributes)
		v.files = append(v.files, file)
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == diff.Delete {
					v.moved[strings.TrimSpace(l.Text)]++
				}
			}
		}
	}
	return v
}

func newFile(f diff.File) *file {
	lower := strings.ToLower(f.Path)
	out := &file{File: f, base: path.Base(lower), ext: path.Ext(lower)}
	if dir := path.Dir(lower); dir != "." {
		out.dirs = strings.Split(dir, "/")
	}
	out.language = languages[out.ext]
	out.fixture = out.under(fixtureDirs) || slices.Contains(fixtureExts, out.ext)
	out.test = out.under(testDirs) || testName(path.Base(f.Path))
	out.prose = slices.Contains(proseExts, out.ext) || out.under(proseDirs[:3])
	out.vendored = out.under(vendorDirs) || strings.Contains(out.base, ".min.")
	out.added = slices.Collect(f.AddedLines())
	return out
}

func (f *file) under(names []string) bool {
	return slices.ContainsFunc(f.dirs, func(d string) bool { return slices.Contains(names, d) })
}

func (f *file) locale() bool { return f.under(localeDirs) || slices.Contains(localeExts, f.ext) }

// example says that the file shows how to use something rather than being
// used itself.
func (f *file) example() bool { return f.prose || f.under(proseDirs) }

// testName tells test files by the conventions of their languages; name keeps
// its case.
func testName(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	lower := strings.ToLower(name)
	return strings.Contains(lower, ".test.") || strings.Contains(lower, ".spec.") || strings.Contains(lower, ".cy.") ||
		strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
		strings.HasPrefix(lower, "test_") || lower == "conftest.py" ||
		strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "Spec")
}

// code yields the files whose added lines run and were written here by hand:
// no prose, nobody else's code, no data of tests, nothing that a program wrote.
func (v *view) code() []*file {
	var out []*file
	for _, f := range v.files {
		if !f.prose && !f.vendored && !f.machine && !f.fixture && !f.Binary && f.Status != diff.Deleted {
			out = append(out, f)
		}
	}
	return out
}

// fresh yields the added lines of a file that are new to the repository, not
// commented out and not too long to be written by hand.
func (v *view) fresh(f *file, yield func(diff.Line, string)) {
	for _, l := range f.added {
		trimmed := strings.TrimSpace(l.Text)
		if trimmed == "" || len(l.Text) > maxLine || v.moved[trimmed] > 0 || f.comment(trimmed) {
			continue
		}
		yield(l, trimmed)
	}
}

// comment says whether a line, without its indent, is a comment by its start.
func (f *file) comment(trimmed string) bool {
	switch f.language {
	case javascript, golang, rust, java, swift:
		return strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "/*") || trimmed == "*" || strings.HasPrefix(trimmed, "* ")
	case php:
		return strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*")
	}
	return strings.HasPrefix(trimmed, "#")
}

// head reads a file at the head. ok is false where it is not there, or where
// the job has no way to read.
func (v *view) head(name string) (string, bool) {
	if v.job.Contents == nil || name == "" || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "/") {
		return "", false
	}
	data, ok := v.job.Contents(v.ctx, name)
	return string(data), ok
}

// lines returns the file at the head as lines, 1-based by a blank first
// entry; where it cannot be read, the lines that the hunks show, each at its
// number. Those of a new file show it whole, so it is not read again.
func (v *view) lines(f *file) []string {
	if f.Status == diff.Added && f.Partial == "" && len(f.Hunks) > 0 {
		return shownLines(f)
	}
	if text, ok := v.head(f.Path); ok {
		return append([]string{""}, strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")...)
	}
	return shownLines(f)
}

// shownLines are the lines that the hunks show.
func shownLines(f *file) []string {
	var out []string
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.New == 0 {
				continue
			}
			if l.New > 200_000 {
				return out
			}
			for len(out) <= l.New {
				out = append(out, "")
			}
			out[l.New] = l.Text
		}
	}
	return out
}

// touches says whether the change has a file of that path.
func (v *view) touches(name string) bool {
	return slices.ContainsFunc(v.files, func(f *file) bool { return f.Path == name || f.OldPath == name })
}
