package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/vault"
)

// do does a deed: what people do on GitHub, then the run that comes of it. One
// that failed is started again by its person, or left to the clock.
func (s *soak) do(d *deed) {
	if !d.began {
		d.began = true
		s.count2(s.did, d.what)
		if d.body != "" {
			s.write(d)
		}
	}
	defer func() {
		if d.body != "" {
			s.mu.Lock()
			s.busy[d.thread] = false
			s.mu.Unlock()
		}
	}()
	for try := 1; ; try++ {
		var got stepResult
		if d.what == "propose" {
			got = s.propose(d)
		} else {
			got = s.act(d)
		}
		s.answeredBy(d, got)
		s.mu.Lock()
		// What fails before there is a memory, nobody but its person brings back.
		again := !d.done && got.status != 0 && d.body+d.inputs["operation"] != "" && (!s.genesis || try < 4 && (s.quiet.Load() || s.rng.IntN(10) < 4))
		if again {
			s.reruns++
		}
		s.mu.Unlock()
		if !again {
			return
		}
	}
}

// write puts the comment on GitHub and keeps its event.
func (s *soak) write(d *deed) {
	c := s.r.server.Comment(s.r.repo, d.thread, d.login, d.body)
	d.comment = c.ID
	issue := map[string]any{"number": d.thread, "title": "x", "state": "open", "user": s.account("mara")}
	if s.r.isPull(d.thread) {
		issue["pull_request"] = map[string]any{"url": "https://api.github.com/repos/lumen/ledger/pulls/" + itoa(int64(d.thread))}
	}
	at := c.CreatedAt.UTC().Format(time.RFC3339)
	d.payload = map[string]any{
		"action": "created", "repository": s.r.repository(), "sender": s.account(d.login), "issue": issue,
		"comment": map[string]any{"id": c.ID, "body": d.body, "html_url": "https://github.com/lumen/ledger/issues/1#issuecomment-1", "user": s.account(d.login), "created_at": at, "updated_at": at},
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.what == "remember" {
		d.lesson.cause = causeOfComment(d.comment, "")
		d.lesson.id = memory.NewDocumentID(501, d.lesson.cause, 1)
	}
}

func (s *soak) account(login string) map[string]any {
	return map[string]any{"id": s.people[login], "login": login, "type": "User"}
}

// answeredBy sees what a deed's own run made of it. What the run did not
// settle, the end of the storm will.
func (s *soak) answeredBy(d *deed, got stepResult) {
	switch d.event {
	case "issue_comment":
		rocket, confused := s.reactions(d)
		switch {
		case rocket && confused:
			s.t.Errorf("%s: both done and refused\n%s", d.body, got.log)
		case rocket, got.status == 0 && got.outputs["outcome"] == "commands_applied" && !confused && d.must == "done":
			s.settle(d, false)
		case confused:
			s.settle(d, true)
		}
	default:
		if got.status == 0 && d.must == "done" {
			s.settle(d, false)
		} else if d.what == "propose" && got.status == 0 && got.outputs["memory-pending"] != "0" && got.outputs["outcome"] != "superseded" {
			s.settle(d, false)
		}
	}
}

func (s *soak) reactions(d *deed) (rocket, confused bool) {
	for _, r := range s.r.server.Reactions(d.comment) {
		rocket = rocket || r == "github-actions[bot]:rocket"
		confused = confused || r == "github-actions[bot]:confused"
	}
	return rocket, confused
}

// act starts the action once for a deed.
func (s *soak) act(d *deed) stepResult {
	run, mine, dir := s.attempt(d)
	payload := d.payload
	switch d.event {
	case "schedule":
		payload = map[string]any{"schedule": "17 3 * * *", "repository": s.r.repository()}
	case "workflow_dispatch":
		payload = map[string]any{"repository": s.r.repository(), "sender": s.account(d.login), "inputs": map[string]any{}, "ref": "refs/heads/main", "workflow": workflow}
	case "pull_request_target":
		s.reviews(d.thread, run)
		defer s.reviewed(d.thread, run)
	}
	inputs := map[string]string{"artifact-days": "60"}
	for k, v := range d.inputs {
		inputs[k] = v
	}
	got := mine.step(dir, d.attempt, d.event, d.login, payload, inputs)
	s.inspect(got)
	if got.status > 1 {
		s.t.Errorf("%s: exit %d in the weather %q\n%s", d.what, got.status, run.weather, got.log)
	}
	for _, bad := range []string{"panic:", "goroutine ", "DATA RACE"} {
		if strings.Contains(got.log, bad) {
			s.t.Errorf("%s: %s in the weather %q\n%s", d.what, bad, run.weather, got.log)
		}
	}
	return got
}

// attempt begins the next attempt of a deed's run on GitHub.
func (s *soak) attempt(d *deed) (*soakRun, *runner, string) {
	s.runs.Add(1)
	s.left.Add(-1)
	if d.run == 0 {
		d.run = s.next.Add(1)
	}
	d.attempt++
	run := s.drawn(d.run, d.attempt)
	mine := *s.r
	mine.next, mine.tokens = d.run, nil
	mine.token, mine.starts = s.r.server.FullToken(), run.start
	s.r.server.AddRun(githubtest.Run{
		Repo: s.r.repo, ID: d.run, Attempt: d.attempt, Name: "familiar", Path: workflow, Event: d.event, HeadBranch: "main",
		HeadSHA: s.r.server.Head(s.r.repo, "main"), Status: "in_progress", Actor: d.login, CreatedAt: s.r.server.Now(),
	})
	dir := s.t.TempDir()
	s.byKey.Store(mine.token, run)
	s.byKey.Store(mine.jobToken(dir), run)
	return run, &mine, dir
}

func (s *soak) reviews(n int, run *soakRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reviewing[n] = run
}

func (s *soak) reviewed(n int, run *soakRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reviewing[n] == run {
		delete(s.reviewing, n)
	}
}

// propose has the job's steps done: prepare, the reviewer, publish.
func (s *soak) propose(d *deed) stepResult {
	run, mine, dir := s.attempt(d)
	s.reviews(d.thread, run)
	defer s.reviewed(d.thread, run)
	step := func(operation string) stepResult {
		got := mine.step(dir, d.attempt, d.event, d.login, d.payload, map[string]string{"operation": operation, "artifact-days": "60"})
		s.inspect(got)
		return got
	}
	got := step("prepare")
	if got.status != 0 || got.outputs["result-path"] == "" {
		return stepResult{status: 1, log: got.log}
	}
	if err := os.WriteFile(filepath.Clean(got.outputs["result-path"]), s.proposal(d), 0o644); err != nil {
		return stepResult{status: 1, log: err.Error()} // the disk is full
	}
	s.runs.Add(1)
	s.left.Add(-1)
	return step("publish")
}

// inspect looks at the containers that are new: none may begin an empty store
// beside one that is there, whatever a listing said.
func (s *soak) inspect(after stepResult) {
	for _, name := range []string{memoryName, memoryName + "-again"} {
		for _, a := range s.r.server.Artifacts(s.r.repo, name) {
			m, err := vault.ReadManifest(a.Data)
			s.mu.Lock()
			_, known := s.seen[a.ID]
			s.seen[a.ID] = m
			if !s.genesis && err == nil {
				s.begun[m.StoreID] = true
			}
			genesis, begun := s.genesis, s.begun[m.StoreID]
			s.mu.Unlock()
			switch {
			case known:
			case err != nil:
				s.t.Errorf("artifact %d is no container: %v\n%s", a.ID, err, after.log)
			case genesis && (len(m.Parents) == 0 || !begun):
				s.t.Errorf("artifact %d begins another store: %+v\n%s", a.ID, m, after.log)
			}
		}
	}
}
