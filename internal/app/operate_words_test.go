package app

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestTheArgumentsOfTheOperationMemory(t *testing.T) {
	for _, c := range []struct {
		name      string
		arguments []string
		verb      string
		values    []string
		options   map[string]string
	}{
		{"a verb and a value a line", []string{"forget", "m-7f3k2q8a", "m-2xw9d4hc"}, "forget", []string{"m-7f3k2q8a", "m-2xw9d4hc"}, nil},
		{"one line of a form", []string{"retire m-7f3k2q8a"}, "retire", []string{"m-7f3k2q8a"}, nil},
		{"a text with spaces stays one value", []string{"edit", "m-7f3k2q8a", "money is rounded half-even"}, "edit", []string{"m-7f3k2q8a", "money is rounded half-even"}, nil},
		{"an option on two lines", []string{"keep", "m-7f3k2q8a", "--class", "durable"}, "keep", []string{"m-7f3k2q8a"}, map[string]string{"class": "durable"}},
		{"an option on one", []string{"keep", "m-7f3k2q8a", "--until=2027-03-31"}, "keep", []string{"m-7f3k2q8a"}, map[string]string{"until": "2027-03-31"}},
		{"an option as comments write it", []string{"keep", "m-7f3k2q8a", "class: durable"}, "keep", []string{"m-7f3k2q8a"}, map[string]string{"class": "durable"}},
		{"an option twice", []string{"recover", "--accept", "aa", "--accept", "bb"}, "recover", nil, map[string]string{"accept": "aa\nbb"}},
		{"options that mean nothing here", []string{"purge", "m-7f3k2q8a", "--yes", "--json"}, "purge", []string{"m-7f3k2q8a"}, map[string]string{"yes": "yes", "json": "yes"}},
		{"a verb in capitals", []string{"LIST"}, "list", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readMemoryWords(c.arguments)
			if err != nil || got.verb != c.verb || !slices.Equal(got.values, c.values) || !maps.Equal(got.options, c.options) {
				t.Errorf("got %+v (%v)", got, err)
			}
		})
	}
}

func TestArgumentsThatCannotBeUsedSayWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		says      string
	}{
		{nil, "takes a verb of `familiar memory` on its first line"},
		{[]string{"--yes"}, "takes a verb"},
		{[]string{"frobnicate", "x"}, `begins with "frobnicate"`},
		{[]string{"remember", "x"}, `begins with "remember"`},
		{[]string{"keep", "m-7f3k2q8a", "--class"}, "has --class without a value"},
	} {
		_, err := readMemoryWords(c.arguments)
		var wrong *InputError
		if !errors.As(err, &wrong) || wrong.Input != "arguments" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.arguments, err, c.says)
		}
	}
}

// TestEveryVerbOfTheOperationMemoryHasACapability holds page 4.3 for what is
// started by hand.
func TestEveryVerbOfTheOperationMemoryHasACapability(t *testing.T) {
	want := map[string]memory.Standing{
		"list": memory.StandingCollaborator, "show": memory.StandingCollaborator, "search": memory.StandingCollaborator, "verify": memory.StandingCollaborator,
		"forget": memory.StandingMaintainer, "retire": memory.StandingMaintainer, "keep": memory.StandingMaintainer, "edit": memory.StandingMaintainer,
		"approve": memory.StandingMaintainer, "reject": memory.StandingMaintainer,
		"export": memory.StandingAdmin, "redact": memory.StandingAdmin, "purge": memory.StandingAdmin, "revoke": memory.StandingAdmin, "unrevoke": memory.StandingAdmin,
		"snapshot": memory.StandingAdmin, "restore": memory.StandingAdmin, "recover": memory.StandingAdmin,
	}
	for _, verb := range memoryVerbs() {
		least, ok := memory.Capability(capability(verb))
		if !ok || least != want[verb] {
			t.Errorf("%s takes %q, want %q", verb, least, want[verb])
		}
	}
	if len(want) != len(memoryVerbs()) {
		t.Errorf("%d verbs, want %d", len(memoryVerbs()), len(want))
	}
	if least, _ := memory.Capability(capability("anything else")); least != memory.StandingAdmin {
		t.Errorf("a verb that is not known takes %q, want an admin", least)
	}
}
