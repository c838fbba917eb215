package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// rowOf is one row: as it lies in a file, or its columns once they were
// needed. Most rows of two replicas are the same bytes and are never split.
type rowOf struct {
	raw    string
	fields []field
	rowid  int64 // of a row that lies in the file that is merged into
}

// none says that there is no such row.
func (r rowOf) none() bool { return r.raw == "" && r.fields == nil }

func (r rowOf) columns() ([]field, error) {
	if r.fields != nil {
		return r.fields, nil
	}
	return decodeRecord(r.raw, make([]field, 0, 40))
}

// same says whether two rows have the same columns.
func (r rowOf) same(other rowOf) (bool, error) {
	if r.fields == nil && other.fields == nil {
		return r.raw == other.raw, nil
	}
	a, err := r.columns()
	if err != nil {
		return false, err
	}
	b, err := other.columns()
	return err == nil && slices.Equal(a, b), err
}

// contents is everything that a store knows, by table and by the identity of
// the row, without what is derived from it.
type contents struct {
	storeID string
	genesis int64
	horizon int64
	rows    map[string]map[string]rowOf // table, identity
	// before holds, for rows that were added (a zero rowOf), changed or
	// removed, what they were at first.
	before  map[string]map[string]rowOf
	settled bool // nothing has to be settled but what before names
	// cut is the horizon, and forgotten are the documents, of the last settling.
	cut       int64
	forgotten map[string]bool
	scratch   []field
	counter   string // what the file's change counter was when this was in it
}

// view returns the first columns of a row, at least so many; they are good
// until the next view.
func (c *contents) view(r rowOf, columns int) ([]field, error) {
	if r.fields != nil {
		return r.fields, nil
	}
	f, err := decodeFirst(r.raw, c.scratch[:0], columns)
	c.scratch = f[:0]
	if err == nil && len(f) < columns {
		err = fmt.Errorf("%w: a row is cut off", errImage)
	}
	return f, err
}

// table says how rows of one table are told apart and joined (page 4.4).
type table struct {
	name string
	// key are the columns that name a row, after repository_id.
	key []int
	// fixed are columns that never differ under one name: another value is
	// corruption. Only what the name is made from is: the clock, the actor
	// and what else a run looked up differ where two runs dealt with one cause.
	fixed []int
	// times and days are the columns that tell when something happened.
	times, days []int
	// dated is the column whose rows go with the audit horizon, -1: none.
	dated int
	// join makes one row of two that differ.
	join func(a, b []field) []field
}

// tables are those that a merge unites, parents first. The numbers of the
// columns are those of the schema and are proven against it by a test.
var tables = []table{
	{name: "secrets", key: []int{0}, fixed: []int{1}, dated: -1, join: greatest},
	{name: "documents", key: []int{1}, times: []int{docClassAt, docUntilAt, docRenewedAt, docAnnouncedAt}, days: []int{docLastUsed}, dated: -1, join: joinDocuments},
	{name: "versions", key: []int{verUID}, fixed: []int{verDocument, verSource, verOrigin, verPull}, times: []int{verCreatedAt, verStateAt, verConfirmedAt}, dated: -1, join: joinVersions},
	{name: "fingerprints", key: []int{1, 2}, times: []int{3}, dated: -1, join: greatest},
	{name: "purges", key: []int{1, 2}, times: []int{3}, dated: -1, join: greatest},
	{name: "revocations", key: []int{1}, fixed: []int{2, 3}, times: []int{6}, dated: -1, join: greatest},
	{name: "lifts", key: []int{1, 2}, times: []int{5}, dated: -1, join: greatest},
	{name: "causes", key: []int{1}, times: []int{6}, dated: -1, join: joinCauses},
	{name: "audit", key: []int{1}, times: []int{2}, dated: 2, join: greatest},
	{name: "displays", key: []int{1}, fixed: []int{2, 3, 4, 5}, times: []int{5}, dated: 5, join: greatest},
	{name: "registers", key: []int{1}, times: []int{3}, dated: -1, join: joinRegisters},
	{name: "uses", key: []int{1}, fixed: []int{2, 3, 4, 5, 6, 7}, days: []int{5}, dated: 5, join: greatest},
	{name: "spending", key: []int{1}, days: []int{2}, dated: -1, join: greatest},
	{name: "dispositions", key: []int{1}, times: []int{8}, dated: -1, join: greatest},
}

// Columns of documents and versions, in the order of the schema.
const (
	docID = iota + 1
	docScope
	docKey
	docForgotten
	docClass
	docClassAt
	docClassCause
	docUntil
	docUntilAt
	docUntilCause
	docRenewedAt
	docRenewedCause
	docAnnouncedAt
	docAnnouncedCause
	docLastUsed
)

const (
	verDocument = iota + 2
	verUID
	verNumber
	verRedacted
	verText
	verPaths
	verAbout
	verRule
	verCitations
	verFingerprint
	verSource
	verCreatorID
	verCreatorLogin
	verCreatedAt
	verOrigin
	verPull
	verBase
	verMergeBase
	verHead
	verFinding
	verState
	verStateAt
	verStateCause
	verStateOp
	verConfirmedByID
	verConfirmedByLogin
	verConfirmedAt
	verConfirmedKind
	verConfirmedEvent
	verConfirmedURL
	verApproved
)

