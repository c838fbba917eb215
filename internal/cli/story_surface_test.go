package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// surfaceSteps are what happens to what the action wrote, and around it.
func surfaceSteps() map[string]storyStep {
	return map[string]storyStep{
		"review": (*story).reviewWith, "bot": (*story).addBot, "silent-label": (*story).putLabelSilently, "fresh": (*story).fresh,
		"scribble": (*story).scribble, "keep-comment": (*story).keepComment, "restore-comment": (*story).restoreComment,
		"copy-comment": (*story).copyComment, "chatter": (*story).chatter, "force-push": (*story).forcePush, "during": (*story).during, "beside": (*story).beside,
	}
}

// reviewWith has a reviewer of the team's own review a pull request between
// prepare and publish: PULL LOGIN FILE, with what it says in short: findings,
// and "propose": lessons by their key.
func (s *story) reviewWith(w []string) {
	w, o := s.options(w)
	s.takes(w, 3, 3)
	var said struct {
		Findings []contract.Finding `json:"findings"`
		Propose  map[string]string  `json:"propose"`
		Read     []string           `json:"read"` // keys of lessons
	}
	if err := json.Unmarshal([]byte(s.real(s.data(w[2]))), &said); err != nil {
		s.fatalf("%s: %v", w[2], err)
	}
	p := s.server.Pull(s.repo, s.thread(w[0]))
	var files []string
	for _, f := range s.server.Files(s.repo, p.Number) {
		files = append(files, f.Path)
	}
	var used *contract.MemoryUsed
	if said.Propose != nil || said.Read != nil {
		used = &contract.MemoryUsed{Enabled: true}
		for _, key := range said.Read {
			used.Read = append(used.Read, contract.MemoryRead{ID: "repo/" + s.repo + "/" + key, Scope: "repo"})
		}
		for _, key := range slices.Sorted(maps.Keys(said.Propose)) {
			used.Proposed = append(used.Proposed, contract.MemoryWrite{Key: "repo/" + s.repo + "/" + key, Summary: said.Propose[key], Scope: "repo", Approval: contract.ApprovalPending})
		}
	}
	dir := s.t.TempDir()
	payload := s.openedPayload(p, w[1])
	payload["repository"], payload["sender"] = s.described(), s.account(w[1])
	s.server.ResetLog()
	s.newRun("pull_request_target")
	prepared := s.step(dir, 1, "pull_request_target", w[1], payload, map[string]string{"operation": "prepare"})
	if prepared.status != 0 {
		s.fatalf("prepare: exit %d\n%s", prepared.status, prepared.log)
	}
	(&job{runner: s.runner, dir: dir}).writes(prepared, result(s.t, files, said.Findings, used))
	o.inputs["operation"] = "publish"
	s.server.ResetLog()
	s.last = s.step(dir, 1, "pull_request_target", w[1], payload, o.inputs)
	if s.last.status != o.exit {
		s.fatalf("exit %d, want %d\n%s\n%s", s.last.status, o.exit, s.last.log, s.last.summary)
	}
}

// addBot makes an account of a bot: LOGIN.
func (s *story) addBot(w []string) {
	s.takes(w, 1, 1)
	s.account(w[0])
}

// fresh makes the repository one in which the action never ran: it has none of
// the labels.
func (s *story) fresh([]string) { s.server.ForgetLabels(s.repo) }

func (s *story) putLabelSilently(w []string) {
	s.takes(w, 2, 2)
	s.server.LabelSilently(s.repo, s.thread(w[0]), w[1])
}

// status is the action's first comment on a thread.
func (s *story) status(thread string) githubtest.Comment {
	s.t.Helper()
	all := s.server.CommentsBy(s.repo, s.thread(thread), s.author())
	if len(all) == 0 {
		s.fatalf("the action wrote nothing on %s", thread)
	}
	return all[0]
}

// beside runs the action for a pull request inside of another run: PULL LOGIN.
func (s *story) beside(w []string) {
	s.takes(w, 2, 2)
	p := s.server.Pull(s.repo, s.thread(w[0]))
	s.newRun("pull_request_target")
	if got := s.step(s.t.TempDir(), 1, "pull_request_target", w[1], s.openedPayload(p, w[1]), nil); got.status != 0 {
		s.fatalf("exit %d\n%s", got.status, got.log)
	}
}

// scribble has somebody edit the action's comment: THREAD LOGIN OLD NEW.
func (s *story) scribble(w []string) {
	s.takes(w, 4, 4)
	c := s.status(w[0])
	edited := strings.Replace(c.Body, s.real(w[2]), s.real(w[3]), 1)
	if edited == c.Body {
		s.fatalf("the comment does not say %q:\n%s", w[2], c.Body)
	}
	s.server.EditComment(c.ID, w[1], edited)
}

// keepComment remembers the action's comment as it is: THREAD NAME.
func (s *story) keepComment(w []string) {
	s.takes(w, 2, 2)
	if s.kept == nil {
		s.kept = map[string]string{}
	}
	s.kept[w[1]] = s.status(w[0]).Body
}

// restoreComment has somebody put it back word for word: THREAD LOGIN NAME.
func (s *story) restoreComment(w []string) {
	s.takes(w, 3, 3)
	s.server.EditComment(s.status(w[0]).ID, w[1], s.kept[w[2]])
}

// copyComment has somebody write what was kept as a comment of their own:
// THREAD LOGIN NAME.
func (s *story) copyComment(w []string) {
	s.takes(w, 3, 3)
	s.server.Comment(s.repo, s.thread(w[0]), w[1], s.kept[w[2]])
}

// chatter fills a thread with the comments of people: THREAD N.
func (s *story) chatter(w []string) {
	s.takes(w, 2, 2)
	n := 0
	if _, err := fmt.Sscan(w[1], &n); err != nil {
		s.fatalf("%v", err)
	}
	for i := range n {
		s.server.Comment(s.repo, s.thread(w[0]), "noor", fmt.Sprintf("Comment %d.", i+1))
	}
}

// forcePush replaces a pull request's branch by one commit on main: PULL DIR.
func (s *story) forcePush(w []string) {
	s.takes(w, 2, 2)
	p := s.server.Pull(s.repo, s.thread(w[0]))
	s.server.SetRef(s.repo, "heads/"+p.HeadRef, s.server.Head(s.repo, "main"))
	s.head(s.server.PushPull(s.repo, p.Number, s.folder(w[1])).HeadSHA)
}

// during does a step of the story while the next run asks for a route, before
// it is answered, once: ROUTE STEP... With again before the step it is when the
// route is asked for the second time.
func (s *story) during(w []string) {
	if len(w) > 1 && w[1] == "again" {
		s.server.Before(w[0], func() {})
		w = append([]string{w[0]}, w[2:]...)
	}
	if len(w) < 2 {
		s.fatalf("during takes a route and a step")
	}
	happens, _ := storySteps()
	step := happens[w[1]]
	if step == nil {
		s.fatalf("no step %q", w[1])
	}
	s.server.Before(w[0], func() { step(s, w[2:]) })
}
