package store

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unsafe"
)

// This file reads the rows of a store straight from the pages of its file, by
// SQLite's file format. A merge and the check of every row look at all of a
// store at once, and through SQL that costs ten times as much. Nothing is
// believed: each page is visited once, each length is held against what is
// there, and depth is bounded. It only reads, and only after SQLite's own
// quick_check or on a file that this process wrote.

// image is the file of a store, of which one page after the other is read. A
// page becomes one string that nothing changes any more, so that rows are
// parts of it and are not copied; a row that is kept keeps its page. Where
// passing is set no row may be kept: the pages of each level of a table take
// the same place, one after the other.
type image struct {
	file     io.ReaderAt
	header   string // the first hundred bytes
	pageSize int
	pages    int
	seen     []bool // pages that were visited; nil: not noted
	passing  bool
	levels   [][]byte
}

// maxDepth bounds a b-tree; SQLite itself stops at 20.
const maxDepth = 20

var errImage = errors.New("the pages of the file do not hold together")

// openImage opens the file at path as an image; the file is to be closed.
func openImage(path string) (*image, *os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	im, err := newImage(f, info.Size())
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return im, f, nil
}

// newImage takes a whole file of so many bytes; they must not change.
func newImage(file io.ReaderAt, size int64) (*image, error) {
	im := &image{file: file, pageSize: headerBytes}
	if size < headerBytes {
		return nil, errImage
	}
	header, err := im.read(0, make([]byte, headerBytes))
	if err != nil {
		return nil, err
	}
	page := int(be16(header, 16))
	if page == 1 {
		page = 65536
	}
	if page < 512 || page&(page-1) != 0 || size%int64(page) != 0 || header[20] != 0 {
		return nil, errImage
	}
	im.header, im.pageSize, im.pages = header, page, int(size/int64(page))
	im.seen = make([]bool, im.pages+1)
	return im, nil
}

// read returns the bytes of one page, the first of which is 0.
func (im *image) read(n int, into []byte) (string, error) {
	switch _, err := im.file.ReadAt(into, int64(n)*int64(im.pageSize)); {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%w: page %d is cut off", errImage, n+1)
	case err != nil:
		return "", err
	}
	return unsafe.String(&into[0], len(into)), nil
}

// ahead reads more of a file than it is asked for, where that is what was not
// read before: the pages of a table lie one after the other.
type ahead struct {
	file  io.ReaderAt
	begin int64
	bytes []byte // of the file, from begin
	room  [64 << 10]byte
}

// ReadAt is the file's own; it returns io.EOF only where bytes are lacking.
func (a *ahead) ReadAt(into []byte, at int64) (int, error) {
	if len(into) > len(a.room) {
		return a.file.ReadAt(into, at)
	}
	if at < a.begin || at+int64(len(into)) > a.begin+int64(len(a.bytes)) {
		n, err := a.file.ReadAt(a.room[:], at)
		a.begin, a.bytes = at, a.room[:n]
		if n < len(into) {
			return copy(into, a.bytes), err
		}
	}
	return copy(into, a.bytes[at-a.begin:]), nil
}

// place is where a page of a level of a table is read into.
func (im *image) place(level int) []byte {
	if !im.passing {
		return make([]byte, im.pageSize)
	}
	for len(im.levels) <= level {
		im.levels = append(im.levels, make([]byte, im.pageSize))
	}
	return im.levels[level]
}

func be16(s string, at int) uint16 { return uint16(s[at])<<8 | uint16(s[at+1]) }

func be32(s string, at int) uint32 {
	return uint32(s[at])<<24 | uint32(s[at+1])<<16 | uint32(s[at+2])<<8 | uint32(s[at+3])
}

// page returns a page that nothing else has used, where that is noted.
func (im *image) page(n uint32, level int) (string, error) {
	if n == 0 || int64(n) > int64(im.pages) || im.seen != nil && im.seen[n] {
		return "", fmt.Errorf("%w: page %d is out of range or in two places", errImage, n)
	}
	if im.seen != nil {
		im.seen[n] = true
	}
	return im.read(int(n)-1, im.place(level))
}

