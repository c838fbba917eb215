package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// remoteLesson is what `familiar memory list --json` says of one.
type remoteLesson struct{ ID, Key, State, Text, Class string }

// remotely is a repository with lessons of mara's that wait for every verb, and
// two proposals, by the word that each says.
func remotely(t *testing.T) (r *runner, token string, ids map[string]string) {
	t.Helper()
	r = newRunner(t)
	r.server.Grant(r.repo, "mara", "admin")
	r.server.Grant(r.repo, "kim", "write")
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	words := []string{"edited", "kept", "retired", "forgotten", "redacted", "purged", "denied"}
	var commands []string
	for _, w := range words {
		commands = append(commands, "@familiar remember the lesson that is "+w+"\nkey: lessons/"+w)
	}
	r.ok(r.comment(issue, "mara", strings.Join(commands, "\n")))
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	r.newRun("pull_request_target")
	j := r.newJob(r.key)
	prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
	j.writes(prepared, result(t, []string{"services/retry.go"}, nil, &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{
		{Key: "repo/lumen/ledger/lessons/approved", Summary: "the lesson that is approved", Scope: "repo", Approval: contract.ApprovalPending},
		{Key: "repo/lumen/ledger/lessons/rejected", Summary: "the lesson that is rejected", Scope: "repo", Approval: contract.ApprovalPending},
	}}))
	r.ok(j.does(p, "mara", map[string]string{"operation": "publish"}))
	token = r.server.UserToken("mara", "contents:read", "actions:write")
	ids = map[string]string{}
	for _, l := range r.listed(token) {
		_, word, _ := strings.Cut(l.Text, "the lesson that is ")
		ids[word], _, _ = strings.Cut(l.ID, "@")
	}
	if len(ids) != len(words)+2 {
		t.Fatalf("lessons %v", ids)
	}
	return r, token, ids
}

// listed is all that a repository's memory holds, as its owner reads it.
func (r *runner) listed(token string) []remoteLesson {
	r.t.Helper()
	out, status := r.memory(token, r.key, "list", "--all", "--json", "--repo", r.repo)
	var list struct{ Lessons []remoteLesson }
	if err := json.Unmarshal([]byte(out), &list); err != nil || status != 0 {
		r.t.Fatalf("%v, exit %d\n%s", err, status, out)
	}
	return list.Lessons
}

