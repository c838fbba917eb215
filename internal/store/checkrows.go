package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// A file may have our schema, sound pages and rows that keep every
// constraint, and still hold rows that this program never writes: hidden
// characters, a lesson that is active though nobody confirmed it, a row of
// another repository. Each row is held here against what the operations leave
// behind, before the file is used (page 4.5, attacks A88 and A89).

// rowCheck looks at the rows of one file.
type rowCheck struct {
	ctx        context.Context
	looked     int // rows so far
	stores     int
	repository int64 // of the one row that says whose it is
	documents  map[[documentIDBytes]byte]struct{}
	secrets    map[string]bool
	active     []int64 // rowids of active versions, ascending
	indexed    []bool  // which of them are in the index
	next       int     // the first of them that the index may still have
	source     string  // of the latest version
	dates      dates
	index      *packedIndex // nil: not asked for
}

// documentIDBytes is how long the id of a document is (page 4.1).
const documentIDBytes = 10

// dates are the latest moment and day that any row of a file claims.
type dates struct {
	at  int64
	day string
}

// lastTime bounds times, in milliseconds since 1970.
const lastTime = memory.LastTime

// checkRows returns an *Error that names the first row that is not ours, or
// says that the time ran out. On the way it decodes the full-text index, if it
// is given what does.
func checkRows(ctx context.Context, path string, index *packedIndex) (dates, error) {
	c := newRowCheck(ctx, index)
	im, f, err := openImage(path)
	if err == nil {
		defer f.Close()
		im.file = &ahead{file: f}
		err = c.all(im)
	}
	var unreadable *fs.PathError
	switch {
	case ctx.Err() != nil:
		return dates{}, broken(ctx, path, ctx.Err())
	case errors.As(err, &unreadable):
		return dates{}, fail(Unreadable, path, err, "it cannot be read (%v)", err)
	case err != nil:
		return dates{}, fail(Corrupted, path, err, "%.300s", err.Error())
	}
	return c.dates, nil
}

func newRowCheck(ctx context.Context, index *packedIndex) *rowCheck {
	return &rowCheck{ctx: ctx, documents: map[[documentIDBytes]byte]struct{}{}, secrets: map[string]bool{}, index: index}
}

// inTime is the error of a context that ended, looked at every so many rows.
func (c *rowCheck) inTime() error {
	c.looked++
	if c.looked%256 != 0 {
		return nil
	}
	return c.ctx.Err()
}

// all looks at the tables in an order in which what a row names was seen
// before the row, then at the pages of everything else.
func (c *rowCheck) all(im *image) error {
	im.passing = true
	roots, err := im.roots()
	if err != nil {
		return err
	}
	for _, t := range slices.Concat([]table{{name: "store"}}, tables, []table{{name: indexedTable}, {name: "places"}}) {
		if root, there := roots[t.name]; there { // an older format may lack it
			if err := c.table(im, root, t); err != nil {
				return err
			}
			delete(roots, t.name)
		}
	}
	for _, name := range sortedKeys(roots) {
		look := c.index.table(name)
		err := im.scan(roots[name], func(rowid int64, record string) error {
			if look != nil {
				look(rowid, record)
			}
			return c.inTime()
		})
		if err != nil {
			return err
		}
	}
	if err := im.complete(); err != nil {
		return err
	}
	if c.stores > 1 {
		return fmt.Errorf("%d rows say whose store it is", c.stores)
	}
	if missing := slices.Index(c.indexed, false); missing >= 0 {
		return fmt.Errorf("%d lessons are active and not all of them are in the index", len(c.active))
	}
	return nil
}

func (c *rowCheck) table(im *image, root uint32, t table) error {
	checks, err := checksOf(t)
	if err != nil {
		return err
	}
	least := len(checks) - addedTo(t.name)
	var scratch []field
	return im.scan(root, func(rowid int64, record string) error {
		if err := c.inTime(); err != nil {
			return err
		}
		f, err := decodeRecord(record, scratch[:0])
		if err != nil {
			return err
		}
		scratch = f
		if len(f) > len(checks) || len(f) < least {
			return fmt.Errorf("a row of %s has %d columns, and the table has %d", t.name, len(f), len(checks))
		}
		if problem := c.row(t, checks, rowid, f); problem != "" {
			return fmt.Errorf("a row of %s %s", t.name, problem)
		}
		c.dates.note(t, f)
		return nil
	})
}

// columnCheck is what holds for one column of a table.
type columnCheck struct {
	name        string
	constraints []constraint
	time        bool // milliseconds since 1970
	repository  bool
	// What needs no further look: numbers and lengths of blobs within bounds, and
	// the text that was looked at last, if it was short; most rows say the same.
	numbers, bytes bounds
	passed         []byte
	passedOnce     bool
}

