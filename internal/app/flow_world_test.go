package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/store"
)

var (
	flowNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	mara    = memory.Principal{ID: 7, Login: "mara"}
)

// story is what a txtar file tells before it is run.
type story struct {
	facts    map[string]string
	sections map[string]string
	before   map[string]string // the repository at the base
	after    map[string]string // files that the change writes
}

// knownFacts are the lines that the section facts may have.
var knownFacts = map[string]bool{"cap": true, "memory": true, "dry-run": true, "exit": true, "repository": true, "delete": true}

func readStory(t *testing.T, a *txtar.Archive) *story {
	s := &story{facts: map[string]string{}, sections: map[string]string{}, before: map[string]string{}, after: map[string]string{}}
	for _, f := range a.Files {
		if path, ok := strings.CutPrefix(f.Name, "before/"); ok {
			s.before[path] = string(f.Data)
			continue
		}
		if path, ok := strings.CutPrefix(f.Name, "after/"); ok {
			s.after[path] = string(f.Data)
			continue
		}
		switch f.Name {
		case "facts", "taught", "result.json", "decisions", "actions.jsonl", "comment.md", "store":
			s.sections[f.Name] = string(f.Data)
		default:
			t.Fatalf("unknown section %q", f.Name)
		}
	}
	for line := range strings.Lines(s.sections["facts"]) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || !knownFacts[name] {
			t.Fatalf("facts: %q is none of %v", line, knownFacts)
		}
		s.facts[name] = value
	}
	return s
}

// world is a story come to life: a real clone, a real store file.
type world struct {
	clone   *Clone
	request LocalRequest
	result  []byte
	secrets map[string]string
	names   *stableNames
}

func (s *story) build(t *testing.T) *world {
	repository := s.facts["repository"]
	if repository == "" {
		repository = "acme/shop"
	}
	dir := newRepository(t, "https://github.com/"+repository+".git")
	commit(t, dir, s.before, "What was there")
	for _, path := range strings.Fields(s.facts["delete"]) {
		if err := os.Remove(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, dir, s.after, "The change")

	w := &world{clone: openClone(t, dir), names: &stableNames{}, secrets: generatedSecrets()}
	stores := Stores{Home: file.New(filepath.Join(t.TempDir(), "memory.db")), Identity: w.clone.Identity, Now: flowNow}
	w.request = LocalRequest{
		Clone: w.clone, Stores: &stores, Trust: contract.TrustScope(s.facts["cap"]),
		Now: flowNow, Operator: mara, DryRun: s.facts["dry-run"] == "yes", Timeout: time.Minute,
	}
	w.teach(t, s.sections["taught"])
	switch s.facts["memory"] {
	case "":
	case "not asked for":
		w.request.Stores = nil
	case "of another repository":
		w.request.Stores = w.foreignStore(t)
	case "damaged":
		overwrite(t, stores.Home.Path(), "this was a store once")
	default:
		t.Fatalf("facts: memory: %q is not known", s.facts["memory"])
	}
	s.hire(t, w)
	return w
}

// hire sets the reviewer: one that ends with the story's raw result, or the
// rules.
func (s *story) hire(t *testing.T, w *world) {
	raw, ok := s.sections["result.json"]
	if !ok {
		return
	}
	for name, secret := range w.secrets {
		raw = strings.ReplaceAll(raw, "{{"+name+"}}", secret)
	}
	w.result = []byte(raw)
	dir := t.TempDir()
	overwrite(t, filepath.Join(dir, "result.json"), raw)
	exit := s.facts["exit"]
	if exit == "" {
		exit = "0"
	}
	overwrite(t, filepath.Join(dir, "reviewer.sh"), "cp \"$1\" \"$6\"\nexit "+exit+"\n")
	w.request.Reviewer = runtime.Exec
	w.request.Command = []string{"/bin/sh", filepath.Join(dir, "reviewer.sh"), filepath.Join(dir, "result.json")}
}

// generatedSecrets are made at run time, so that no scanner takes this file
// for a leak.
func generatedSecrets() map[string]string {
	return map[string]string{
		"token": "gh" + "p_" + "k9Qw2Zt7Lm4Xv8Rb1Nc6Hd3Js5Fg0PyTuA" + "e2",
		"email": "mara.lindqvist" + "@" + "shop-mail.se",
	}
}

// teach performs the commands of the section taught, in their order.
// {{lesson N}} stands for the id of the Nth lesson.
func (w *world) teach(t *testing.T, section string) {
	var ids []string
	for i, block := range commandBlocks(section) {
		for n, id := range ids {
			block = strings.ReplaceAll(block, fmt.Sprintf("{{lesson %d}}", n+1), id)
		}
		parsed := intent.Parse(block, intent.Options{})
		if len(parsed) != 1 || parsed[0].Problem != "" {
			t.Fatalf("taught: %q is not one good command: %+v", block, parsed)
		}
		in, at := parsed[0], flowNow.Add(-time.Hour).Add(time.Duration(i)*time.Minute)
		if _, decides := operations[in.Verb]; decides {
			decided, err := Decide(t.Context(), DecideRequest{Stores: *w.request.Stores, Intent: in, Operator: mara, Now: at})
			if err != nil || len(decided) != 1 || decided[0].Refused != nil {
				t.Fatalf("taught: %q: %+v %v", block, decided, err)
			}
			continue
		}
		taught, refused, err := Teach(t.Context(), TeachRequest{Clone: w.clone, Stores: *w.request.Stores, Intent: in, Operator: mara, Now: at})
		if err != nil || refused != nil {
			t.Fatalf("taught: %q: %+v %v", block, refused, err)
		}
		ids = append(ids, taught.Version.DocumentID)
		w.names.stable(taught.Version.DocumentID)
	}
}

// commandBlocks cuts the section at each command line.
func commandBlocks(section string) []string {
	var out []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "/familiar ") {
			out = append(out, "")
		}
		if len(out) > 0 {
			out[len(out)-1] += line
		}
	}
	return out
}

