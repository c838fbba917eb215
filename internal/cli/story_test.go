package cli

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/health"
)

// The stories of testdata/github: what people and the action do, step by
// step, over the stand-in, with what everybody then reads. README.md there
// lists the steps. With -update the expected files are written.

// story is one file under way.
type story struct {
	*runner
	file    *txtar.Archive
	line    int
	threads map[string]int            // by the name that the story gives
	posted  map[string]map[string]any // payload of each comment's event, as it was sent
	ids     map[string]int64          // of the comments
	people  map[string]int64
	public  bool
	known   map[string]string // id of a lesson: its name in the story
	heads   map[string]string // commit: its name in the story
	keys    int
	kept    map[string]string // comments of the action, as they were
	last    stepResult
	app     map[string]string     // inputs of the App that acts; nil: the workflow's token does
	shape   map[string]health.Job // what init wrote; nil: runs take what a step says
	called  []string              // the calls of each run, under its step
	held    map[int]string        // what a step held of a thread last
	changed bool
}

// storyStep does one line of a story.
type storyStep func(*story, []string)

// storySteps are what a line of a story can say: what happens, and what is
// held against what is expected. A part of the product with steps of its own
// adds its table here.
func storySteps() (happens, holds map[string]storyStep) {
	happens = map[string]storyStep{}
	for _, table := range []map[string]storyStep{worldSteps(), surfaceSteps(), runSteps(), repositorySteps(), storeSteps(), appSteps(), shapeSteps(), {"gallery": (*story).gallery}} {
		maps.Copy(happens, table)
	}
	holds = checkSteps()
	maps.Copy(holds, repositoryChecks())
	maps.Copy(holds, storeChecks())
	maps.Copy(holds, appChecks())
	return happens, holds
}

// lessonNames are the ids of lessons in stories, in the order in which the
// lessons are first heard of: real ones differ from run to run.
var lessonNames = []string{
	"m-7f3k2q8a", "m-2xw9d4hc", "m-c41vz0pm", "m-9d2k4w7c", "m-4jh8t0ne", "m-t6bq3r1y", "m-k0s5g9xd",
	"m-w8e1f7na", "m-5ypc2v6j", "m-h3z7m4qk", "m-e9a0r8tb", "m-1nd6x5wf", "m-q2g4c8sy", "m-b7v3j1zp",
}

func TestStoriesOnGitHub(t *testing.T) {
	files, err := filepath.Glob("testdata/github/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories (%v)", err)
	}
	told := 0
	for i, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		tell := func(t *testing.T) { tellStory(t, f, raced && i%4 != 0) }
		attack, is := storyAttacks[name]
		if is {
			told++
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if is {
				t.Run(attack, tell)
				return
			}
			tell(t)
		})
	}
	if told != len(storyAttacks) {
		t.Errorf("%d of the %d attacks have a story", told, len(storyAttacks))
	}
}

// tellStory tells one story, by a process for each run or in this process.
func tellStory(t *testing.T, path string, outside bool) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := newStory(t, archive)
	s.outside = outside
	happens, holds := storySteps()
	checks := 0
	for n, line := range strings.Split(string(archive.Comment), "\n") {
		s.line = n + 1
		words := s.words(line)
		if len(words) == 0 {
			continue
		}
		step := happens[words[0]]
		if check := holds[words[0]]; check != nil {
			step, checks = check, checks+1
		}
		if step == nil {
			t.Fatalf("line %d: no step %q", s.line, words[0])
		}
		step(s, words[1:])
		s.heed(words[0], line)
	}
	s.concludes()
	if checks == 0 {
		t.Error("the story checks nothing")
	}
	if s.changed {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func newStory(t *testing.T, archive *txtar.Archive) *story {
	r := newRunner(t)
	r.server.SetNow(githubtest.Epoch)
	r.clock = r.server.Now
	s := &story{
		runner: r, file: archive, threads: map[string]int{}, posted: map[string]map[string]any{}, ids: map[string]int64{},
		people: map[string]int64{"mara": 11, "kim": 12, "stranger": 13}, known: map[string]string{}, heads: map[string]string{}, held: map[int]string{},
	}
	s.server.AddUser("ada", 14, "User") // an admin
	s.server.Grant(s.repo, "ada", "admin")
	s.people["ada"] = 14
	s.server.AddUser("noor", 15, "User") // a second maintainer
	s.server.Grant(s.repo, "noor", "write")
	s.people["noor"] = 15
	s.head(s.server.Head(s.repo, "main"))
	return s
}

func (s *story) fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("line %d: %s", s.line, fmt.Sprintf(format, args...))
}