// bounds are the least and the greatest of some numbers; the zero value holds
// none.
type bounds struct {
	low, high int64
	any       bool
}

func (b bounds) hold(n int64) bool { return b.any && b.low <= n && n <= b.high }

// longestPassed is how many bytes of a text are kept to be compared with the
// next one's.
const longestPassed = 40

// sound says whether a value needs no further look.
func (k *columnCheck) sound(f *field) bool {
	switch f.kind {
	case isNull:
		return true
	case isInt:
		return k.numbers.hold(f.i)
	case isBlob:
		return k.bytes.hold(int64(len(f.s)))
	case isText:
		return k.passedOnce && string(k.passed) == f.s
	}
	return false
}

// pass notes a value that nothing is wrong with. The bytes of a text are
// copied, since a page makes room for the next one.
func (k *columnCheck) pass(f *field) {
	switch {
	case f.kind == isInt:
		k.numbers = bounds{f.i, f.i, true}
	case f.kind == isBlob:
		k.bytes = bounds{int64(len(f.s)), int64(len(f.s)), true}
	case len(f.s) <= longestPassed:
		k.passed, k.passedOnce = append(k.passed[:0], f.s...), true
	}
}

// within sets the bounds of what needs no further look, where the constraints
// of a column are a range and nothing else.
func (k *columnCheck) within() {
	all := bounds{math.MinInt64, math.MaxInt64, true}
	numbers, bytes := all, all
	for _, c := range k.constraints {
		switch {
		case c.words != nil || c.numbers != nil:
			return
		case c.ofLength:
			bytes = bounds{c.low, c.high, true}
			numbers.any = false
		default:
			numbers = bounds{c.low, c.high, true}
			bytes.any = false
		}
	}
	if k.time {
		numbers.high = min(numbers.high, lastTime)
	}
	numbers.any = numbers.any && !k.repository
	k.numbers, k.bytes = numbers, bytes
}

// checksOf returns the checks of a table's columns, in their order.
func checksOf(t table) ([]columnCheck, error) {
	found, err := constraintsOf(t.name)
	if err != nil {
		return nil, err
	}
	var out []columnCheck
	for i, name := range columnsOf(t.name) {
		out = append(out, columnCheck{name: name, repository: name == "repository_id", time: slices.Contains(t.times, i) || name == "valid_until"})
	}
	for _, k := range found {
		out[k.column].constraints = append(out[k.column].constraints, k)
	}
	for i := range out {
		out[i].within()
	}
	return out, nil
}

func (d *dates) note(t table, f []field) {
	for _, i := range t.times {
		if i < len(f) {
			d.at = max(d.at, f[i].i)
		}
	}
	for _, i := range t.days {
		if i < len(f) && f[i].s > d.day {
			d.day = strings.Clone(f[i].s)
		}
	}
}

// indexedTable is FTS5's own: it has a row for each version of the index.
const indexedTable = "recall_docsize"

// row says what is wrong with a row, "" if nothing is.
func (c *rowCheck) row(t table, checks []columnCheck, rowid int64, f []field) string {
	if t.name == "store" {
		c.stores++
		c.repository = f[2].i
	}
	for i := range f {
		if checks[i].sound(&f[i]) {
			continue
		}
		if problem := c.column(&checks[i], &f[i]); problem != "" {
			return problem
		}
		checks[i].pass(&f[i])
	}
	switch t.name {
	case "documents":
		return c.document(f)
	case "versions":
		return c.version(rowid, f)
	case "secrets":
		c.secrets[strings.Clone(f[0].s)] = true
	case "fingerprints", "purges":
		if !c.secrets[f[1].s] {
			return "was made with a key that is not there"
		}
	case indexedTable:
		return c.inIndex(rowid)
	case "places":
		if i, there := slices.BinarySearch(c.active, f[1].i); !there || !c.indexed[i] {
			return "names no lesson of the index"
		}
	}
	return ""
}

// inIndex takes the rows of the index as they come, in the order of the
// versions.
func (c *rowCheck) inIndex(rowid int64) string {
	for c.next < len(c.active) && c.active[c.next] < rowid {
		c.next++
	}
	if c.next == len(c.active) || c.active[c.next] != rowid {
		return "names no active lesson"
	}
	c.indexed[c.next] = true
	c.next++
	return ""
}

// column checks what depends on one column alone.
func (c *rowCheck) column(k *columnCheck, f *field) string {
	for i := range k.constraints {
		if !k.constraints[i].holds(f) {
			return "breaks the constraint " + k.constraints[i].text
		}
	}
	problem := ""
	switch {
	case k.repository && f.i != c.repository:
		problem = fmt.Sprintf("is %d, another repository's", f.i)
	case f.kind == isReal:
		problem = "is no whole number"
	case k.time && f.kind == isInt && f.i > lastTime:
		problem = "is after the year 9999"
	case f.kind == isText && !plain(f.s):
		problem = hides(k.name, f.s)
	}
	if problem == "" {
		return ""
	}
	return "has a column " + k.name + " that " + problem
}

