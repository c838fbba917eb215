package intent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// tailForms are the forms of the line that a mail program puts above the text
// it quotes. What follows one of them was written by somebody else, or
// earlier, and commands nothing even where the program left out the ">".
type tailForms struct {
	wrote *regexp.Regexp
	// wroteStart and wroteEnd are the two halves of such a line where it was
	// wrapped.
	wroteStart, wroteEnd, original, rule, headerFrom, headerSent *regexp.Regexp
}

// forms compiles them for the first comment that speaks to us: they cost
// milliseconds, and most runs of the program read no comment.
var forms = sync.OnceValue(func() tailForms {
	return tailForms{
		wrote:      regexp.MustCompile(`(?i)^[ \t]*(on|am|le|el|op|il|em|den|dne|w dniu|pe|på)[ \t].{0,300}[ \t](wrote|schrieb.{0,100}|a écrit|escribió|schreef.{0,100}|ha scritto|escreveu|skrev.{0,100}|napsal.{0,20}|napisał.{0,20}|kirjoitti)[ \t]*:[ \t]*$`),
		wroteStart: regexp.MustCompile(`(?i)^[ \t]*(on|am|le|el|op|il|em|den)[ \t].{0,300}(\d{1,2}:\d{2}|\d{4}).{0,300}$`),
		wroteEnd:   regexp.MustCompile(`(?i)^(.{0,300}[ \t>])?(wrote|schrieb.{0,100}|a écrit|escribió|schreef.{0,100}|ha scritto|escreveu|skrev.{0,100}):[ \t]*$`),
		original:   regexp.MustCompile(`(?i)^[ \t]*-{2,}[ \t]*(original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)[ \t]*-{2,}[ \t]*$`),
		rule:       regexp.MustCompile(`^[ \t]*_{20,}[ \t]*$`),
		headerFrom: regexp.MustCompile(`(?i)^[ \t]*\*{0,2}(from|von|de):\*{0,2}[ \t].{0,300}$`),
		headerSent: regexp.MustCompile(`(?i)^[ \t]*\*{0,2}(sent|date|gesendet|datum|envoyé|enviado):\*{0,2}[ \t].{0,300}$`),
	}
})

// tail is the end of an e-mail reply: a signature, and the message that is
// answered. Both begin behind the last line where there is none.
type tail struct {
	start   int // its first line
	earlier int // the first that is surely of an earlier message, whose commands were given once
}

// tailOf finds the tail. Lines for which code answers true are no part of one.
func tailOf(lines []string, code func(i int) bool) tail {
	t := tail{len(lines), len(lines)}
	for i := range lines {
		starts, sure := startsTail(lines, i)
		if !starts || code(i) {
			continue
		}
		t.start = min(t.start, i)
		if sure {
			t.earlier = i
			break
		}
	}
	return t
}

// startsTail says whether line i begins a tail. A mail program puts what it
// quotes into a paragraph of its own, so that in the middle of one the same
// words are the author's. A line of dashes or underscores may be the author's
// rule: it is not sure to be a tail.
func startsTail(lines []string, i int) (starts, sure bool) {
	f, line := forms(), lines[i]
	above, next := "", ""
	if i > 0 {
		above = lines[i-1]
	}
	if i+1 < len(lines) {
		next = lines[i+1]
	}
	opens := strings.TrimSpace(above) == ""
	switch {
	case f.original.MatchString(line):
		return true, true
	case line == "-- ": // the mark of a signature, letter by letter
		return true, false
	case opens && strings.TrimRight(line, " \t") == "--":
		return true, false
	case opens && f.rule.MatchString(line):
		return true, f.headerFrom.MatchString(next)
	case !opens && !f.rule.MatchString(above):
		return false, false
	case f.wrote.MatchString(line) && strings.ContainsAny(line, "0123456789"), f.wroteStart.MatchString(line) && f.wroteEnd.MatchString(next):
		return true, true
	}
	return f.headerFrom.MatchString(line) && f.headerSent.MatchString(next), true
}

// belowTail is the one answer to the commands that stand below what may be a
// tail and may be the author's own.
func belowTail(s start, at int) Intent {
	return Intent{Verb: VerbUnknown, Line: s.line + 1, Raw: s.raw, Problem: "line " + strconv.Itoa(at+1) +
		" reads as the tail of an e-mail, so no command below it was read; if this one is meant, put it into a comment of its own"}
}
