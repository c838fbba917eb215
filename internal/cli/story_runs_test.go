package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// runSteps start the action.
func runSteps() map[string]storyStep {
	return map[string]storyStep{
		"run": (*story).runPosted, "say": (*story).say, "open": (*story).runOpened, "sweep": (*story).runSweep, "dispatch": (*story).runDispatch,
	}
}

// runOptions are the words name=value that end a step which runs the action.
type runOptions struct {
	actor, triggering string
	attempt           int
	exit              int
	inputs            map[string]string
}

// options takes the options off a step's words. By default actor is whoever
// the event is by, and the run ends well.
func (s *story) options(w []string) (rest []string, o runOptions) {
	o.attempt, o.inputs = 1, map[string]string{}
	for _, word := range w {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			rest = append(rest, word)
			continue
		}
		var err error
		switch name {
		case "actor":
			o.actor = value
		case "triggering":
			o.triggering = value
		case "attempt":
			o.attempt, err = strconv.Atoi(value)
		case "exit":
			o.exit, err = strconv.Atoi(value)
		default:
			o.inputs[name] = strings.ReplaceAll(s.real(value), `\n`, "\n")
		}
		if err != nil {
			s.fatalf("%v", err)
		}
	}
	return rest, o
}

// start runs the action once; calls and log are then those of this run.
func (s *story) starts(event, by string, payload map[string]any, o runOptions) {
	s.t.Helper()
	if o.actor == "" {
		o.actor = by
	}
	if o.triggering == "" {
		o.triggering = o.actor
	}
	s.server.ResetLog()
	s.next++
	s.server.AddRun(githubtest.Run{
		Repo: s.repo, ID: s.next, Attempt: o.attempt, Name: "familiar", Path: workflow, Event: event, HeadBranch: "main",
		HeadSHA: s.server.Head(s.repo, "main"), Status: "in_progress", Actor: o.actor, CreatedAt: s.server.Now(),
	})
	s.triggering = o.triggering
	s.takesInputs(event, &o)
	s.last = s.step(s.t.TempDir(), o.attempt, event, o.actor, payload, o.inputs)
	s.triggering = ""
	s.hears()
	if s.last.status != o.exit {
		s.fatalf("exit %d, want %d\n%s\n%s", s.last.status, o.exit, s.last.log, s.last.summary)
	}
}

// runPosted runs the action for a comment's event: NAME.
func (s *story) runPosted(w []string) {
	w, o := s.options(w)
	s.takes(w, 1, 1)
	payload, ok := s.posted[w[0]]
	if !ok {
		s.fatalf("no comment is called %s", w[0])
	}
	sender := payload["sender"].(map[string]any)["login"].(string)
	s.starts("issue_comment", sender, payload, o)
}

// say is post and run in one.
func (s *story) say(w []string) {
	words, _ := s.sayWords(w)
	s.post(words)
	s.runPosted(append([]string{words[0]}, w[len(words):]...))
}

func (s *story) sayWords(w []string) (words, options []string) {
	if len(w) < 4 {
		s.fatalf("say takes NAME THREAD LOGIN FILE")
	}
	return w[:4], w[4:]
}

// runOpened runs the action for an event of a pull request: PULL LOGIN, and
// ACTION where it is not opened.
func (s *story) runOpened(w []string) {
	w, o := s.options(w)
	s.takes(w, 2, 3)
	p := s.server.Pull(s.repo, s.thread(w[0]))
	payload := s.openedPayload(p, w[1])
	payload["repository"], payload["sender"] = s.described(), s.account(w[1])
	payload["pull_request"].(map[string]any)["user"] = s.account(w[1])
	if len(w) == 3 {
		payload["action"] = w[2]
	}
	s.starts("pull_request_target", w[1], payload, o)
}

// runSweep runs the action by the clock.
func (s *story) runSweep(w []string) {
	w, o := s.options(w)
	s.takes(w, 0, 0)
	s.starts("schedule", "mara", map[string]any{"schedule": "17 3 * * *", "repository": s.described()}, o)
}

// runDispatch runs it by a person's button: LOGIN.
func (s *story) runDispatch(w []string) {
	w, o := s.options(w)
	s.takes(w, 1, 1)
	s.starts("workflow_dispatch", w[0], map[string]any{"repository": s.described(), "sender": s.account(w[0]), "inputs": map[string]any{}, "ref": "refs/heads/main", "workflow": workflow}, o)
}

// hears gives the lessons that the action spoke of their names, thread by
// thread in the order of what was said.
func (s *story) hears() {
	for _, n := range slices.Sorted(maps.Values(s.threads)) {
		for _, body := range statusFirst(s.ours(n)) {
			s.told(body)
		}
	}
}
