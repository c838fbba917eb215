package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/review/record"
	"github.com/familiarhq/familiar/internal/vault"
)

const compareRoute = "GET /repos/{owner}/{repo}/compare/{basehead}"

// reviewJSON is the newest record of a pull request's head, as any tool would
// unpack it, and what it holds once its MAC is verified.
func (r *runner) reviewJSON(p githubtest.Pull) (string, record.Record) {
	r.t.Helper()
	all := r.server.Artifacts(r.repo, fmt.Sprintf("familiar-review-%d-%s", p.Number, p.HeadSHA[:12]))
	if len(all) == 0 {
		r.t.Fatalf("there is no record of pull request %d at %s", p.Number, p.HeadSHA)
	}
	if days := all[0].ExpiresAt.Sub(all[0].CreatedAt); days < 7*24*time.Hour-time.Minute || days > 7*24*time.Hour+time.Minute {
		r.t.Errorf("it is kept for %s", days)
	}
	packed := unzipped(r.t, all[0].Data)
	if len(packed) != 1 || packed[0].name != "review.json" {
		r.t.Fatalf("it holds %v", packed)
	}
	data := packed[0].data
	keys, err := vault.ParseKeys(r.key)
	if err != nil {
		r.t.Fatal(err)
	}
	rec, err := record.Open(data, keys)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, data)
	}
	return string(data), rec
}

// TestAReviewLeavesItsRecord: review.json says of a review by the whole binary
// what it was of and what came of it, in ids and digests (page 7.4).
func TestAReviewLeavesItsRecord(t *testing.T) {
	r := newRunner(t)
	id := r.oneLesson()
	left := r.server.Head(r.repo, "main")
	r.server.Push(r.repo, "main", map[string]string{"docs/later.md": "The default branch went on.\n"})
	p := r.pull("mara", twentyFiles(1))
	r.server.SetRef(r.repo, "heads/topic", left)
	r.server.PushPull(r.repo, p.Number, twentyFiles(1))
	p = r.server.Pull(r.repo, p.Number)
	if got := r.opened(p, "mara"); got.status != 0 || got.outputs["findings"] != "1" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	text, rec := r.reviewJSON(p)
	if rec.Run.Base != p.BaseSHA || rec.Run.MergeBase != left || rec.Run.Head != p.HeadSHA || p.BaseSHA == left {
		t.Errorf("base %s, merge base %s, head %s; want %s, %s, %s", rec.Run.Base, rec.Run.MergeBase, rec.Run.Head, p.BaseSHA, left, p.HeadSHA)
	}
	if rec.Run.Reviewer != "rules" || rec.Run.RunID != r.next || rec.Outcome != "reviewed" || rec.Coverage.Files != 20 || rec.Coverage.Reviewed != 20 || len(rec.Coverage.Changed) != 20 {
		t.Errorf("%+v, %s, %d of %d files", rec.Run, rec.Outcome, rec.Coverage.Reviewed, rec.Coverage.Files)
	}
	if len(rec.Candidates) != 1 || rec.Candidates[0].Verdict != record.Published || rec.Candidates[0].Finding != "F1" || len(rec.Lessons) != 1 || !strings.HasPrefix(rec.Lessons[0], id) {
		t.Errorf("%+v, lessons %v", rec.Candidates, rec.Lessons)
	}
	for _, words := range []string{"cancellable", "conflict", "services/", r.key} {
		if strings.Contains(text, words) {
			t.Errorf("it holds %q:\n%s", words, text)
		}
	}

	// A command has the same review shown again: it is recorded with what was
	// known, and GitHub is not asked for it again.
	r.server.ResetLog()
	if got := r.comment(p.Number, "mara", "@familiar accept F1"); got.status != 0 || r.server.CallsOf(compareRoute) != 0 {
		t.Fatalf("exit %d, %d comparisons\n%s", got.status, r.server.CallsOf(compareRoute), got.log)
	}
	if _, rec := r.reviewJSON(p); rec.Run.MergeBase != left || rec.Run.RunID != r.next {
		t.Errorf("after a command: %+v", rec.Run)
	}
	if said := strings.Join(r.ours(p.Number), "\n"); !strings.Contains(said, "The record of its review bears it out") && !strings.Contains(said, "Noted that F1 is right") {
		t.Errorf("said %s", said)
	}

	t.Run("GitHub does not tell where it left", func(t *testing.T) {
		p := r.server.PushPull(r.repo, p.Number, map[string]string{"services/more.go": "package services\n\n<<<<<<< HEAD\n"})
		r.server.Fault(compareRoute, githubtest.Fault{Status: 404}, githubtest.Always)
		if got := r.opened(p, "mara"); got.status != 0 || got.outputs["findings"] != "2" {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if _, rec := r.reviewJSON(p); rec.Run.MergeBase != "" || rec.Run.Head != p.HeadSHA {
			t.Errorf("%+v", rec.Run)
		}
	})
	t.Run("nothing was found, so nobody asked", func(t *testing.T) {
		other := r.server.AddPull(githubtest.PullSpec{Repo: r.repo, Title: "Another", Author: "mara", BaseRef: "main", HeadRef: "other", Head: map[string]string{"web/a.js": "a()\n"}})
		r.pulls[other.Number] = true
		r.server.ResetLog()
		if got := r.opened(other, "mara"); got.status != 0 || got.outputs["findings"] != "0" || r.server.CallsOf(compareRoute) != 0 {
			t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
		}
		if _, rec := r.reviewJSON(other); rec.Run.MergeBase != "" || rec.Outcome != "reviewed" {
			t.Errorf("%+v", rec.Run)
		}
	})
}
