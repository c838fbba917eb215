package store

import (
	"slices"
	"strings"
)

// A packed full-text index has one form: FTS5 writes all of it as one segment,
// and every byte of that follows from its words and rows. This file decodes an
// index strictly and says whether it has that form. FTS5's own check of the
// same takes ten times as long, and remains the judge of every index that is of
// any other form: what is not recognised here is not yet refused.

// FTS5's own numbers: the rows of its data table that are no pages, where the
// parts of the id of a page lie, from how many pages without a word on a list
// of rows has an index of its own, and how large its pages may be.
const (
	ftsTotals    = 1
	ftsStructure = 10
	ftsSegment   = 37
	ftsListIndex = 1 << 36
	ftsEmpty     = 4
	ftsPage      = 4050
	ftsWord      = '0' // before each word of the main index
	ftsVersion   = 4
)

// packedIndex decodes the tables of an index as their rows come: the
// configuration, the data, then the words at which pages begin.
type packedIndex struct {
	other               bool // something was in another form
	configured, totals  bool
	segment, last, page int64 // of the one segment: its id, its last page, the latest page read
	word                []byte
	began               bool  // a word was read
	rows                int64 // of the word, so far
	row                 int64 // the latest
	left                int   // bytes of the list of positions that the next page goes on with
	position            int64
	places              int // in the list of positions so far
	starts              []pageStart
	next                int // of starts, in the table of words
	lists               int // of starts, the next whose index of a list may come
}

// pageStart is a page that has a word.
type pageStart struct {
	page  int64
	words string // the shortest that is after the page before it
	empty int    // pages without a word that follow
	index []byte // of the list of rows that goes on in them
	row   int64  // the latest row in index
}

func newPackedIndex() *packedIndex { return &packedIndex{last: -1} }

// table returns what decodes the rows of a table of the index, nil for other
// tables.
func (x *packedIndex) table(name string) func(int64, string) {
	if x == nil {
		return nil
	}
	switch name {
	case "recall_config":
		return x.config
	case "recall_data":
		return x.data
	case "recall_idx":
		return x.pageWord
	}
	return nil
}

// packed says whether all of the index was read and had the form.
func (x *packedIndex) packed() bool {
	return !x.other && x.configured && x.totals && x.last >= 0 && x.page == x.last && x.whole() && x.next == len(x.starts) && !x.lacksList(len(x.starts))
}

// whole says that nothing is left open.
func (x *packedIndex) whole() bool { return x.left == 0 && (!x.began || x.rows > 0) }

// require notes that a row has another form; no row is looked at after that.
func (x *packedIndex) require(ok bool) { x.other = x.other || !ok }

func (x *packedIndex) config(_ int64, record string) {
	if x.other {
		return
	}
	f, err := decodeRecord(record, nil)
	ok := err == nil && !x.configured && len(f) == 2 && f[0].s == "version" && f[1].kind == isInt && f[1].i == ftsVersion
	x.configured = true
	x.require(ok)
}

func (x *packedIndex) data(id int64, record string) {
	if x.other {
		return
	}
	var room [2]field
	f, err := decodeRecord(record, room[:0])
	if err != nil || len(f) != 2 || f[1].kind != isBlob {
		x.require(false)
		return
	}
	block := f[1].s
	switch {
	case id == ftsTotals:
		x.totals = true // nothing in it is beyond what FTS5 reads
	case id == ftsStructure:
		x.require(x.structure(block))
	case id == x.segment<<ftsSegment|(x.page+1) && x.page < x.last:
		x.page++
		x.require(x.leaf(block))
	case id>>ftsSegment == x.segment && id&ftsListIndex != 0 && x.page == x.last:
		x.require(x.listIndex(id&^ftsListIndex&(1<<ftsSegment-1), block))
	default:
		x.require(false)
	}
}

