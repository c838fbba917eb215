package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
)

// lostCommands are one history, each command on one of two threads. Lessons
// are named by their place in it: m-7f3k2q8a is that of the first command.
var lostCommands = []struct{ thread, login, body string }{
	{"one", "mara", "@familiar remember Amounts are in minor units.\nkey: lessons/amounts"},
	{"one", "noor", "@familiar remember Retries end after three times.\nkey: lessons/retries"},
	{"two", "mara", "@familiar never `panic(` in services/**\nkey: lessons/panics"},
	{"one", "noor", "@familiar edit m-7f3k2q8a Amounts are in dollars."}, // not theirs
	{"one", "mara", "@familiar edit m-7f3k2q8a Amounts are in the minor unit of the account."},
	{"two", "noor", "@familiar forget m-c41vz0pm\n@familiar list"}, // nor this
	{"one", "mara", "@familiar retire m-2xw9d4hc m-00000000"},      // partly
	{"one", "kim", "@familiar forget m-7f3k2q8a"},                  // may not
	{"two", "ada", "@familiar revoke lessons/panics"},
	{"one", "mara", "@familiar remember Handlers return early.\n@familiar keep m-7f3k2q8a"},
	{"two", "noor", "thanks, that helps"},
}

// TestLostAndReorderedRunsEndTheSame: whatever runs of a history GitHub drops
// or reorders, and however many wait behind one that is busy, the sweep brings
// the memory to where it is when no run was lost (page 6.1; A95, A96).
func TestLostAndReorderedRunsEndTheSame(t *testing.T) {
	t.Parallel()
	all := make([]int, len(lostCommands))
	for i := range all {
		all[i] = i
	}
	want := afterRuns(t, all)
	if strings.Count(want, "active") < 3 || !strings.Contains(want, "deprecated") || !strings.Contains(want, "denied") {
		t.Fatalf("the history leaves\n%s", want)
	}
	endTheSame(t, 6, all, want, afterRuns)
}

// endTheSame draws which runs of a history take place and in what order, once
// for each seed, and holds what each leaves.
func endTheSame(t *testing.T, seeds uint64, all []int, want string, after func(*testing.T, []int) string) {
	t.Helper()
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(20261130, seed))
		runs := slices.Clone(all)
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		switch seed % 3 {
		case 0: // without queue: max only the last of those that wait is kept
			runs = []int{runs[0], runs[len(runs)-1]}
		case 1: // some are lost
			runs = runs[:rng.IntN(len(runs))]
		}
		t.Run(fmt.Sprint(runs), func(t *testing.T) {
			t.Parallel()
			if got := after(t, runs); got != want {
				t.Errorf("after the runs %v\n%s\nwant\n%s", runs, got, want)
			}
		})
	}
}

// afterRuns writes all comments of the history, has the action run for some
// of them in an order, and tells what the memory is after a sweep.
func afterRuns(t *testing.T, runs []int) string {
	s := newStory(t, &txtar.Archive{})
	for _, name := range []string{"one", "two"} {
		s.threads[name] = s.server.AddIssue(githubtest.Issue{Repo: s.repo, Title: name, Author: "mara"})
	}
	// A memory is there: what is older than it is nobody's to take up.
	s.say([]string{"genesis", "one", "ada", "=@familiar remember The memory begins here."})
	s.known = map[string]string{}
	for i, c := range lostCommands {
		s.post([]string{fmt.Sprint(i), c.thread, c.login, "=" + c.body})
		if i < 3 { // the ids of lessons follow from their comments
			cause := memory.NewCause("issue_comment", "501", fmt.Sprint(s.ids[fmt.Sprint(i)]), "1", "")
			s.known[memory.NewDocumentID(501, cause, 1)] = lessonNames[i]
		}
	}
	for _, i := range runs {
		s.runPosted([]string{fmt.Sprint(i)})
	}
	lines := s.afterASweep()
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// lostWords are words about what is shown, each with the pull request on which
// it is spoken: a label, a comment, or a push that rewrites the comment.
var lostWords = []struct{ pull, step, login, word string }{
	{"one", "label", "noor", "familiar:approve"},
	{"two", "label", "mara", "familiar:reject"},
	{"three", "label", "kim", "familiar:approve"}, // who triages
	{"one", "push", "mara", "more"},
	{"four", "say", "noor", "@familiar approve all"},
	{"two", "push", "mara", "more"},
	{"four", "push", "mara", "more"},
	{"three", "say", "mara", "@familiar reject all"},
}

// TestLostAndReorderedRunsOfLabelsEndTheSame: the same for labels and words
// about all that is shown. Whichever run sees one first does it, and what it
// covers is what stood there when it was spoken.
func TestLostAndReorderedRunsOfLabelsEndTheSame(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	want := afterWords(t, all)
	if strings.Count(want, " active ") != 2 || strings.Count(want, " rejected ") != 2 || strings.Contains(want, "familiar:") {
		t.Fatalf("the words leave\n%s", want)
	}
	endTheSame(t, 3, all, want, afterWords)
}

// afterWords has everybody say their word, runs the action for some of them in
// an order, and tells what the memory and the labels are after a sweep.
func afterWords(t *testing.T, runs []int) string {
	s := newStory(t, txtar.Parse([]byte("-- change/services/a.go --\npackage services\n-- more/services/b.go --\npackage services\n")))
	pulls := []string{"one", "two", "three", "four"}
	for _, name := range pulls {
		said := fmt.Sprintf(`{"findings": [], "propose": {"conventions/%s": "What pull request %s taught."}}`, name, name)
		s.file.Files = append(s.file.Files, txtar.File{Name: name + ".json", Data: []byte(said)})
		s.openPull([]string{name, "mara", "change"})
		s.reviewWith([]string{name, "mara", name + ".json"})
	}
	s.advance([]string{"1m"})
	for i, w := range lostWords {
		switch w.step {
		case "label":
			s.putLabel([]string{w.pull, w.login, w.word})
		case "push":
			s.pushPull([]string{w.pull, w.word})
		case "say":
			s.post([]string{fmt.Sprint(i), w.pull, w.login, "=" + w.word})
		}
	}
	for _, i := range runs {
		switch w := lostWords[i]; w.step {
		case "label":
			s.runOpened([]string{w.pull, w.login, "labeled"})
		case "push":
			s.runOpened([]string{w.pull, w.login, "synchronize"})
		case "say":
			s.runPosted([]string{fmt.Sprint(i)})
		}
	}
	lines := s.afterASweep()
	for _, name := range pulls {
		lines = append(lines, name+" has "+strings.Join(s.server.Labels(s.repo, s.thread(name)), " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// afterASweep is what the memory is once a sweep came by, line by line and
// without ids.
func (s *story) afterASweep() []string {
	s.advance([]string{"6m"}) // until then a comment is left to its own run
	s.runSweep(nil)
	return strings.Split(documentID.ReplaceAllString(s.remembered(), "m-x"), "\n")
}
