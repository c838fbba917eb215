package cli

import (
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
)

// deedKind makes a deed out of what there is; nil where there is nothing.
type deedKind struct{ make func(s *soak) *deed }

// deedTable is what happens, and how often.
var deedTable = []struct {
	n    int
	make func(s *soak) *deed
}{
	{22, func(s *soak) *deed { return s.teach(0) }},
	{8, (*soak).editOne}, {4, (*soak).keepOne}, {6, (*soak).retireOne}, {10, (*soak).forgetOne}, {4, (*soak).purgeOne}, {3, (*soak).denyOne},
	{4, (*soak).approveOne}, {5, (*soak).refusedOne}, {4, (*soak).lookUp}, {12, (*soak).pushOne}, {4, (*soak).lookAgain}, {4, (*soak).proposeOne},
	{5, func(*soak) *deed { return &deed{what: "sweep", event: "schedule", login: "mara"} }}, {5, (*soak).dispatchOne},
}

// deedKinds are its kinds, each as often as it says.
var deedKinds = func() (all []deedKind) {
	for _, k := range deedTable {
		for range k.n {
			all = append(all, deedKind{k.make})
		}
	}
	return all
}()

// eachKind is one of each kind.
func eachKind() []deedKind {
	var out []deedKind
	for i, n := 0, 0; i < len(deedTable); i++ {
		out, n = append(out, deedKinds[n]), n+deedTable[i].n
	}
	return out
}

// thread claims a thread on which no command's run is under way, as the
// workflow's concurrency has it; 0: there is none.
func (s *soak) thread() int {
	all := append(append([]int{}, s.issues...), s.pulls...)
	for range 8 {
		if n := all[s.rng.IntN(len(all))]; !s.busy[n] {
			s.busy[n] = true
			return n
		}
	}
	return 0
}

// says makes a comment's deed. The caller holds mu.
func (s *soak) says(thread int, login, what, body string) *deed {
	d := &deed{what: what, event: "issue_comment", login: login, thread: thread, body: body, must: "done"}
	s.deeds = append(s.deeds, d)
	return d
}

// teach has a maintainer teach a lesson; thread 0: somewhere.
func (s *soak) teach(thread int) *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if thread == 0 {
		thread = s.thread()
	} else {
		s.busy[thread] = true
	}
	if thread == 0 {
		return nil
	}
	token := s.token()
	l := &taught{tokens: []string{token}, state: memory.Active, owner: []string{"mara", "noor", "ada"}[s.rng.IntN(3)], thread: thread, claimed: true}
	l.text = s.lessonOf(token)
	d := s.says(thread, l.owner, "remember", "@familiar remember "+l.text)
	d.lesson = l
	d.effect = func(l *taught) { s.lessons = append(s.lessons, l) }
	return d
}

// one claims a lesson that fits and a thread.
func (s *soak) one(fits func(l *taught) bool) (*taught, int) {
	if !s.genesis {
		return nil, 0
	}
	all := s.free(fits)
	if len(all) == 0 {
		return nil, 0
	}
	l := all[s.rng.IntN(len(all))]
	if s.rng.IntN(2) == 0 && !s.busy[l.thread] { // where it was taught, as people do
		s.busy[l.thread] = true
		return l, l.thread
	}
	return l, s.thread()
}

func taughtByPerson(l *taught) bool { return l.pull == 0 && !l.denied }

// command makes the deed of a command about one lesson.
func (s *soak) command(what string, fits func(l *taught) bool, by func(l *taught) string, words func(l *taught) string, effect func(l *taught)) *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, thread := s.one(fits)
	if l == nil || thread == 0 {
		if thread != 0 {
			s.busy[thread] = false
		}
		return nil
	}
	l.claimed = true
	d := s.says(thread, by(l), what, fmt.Sprintf("@familiar %s %s%s", what, l.id, words(l)))
	d.lesson, d.effect, d.target = l, effect, l.id
	return d
}