// structure takes the record that names the segments: none, or one whose
// pages begin at 1.
func (x *packedIndex) structure(block string) bool {
	if len(block) < 4 {
		return false
	}
	r := reader{s: block, at: 4}
	x.last = 0
	levels, segments := r.number(), r.number()
	r.number() // how much was written, which steers merging alone
	if segments > 1 {
		return false
	}
	for level := range levels {
		merging, count := r.number(), r.number()
		if r.bad || merging != 0 || level > 64 || count > segments {
			return false
		}
		if count == 1 {
			segments--
			var first int64
			x.segment, first, x.last = r.number(), r.number(), r.number()
			if first != 1 || x.last < 1 || x.last > 1<<31-1 || x.segment < 1 || x.segment > 0xffff {
				return false
			}
		}
	}
	return segments == 0 && r.done()
}

// reader reads the shortest varints of a page.
type reader struct {
	s   string
	at  int
	bad bool
}

func (r *reader) done() bool { return !r.bad && r.at == len(r.s) }

// number is the next varint, 0 or more; -1 if there is none, or one that could
// be shorter.
func (r *reader) number() int64 {
	if !r.bad && r.at < len(r.s) && r.s[r.at] < 0x80 {
		r.at++
		return int64(r.s[r.at-1])
	}
	v, n := varint(r.s, r.at)
	if r.bad || n == 0 || v < 0 || r.s[r.at] == 0x80 {
		r.bad = true
		return -1
	}
	r.at += n
	return v
}

// leaf decodes one page: what goes on from the page before, then words, each
// with its rows and their positions. Behind them lie the places of the words.
func (x *packedIndex) leaf(block string) bool {
	if len(block) < 4 {
		return false
	}
	rowAt, end := int(be16(block, 0)), int(be16(block, 2))
	if end < 4 || end > len(block) {
		return false
	}
	places := reader{s: block, at: end}
	wordAt := end
	if end < len(block) {
		wordAt = int(places.number())
	}
	if places.bad || wordAt < 4 || wordAt > end {
		return false
	}
	body := reader{s: block[:wordAt], at: 4}
	if !x.goesOn(&body, rowAt) {
		return false
	}
	if end == len(block) {
		return x.noWord(rowAt != 0)
	}
	for first := true; wordAt < end; first = false {
		upTo := end
		if places.at < len(block) {
			upTo = wordAt + int(places.number())
		}
		if places.bad || upTo <= wordAt || upTo > end {
			return false
		}
		body = reader{s: block[:upTo], at: wordAt}
		if !x.begin(&body, first) || !x.list(&body) {
			return false
		}
		if upTo == end {
			return places.at == len(block)
		}
		wordAt = upTo
	}
	return false
}

// goesOn reads the rest of the list of rows that the page before began.
func (x *packedIndex) goesOn(r *reader, rowAt int) bool {
	if !x.positions(r) {
		return false
	}
	if rowAt == 0 {
		return r.done()
	}
	// A page that goes on with the list names its first row in full.
	if !x.began || x.left > 0 || r.at != rowAt || r.done() {
		return false
	}
	row := r.number()
	if r.bad || row <= x.row {
		return false
	}
	x.note(row)
	x.row = row
	x.rows++
	return x.size(r) && x.positions(r) && x.list(r)
}

// note adds the first row of a page to the index of the list.
func (x *packedIndex) note(row int64) {
	s := &x.starts[len(x.starts)-1]
	if s.index == nil {
		s.index = putVarint(putVarint([]byte{0}, x.page), row)
	} else {
		s.index = putVarint(s.index, row-s.row)
	}
	s.row = row
}

// noWord counts a page on which no word begins.
func (x *packedIndex) noWord(hasRow bool) bool {
	if len(x.starts) == 0 {
		return false
	}
	s := &x.starts[len(x.starts)-1]
	s.empty++
	if !hasRow && s.index != nil {
		s.index = append(s.index, 0)
	}
	return true
}

