package render

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/text"
)

// What an answer names and somebody may type: lessons with the word before
// them, and a word that "shows" or "lists" something, or that something is done
// "with".
var (
	namedLessons = text.Lazy(`\b(?:[a-z]+ )?m-[0-9a-z]{8}(?:@\d+)?(?: m-[0-9a-z]{8}(?:@\d+)?)*\b`)
	quotedLesson = text.Lazy(`"(m-[0-9a-z]{8}(?:@\d+)?)"`)
	namedCommand = text.Lazy(`(?:^|[.;:] |\bwith )[a-z]+(?: shows\b| lists\b| and\b|[.,;:]|$)`)
)

// marked sets code marks around the ids and the commands that an answer of ours
// names without. A refusal is worded for every surface; in Markdown only the
// marks tell what may be typed from the sentence around it.
func marked(s string) string {
	s = outsideCode(s, func(part string) string {
		part = quotedLesson.ReplaceAllString(part, "$1") // the marks are quotes enough
		return namedLessons.ReplaceAllStringFunc(part, func(found string) string {
			word, ids, two := strings.Cut(found, " ")
			if two && !strings.HasPrefix(word, "m-") && !isVerb(word) {
				return word + " `" + ids + "`"
			}
			return "`" + found + "`"
		})
	})
	return outsideCode(s, func(part string) string {
		return namedCommand.ReplaceAllStringFunc(part, func(found string) string {
			before, rest, with := strings.Cut(found, "with ")
			if with {
				before += "with "
			} else {
				rest = strings.TrimLeft(found, ".;: ")
				before = found[:len(found)-len(rest)]
			}
			end := strings.IndexAny(rest, " .,;:")
			if end < 0 {
				end = len(rest)
			}
			says := rest[end:] == " shows" || rest[end:] == " lists"
			if !isVerb(rest[:end]) || !with && !says {
				return found
			}
			return before + "`" + rest[:end] + "`" + rest[end:]
		})
	})
}

// outsideCode changes what stands between no backticks. One that nothing ends
// is no mark, and then nothing is changed.
func outsideCode(s string, change func(string) string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return s
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = change(parts[i])
	}
	return strings.Join(parts, "`")
}

func isVerb(word string) bool {
	return slices.ContainsFunc(intent.Table(), func(row intent.CommandHelp) bool { return string(row.Verb) == word })
}
