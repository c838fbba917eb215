package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/text"
)

var hiddenUnicode = BuiltIn{
	ID: "builtin/hidden-unicode", Title: "Invisible characters", Severity: contract.SeverityHigh,
	About:  "Characters that make code read differently from what runs: bidirectional controls, tag characters, and zero-width characters between letters of code.",
	Leaves: "Emoji sequences and flags, byte order marks at the start of a file, direction marks and joiners in translations, zero-width characters in prose and tests.",
	Bad:    Example{Path: "auth.go", Added: "if role == \"user\u202e\u2066// check\u2069\u2066\" {"},
	Good:   Example{Path: "flags.go", Added: "const crew = \"\U0001F469\u200D\U0001F680 \U0001F3F4\U000E0067\U000E0062\U000E007F\""},
	advice: "Remove the character, or write it as an escape so that a reader sees it.",
	find:   findHidden,
}

func findHidden(v *view, emit func(hit)) {
	for _, f := range v.files {
		if f.fixture || f.vendored || f.Binary {
			continue
		}
		for _, l := range f.added {
			if h, ok := firstHidden(f, l.Text); ok && v.moved[strings.TrimSpace(l.Text)] == 0 {
				emit(hit{file: f, line: l.New, evidence: evidence(text.Visible(l.Text)),
					body: fmt.Sprintf("Character %d of the line is U+%04X, a %s that no editor shows.",
						utf8.RuneCountInString(l.Text[:h.Offset])+1, h.Rune, h.Class)})
				break // one a file says it
			}
		}
	}
}

// firstHidden returns the first harmful character of a line.
func firstHidden(f *file, line string) (text.Hit, bool) {
	if ascii(line) {
		return text.Hit{}, false
	}
	for _, h := range text.Hidden(line) {
		harmful := false
		switch h.Class {
		case text.Bidi:
			harmful = !f.locale()
		case text.Tag:
			harmful = !inFlag(line[:h.Offset])
		case text.ZeroWidth:
			harmful = !f.prose && !f.test && !f.locale() && betweenLetters(line, h)
		}
		if harmful {
			return h, true
		}
	}
	return text.Hit{}, false
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// inFlag says whether tag characters behind this text still belong to the
// flag of a country's part: a black flag, then tags.
func inFlag(before string) bool {
	rest := strings.TrimRightFunc(before, func(c rune) bool { return c >= 0xE0020 && c <= 0xE007E })
	return strings.HasSuffix(rest, "\U0001F3F4") && utf8.RuneCountInString(before[len(rest):]) < 8
}

// betweenLetters tells a character inside what reads as one ASCII word.
func betweenLetters(line string, h text.Hit) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:h.Offset])
	after, _ := utf8.DecodeRuneInString(line[h.Offset+utf8.RuneLen(h.Rune):])
	return letter(before) && letter(after)
}

// letter tells what an ASCII identifier is made of.
func letter(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