// loadContents reads a store from the bytes of its file. Rows that known has
// in the same bytes are passed over: there is nothing in them to merge, and two
// replicas share most of their rows.
func loadContents(im *image, known *contents) (*contents, error) {
	roots, err := im.roots()
	if err != nil {
		return nil, err
	}
	c := &contents{rows: map[string]map[string]rowOf{}, counter: changeCounter(im.header)}
	if err := c.loadStore(im, roots["store"]); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := c.loadTable(im, roots[t.name], t, known); err != nil {
			return nil, err
		}
	}
	c.noted()
	return c, nil
}

// changeCounter is the part of a file's header that every transaction that
// writes to the file counts up.
func changeCounter(header string) string { return header[24:28] }

func (c *contents) loadTable(im *image, root uint32, t table, known *contents) error {
	rows, width := map[string]rowOf{}, t.key[len(t.key)-1]+1
	c.rows[t.name] = rows
	var scratch []field
	return im.scan(root, func(rowid int64, record string) error {
		fields, err := decodeFirst(record, scratch[:0], width)
		if err != nil || len(fields) != width {
			return fmt.Errorf("%w: a row of %s is cut off", errImage, t.name)
		}
		scratch = fields
		id := identity(t, fields)
		switch {
		case known == nil:
			rows[id] = rowOf{raw: record, rowid: rowid}
		case !known.has(t.name, id, record):
			// Few rows of the page are kept, and it is not kept for them.
			rows[strings.Clone(id)] = rowOf{raw: strings.Clone(record), rowid: rowid}
		}
		return nil
	})
}

// noted forgets what the rows were before: they are in the file as they are
// here.
func (c *contents) noted() {
	c.before = map[string]map[string]rowOf{}
	for _, t := range tables {
		c.before[t.name] = map[string]rowOf{}
	}
}

// has says whether a row is there in the same bytes.
func (c *contents) has(table, id, record string) bool {
	r, there := c.rows[table][id]
	return there && r.fields == nil && r.raw == record
}

func (c *contents) loadStore(im *image, root uint32) error {
	return im.scan(root, func(_ int64, record string) error {
		f, err := decodeRecord(record, nil)
		if err != nil || len(f) < 6 {
			return errImage
		}
		c.storeID, c.genesis, c.horizon = strings.Clone(f[1].s), f[3].i, f[5].i
		return nil
	})
}

// identity spells the columns that name a row; one that is a single text is
// that text, and nothing is copied.
func identity(t table, fields []field) string {
	if len(t.key) == 1 {
		return fields[t.key[0]].s
	}
	var b strings.Builder
	for _, k := range t.key {
		b.WriteString(fields[k].s)
		b.WriteByte(0)
	}
	return b.String()
}

// set puts a row in its place and remembers what was there at first.
func (c *contents) set(table, id string, r rowOf) {
	c.remember(table, id)
	c.rows[table][id] = r
}

func (c *contents) remove(table, id string) {
	c.remember(table, id)
	delete(c.rows[table], id)
}

func (c *contents) remember(table, id string) {
	if _, known := c.before[table][id]; !known {
		c.before[table][id] = c.rows[table][id]
	}
}

// lateBy is how far a row's time may lie after the sealing of its container
// (page 4.4).
const lateBy = 5 * time.Minute

// lateFrom is the moment and the day after which a row is too late.
func lateFrom(sealedAt time.Time) (int64, string) {
	limit := sealedAt.Add(lateBy)
	return millis(limit), limit.UTC().Format(time.DateOnly)
}

// dropLate removes the rows that claim to be later than their container's
// sealing, and the versions whose document goes so.
func (c *contents) dropLate(sealedAt time.Time) (int, error) {
	limit, day := lateFrom(sealedAt)
	dropped := 0
	for _, t := range tables {
		columns := slices.Max(slices.Concat(t.times, t.days, t.key)) + 1
		for id, r := range c.rows[t.name] {
			fields, err := c.view(r, columns)
			if err != nil {
				return 0, err
			}
			late := t.name == "versions" && c.dropped("documents", fields[verDocument].s)
			for _, i := range t.times {
				late = late || fields[i].kind == isInt && fields[i].i > limit
			}
			for _, i := range t.days {
				late = late || fields[i].s > day
			}
			if late {
				c.remove(t.name, id)
				c.settled = false
				dropped++
			}
		}
	}
	return dropped, nil
}

// dropped says whether a row was there and was removed.
func (c *contents) dropped(table, id string) bool {
	_, was := c.before[table][id]
	return was && c.gone(table, id)
}

func (c *contents) gone(table, id string) bool {
	_, there := c.rows[table][id]
	return !there
}

// digest is the hex SHA-256 of all rows in the order of their names. The
// fingerprint of a version is derived from its text and left out, as are row
// ids.
func (c *contents) digest() (string, error) {
	h := sha256.New()
	write := func(s string) {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s))))
		h.Write([]byte(s))
	}
	write(fmt.Sprintf("%s %d %d", c.storeID, c.genesis, c.horizon))
	for _, t := range tables {
		write(t.name)
		for _, id := range slices.Sorted(maps.Keys(c.rows[t.name])) {
			fields, err := c.rows[t.name][id].columns()
			if err != nil {
				return "", err
			}
			var line bytes.Buffer
			for i, f := range fields {
				if t.name != "versions" || i != 0 && i != verFingerprint {
					fmt.Fprintf(&line, "%d %d %d:%s,", f.kind, f.i, len(f.s), f.s)
				}
			}
			write(line.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