// TestEveryVerbOnAMemoryOfARepository starts the workflow for each verb that
// changes something, side by side, as a team may: each is done once and by
// nobody whom it does not belong to. No key is needed where one asks.
func TestEveryVerbOnAMemoryOfARepository(t *testing.T) {
	t.Parallel()
	r, mara, ids := remotely(t)
	r.server.AddWorkflow(githubtest.Workflow{Repo: r.repo, File: "familiar.yml", Inputs: []string{"operation", "arguments", "dry-run"},
		Run: func(d githubtest.Dispatched) (string, string) {
			mine := *r // each in a job of its own
			mine.next, mine.tokens = d.RunID, nil
			got := mine.step(t.TempDir(), 1, "workflow_dispatch", d.Actor, map[string]any{
				"repository": r.repository(), "sender": r.user(d.Actor), "inputs": d.Inputs, "ref": "refs/heads/" + d.Ref, "workflow": workflow,
			}, d.Inputs)
			if got.status != 0 {
				return got.log, "failure"
			}
			return got.log, "success"
		}})
	type verb struct {
		token, says string
		status      int
		args        []string
	}
	kim := r.server.UserToken("kim", "contents:read", "actions:write")
	asks := func(verbs ...verb) {
		t.Helper()
		var group sync.WaitGroup
		for _, v := range verbs {
			group.Go(func() {
				out, status := r.memory(v.token, "", append(v.args, "--repo", r.repo)...)
				if said := strings.Join(strings.Fields(out), " "); status != v.status || !strings.Contains(said, v.says) {
					t.Errorf("memory %v: exit %d, want %d saying %q\n%s", v.args, status, v.status, v.says, out)
				}
			})
		}
		group.Wait()
	}
	const key = "repo/lumen/ledger/lessons/denied"
	asks(
		verb{mara, "It is in use from now on.", 0, []string{"approve", ids["approved"]}},
		verb{mara, "It will not be used.", 0, []string{"reject", ids["rejected"]}},
		verb{mara, "It has the new words.", 0, []string{"edit", ids["edited"], "the", "lesson", "in", "other", "words"}},
		verb{mara, "It stays.", 0, []string{"keep", ids["kept"], "--class", "durable"}},
		verb{kim, "It is out of use; its text is kept.", 0, []string{"retire", ids["retired"]}},
		verb{kim, "This lesson belongs to mara", ExitFailed, []string{"forget", ids["kept"], "--yes"}},
		verb{kim, "takes the standing of an admin", ExitFailed, []string{"purge", ids["kept"], "--yes"}},
		verb{mara, "Its text is gone from the store.", 0, []string{"forget", ids["forgotten"], "--yes"}},
		verb{mara, "Its text is gone from the store.", 0, []string{"redact", ids["redacted"], "--yes"}},
		verb{mara, "It is gone from the store with all that was known of it", 0, []string{"purge", ids["purged"], "--yes"}},
		verb{mara, "Nothing there is read or written any more", 0, []string{"revoke", key, "--yes"}},
		verb{mara, "nothing stands in its way", 0, []string{"recover"}},
		verb{mara, "a file cannot be handed to a repository's workflow", ExitUsage, []string{"import", "lessons.jsonl"}},
		verb{mara, "No lesson of this repository has the id", ExitFailed, []string{"retire", "m-00000000"}},
	)
	got := map[string]string{}
	for _, l := range r.listed(mara) {
		got[l.Text+" "+l.State+" "+l.Class] += "*"
	}
	for _, want := range []string{
		"the lesson that is approved active standard", "the lesson that is rejected rejected standard", "the lesson that is edited superseded standard",
		"the lesson in other words active standard", "the lesson that is kept active durable", "the lesson that is retired deprecated standard",
		"the lesson that is denied active standard",
	} {
		if got[want] != "*" {
			t.Errorf("%q stands there %d times, want once", want, len(got[want]))
		}
		delete(got, want)
	}
	if len(got) != 0 {
		t.Errorf("beside those there are %v, want nothing of what was forgotten, redacted and purged", got)
	}

	// What only reads downloads, and a snapshot is a file of the person who asks.
	file := filepath.Join(t.TempDir(), "memory.zip")
	if out, status := r.memory(mara, r.key, "snapshot", file, "--repo", r.repo); status != 0 {
		t.Fatalf("snapshot: exit %d\n%s", status, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	run := r.server.AddRun(githubtest.Run{Repo: r.repo, Name: "familiar", Path: workflow, Event: "workflow_dispatch", HeadBranch: "main", HeadSHA: r.server.Head(r.repo, "main"), Actor: "mara"})
	kept := r.server.AddArtifact(githubtest.Artifact{Repo: r.repo, Name: "familiar-snapshot-501", Run: run.ID, Data: data})
	asks(
		verb{mara, "done. Lifted: repo/lumen/ledger/lessons/denied.", 0, []string{"unrevoke", key}},
		verb{mara, "What was forgotten or denied since stays so.", 0, []string{"restore", itoa(kept), "--yes"}},
		verb{mara, "There is no artifact 4 here any more", ExitFailed, []string{"restore", "4", "--yes"}},
		verb{mara, "There is a store that opens", ExitFailed, []string{"recover", "--accept-empty", "--yes"}},
	)
	if out, status := r.memory(mara, r.key, "verify", "--repo", r.repo); status != 0 {
		t.Errorf("verify: exit %d\n%s", status, out)
	}
	report := filepath.Join(t.TempDir(), "memory.html")
	if out, status := r.memory(mara, r.key, "report", "-o", report, "--repo", r.repo); status != 0 || !strings.Contains(read(t, report), "the lesson in other words") {
		t.Errorf("report: exit %d\n%s", status, out)
	}
}
