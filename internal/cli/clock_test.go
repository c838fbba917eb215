package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// TestOneMachineWhoseClockIsWrongLosesNothing has one runner do all that a run
// stores a time of, by a clock that is minutes, hours or years off, between
// runs whose clocks are right. A time later than its container is refused with
// its row (page 4.4), so what is dated by the machine would be lost.
func TestOneMachineWhoseClockIsWrongLosesNothing(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, skew := range map[string]time.Duration{
		"twenty minutes ahead": 20 * time.Minute, "a day and two hours ahead": 26 * time.Hour, "nine years ahead": 9 * year,
		"a day and two hours behind": -26 * time.Hour, "nine years behind": -9 * year,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			r.server.SetNow(githubtest.Epoch)
			right := r.server.Now
			wrong := func() time.Time { return r.server.Now().Add(skew) }
			r.clock = right
			id := r.oneLesson()
			issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "More", Author: "mara"})
			must := func(got stepResult, outcome string) {
				t.Helper()
				if got.status != 0 || outcome != "" && got.outputs["outcome"] != outcome {
					t.Fatalf("exit %d, outputs %v\n%s\n%s", got.status, got.outputs, got.log, got.summary)
				}
			}
			must(r.comment(issue, "mara", "@familiar remember the ledger closes on Fridays\nuntil: 2027-01-01\nclass: ephemeral"), "commands_applied")
			r.server.Advance(2 * time.Hour)
			p := r.pull("mara", map[string]string{"services/retry.go": retry})

			r.clock = wrong
			must(r.opened(p, "mara"), "reviewed") // which notes the day of use
			r.newRun("pull_request_target")
			j := r.newJob(r.key)
			prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
			must(prepared, "")
			j.writes(prepared, result(t, []string{"services/retry.go"}, nil, &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{{
				Key: "repo/lumen/ledger/conventions/waits", Summary: "Waits of services have a limit.", Scope: "repo", Approval: contract.ApprovalPending}}}))
			published := j.does(p, "mara", map[string]string{"operation": "publish"})
			must(published, "reviewed")
			if published.outputs["memory-pending"] != "1" {
				t.Fatalf("nothing waits: %v\n%s", published.outputs, published.log)
			}
			before := r.lessonStates()
			must(r.scheduled(), "")
			must(r.comment(issue, "mara", "@familiar remember to be forgotten"), "commands_applied")
			must(r.comment(issue, "mara", "@familiar forget "+r.idOf("to be forgotten")), "commands_applied")
			must(r.comment(issue, "mara", "@familiar keep "+id), "commands_applied")
			must(r.scheduled(), "")

			r.clock = right
			r.server.Advance(time.Minute)
			must(r.comment(issue, "mara", "@familiar remember one more"), "commands_applied") // loads what the others saved, and saves it
			got := slices.DeleteFunc(r.lessonStates(), func(s string) bool { return strings.HasSuffix(s, "one more") || strings.Contains(s, "tombstoned") })
			if !slices.Equal(got, before) {
				t.Errorf("the store holds\n%s\nbefore the wrong clock it held\n%s", strings.Join(got, "\n"), strings.Join(before, "\n"))
			}
			if due := r.server.Now().AddDate(0, 0, 1); r.erasedAfter(due) {
				t.Errorf("what is later than %s counts as holding an erased text", due)
			}
		})
	}
}

// containers are those that live, of both names.
func (r *runner) containers() []githubtest.Artifact {
	return slices.Concat(r.server.Artifacts(r.repo, memoryName), r.server.Artifacts(r.repo, memoryName+"-again"))
}

// newestStore opens the newest container.
func (r *runner) newestStore() *store.Store {
	r.t.Helper()
	newest := slices.MaxFunc(r.containers(), func(a, b githubtest.Artifact) int { return int(a.ID - b.ID) })
	keys, err := vault.ParseKeys(r.key)
	if err != nil {
		r.t.Fatal(err)
	}
	opened, err := vault.Open(newest.Data, keys, vault.Expect{RepositoryID: r.id, AnyStore: true, ListedAt: newest.CreatedAt})
	if err != nil {
		r.t.Fatal(err)
	}
	path := filepath.Join(r.t.TempDir(), "store.db")
	if err := os.WriteFile(path, opened.SQLite, 0o600); err != nil {
		r.t.Fatal(err)
	}
	st, err := store.Open(context.Background(), path, store.Identity{RepositoryID: r.id, Owner: "lumen", Name: "ledger"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = st.Close() }) // a copy
	return st
}

// lessonStates are the lessons of the newest container, sorted.
func (r *runner) lessonStates() (out []string) {
	r.t.Helper()
	all, err := r.newestStore().List(context.Background(), store.Filter{States: memory.States()})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range all {
		out = append(out, fmt.Sprintf("%s %s: %s", v.ID(), v.State, v.Text))
	}
	slices.Sort(out)
	return out
}

// idOf is the document whose text the newest container holds.
func (r *runner) idOf(text string) string {
	r.t.Helper()
	for _, line := range r.lessonStates() {
		if strings.HasSuffix(line, ": "+text) {
			return documentID.FindString(line)
		}
	}
	r.t.Fatalf("no lesson %q", text)
	return ""
}

// erasedAfter says whether the store holds containers that are made after a
// time for such as may hold a text that was erased.
func (r *runner) erasedAfter(at time.Time) bool {
	r.t.Helper()
	erased, ok, err := r.newestStore().Register(context.Background(), "erased")
	if err != nil {
		r.t.Fatal(err)
	}
	return ok && erased.At.After(at)
}
