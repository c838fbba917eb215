package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// routed is one case: an event, and what comes of it.
type routed struct {
	Area, Name, Stricter string
	Input                struct {
		Event, Action, Surface, Permission, Body, Author, Label string
		Draft                                                   bool
	}
	Want struct {
		Outcome, Reactions, Says, Trust string
		Stored                          int
		Silent                          bool // GitHub is asked nothing
	}
}

// TestConformanceRouting holds the areas "command-routing", "routing" and
// "self-trigger" against the action, over the stand-in.
func TestConformanceRouting(t *testing.T) {
	for area, least := range map[string]int{"command-routing": 12, "routing": 13, "self-trigger": 2} {
		data, err := os.ReadFile("../../testdata/conformance/" + area + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		if len(lines) != least {
			t.Errorf("%d cases of %s, want %d", len(lines), area, least)
		}
		for _, line := range lines {
			var c routed
			dec := json.NewDecoder(strings.NewReader(line))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&c); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			t.Run(area+"/"+c.Name, func(t *testing.T) { t.Parallel(); c.run(t) })
		}
	}
}

func (c routed) run(t *testing.T) {
	s := newStory(t, &txtar.Archive{Files: []txtar.File{{Name: "head/services/a.go", Data: []byte("package services\n")}}})
	in, author := c.Input, c.Input.Author
	if author == "" {
		author = "pat"
		s.people[author] = s.server.AddUser(author, 0, "User").ID
		if in.Permission != "none" {
			s.server.Grant(s.repo, author, in.Permission)
		}
	} else {
		s.people[author] = 41898282
	}
	if in.Surface == "pull" {
		s.openPull([]string{"it", author, "head"})
	} else {
		s.openIssue([]string{"it", "mara", "Conventions"})
	}
	if in.Label != "" {
		s.putLabel([]string{"it", "mara", in.Label})
	}
	writes := s.server.Writes()
	s.starts(in.Event, author, c.payload(s, author), runOptions{attempt: 1})
	if got := s.last.outputs["outcome"]; got != c.Want.Outcome {
		t.Errorf("outcome %q, want %q\n%s", got, c.Want.Outcome, s.last.log)
	}
	if c.Want.Silent && (s.server.Calls() > 0 || s.server.Writes() > writes) {
		t.Errorf("%d calls", s.server.Calls())
	}
	if c.Want.Reactions != "" {
		s.isReactions([]string{"said", c.Want.Reactions})
	}
	if said := strings.Join(s.ours(s.thread("it")), "\n"); !strings.Contains(said, c.Want.Says) {
		t.Errorf("said %q, want %q", said, c.Want.Says)
	}
	if c.Want.Trust != "" && s.last.outputs["trust-scope"] != c.Want.Trust {
		t.Errorf("trust %q, want %q", s.last.outputs["trust-scope"], c.Want.Trust)
	}
	if n := strings.Count(s.remembered(), " active "); n != c.Want.Stored {
		t.Errorf("%d lessons are stored, want %d", n, c.Want.Stored)
	}
}

// payload is the event of the case.
func (c routed) payload(s *story, author string) map[string]any {
	in := c.Input
	switch in.Event {
	case "issue_comment", "pull_request_review":
		s.post([]string{"said", "it", author, "=" + in.Body})
		p := s.posted["said"]
		p["action"] = in.Action
		return p
	case "issues":
		return map[string]any{
			"action": in.Action, "repository": s.described(), "sender": s.account(author), "label": map[string]any{"name": in.Label},
			"issue": map[string]any{"number": s.thread("it"), "title": "x", "state": "open", "user": s.account("mara"), "labels": []any{map[string]any{"name": in.Label}}},
		}
	}
	p := s.openedPayload(s.server.Pull(s.repo, s.thread("it")), author)
	p["action"], p["sender"] = in.Action, s.account(author)
	pull := p["pull_request"].(map[string]any)
	pull["user"], pull["draft"] = s.account(author), in.Draft
	if in.Draft {
		s.server.SetDraft(s.repo, s.thread("it"), true)
	}
	if in.Label != "" {
		p["label"] = map[string]any{"name": in.Label}
		pull["labels"] = []any{map[string]any{"name": in.Label}}
	}
	if in.Action == "closed" {
		s.closeThread([]string{"it"})
	}
	return p
}
