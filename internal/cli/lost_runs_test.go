package cli

import (
	"cmp"
	"context"
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
	for seed := range uint64(6) {
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
			if got := afterRuns(t, runs); got != want {
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
	st := s.newestStore()
	info, err := st.Info(context.Background())
	if err := cmp.Or(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	s.known = map[string]string{}
	for i, c := range lostCommands {
		s.post([]string{fmt.Sprint(i), c.thread, c.login, "=" + c.body})
		if i < 3 { // the ids of lessons follow from their comments
			cause := memory.NewCause("issue_comment", "501", fmt.Sprint(s.ids[fmt.Sprint(i)]), "1", "")
			s.known[memory.NewDocumentID(info.StoreID, cause, 1)] = lessonNames[i]
		}
	}
	for _, i := range runs {
		s.runPosted([]string{fmt.Sprint(i)})
	}
	s.runSweep(nil)
	var lines []string
	for _, line := range strings.Split(s.remembered(), "\n") {
		lines = append(lines, documentID.ReplaceAllString(line, "m-x"))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
