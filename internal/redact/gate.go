package redact

import (
	"encoding/base64"
	"encoding/hex"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// look says how a chunk has to be looked at. The zero value is not at all.
type look int

const (
	lookNever   look = iota
	lookLines        // a rule could match, within few lines
	lookWhole        // a rule could match that spans lines, or is about all of a text
	lookEncoded      // something in it decodes, and a rule could match that
)

// lookAt says whether one of the library's rules could match in a chunk, so
// that ordinary text costs neither loading nor running it. It cannot miss one:
// a rule is tried by the library only where one of its keywords occurs, in
// lower case, in the text or in what decodes from it; and what the rule
// matches holds a run of token characters at least as long, and of at least as
// many different ones, as the keyword's line in keywords.go says. A test
// derives those numbers from the library's own rules and their entropies, and
// fails if a later version of it needs less.
func lookAt(chunk string) look {
	runs := runsOf(chunk)
	if runs.decodes || decodable(chunk) {
		return lookEncoded
	}
	found := lookNever
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
				return lookWhole
			}
			found = lookLines
		}
	}
	return found
}

// span is a part of a chunk.
type span struct{ start, end int }

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
		if lookAt(chunk[start:end]) == lookNever {
			continue
		}
		if n := len(hot); n > 0 && start <= hot[n-1].end {
			hot[n-1].end = end
		} else {
			hot = append(hot, span{start, end})
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

// What the library takes for encoded is at least this long.
const (
	shortestBase64 = 16
	shortestHex    = 32
)

// encodedRun says whether the library would decode a part of the run. Within
// characters of base64 a stretch of hexadecimal goes before.
func encodedRun(run string) bool {
	for part := range strings.FieldsFuncSeq(run, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(`.~\`, r) }) {
		for part != "" {
			n := len(part) - len(strings.TrimLeft(part, "0123456789abcdefABCDEF"))
			if n < shortestHex {
				n = 0
			}
			if readable(hex.DecodeString(part[:n&^1])) {
				return true
			}
			rest, after, _ := strings.Cut(part[n:], "=")
			pad := len(after) - len(strings.TrimLeft(after, "=")) + 1
			for p := range min(pad, 2) + 1 {
				if readable(base64.StdEncoding.DecodeString(rest + "=="[:p])) {
					return true
				}
			}
			if readable(base64.RawURLEncoding.DecodeString(rest)) {
				return true
			}
			part = strings.TrimLeft(after, "=")
		}
	}
	return false
}

func readable(b []byte, err error) bool {
	if err != nil || len(b) == 0 {
		return false
	}
	for _, c := range b {
		if c < '\t' || c > '~' {
			return false
		}
	}
	return true
}

// decodable says whether s holds an escape that the library decodes: of URLs,
// of JSON, or the name of a code point.
func decodable(s string) bool {
	for rest := s; ; {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			break
		}
		if i+2 < len(rest) && hexDigit(rest[i+1]) && hexDigit(rest[i+2]) {
			return true
		}
		rest = rest[i+1:]
	}
	return strings.Contains(s, `\u`) || strings.Contains(s, `\U`) || strings.Contains(s, "U+")
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

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