func ownerOf(l *taught) string { return l.owner }
func nothing(*taught) string   { return "" }
func admin(*taught) string     { return "ada" }
func anyMaintainer(s *soak) func(l *taught) string {
	return func(*taught) string { return []string{"mara", "noor", "ada"}[s.rng.IntN(3)] }
}

func isActive(l *taught) bool { return taughtByPerson(l) && l.state == memory.Active }
func isHeld(l *taught) bool {
	return taughtByPerson(l) && (l.state == memory.Active || l.state == memory.Deprecated)
}

func (s *soak) editOne() *deed {
	var token, text string
	return s.command("edit", isActive, ownerOf, func(*taught) string {
		token = s.token()
		text = s.lessonOf(token)
		return " " + text
	}, func(l *taught) { l.tokens, l.text, l.edits = append(l.tokens, token), text, l.edits+1 })
}

func (s *soak) keepOne() *deed {
	return s.command("keep", isActive, anyMaintainer(s), nothing, func(*taught) {})
}

func (s *soak) retireOne() *deed {
	return s.command("retire", isActive, anyMaintainer(s), nothing, func(l *taught) { l.state = memory.Deprecated })
}

func forgotten(l *taught) { l.state = memory.Tombstoned }

func (s *soak) forgetOne() *deed { return s.command("forget", isHeld, ownerOf, nothing, forgotten) }

func (s *soak) purgeOne() *deed {
	return s.command("purge", func(l *taught) bool { return isHeld(l) && l.owner == "ada" }, ownerOf, nothing,
		func(l *taught) { l.state = memory.Purged })
}

// denyOne has an admin revoke the key of a lesson.
func (s *soak) denyOne() *deed {
	return s.command("revoke", isActive, admin, nothing, func(l *taught) { l.denied = true })
}

// approveOne approves a proposal by its id, where it waits.
func (s *soak) approveOne() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.free(func(l *taught) bool { return l.pull != 0 && l.state == memory.ReviewRequired && len(l.possible) == 0 }) {
		if !s.busy[l.pull] {
			s.busy[l.pull], l.claimed = true, true
			d := s.says(l.pull, "noor", "approve", "@familiar approve "+l.id)
			d.lesson, d.target, d.effect = l, l.id, func(l *taught) { l.state, l.owner = memory.Active, "noor" }
			return d
		}
	}
	return nil
}

// refusedOne asks for what must not be done.
func (s *soak) refusedOne() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, thread := s.one(func(l *taught) bool { return taughtByPerson(l) && l.state == memory.Active && l.owner != "noor" })
	if thread == 0 {
		return nil
	}
	var d *deed
	switch s.rng.IntN(3) {
	case 0:
		d = s.says(thread, "noor", "forget of another's", "@familiar forget "+l.id)
		d.target = l.id
	case 1:
		d = s.says(thread, "kim", "remember by triage", "@familiar remember "+s.lessonOf(s.token()))
	default:
		d = s.says(thread, "mara", "retire of nothing", "@familiar retire m-00000000")
		d.target = "m-00000000"
	}
	d.must = "refused"
	return d
}

// lookUp asks something that a reply answers.
func (s *soak) lookUp() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	thread := s.thread()
	if thread == 0 || !s.genesis {
		return nil
	}
	d := s.says(thread, "noor", "list", []string{"@familiar list", "@familiar help", "@familiar list amounts"}[s.rng.IntN(3)])
	d.must = "reply"
	return d
}

// pushOne pushes to a pull request, whose review takes the place of one that
// is under way.
func (s *soak) pushOne() *deed {
	s.mu.Lock()
	n := s.pulls[s.rng.IntN(len(s.pulls))]
	s.mu.Unlock()
	return s.push(n)
}

