package intent

import "strings"

// Bounds of what a Markdown parser needs more than linear time for. Nobody
// writes so much by hand; a body beyond them commands nothing.
const (
	maxLinks   = 1000 // "](" in a body
	maxNesting = 100  // marks of quotes and lists at the start of one line
)

// knotted tells a body that is made to keep a parser busy.
func knotted(body string, lines []string) bool {
	if strings.Count(body, "](") > maxLinks {
		return true
	}
	for _, line := range lines {
		if marks(line) > maxNesting {
			return true
		}
	}
	return false
}

// marks counts the marks of quotes and lists that line starts with.
func marks(line string) (n int) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '>', '-', '+', '*', ')', '.':
			n++
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return n
		}
	}
	return n
}
