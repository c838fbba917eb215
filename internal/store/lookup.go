package store

import (
	"cmp"
	"database/sql"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// This file finds single rows in the pages of a store. A recall reads some
// hundred lessons of which it wants many columns, and through SQL each column
// costs as much as a whole row does here. It reads what a connection of this
// process has committed, while that connection is in a read transaction.

// lookup is the file of a store, of which rows are looked up. Its inner pages
// are kept, and of each table the latest page of rows: a record is there until
// the next one of its table is looked up. Nothing is believed of a page that is
// not in it.
type lookup struct {
	*image
	io.Closer
	roots map[string]uint32
	inner map[uint32]string
	rows  map[string]*leaf
}

// leaf is the room for one page, and which page is there.
type leaf struct {
	n    uint32
	page string
	room []byte
}

// openLookup opens the file at path to look rows up. It is to be closed.
func openLookup(path string) (*lookup, error) {
	im, f, err := openImage(path)
	if err != nil {
		return nil, err
	}
	p := &lookup{image: im, Closer: f, inner: map[uint32]string{}, rows: map[string]*leaf{}}
	if p.roots, err = im.roots(); err != nil {
		f.Close()
		return nil, err
	}
	im.seen = nil // from now on a page may be needed again
	return p, nil
}

// descend goes down a table from its root to the row that compare finds, and
// returns its record; "" if there is none. Compare says how a cell, whose
// rowid and record it is given, stands to what is looked for; the inner pages
// of a table with rowids have no records.
func (p *lookup) descend(table string, compare func(rowid int64, record string) (int, error)) (string, error) {
	n := p.roots[table]
	for range maxDepth {
		page, b, err := p.pageAt(table, n)
		if err != nil {
			return "", err
		}
		// The first cell that is not before what is looked for.
		low, high := 0, b.count
		for low < high {
			middle := (low + high) / 2
			_, rowid, record, err := p.cellAt(page, b, middle)
			if err != nil {
				return "", err
			}
			order, err := compare(rowid, record)
			switch {
			case err != nil:
				return "", err
			case order < 0:
				low = middle + 1
			case order == 0 && b.kind != interiorTable:
				return record, nil
			default:
				high = middle
			}
		}
		if !b.interior {
			return "", nil
		}
		n = b.rightmost
		if low < b.count {
			if n, _, _, err = p.cellAt(page, b, low); err != nil {
				return "", err
			}
		}
	}
	return "", fmt.Errorf("%w: a table is too deep", errImage)
}

// pageAt reads a page of a table, unless it is there.
func (p *lookup) pageAt(table string, n uint32) (page string, b branch, err error) {
	page, there := p.inner[n]
	if !there {
		if page, err = p.leafAt(table, n); err != nil {
			return "", branch{}, err
		}
	}
	b, err = p.branch(n, page)
	if b.interior && !there {
		p.inner[n] = strings.Clone(page)
		return p.inner[n], b, err
	}
	return page, b, err
}

// leafAt reads a page into the room of its table.
func (p *lookup) leafAt(table string, n uint32) (string, error) {
	l := p.rows[table]
	if l == nil {
		l = &leaf{room: make([]byte, p.pageSize)}
		p.rows[table] = l
	}
	if l.n == n && n != 0 {
		return l.page, nil
	}
	if n == 0 || int64(n) > int64(p.pages) {
		return "", errImage
	}
	var err error
	l.n = n
	if l.page, err = p.read(int(n)-1, l.room); err != nil {
		l.n = 0
	}
	return l.page, err
}

// withRowid is the record of a table with that rowid, "" if there is none.
func (p *lookup) withRowid(table string, rowid int64) (string, error) {
	return p.descend(table, func(at int64, _ string) (int, error) { return cmp.Compare(at, rowid), nil })
}

// document is the record of a document, "" if there is none.
func (p *lookup) document(repository int64, id string) (string, error) {
	var room [docID + 1]field
	return p.descend("documents", func(_ int64, record string) (int, error) {
		f, err := decodeFirst(record, room[:0], docID+1)
		if err != nil || len(f) <= docID {
			return 0, errImage
		}
		return cmp.Or(cmp.Compare(f[0].i, repository), strings.Compare(f[docID].s, id)), nil
	})
}

// joined is a version with its document, as a SELECT of columns of both would
// give them.
type joined struct {
	rowid             int64
	version, document []field
	columns           []columnOf
}

// columnOf is a column of a version or of its document.
type columnOf struct {
	ofDocument bool
	at         int
}

// isRowid is the place of the rowid of a version, which is in no record.
const isRowid = -1

// selected are the places of columns that are spelled as in a SELECT, such as
// "v.id, d.key".
func selected(columns string) (out []columnOf) {
	for name := range strings.SplitSeq(columns, ",") {
		alias, column, _ := strings.Cut(strings.TrimSpace(name), ".")
		switch {
		case alias == "d":
			out = append(out, columnOf{true, slices.Index(columnsOf("documents"), column)})
		case column == "id":
			out = append(out, columnOf{at: isRowid})
		default:
			out = append(out, columnOf{at: slices.Index(columnsOf("versions"), column)})
		}
	}
	return out
}

// Scan fills variables as sql.Rows does, those of the kinds that rows are read
// into. Texts are copied, so that no page is kept for them.
func (j *joined) Scan(into ...any) error {
	if len(into) != len(j.columns) {
		return fmt.Errorf("%d variables for %d columns", len(into), len(j.columns))
	}
	for i, c := range j.columns {
		from, f := j.version, field{kind: isInt, i: j.rowid}
		if c.ofDocument {
			from = j.document
		}
		if c.at != isRowid {
			if f = (field{}); c.at < len(from) {
				f = from[c.at]
			}
		}
		if err := f.into(into[i]); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

// into stores a value in a variable.
func (f *field) into(variable any) error {
	switch v := variable.(type) {
	case *string:
		*v = strings.Clone(f.s)
	case *int64:
		*v = f.i
	case *sql.NullInt64:
		*v = sql.NullInt64{Int64: f.i, Valid: f.kind == isInt}
	case *sql.NullString:
		*v = sql.NullString{String: strings.Clone(f.s), Valid: f.kind == isText}
	case sql.Scanner:
		return v.Scan([]byte(f.s))
	default:
		switch e := reflect.ValueOf(variable).Elem(); e.Kind() {
		case reflect.String:
			e.SetString(strings.Clone(f.s))
		case reflect.Int:
			e.SetInt(f.i)
		default:
			return fmt.Errorf("no column is read into %T", variable)
		}
	}
	return nil
}
