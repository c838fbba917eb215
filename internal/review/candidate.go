package review

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
)

// Bounds of what is kept of one candidate, in bytes. A reviewer that says more
// is cut; render bounds comments on its own.
const (
	maxTitle       = 300
	maxBody        = 8000
	maxEvidence    = 600
	maxReplacement = 8000
	maxRule        = 200
	maxBecause     = 20 // lessons
	maxLessonID    = 64
)

// CandidatesFromResult takes the findings out of a runtime's result. Nothing
// of them is believed yet; Check decides.
func CandidatesFromResult(r contract.Result) []Candidate {
	out := make([]Candidate, 0, len(r.Review.Findings))
	for _, f := range r.Review.Findings {
		c := Candidate{Severity: f.Severity, Path: f.File, Title: f.Title, Body: f.Body}
		if f.Line != nil && *f.Line > 0 {
			c.Line = *f.Line
		}
		if f.Recommendation != nil {
			c.Recommendation = *f.Recommendation
		}
		out = append(out, c)
	}
	return out
}

// normal returns the candidate with bounded, valid text: titles and evidence on
// one line, no control characters. Escaping for a surface is render's.
func (c Candidate) normal() Candidate {
	c.Rule = oneLine(c.Rule, maxRule)
	c.Title = oneLine(c.Title, maxTitle)
	c.Evidence = oneLine(c.Evidence, maxEvidence)
	c.Body = paragraphs(c.Body, maxBody)
	c.Recommendation = paragraphs(c.Recommendation, maxBody)
	if r := c.Replacement; r != nil && (len(*r) > maxReplacement || !utf8.ValidString(*r) || strings.ContainsRune(*r, 0)) {
		// Half a suggestion would be a wrong one.
		c.Replacement = nil
	}
	c.Because = lessonIDs(c.Because)
	return c
}

func lessonIDs(ids []string) []string {
	var out []string
	for _, id := range ids {
		id = oneLine(id, maxLessonID)
		if id != "" && !slices.Contains(out, id) && len(out) < maxBecause {
			out = append(out, id)
		}
	}
	return out
}

func oneLine(s string, n int) string {
	return strings.Join(strings.Fields(strings.Map(spaceControl, cut(s, n))), " ")
}

func paragraphs(s string, n int) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(cut(s, n))
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return c
		}
		return spaceControl(c)
	}, s))
}

func spaceControl(c rune) rune {
	if unicode.IsControl(c) {
		return ' '
	}
	return c
}

const ellipsis = "…"

// cut makes s valid UTF-8 of at most n bytes, with an ellipsis where it was
// longer.
func cut(s string, n int) string {
	long := len(s) > n
	if long {
		s = s[:n-len(ellipsis)]
		for back := 0; back < utf8.UTFMax && s != ""; back++ {
			if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
				break
			}
			s = s[:len(s)-1]
		}
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if long {
		s += ellipsis
	}
	return s
}
