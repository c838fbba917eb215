package render

import (
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// This file words what a maintainer said of a finding that is shown: whoever
// corrects one is to see at its place that it was taken up.

// WordOn is the last word that a maintainer said of a finding with this
// fingerprint; ok is false where none did, or where it is not shown.
func (m Status) WordOn(fingerprint string) (x Disposition, ok bool) {
	for _, x := range m.Said {
		if x.Finding != "" && x.Finding == fingerprint {
			return x, true
		}
	}
	return Disposition{}, false
}

// said is the line below a finding: "Corrected by noor on 2026-11-02 (`m-7f3k2q8a`): ...".
// A lesson that is forgotten since is found in it by its id (takenaway.go).
func (m Status) said(d dialect, f review.Finding) string {
	x, ok := m.WordOn(f.Fingerprint)
	if !ok {
		return ""
	}
	line := saidBy(d, x)
	if x.Text == "" {
		return line + "."
	}
	return line + ": " + d.prose(x.Text)
}

func saidBy(d dialect, x Disposition) string {
	lesson := ""
	if x.Lesson != "" {
		lesson = bracketed(d.code(x.Lesson))
	}
	return joined(" ", dispositionWords[x.Kind], byOn(d, x), lesson)
}

// byOn says who said it and when. The day keeps what follows from the name.
func byOn(d dialect, x Disposition) string {
	return "by " + person(d, memory.Principal{Login: x.By}) + " on " + day(x.At)
}

// SaidOnLine is the first line of a comment on a line of whose finding a
// maintainer said something. The words of the lesson are not repeated there:
// no forget would find them.
func SaidOnLine(x Disposition) Markup {
	d := markdownDialect()
	line := "**" + dispositionWords[x.Kind] + "** " + byOn(d, x)
	switch {
	case x.Lesson == "":
		return Markup{line + "."}
	case x.Kind == memory.OpCorrect:
		return Markup{line + ": the status comment says what it should have been (" + Code(x.Lesson) + ")."}
	}
	return Markup{line + ", with the lesson " + Code(x.Lesson) + "."}
}