// roots returns the root pages of the tables and indexes by name.
func (im *image) roots() (map[string]uint32, error) {
	out := map[string]uint32{}
	err := im.scan(1, func(_ int64, record string) error {
		fields, err := decodeRecord(record, nil)
		if err != nil || len(fields) != 5 {
			return errImage
		}
		if fields[3].kind == isInt && fields[3].i > 0 {
			out[strings.Clone(fields[1].s)] = uint32(fields[3].i)
		}
		return nil
	})
	return out, err
}

// complete proves that every page was visited or is free, as SQLite's own
// check of a whole file does.
func (im *image) complete() error {
	visited := int(be32(im.header, 36))
	for _, seen := range im.seen {
		if seen {
			visited++
		}
	}
	if visited != im.pages {
		return fmt.Errorf("%w: %d of %d pages are in use or free", errImage, visited, im.pages)
	}
	return nil
}

// scan calls visit for every row of a table, in the order of its key, with
// its rowid (0 in a table without one) and its record.
func (im *image) scan(root uint32, visit func(rowid int64, record string) error) error {
	return im.walk(root, 0, visit)
}

func (im *image) walk(n uint32, depth int, visit func(int64, string) error) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: a table is too deep", errImage)
	}
	page, err := im.page(n, depth)
	if err != nil {
		return err
	}
	b, err := im.branch(n, page)
	if err != nil {
		return err
	}
	for i := range b.count {
		child, rowid, record, err := im.cellAt(page, b, i)
		if err == nil && b.interior {
			err = im.walk(child, depth+1, visit)
		}
		if err == nil && b.kind != interiorTable {
			err = visit(rowid, record)
		}
		if err != nil {
			return err
		}
	}
	if b.interior {
		return im.walk(b.rightmost, depth+1, visit)
	}
	return nil
}

// branch is what the head of a page of a table or an index says.
type branch struct {
	kind      byte
	interior  bool
	cells     int    // where the places of the cells begin
	count     int    // of cells
	rightmost uint32 // of an inner page: the page of what is after all its cells
}

const (
	interiorIndex = 0x02
	interiorTable = 0x05
	leafIndex     = 0x0a
	leafTable     = 0x0d
)

// branch reads the head of page n.
func (im *image) branch(n uint32, page string) (branch, error) {
	at := 0
	if n == 1 {
		at = headerBytes
	}
	b := branch{kind: page[at], cells: at + 8, count: int(be16(page, at+3))}
	switch b.kind {
	case interiorIndex, interiorTable:
		b.interior, b.cells, b.rightmost = true, at+12, be32(page, at+8)
	case leafIndex, leafTable:
	default:
		return b, fmt.Errorf("%w: page %d is of no known kind", errImage, n)
	}
	if b.cells+2*b.count > len(page) {
		return b, fmt.Errorf("%w: page %d has too many cells", errImage, n)
	}
	return b, nil
}

// cellAt reads a cell: of an inner page the page of what is before it; the
// rowid, in a table with rowids; and the record, if cells of the page have
// one.
func (im *image) cellAt(page string, b branch, i int) (child uint32, rowid int64, record string, err error) {
	at := int(be16(page, b.cells+2*i))
	if b.interior {
		if at+4 > len(page) {
			return 0, 0, "", errImage
		}
		child = be32(page, at)
		at += 4
	}
	var size int64
	n := 0
	if b.kind != interiorTable {
		if size, n = varint(page, at); n == 0 || size < 0 || size > MaxBytes {
			return 0, 0, "", errImage
		}
		at += n
	}
	if b.kind == leafTable || b.kind == interiorTable {
		if rowid, n = varint(page, at); n == 0 {
			return 0, 0, "", errImage
		}
		at += n
	}
	if b.kind != interiorTable {
		record, err = im.payload(page, at, int(size), b.kind == leafTable)
	}
	return child, rowid, record, err
}

