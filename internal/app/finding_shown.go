package app

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// shown is the list of findings that a pull request ever had, by the number
// that people use. A number is given once and never again, so that "F2" in a
// comment means what its writer saw, whatever was found, fixed or dismissed
// since. It lies in the MACed state of the status comment.
type shown struct {
	next int    // the number of the next new finding
	at   []span // the reviews that showed them, the latest first
	list []shownFinding
}

// span is what one review looked at: commits, whole.
type span struct{ base, head string }

// shownFinding is one of them, in ids and digests.
type shownFinding struct {
	number      int
	fingerprint string // 32 hex digits
	path        string // digest of its path, 8 hex digits
	line        int    // 0: the file
	gone        bool   // the last review did not show it
	at          int    // which review showed it last, in shown.at; -1: none that is remembered
	because     []string
}

// maxShown bounds the list, so that it fits beside the comment: the oldest of
// those that are gone leave first. What was on a line is known by the marker
// there all the same.
const (
	maxShown = 100
	maxSpans = 8
)

// pathDigest is enough of a digest to tell the paths of one change apart.
func pathDigest(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:4])
}

// number gives findings the numbers that they had, and new ones the next.
// They keep their order, which is that of their severity.
func (s shown) number(findings []review.Finding) []review.Finding {
	out := slices.Clone(findings)
	known := map[string][]int{} // two lines that differ in spacing alone share a fingerprint
	for _, f := range s.list {
		known[f.fingerprint] = append(known[f.fingerprint], f.number)
	}
	next := max(s.next, 1)
	for i, f := range out {
		n := next
		if had := known[f.Fingerprint]; len(had) > 0 {
			n, known[f.Fingerprint] = had[0], had[1:]
		} else {
			next++
		}
		out[i].ID = "F" + strconv.Itoa(n)
	}
	return out
}