func (s *soak) push(n int) *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := s.token()
	file := fmt.Sprintf("services/s%d.go", s.rng.IntN(3))
	text := "package services\n\n// " + token + "\n"
	if s.rng.IntN(3) == 0 {
		text += "<<<<<<< HEAD\n"
	}
	if known := s.free(isActive); len(known) > 0 { // what the review then recalls, and notes that it did
		text += "// " + known[s.rng.IntN(len(known))].text + "\n"
	}
	p := s.r.server.PushPull(s.r.repo, n, map[string]string{file: text})
	d := &deed{what: "push", event: "pull_request_target", login: "mara", thread: n, payload: s.pullPayload(p, "synchronize")}
	s.cancelReview(n)
	return d
}

// cancelReview ends the review of a pull request that is under way, as
// cancel-in-progress does. The caller holds mu.
func (s *soak) cancelReview(n int) {
	if run := s.reviewing[n]; run != nil {
		s.faults["cancelled by a push"]++
		go func() {
			run.mu.Lock()
			defer run.mu.Unlock()
			run.kill()
		}()
	}
}

func (s *soak) lookAgain() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.pulls[s.rng.IntN(len(s.pulls))]
	s.cancelReview(n)
	return &deed{what: "edited", event: "pull_request_target", login: "mara", thread: n, payload: s.pullPayload(s.r.server.Pull(s.r.repo, n), "edited")}
}

func (s *soak) pullPayload(p githubtest.Pull, action string) map[string]any {
	out := s.r.openedPayload(p, "mara")
	out["action"] = action
	return out
}

// proposeOne has a reviewer of the team's own propose a lesson between prepare
// and publish.
func (s *soak) proposeOne() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.genesis {
		return nil
	}
	n := s.pulls[s.rng.IntN(len(s.pulls))]
	token := s.token()
	l := &taught{tokens: []string{token}, text: s.lessonOf(token), state: memory.ReviewRequired, pull: n, thread: n}
	d := &deed{what: "propose", event: "pull_request_target", login: "mara", thread: n, payload: s.pullPayload(s.r.server.Pull(s.r.repo, n), "edited"), lesson: l}
	d.effect = func(l *taught) { s.lessons = append(s.lessons, l) }
	s.proposals = append(s.proposals, l)
	return d
}

// dispatchOne has somebody press the button of the workflow.
func (s *soak) dispatchOne() *deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, thread := s.one(isActive)
	if thread != 0 {
		s.busy[thread] = false
	}
	if l == nil {
		return nil
	}
	l.claimed = true
	verb, effect := "retire", func(l *taught) { l.state = memory.Deprecated }
	if s.rng.IntN(2) == 0 {
		verb, effect = "forget", forgotten
	}
	d := &deed{
		what: "dispatch of " + verb, event: "workflow_dispatch", login: l.owner, lesson: l, effect: effect, must: "done",
		inputs: map[string]string{"operation": "memory", "arguments": verb + " " + l.id},
	}
	s.deeds = append(s.deeds, d)
	return d
}

// labelProposals puts labels on the pull requests where lessons wait, some
// time after they were shown.
func (s *soak) labelProposals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r.server.Advance(time.Minute)
	for _, n := range s.pulls {
		waiting := s.free(func(l *taught) bool { return l.pull == n && l.state == memory.ReviewRequired })
		if len(waiting) == 0 || s.rng.IntN(3) == 0 {
			continue
		}
		label, to := "familiar:approve", memory.Active
		if s.rng.IntN(3) == 0 {
			label, to = "familiar:reject", memory.Rejected
		}
		s.r.server.Label(s.r.repo, n, "noor", label)
		s.did["label"]++
		for _, l := range waiting {
			l.possible = []memory.State{memory.ReviewRequired, to}
		}
	}
}

// proposal is what a reviewer of the team's own says, who proposes one lesson.
func (s *soak) proposal(d *deed) []byte {
	var files []string
	for _, f := range s.r.server.Files(s.r.repo, d.thread) {
		files = append(files, f.Path)
	}
	return result(s.t, files, nil, &contract.MemoryUsed{Enabled: true, Proposed: []contract.MemoryWrite{{
		Key: "repo/" + s.r.repo + "/conventions/" + d.lesson.tokens[0], Summary: d.lesson.text, Scope: "repo", Approval: contract.ApprovalPending}}})
}