// payload collects a record that may go on in overflow pages.
func (im *image) payload(page string, at, size int, table bool) (string, error) {
	u := im.pageSize
	most := u - 35
	if !table {
		most = (u-12)*64/255 - 23
	}
	if size <= most {
		if at+size > len(page) {
			return "", errImage
		}
		return page[at : at+size], nil
	}
	least := (u-12)*32/255 - 23
	local := least + (size-least)%(u-4)
	if local > most {
		local = least
	}
	if at+local+4 > len(page) {
		return "", errImage
	}
	out := make([]byte, 0, size)
	out = append(out, page[at:at+local]...)
	for next := be32(page, at+local); len(out) < size; {
		overflow, err := im.page(next, maxDepth+1)
		if err != nil {
			return "", err
		}
		next = be32(overflow, 0)
		out = append(out, overflow[4:4+min(size-len(out), u-4)]...)
	}
	return unsafe.String(&out[0], len(out)), nil
}

// varint reads SQLite's variable-length integer; n is 0 if it is cut off.
func varint(s string, at int) (v int64, n int) {
	var u uint64
	for n = range 9 {
		if at+n >= len(s) {
			return 0, 0
		}
		b := s[at+n]
		if n == 8 {
			return int64(u<<8 | uint64(b)), 9
		}
		u = u<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return int64(u), n + 1
		}
	}
	return 0, 0
}

// The kinds of a field.
const (
	isNull byte = iota
	isInt
	isReal
	isText
	isBlob
)

// field is one column of one row. Text and blobs are in s; reals, which no
// table of ours has, keep their kind alone.
type field struct {
	kind byte
	i    int64
	s    string
}

// decodeRecord splits a record into its columns, into the given slice.
func decodeRecord(record string, into []field) ([]field, error) {
	return decodeFirst(record, into, math.MaxInt)
}

// decodeFirst splits off the first columns of a record, at most so many.
func decodeFirst(record string, into []field, columns int) ([]field, error) {
	header, n := varint(record, 0)
	if n == 0 || header < int64(n) || header > int64(len(record)) {
		return nil, errImage
	}
	body := int(header)
	for at := n; at < int(header) && len(into) < columns; {
		serial := int64(record[at])
		kind, size := byte(isText), int64(0)
		if serial < int64(len(serials)) {
			kind, size = serials[serial].kind, int64(serials[serial].size)
			at++
		} else {
			if serial, n = varint(record, at); n == 0 || serial < 12 {
				return nil, errImage
			}
			if serial%2 == 0 {
				kind = isBlob
			}
			size, at = (serial-12)/2, at+n
		}
		if size > int64(len(record)-body) {
			return nil, errImage
		}
		f := field{kind: kind}
		switch value := record[body : body+int(size)]; {
		case kind == isInt && serial >= 8: // the number itself, which takes no bytes
			f.i = serial - 8
		case kind == isInt:
			f.i = signed(value)
		case kind == isText || kind == isBlob:
			f.s = value
		}
		into = append(into, f)
		body += int(size)
	}
	return into, nil
}

// serials are the kinds and sizes that the first types of a column stand for;
// each of the others is a text or a blob of the size that it names.
var serials = func() (out [128]struct{ kind, size byte }) {
	for serial := range out {
		switch of := &out[serial]; {
		case serial >= 12:
			of.kind, of.size = []byte{isBlob, isText}[serial%2], byte(serial-12)/2
		case serial == 8 || serial == 9:
			of.kind = isInt
		case serial == 7:
			of.kind, of.size = isReal, 8
		case 1 <= serial && serial <= 6:
			of.kind, of.size = isInt, []byte{1, 2, 3, 4, 6, 8}[serial-1]
		}
	}
	return out
}()

// signed is a number of at most eight bytes, the first of which has the sign;
// most are of one byte, or of the six that a time takes.
func signed(s string) int64 {
	switch len(s) {
	case 1:
		return int64(int8(s[0]))
	case 6:
		return int64(int16(be16(s, 0)))<<32 | int64(be32(s, 2))
	}
	n := int64(int8(s[0]))
	for i := 1; i < len(s); i++ {
		n = n<<8 | int64(s[i])
	}
	return n
}