// with is the list after a review that found these, numbered.
func (s shown) with(findings []review.Finding, base, head string) shown {
	out := shown{next: max(s.next, 1), at: []span{{base, head}}}
	for _, old := range s.at {
		if old != out.at[0] && len(out.at) < maxSpans {
			out.at = append(out.at, old)
		}
	}
	now := map[int]bool{}
	for _, f := range findings {
		n := findingNumber(f.ID)
		if n == 0 {
			continue
		}
		now[n] = true
		out.next = max(out.next, n+1)
		out.list = append(out.list, shownFinding{number: n, fingerprint: f.Fingerprint, path: pathDigest(f.Path), line: f.Line, because: documents(f.Because)})
	}
	for _, f := range s.list {
		if !now[f.number] {
			f.gone, f.at = true, slices.Index(out.at, s.span(f))
			out.list = append(out.list, f)
		}
	}
	slices.SortStableFunc(out.list, func(a, b shownFinding) int {
		if a.gone != b.gone {
			return cmp.Compare(boolInt(a.gone), boolInt(b.gone))
		}
		if a.gone {
			return cmp.Compare(b.number, a.number) // the latest first
		}
		return cmp.Compare(a.number, b.number)
	})
	out.list = out.list[:min(len(out.list), maxShown)]
	slices.SortFunc(out.list, func(a, b shownFinding) int { return cmp.Compare(a.number, b.number) })
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// span is the review that showed a finding last; zero where nobody knows.
func (s shown) span(f shownFinding) span {
	if f.at < 0 || f.at >= len(s.at) {
		return span{}
	}
	return s.at[f.at]
}

// find is the finding of a number such as "F2".
func (s shown) find(id string) (shownFinding, bool) {
	n := findingNumber(id)
	for _, f := range s.list {
		if n > 0 && f.number == n {
			return f, true
		}
	}
	return shownFinding{}, false
}

// idOf is the "F2" of a fingerprint, "" where it never had one here.
func (s shown) idOf(fingerprint string) string {
	for _, f := range s.list {
		if f.fingerprint == fingerprint {
			return "F" + strconv.Itoa(f.number)
		}
	}
	return ""
}

// findingNumber is the number in "F2", 0 for what is none.
func findingNumber(id string) int {
	digits, ok := strings.CutPrefix(strings.ToUpper(id), "F")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > 1<<20 {
		return 0
	}
	return n
}

// documents are the documents of ids of lessons, each once.
func documents(ids []string) []string {
	var out []string
	for _, id := range ids {
		if doc, _, ok := memory.ParseID(id); ok && !slices.Contains(out, doc) && len(out) < 20 {
			out = append(out, doc)
		}
	}
	return out
}

// The sizes of the fixed parts of an encoded list.
const (
	fingerprintBytes = 16
	pathBytes        = 4
	documentBytes    = 8
	goneBit          = 0x80
)

// encode packs the list for the state of a comment; "" for an empty one.
func (s shown) encode() string {
	if s.next == 0 && len(s.list) == 0 {
		return ""
	}
	b := append(binary.AppendUvarint(nil, uint64(s.next)), byte(len(s.at)))
	for _, at := range s.at {
		for _, sha := range []string{at.base, at.head} {
			raw, err := hex.DecodeString(sha)
			if err != nil || len(raw) > 32 {
				raw = nil
			}
			b = append(append(b, byte(len(raw))), raw...)
		}
	}
	for _, f := range s.list {
		fingerprint, err := hex.DecodeString(f.fingerprint)
		path, bad := hex.DecodeString(f.path)
		if err != nil || bad != nil || len(fingerprint) != fingerprintBytes || len(path) != pathBytes {
			continue
		}
		b = binary.AppendUvarint(b, uint64(f.number))
		b = append(append(b, fingerprint...), path...)
		b = binary.AppendUvarint(b, uint64(max(f.line, 0)))
		flags := byte(len(f.because))
		if f.gone {
			flags |= goneBit
		}
		b = append(b, flags, byte(f.at+1))
		for _, id := range f.because {
			b = append(b, strings.TrimPrefix(id, "m-")...)
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// decodeShown reads what encode packed; anything else is an empty list, as if
// nothing had been shown yet.
func decodeShown(s string) shown {
	data, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil || len(data) == 0 {
		return shown{}
	}
	r := shownReader{in: bytes.NewReader(data)}
	out := shown{next: r.number()}
	for range r.short() {
		out.at = append(out.at, span{r.hex(r.short()), r.hex(r.short())})
	}
	for r.in.Len() > 0 && !r.bad && len(out.list) < maxShown {
		out.list = append(out.list, r.finding())
	}
	if r.bad || r.in.Len() > 0 {
		return shown{}
	}
	return out
}

// shownReader reads the parts of a list; bad is set once one is not there.
type shownReader struct {
	in  *bytes.Reader
	bad bool
}

func (r *shownReader) finding() shownFinding {
	f := shownFinding{number: r.number(), fingerprint: r.hex(fingerprintBytes), path: r.hex(pathBytes), line: r.number()}
	flags := r.short()
	f.gone, f.at = flags&goneBit != 0, r.short()-1
	for range flags &^ goneBit {
		id := "m-" + string(r.bytes(documentBytes))
		if _, _, ok := memory.ParseID(id); !ok {
			r.bad = true
			return f
		}
		f.because = append(f.because, id)
	}
	return f
}

func (r *shownReader) number() int {
	n, err := binary.ReadUvarint(r.in)
	if err != nil || n > 1<<31 {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *shownReader) short() int {
	b, err := r.in.ReadByte()
	r.bad = r.bad || err != nil
	return int(b)
}

func (r *shownReader) bytes(n int) []byte {
	if r.bad || n > r.in.Len() {
		r.bad = true
		return nil
	}
	out := make([]byte, n)
	_, err := r.in.Read(out)
	r.bad = r.bad || err != nil && n > 0
	return out
}

func (r *shownReader) hex(n int) string { return hex.EncodeToString(r.bytes(n)) }
