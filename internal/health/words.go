package health

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/redact"
)

// many counts things: "1 day", "3 days".
func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// isAre counts things that a sentence starts with: "There is 1 lesson".
func isAre(n int, what string) string {
	if n == 1 {
		return "There is 1 " + what
	}
	return "There are " + many(n, what)
}

// span is a duration in days, or in hours below two of them.
func span(d time.Duration) string {
	if d < 48*time.Hour {
		return many(int(d/time.Hour), "hour")
	}
	return many(int(d/(24*time.Hour)), "day")
}

// and lists words as a sentence does.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// quoted shows a pattern or a name within a sentence.
func quoted(s string) string {
	return "`" + strings.ReplaceAll(redact.Cut(s, 60), "`", "'") + "`"
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
