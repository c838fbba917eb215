package redact

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// look says how much of a chunk has to be looked at. The zero value is nothing.
type look int

const (
	lookNever look = iota
	lookLines      // a rule could match, within few lines
	lookWhole      // a rule could match that spans lines, or is about all of a text
)

// lookAt says whether one of the library's rules could match in a chunk, and
// whether something in it decodes, so that ordinary text costs neither loading
// nor running it. It cannot miss one: a rule is tried by the library only where
// one of its keywords occurs, in lower case, in the text or in what decodes
// from it; and what the rule matches holds a run of token characters at least
// as long, and of at least as many different ones, as the keyword's line in
// keywords.go says. Tests derive those numbers from the library's own rules and
// their entropies, and fail if a later version of it needs less. The one thing
// left out is a rule that spans lines and whose keyword itself is encoded: it
// is looked for within the line that decodes to it.
func lookAt(chunk string) (found look, encoded bool) {
	runs := runsOf(chunk)
	escapes, broken := escapesIn(chunk)
	encoded = runs.decodes || escapes
	switch {
	case broken:
		return lookWhole, true
	case encoded:
		found = lookLines
	}
	lower := strings.ToLower(chunk)
	table := keywordTable()
	for i := 0; i+1 < len(lower); i++ {
		at := pair(lower[i], lower[i+1])
		if !table.some[at] {
			continue
		}
		for _, k := range table.by[at] {
			if !strings.HasPrefix(lower[i:], k.word) || runs.longest[k.distinct] < k.run {
				continue
			}
			if k.wide {
				return lookWhole, encoded
			}
			found = lookLines
		}
	}
	return found, encoded
}

// span is a part of a chunk in which something decodes or not.
type span struct {
	start, end int
	encoded    bool
}

// hotLines returns the parts of a chunk, whole lines, in which a rule could
// match that spans no more than two lines with letters or digits: a name and,
// behind the line break, its value. Every other rule has a wide keyword, for
// which the chunk is looked at whole.
func hotLines(chunk string) []span {
	var hot []span
	ends := lineEnds(chunk)
	for i, start := 0, 0; i < len(ends); start, i = ends[i], i+1 {
		last := i + 1
		for last < len(ends) && !substantial(chunk[ends[last-1]:ends[last]]) {
			last++
		}
		end := ends[min(last, len(ends)-1)]
		found, encoded := lookAt(chunk[start:end])
		if found == lookNever {
			continue
		}
		if n := len(hot); n > 0 && start <= hot[n-1].end {
			hot[n-1].end = end
			hot[n-1].encoded = hot[n-1].encoded || encoded
		} else {
			hot = append(hot, span{start, end, encoded})
		}
	}
	return hot
}

// lineEnds returns where each line of s ends, its line feed included.
func lineEnds(s string) []int {
	var ends []int
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			n = len(s) - i - 1
		}
		i += n + 1
		ends = append(ends, i)
	}
	return ends
}

// substantial says whether a line has letters or digits, which no rule lets
// stand between a name and its value.
func substantial(line string) bool {
	for i := range len(line) {
		if c := line[i]; c >= utf8.RuneSelf || c != '_' && wordByte(c) {
			return true
		}
	}
	return false
}

// maxDistinct is the highest number of different characters in a run that is
// told apart.
const maxDistinct = 16

// runStats is what is known of the runs of token characters in a text.
type runStats struct {
	longest [maxDistinct + 1]int // by different characters: the longest run with at least so many
	decodes bool                 // one of them is readable text in base64 or in hexadecimal
}

func runsOf(s string) runStats {
	var stats runStats
	for i := 0; i < len(s); {
		if !tokenByte[s[i]] {
			i++
			continue
		}
		start := i
		var seen [4]uint64
		for ; i < len(s) && tokenByte[s[i]]; i++ {
			seen[s[i]>>6] |= 1 << (s[i] & 63)
		}
		distinct := 0
		for _, word := range seen {
			distinct += bits.OnesCount64(word)
		}
		for d := 0; d <= min(distinct, maxDistinct); d++ {
			stats.longest[d] = max(stats.longest[d], i-start)
		}
		stats.decodes = stats.decodes || i-start >= shortestBase64 && encodedRun(s[start:i])
	}
	return stats
}

// tokenByte holds the characters of which runs are made: those of words,
// numbers, base64 in both alphabets, paths, and every byte beyond ASCII, since
// patterns that ignore case match some letters there.
var tokenByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte(`_.=+/~\-`, byte(c)) >= 0
	}
	return t
}()

// need is a word without which a rule of the library is not tried, and what
// the text must hold besides.
type need struct {
	word          string
	run, distinct int
}

// keyword is a need that is known to be wide or not.
type keyword struct {
	need
	wide bool
}

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// keywordsByPair finds the keywords that begin with two bytes; most pairs
// begin none, which one look tells.
type keywordsByPair struct {
	some [1 << 16]bool
	by   map[uint16][]keyword
}

var keywordTable = sync.OnceValue(func() *keywordsByPair {
	t := &keywordsByPair{by: map[uint16][]keyword{}}
	for _, k := range keywords {
		at := pair(k.word[0], k.word[1])
		t.some[at] = true
		t.by[at] = append(t.by[at], keyword{need: k, wide: slices.Contains(wide[:], k.word)})
	}
	return t
})