// hides says what is wrong with a text that is not plain.
func hides(column, s string) string {
	if column == "text" {
		if normal, problem := text.Normalise(s); problem != text.ProblemNone || normal != s {
			return "is no lesson in its normal form"
		}
		return ""
	}
	if text.Visible(s) != s {
		return "has characters that hide or reorder text"
	}
	return ""
}

// plain says that a string is printable ASCII without spaces at its ends,
// which is all that most columns ever hold and needs no further look.
func plain(s string) bool {
	if s == "" {
		return true
	}
	if s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if !printable8(s[i : i+8]) {
			return false
		}
	}
	for ; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// printable8 looks at eight characters at once: below a space, subtracting one
// borrows into the highest bit; above a tilde, that bit is set or becomes so.
func printable8(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return ((w-' '*each)|(w+each)|w)&high == 0
}

func (c *rowCheck) document(f []field) string {
	id := f[docID].s
	switch {
	case !memory.IsDocumentID(id) || len(id) != documentIDBytes:
		return "has an id that is none of ours"
	case f[docLastUsed].s != "" && checkDay(f[docLastUsed].s) != nil:
		return "was last used on no day"
	}
	c.documents[[documentIDBytes]byte([]byte(id))] = struct{}{}
	return ""
}

func (c *rowCheck) version(rowid int64, f []field) string {
	state := memory.State(f[verState].s)
	active := state == memory.Active
	switch {
	case !c.hasDocument(f[verDocument].s):
		return "belongs to no document"
	case active && (f[verConfirmedAt].kind == isNull || f[verApproved].s == ""):
		return "is active, and nobody confirmed it"
	case active && f[verRedacted].i == 1:
		return "is active and was forgotten"
	case f[verRedacted].i == 1 && (f[verText].s != redacted || f[verPaths].s != "[]" || f[verAbout].s != "[]" || f[verCitations].s != "[]" || f[verRule].kind != isNull):
		return "was forgotten and still has its text"
	case state.Erased() != (f[verRedacted].i == 1):
		return "is " + string(state) + ", and its text says something else"
	}
	if f[verSource].s != c.source {
		if _, err := memory.ParseSource(f[verSource].s); err != nil {
			return "has a source that is unknown"
		}
		c.source = strings.Clone(f[verSource].s)
	}
	if active {
		if n := len(c.active); n > 0 && c.active[n-1] >= rowid {
			return "is not in the order of its id"
		}
		c.active, c.indexed = append(c.active, rowid), append(c.indexed, false)
	}
	return lists(f)
}

func (c *rowCheck) hasDocument(id string) bool {
	if len(id) != documentIDBytes {
		return false
	}
	_, there := c.documents[[documentIDBytes]byte([]byte(id))]
	return there
}

// plainList says that a column is a JSON list of plain strings without an
// escape, which needs no further look.
func plainList(s string) bool {
	if s == "[]" {
		return true
	}
	if len(s) < 4 || !strings.HasPrefix(s, `["`) || !strings.HasSuffix(s, `"]`) || strings.Contains(s, `\`) {
		return false
	}
	for entry := range strings.SplitSeq(s[2:len(s)-2], `","`) {
		if !plain(entry) || strings.Contains(entry, `"`) {
			return false
		}
	}
	return true
}

// lists says what is wrong with the columns that hold JSON.
func lists(f []field) string {
	for _, i := range [...]int{verPaths, verAbout} {
		if plainList(f[i].s) {
			continue
		}
		var list []string
		if err := decode(f[i].s, &list); err != nil {
			return "has a list that cannot be read"
		}
		if slices.ContainsFunc(list, func(s string) bool { return text.VisibleLine(s) != s }) {
			return "has a list with characters that hide or reorder text"
		}
	}
	if f[verCitations].s == "[]" && f[verRule].kind == isNull {
		return ""
	}
	if _, err := decodeCitations(f[verCitations].s); err != nil {
		return "has citations that cannot be read"
	}
	if f[verRule].kind == isNull {
		return ""
	}
	rule, err := decodeRule(f[verRule].s)
	if err != nil {
		return "has a rule that cannot be read"
	}
	said := strings.Join(slices.Concat([]string{rule.Pattern, rule.Prefer, rule.Because}, rule.In, rule.With), "\n")
	if text.Visible(said) != said {
		return "has a rule with characters that hide or reorder text"
	}
	return ""
}