// begin reads a word, which comes after the one before it.
func (x *packedIndex) begin(r *reader, firstOfPage bool) bool {
	if !x.whole() {
		return false
	}
	kept := 0
	if !firstOfPage {
		kept = int(r.number())
	}
	n := int(r.number())
	if r.bad || kept > len(x.word) || n < 1 || n > len(r.s)-r.at {
		return false
	}
	added := r.s[r.at : r.at+n]
	r.at += n
	if firstOfPage {
		if shared := sharedPrefix(x.word, added); !x.startPage(added, shared) {
			return false
		}
	} else if kept < len(x.word) && added[0] <= x.word[kept] {
		return false
	}
	x.word = append(x.word[:kept], added...)
	x.began, x.rows, x.row = true, 0, 0
	return len(x.word) > 1 && x.word[0] == ftsWord
}

// startPage notes the first word of a page.
func (x *packedIndex) startPage(word string, shared int) bool {
	s := pageStart{page: x.page}
	if x.page != 1 {
		if shared == len(word) || shared < len(x.word) && word[shared] <= x.word[shared] {
			return false
		}
		s.words = strings.Clone(word[:shared+1])
	}
	x.starts = append(x.starts, s)
	return x.page != 1 || len(x.starts) == 1
}

func sharedPrefix(a []byte, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// list reads rows and their positions up to the end.
func (x *packedIndex) list(r *reader) bool {
	for r.at < len(r.s) {
		if x.left > 0 {
			return false
		}
		step := r.number()
		if r.bad || step < 1 || x.row+step < x.row {
			return false
		}
		x.row += step
		x.rows++
		if !x.size(r) || !x.positions(r) {
			return false
		}
	}
	return true
}

// size reads how long the list of positions is; the lowest bit would say that
// the row is gone.
func (x *packedIndex) size(r *reader) bool {
	n := r.number()
	x.left, x.position, x.places = int(n>>1), 0, 0
	return !r.bad && n&1 == 0 && n >= 2 && n < MaxBytes
}

// positions reads as much of the list of positions as the page has. Each is
// after the one before it, all are of the one column, and none is cut.
func (x *packedIndex) positions(r *reader) bool {
	end := min(r.at+x.left, len(r.s))
	x.left -= end - r.at
	list := reader{s: r.s[:end], at: r.at}
	for list.at < end {
		step := list.number() - 2
		if list.bad || step < 0 || step == 0 && x.places > 0 {
			return false
		}
		x.position += step
		x.places++
	}
	r.at = end
	return x.position < 1<<31
}

// lacksList says that one of the starts before upTo, from the next on, has an
// index of its list that did not come.
func (x *packedIndex) lacksList(upTo int) bool {
	return slices.ContainsFunc(x.starts[x.lists:upTo], pageStart.indexed)
}

// indexed says that the list that begins on the page has an index.
func (s pageStart) indexed() bool { return s.index != nil && s.empty >= ftsEmpty }

// listIndex compares the index of a list with the pages.
func (x *packedIndex) listIndex(page int64, block string) bool {
	i, found := slices.BinarySearchFunc(x.starts, page, func(s pageStart, page int64) int { return int(s.page - page) })
	if !found || i < x.lists || x.lacksList(i) {
		return false
	}
	s := x.starts[i]
	x.lists = i + 1
	return s.indexed() && len(s.index) < ftsPage && string(s.index) == block
}

// pageWord compares a row of the table of words with the pages.
func (x *packedIndex) pageWord(_ int64, record string) {
	if x.other {
		return
	}
	var room [3]field
	f, err := decodeRecord(record, room[:0])
	if err != nil || len(f) != 3 || x.next == len(x.starts) {
		x.require(false)
		return
	}
	s := x.starts[x.next]
	x.next++
	flag := int64(0)
	if s.indexed() {
		flag = 1
	}
	x.require(f[0].kind == isInt && f[0].i == x.segment && f[1].kind == isBlob && f[1].s == s.words && f[2].kind == isInt && f[2].i == s.page<<1|flag)
}

// putVarint appends SQLite's variable-length integer of a number below 1<<56.
func putVarint(b []byte, v int64) []byte {
	var bytes [8]byte
	i := len(bytes) - 1
	bytes[i] = byte(v & 0x7f)
	for v >>= 7; v > 0 && i > 0; v >>= 7 {
		i--
		bytes[i] = byte(v&0x7f) | 0x80
	}
	return append(b, bytes[i:]...)
}