// foreignStore is a store file that belongs to another repository.
func (w *world) foreignStore(t *testing.T) *Stores {
	theirs := w.clone.Identity
	theirs.RepositoryID++
	stores := Stores{Home: file.New(filepath.Join(t.TempDir(), "theirs.db")), Identity: theirs, Now: flowNow}
	parsed := intent.Parse("/familiar remember Their secret plan is to sleep", intent.Options{})
	if _, refused, err := Teach(t.Context(), TeachRequest{Clone: w.clone, Stores: stores, Intent: parsed[0], Operator: mara, Now: flowNow}); refused != nil || err != nil {
		t.Fatal(refused, err)
	}
	stores.Identity = w.clone.Identity
	return &stores
}

// storeBytes is the store's file as it lies there; nil if there is none.
func (w *world) storeBytes(t *testing.T) []byte {
	if w.request.Stores == nil {
		return nil
	}
	data, err := os.ReadFile(w.request.Stores.Home.Path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// describeStore lists what the store holds, in the order of keys and texts.
func (w *world) describeStore(t *testing.T) string {
	if w.request.Stores == nil {
		return "not opened\n"
	}
	var b strings.Builder
	err := w.request.Stores.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		if st == nil {
			b.WriteString("none\n")
			return nil
		}
		versions, err := st.List(ctx, store.Filter{})
		if err != nil {
			return err
		}
		slices.SortFunc(versions, func(a, b memory.Version) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Text, b.Text)) })
		for _, v := range versions {
			fmt.Fprintf(&b, "%s %s %s: %s\n", v.ID(), v.State, v.Key, v.Text)
			if v.Approved != "" {
				fmt.Fprintf(&b, "  %s by %s\n", v.Approved, v.ConfirmedBy.Login)
			}
			if v.LastUsed != "" {
				fmt.Fprintf(&b, "  last used %s\n", v.LastUsed)
			}
		}
		counts, err := st.Counts(ctx)
		fmt.Fprintf(&b, "%d active, %d pending, %d forgotten\n", counts.Active, counts.Pending, counts.Tombstoned)
		return err
	})
	if err != nil {
		fmt.Fprintf(&b, "refused: %s\n", store.KindOf(err))
	}
	return b.String()
}

// stableNames replaces what is random from store to store and where it lies:
// ids become m-1, m-2 in the order in which they are first seen, digests
// key-1, key-2, paths their last element.
type stableNames struct{ ids, keys []string }

var (
	shortID = regexp.MustCompile(`\bm-[0-9a-hjkmnp-tv-z]{8}\b`)
	longKey = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	tempDir = regexp.MustCompile(`/\S*/(memory|theirs)\.db`)
)

func (n *stableNames) stable(s string) string {
	s = shortID.ReplaceAllStringFunc(s, func(id string) string { return fmt.Sprintf("m-%d", numbered(&n.ids, id)) })
	s = longKey.ReplaceAllStringFunc(s, func(key string) string { return fmt.Sprintf("key-%d", numbered(&n.keys, key)) })
	return tempDir.ReplaceAllString(s, "$1.db")
}

func numbered(seen *[]string, s string) int {
	for i, have := range *seen {
		if have == s {
			return i + 1
		}
	}
	*seen = append(*seen, s)
	return len(*seen)
}

// newRepository makes an empty repository whose commits are the same on
// every machine.
func newRepository(t *testing.T, remote string) string {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main", "--object-format=sha1")
	if remote != "" {
		git(t, dir, "remote", "add", "origin", remote)
	}
	return dir
}

func openClone(t *testing.T, dir string) *Clone {
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = clone.Close() })
	return clone
}

// commit writes files and commits everything; it returns the commit.
func commit(t *testing.T, dir string, files map[string]string, subject string) string {
	for path, data := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		overwrite(t, full, data)
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", subject)
	return strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
}

func overwrite(t *testing.T, path, data string) {
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2026-11-30T11:00:00Z",
		"GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=2026-11-30T11:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}
