package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// What a story holds against what it expects.
func checkSteps() map[string]storyStep {
	return map[string]storyStep{
		"outcome": (*story).isOutcome, "output": (*story).isOutput, "shows": (*story).shows, "reactions": (*story).isReactions,
		"lines": (*story).isLines, "labels": (*story).isLabels, "memory": (*story).isMemory, "containers": (*story).isContainers,
		"log": (*story).inLog, "summary": (*story).inSummary, "silent": (*story).isSilent,
	}
}

func (s *story) isOutcome(w []string) {
	s.takes(w, 1, 1)
	s.isOutput([]string{"outcome", w[0]})
}

func (s *story) isOutput(w []string) {
	s.takes(w, 2, 2)
	if got := s.told(s.last.outputs[w[0]]); got != w[1]+"\n" {
		s.t.Errorf("line %d: the output %s is %q, want %q\n%s", s.line, w[0], got, w[1], s.last.log)
	}
}

// shows holds all that the action said on a thread: THREAD FILE. Comments are
// separated by a line of dashes.
func (s *story) shows(w []string) {
	s.takes(w, 2, 2)
	n := s.thread(w[0])
	s.held[n] = s.said(n)
	s.golden(w[1], s.held[n])
}

// statusFirst puts the status comment before the replies: those of one run
// come in no certain order.
func statusFirst(bodies []string) []string {
	out := slices.Clone(bodies)
	slices.SortStableFunc(out, func(a, b string) int {
		isStatus := func(body string) int { return strings.Index(body, "<!-- familiar:status") }
		return cmp.Compare(isStatus(b), isStatus(a))
	})
	return out
}

// isReactions holds the reactions of the action to a comment: NAME "eyes rocket".
func (s *story) isReactions(w []string) {
	s.takes(w, 2, 2)
	var got []string
	for _, r := range s.server.Reactions(s.commentID(w[0])) {
		if content, ok := strings.CutPrefix(r, s.author()+":"); ok {
			got = append(got, content)
		}
	}
	if strings.Join(got, " ") != w[1] {
		s.t.Errorf("line %d: the reactions to %s are %q, want %q\n%s", s.line, w[0], strings.Join(got, " "), w[1], s.last.log)
	}
}

// isLines holds the comments on lines: PULL FILE.
func (s *story) isLines(w []string) {
	s.takes(w, 2, 2)
	var b strings.Builder
	for _, c := range s.server.PullComments(s.repo, s.thread(w[0])) {
		place := fmt.Sprintf("%s:%d", c.Path, c.Line)
		if c.Line == 0 { // the line is not in the change any more
			place = c.Path + ", outdated"
		}
		fmt.Fprintf(&b, "%s on %s\n%s\n\n", c.Author, place, strings.TrimRight(c.Body, "\n"))
	}
	if b.Len() == 0 {
		b.WriteString("(none)\n")
	}
	s.golden(w[1], b.String())
}

// isLabels holds the labels of a thread: THREAD LABEL...
func (s *story) isLabels(w []string) {
	s.takes(w, 1, 20)
	if got := s.server.Labels(s.repo, s.thread(w[0])); !slices.Equal(got, w[1:]) && len(got)+len(w[1:]) > 0 {
		s.t.Errorf("line %d: the labels of %s are %q, want %q", s.line, w[0], got, w[1:])
	}
}

// isMemory holds what the newest container remembers: FILE.
func (s *story) isMemory(w []string) {
	s.takes(w, 1, 1)
	s.golden(w[0], s.remembered())
}

