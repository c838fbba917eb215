package intent

import (
	"regexp"
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

// tailStart returns the index of the first line that belongs to the tail of
// an e-mail reply (the quoted message or the signature), or len(lines). Lines
// for which code answers true are no part of a tail.
func tailStart(lines []string, code func(i int) bool) int {
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		if startsTail(line, next) && !code(i) {
			return i
		}
	}
	return len(lines)
}

func startsTail(line, next string) bool {
	f := forms()
	switch {
	case strings.TrimRight(line, " \t") == "--": // a signature
		return true
	case f.wrote.MatchString(line), f.original.MatchString(line), f.rule.MatchString(line):
		return true
	case f.wroteStart.MatchString(line) && f.wroteEnd.MatchString(next):
		return true
	}
	return f.headerFrom.MatchString(line) && f.headerSent.MatchString(next)
}