// words splits a line of a story; "..." is one word. A line that starts with
// # is for people.
func (s *story) words(line string) []string {
	var out []string
	rest := strings.TrimSpace(line)
	if strings.HasPrefix(rest, "#") {
		return nil
	}
	for rest != "" {
		word, after := rest, ""
		if rest[0] == '"' {
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				s.fatalf("a quote is not closed")
			}
			word, after = rest[1:1+end], rest[end+2:]
		} else if end := strings.IndexAny(rest, " \t"); end >= 0 {
			word, after = rest[:end], rest[end:]
		}
		out, rest = append(out, word), strings.TrimSpace(after)
	}
	return out
}

// takes holds the number of a step's words against what it takes.
func (s *story) takes(words []string, least, most int) {
	s.t.Helper()
	if len(words) < least || len(words) > most {
		s.fatalf("the step takes %d to %d words and has %q", least, most, words)
	}
}

// data is a file of the story.
func (s *story) data(name string) string {
	for _, f := range s.file.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	s.fatalf("the story has no file %s", name)
	return ""
}

// folder are the files below a folder of the story, by their path in it.
func (s *story) folder(name string) map[string]string {
	out := map[string]string{}
	for _, f := range s.file.Files {
		if path, ok := strings.CutPrefix(f.Name, name+"/"); ok {
			out[path] = s.real(string(f.Data))
		}
	}
	if len(out) == 0 {
		s.fatalf("the story has no file below %s/", name)
	}
	return out
}

// golden holds what was said against a file of the story, or writes it.
func (s *story) golden(name, got string) {
	s.t.Helper()
	got = s.told(got)
	at := slices.IndexFunc(s.file.Files, func(f txtar.File) bool { return f.Name == name })
	if *update {
		if at < 0 {
			s.file.Files = append(s.file.Files, txtar.File{Name: name})
			at = len(s.file.Files) - 1
		}
		s.changed = s.changed || string(s.file.Files[at].Data) != got
		s.file.Files[at].Data = []byte(got)
		return
	}
	if want := s.data(name); got != want {
		s.t.Errorf("line %d: %s is\n%s\nwant\n%s\nlog of the last run:\n%s", s.line, name, got, want, s.last.log)
	}
}

// real puts the ids that lessons have in this run in place of their names.
func (s *story) real(text string) string {
	for id, name := range s.known {
		text = strings.ReplaceAll(text, name, id)
	}
	return text
}

var (
	hiddenTag   = regexp.MustCompile(`(?m)^(<!-- familiar:status v1 \S+) [0-9a-f]{64} -->$`)
	hiddenState = regexp.MustCompile(`(?m)^<!-- familiar:state v1 \S+ [0-9a-f]{64} -->$`)
	hiddenMark  = regexp.MustCompile(`(?m)^(<!-- familiar:(?:finding|reply|waits) v1) .*-->$`)
	shortCommit = regexp.MustCompile("`([0-9a-f]{7,40})`|(?:\\bat)\\s[0-9a-f]{10}\\b")
	anArtifact  = regexp.MustCompile(`\b((?:artifact|container)s?,?) (\d+)`)
	aDay        = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b`)
	aComment    = regexp.MustCompile(`#(issuecomment-|discussion(?:_|%5F)r)\d+`)
)

// told makes what was said the same in every run.
func (s *story) told(text string) string {
	text = hiddenTag.ReplaceAllString(text, "$1 TAG -->")
	text = hiddenState.ReplaceAllString(text, "<!-- familiar:state v1 STATE -->")
	text = hiddenMark.ReplaceAllString(text, "$1 MARK -->")
	text = documentID.ReplaceAllStringFunc(text, s.name)
	text = shortCommit.ReplaceAllStringFunc(text, func(m string) string {
		sha := strings.Trim(strings.TrimSpace(strings.TrimPrefix(m, "at")), "`")
		for full, name := range s.heads {
			if strings.HasPrefix(full, sha) {
				return strings.Replace(m, sha, name, 1)
			}
		}
		return m
	})
	text = aComment.ReplaceAllString(text, "#${1}1")
	text = anArtifact.ReplaceAllString(text, "$1 4242")
	if s.runner.clock == nil { // the machine's day
		text = aDay.ReplaceAllString(text, "2026-11-02")
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// name is what a lesson is called in the story.
func (s *story) name(id string) string {
	if slices.Contains(lessonNames, id) || id == "m-00000000" {
		return id
	}
	if s.known[id] == "" {
		if len(s.known) == len(lessonNames) {
			s.fatalf("more lessons than names for them")
		}
		s.known[id] = lessonNames[len(s.known)]
	}
	return s.known[id]
}

// head gives a commit its name in the story.
func (s *story) head(sha string) {
	if s.heads[sha] == "" {
		s.heads[sha] = fmt.Sprintf("commit-%d", len(s.heads))
	}
}

// here runs the action in this process, as the container would, at a time.
func here(dir string, environ []string, now time.Time) (log string, status int) {
	env := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	var out bytes.Buffer
	status = RunAction(context.Background(), Env{
		Stdout: &out, Stderr: &out, Getenv: func(name string) string { return env[name] }, Dir: dir, Now: now,
	}, environ)
	return out.String(), status
}
