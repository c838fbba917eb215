package render

import (
	"strings"
	"testing"
)

func TestAdviceForATerminal(t *testing.T) {
	list := []Advice{
		{Level: "error", Place: "a.yml:3", Message: "The job `x` is wrong, and this sentence is long enough to be wrapped at eighty columns.", Reason: "Because.", Fix: "Mend it, with a sentence that is long enough to be wrapped at eighty columns too."},
		{Level: "note", Message: "Look.", Reason: "Once."},
		{Level: "note", Message: "Look.", Reason: "Twice.", Fix: "Do."},
	}
	want := `error    a.yml:3
         The job ` + "`x`" + ` is wrong, and this sentence is long enough to be wrapped at
         eighty columns.
         Because.
         -> Mend it, with a sentence that is long enough to be wrapped at eighty
            columns too.

note     Look.
         Once.

note     Look.
         Twice.
         -> Do.

1 error, 2 notes.
`
	if got := Advices(list, TerminalOptions{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Advices(nil, TerminalOptions{}); got != "Nothing is wrong.\n" {
		t.Errorf("got %q", got)
	}
}

func TestHostileAdviceCommandsNoTerminal(t *testing.T) {
	evil := "a\x1b[31mb\u202Ec\r\nd"
	for _, color := range []bool{false, true} {
		got := Advices([]Advice{{Level: "error", Place: evil, Message: evil, Reason: evil, Fix: evil}}, TerminalOptions{Color: color}) +
			Settings([]Setting{{Key: "a.b", Value: evil, From: evil, Changed: true}}, TerminalOptions{Color: color})
		if strings.Contains(got, "\x1b[31mb") || strings.ContainsAny(got, "\u202e\r") || !color && strings.Contains(got, "\x1b") {
			t.Errorf("colour %v: %q", color, got)
		}
	}
}

func TestSettingsForATerminal(t *testing.T) {
	got := Settings([]Setting{
		{Key: "memory.mode", Value: `"off"`, From: "file:3", Changed: true}, {Key: "memory.max_age_days", Value: "365", From: "default"}, {Key: "review.drafts", Value: "false", From: "default"},
	}, TerminalOptions{})
	want := "memory.mode          \"off\" (file:3)\nmemory.max_age_days  365 (default)\n\nreview.drafts        false (default)\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	coloured := Settings([]Setting{{Key: "a.b", Value: "1", From: "file", Changed: true}, {Key: "a.c", Value: "2", From: "default"}}, TerminalOptions{Color: true})
	if coloured != "\x1b[1ma.b\x1b[0m  \x1b[36m1\x1b[0m (file)\na.c  \x1b[36m2\x1b[0m (default)\n" {
		t.Errorf("coloured %q", coloured)
	}
}
