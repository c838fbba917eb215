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
	seen     []bool // pages that were visited
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

// page returns a page that nothing else has used.
func (im *image) page(n uint32, level int) (string, error) {
	if n == 0 || int64(n) >= int64(len(im.seen)) || im.seen[n] {
		return "", fmt.Errorf("%w: page %d is out of range or in two places", errImage, n)
	}
	im.seen[n] = true
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
	at := 0
	if n == 1 {
		at = headerBytes
	}
	kind := page[at]
	interior := kind == interiorIndex || kind == interiorTable
	if !interior && kind != leafIndex && kind != leafTable {
		return fmt.Errorf("%w: page %d is of no known kind", errImage, n)
	}
	cells := at + 8
	if interior {
		cells += 4
	}
	count := int(be16(page, at+3))
	if cells+2*count > len(page) {
		return fmt.Errorf("%w: page %d has too many cells", errImage, n)
	}
	for i := range count {
		if err := im.cell(page, int(be16(page, cells+2*i)), kind, depth, visit); err != nil {
			return err
		}
	}
	if interior {
		return im.walk(be32(page, at+8), depth+1, visit)
	}
	return nil
}

const (
	interiorIndex = 0x02
	interiorTable = 0x05
	leafIndex     = 0x0a
	leafTable     = 0x0d
)

// cell visits what lies under one cell, then its own row.
func (im *image) cell(page string, at int, kind byte, depth int, visit func(int64, string) error) error {
	if kind == interiorIndex || kind == interiorTable {
		if at+4 > len(page) {
			return errImage
		}
		if err := im.walk(be32(page, at), depth+1, visit); err != nil {
			return err
		}
		at += 4
	}
	if kind == interiorTable {
		return nil
	}
	size, n := varint(page, at)
	if n == 0 || size < 0 || size > MaxBytes {
		return errImage
	}
	at += n
	var rowid int64
	if kind == leafTable {
		if rowid, n = varint(page, at); n == 0 {
			return errImage
		}
		at += n
	}
	payload, err := im.payload(page, at, int(size), kind == leafTable)
	if err != nil {
		return err
	}
	return visit(rowid, payload)
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
		serial, n := int64(record[at]), 1
		if serial >= 0x80 {
			if serial, n = varint(record, at); n == 0 || serial < 0 {
				return nil, errImage
			}
		}
		at += n
		size := serialSize(serial)
		if size > int64(len(record)-body) {
			return nil, errImage
		}
		into = append(into, decodeField(serial, record[body:body+int(size)]))
		body += int(size)
	}
	return into, nil
}

func serialSize(serial int64) int64 {
	switch {
	case serial <= 4:
		return serial
	case serial == 5:
		return 6
	case serial <= 7:
		return 8
	case serial < 12:
		return 0
	}
	return (serial - 12) / 2
}

func decodeField(serial int64, s string) field {
	switch {
	case serial == 0 || serial == 10 || serial == 11:
		return field{}
	case serial == 7:
		return field{kind: isReal}
	case serial == 8 || serial == 9:
		return field{kind: isInt, i: serial - 8}
	case serial >= 12 && serial%2 == 0:
		return field{kind: isBlob, s: s}
	case serial >= 13:
		return field{kind: isText, s: s}
	}
	n := int64(int8(s[0])) // the sign
	for i := 1; i < len(s); i++ {
		n = n<<8 | int64(s[i])
	}
	return field{kind: isInt, i: n}
}
