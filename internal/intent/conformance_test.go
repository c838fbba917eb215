package intent

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

type wanted struct {
	Verb    Verb   `json:"verb"`
	Text    string `json:"text,omitempty"`
	Word    string `json:"word,omitempty"`
	Problem string `json:"problem,omitempty"`
}

func TestConformanceCommands(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/commands.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 23 {
		t.Fatalf("%d cases, want the 22 of the area and the handle in another case", len(lines))
	}
	for _, line := range lines {
		var c struct {
			Area, Name, Stricter string
			Input                struct{ Body, Handle string }
			Want                 struct{ Intents []wanted }
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil || c.Area != "commands" {
			t.Fatalf("%v in %s", err, line)
		}
		t.Run(c.Name, func(t *testing.T) {
			got := []wanted{}
			for _, in := range Parse(c.Input.Body, Options{Handles: []string{c.Input.Handle}}) {
				got = append(got, wanted{in.Verb, in.Text, in.Word, in.Problem})
			}
			if !reflect.DeepEqual(got, c.Want.Intents) {
				t.Errorf("got %+v, want %+v", got, c.Want.Intents)
			}
		})
	}
}

func TestForgetKeepsItsWordsForTheAnswer(t *testing.T) {
	got := Parse("@familiar forget: the rule on tabs", Options{})
	if len(got) != 1 || got[0].Argument != "the rule on tabs" || got[0].IDs != nil || got[0].Problem == "" {
		t.Errorf("%+v", got)
	}
}