func (s *story) remembered() string {
	st := s.newestStore()
	if st == nil {
		return "(no memory)"
	}
	defer func() { _ = st.Close() }() // a copy
	all, err := st.List(context.Background(), store.Filter{States: memory.States()})
	if err != nil {
		s.fatalf("%v", err)
	}
	slices.Reverse(all) // the first one first
	for _, v := range all {
		s.name(v.DocumentID)
	}
	slices.SortStableFunc(all, func(a, b memory.Version) int { // what one event stored has no order of its own
		return cmp.Compare(slices.Index(lessonNames, s.name(a.DocumentID)), slices.Index(lessonNames, s.name(b.DocumentID)))
	})
	var lines []string
	for _, v := range all {
		lines = append(lines, fmt.Sprintf("%s %s %s, %s: %s", v.ID(), v.State, v.Class, cmp.Or(v.Creator.Login, "nobody"), v.Text))
	}
	// Those of one second come in the order of their ids, which differ.
	slices.SortStableFunc(lines, func(a, b string) int {
		named := func(line string) int { return slices.Index(lessonNames, s.name(documentID.FindString(line))) }
		return cmp.Compare(named(a), named(b))
	})
	denied, err := st.Denied(context.Background())
	if err != nil {
		s.fatalf("%v", err)
	}
	for _, d := range denied {
		lines = append(lines, "denied: "+d)
	}
	if len(lines) == 0 {
		return "(no lesson)"
	}
	return strings.Join(lines, "\n")
}

// newestStore opens the newest container; nil if there is none.
func (s *story) newestStore() *store.Store {
	var newest *githubtest.Artifact
	for _, name := range []string{"familiar-memory-501", "familiar-memory-501-again"} {
		for _, a := range s.server.Artifacts(s.repo, name) {
			if newest == nil || a.ID > newest.ID {
				newest = &a
			}
		}
	}
	if newest == nil {
		return nil
	}
	keys, err := vault.ParseKeys(s.runner.key)
	if err != nil {
		s.fatalf("%v", err)
	}
	opened, err := vault.Open(newest.Data, keys, vault.Expect{RepositoryID: 501, AnyStore: true, ListedAt: newest.CreatedAt})
	if err != nil {
		s.fatalf("the newest container does not open: %v", err)
	}
	path := filepath.Join(s.t.TempDir(), "store.db")
	if err := os.WriteFile(path, opened.SQLite, 0o600); err != nil {
		s.fatalf("%v", err)
	}
	owner, name, _ := strings.Cut(s.repo, "/")
	st, err := store.Open(context.Background(), path, store.Identity{RepositoryID: 501, Owner: owner, Name: name, InstallationID: opened.Manifest.InstallationID})
	if err != nil {
		s.fatalf("%v", err)
	}
	return st
}

func (s *story) isContainers(w []string) {
	s.takes(w, 1, 1)
	n := len(s.server.Artifacts(s.repo, "familiar-memory-501")) + len(s.server.Artifacts(s.repo, "familiar-memory-501-again"))
	if fmt.Sprint(n) != w[0] {
		s.t.Errorf("line %d: %d containers, want %s", s.line, n, w[0])
	}
}

func (s *story) inLog(w []string) { s.takes(w, 1, 1); s.contains("the log", s.last.log, w[0]) }
func (s *story) inSummary(w []string) {
	s.takes(w, 1, 1)
	s.contains("the summary", s.last.summary, w[0])
}

func (s *story) contains(what, text, part string) {
	s.t.Helper()
	if !strings.Contains(s.told(text), part) {
		s.t.Errorf("line %d: %s does not say %q:\n%s", s.line, what, part, text)
	}
}

// isSilent holds that the last run asked GitHub nothing.
func (s *story) isSilent(w []string) {
	s.takes(w, 0, 0)
	if n := s.server.Calls(); n > 0 {
		s.t.Errorf("line %d: %d calls\n%s", s.line, n, s.last.log)
	}
}

// gallery shows files of the story in docs/gallery.md: FILE TITLE [ABOUT].
// The gallery reads the line itself; here the file must be there.
func (s *story) gallery(w []string) {
	s.takes(w, 2, 3)
	if f := s.data(w[0]); strings.TrimSpace(f) == "" {
		s.fatalf("%s is empty", w[0])
	}
}
