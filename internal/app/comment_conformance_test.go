package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/vault"
)

// sharedCase is one case of testdata/conformance, of the areas that are about
// the status comment.
type sharedCase struct {
	Area, Name string
	Input      struct {
		Comments []struct {
			ID   int64
			Body string
		}
		Repo   string
		Number int
		Reads  []string `json:"accepted_reads"`
	}
	Want struct {
		Edits     int64
		Marker    string
		NeverSays []string `json:"never_says"`
	}
}

func sharedCases(t *testing.T, area string) []sharedCase {
	t.Helper()
	data, err := os.ReadFile("../../testdata/conformance/" + area + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []sharedCase
	in := bufio.NewScanner(bytes.NewReader(data))
	for in.Scan() {
		var c sharedCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		t.Fatalf("no cases of %s", area)
	}
	return out
}

// TestConformanceStatusComment: which comment is ours, and how its marker
// reads. Our rule is stricter by name: the author counts too (page 6.3).
func TestConformanceStatusComment(t *testing.T) {
	for _, c := range sharedCases(t, "status-comment") {
		t.Run(c.Name, func(t *testing.T) {
			if c.Want.Marker != "" {
				if got := render.Marker(c.Input.Repo, c.Input.Number, ""); got != c.Want.Marker {
					t.Errorf("the marker is %s", got)
				}
				return
			}
			marker := render.Marker("lumen/ledger", 9, "") + "\n"
			var comments []github.Comment
			for _, in := range c.Input.Comments {
				comments = append(comments, github.Comment{Comment: event.Comment{
					ID: in.ID, Body: strings.Replace(in.Body, "<marker>", marker, 1), Author: &event.Actor{ID: 1, Login: "github-actions[bot]", Type: "Bot"},
				}})
			}
			if got := findOwn(comments, vault.Keys{}, "github-actions[bot]", "lumen/ledger", 501, 9); got.ID != c.Want.Edits {
				t.Errorf("comment %d is taken for ours, want %d", got.ID, c.Want.Edits)
			}
			if got := findOwn(comments, vault.Keys{}, "hubot", "lumen/ledger", 501, 9); got.ID != 0 {
				t.Errorf("another author's comment %d is taken for ours", got.ID)
			}
		})
	}
}

// TestConformanceCitation: what was not read is not cited.
func TestConformanceCitation(t *testing.T) {
	for _, c := range sharedCases(t, "citation") {
		t.Run(c.Name, func(t *testing.T) {
			s := render.Status{Repo: "lumen/ledger", Number: 9, Outcome: review.Reviewed, Coverage: review.Coverage{Files: 1, Reviewed: 1}}
			for _, id := range c.Input.Reads {
				s.Lessons = append(s.Lessons, memory.Version{DocumentID: id, Number: 1, Text: "Words.", State: memory.Active})
			}
			text := render.StatusComment(s).String()
			for _, words := range c.Want.NeverSays {
				if strings.Contains(text, words) {
					t.Errorf("it says %q:\n%s", words, text)
				}
			}
			s.Lessons = []memory.Version{{DocumentID: "m-7f3k2q8a", Number: 1, Text: "Words.", State: memory.Active}}
			if cited := render.StatusComment(s).String(); !strings.Contains(cited, "1 lesson read") || !strings.Contains(cited, "m-7f3k2q8a") {
				t.Errorf("what was read is not cited:\n%s", cited)
			}
		})
	}
}
