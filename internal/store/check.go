package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// This file is the one door for a file from outside: everything is refused
// here, before a statement of ours reads a row, and nothing is written
// (page 4.5).

// MaxBytes is the largest file that is opened, and the largest that additions
// may make (page 5.2).
const MaxBytes = 128 << 20

const headerBytes = 100

// checkFile judges the file by its kind, size and first hundred bytes, and
// returns its user_version.
func checkFile(path string) (int, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fail(Missing, path, err, "there is no such file")
	case err != nil:
		return 0, fail(Unreadable, path, err, "it cannot be read (%v)", err)
	case !info.Mode().IsRegular():
		return 0, fail(NotAStore, path, nil, "it is not a regular file")
	case info.Size() > MaxBytes:
		return 0, fail(TooLarge, path, nil, "it has %d bytes, more than %d", info.Size(), int64(MaxBytes))
	}
	header, err := readHeader(path)
	if err != nil {
		return 0, err
	}
	version, err := checkHeader(path, header, info.Size())
	if err != nil {
		return 0, err
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return 0, fail(Sidecar, path, nil, "%s lies beside it", path+suffix)
		}
	}
	return version, nil
}

func readHeader(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return nil, fail(Unwritable, path, err, "it cannot be opened for writing (%v)", err)
	case err != nil:
		return nil, fail(Unreadable, path, err, "it cannot be read (%v)", err)
	}
	defer f.Close()
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, fail(NotAStore, path, err, "it is shorter than the header of a SQLite file")
	}
	return header, nil
}

// checkHeader reads the fields of SQLite's file format that say what wrote
// the file and how.
func checkHeader(path string, h []byte, size int64) (int, error) {
	if !bytes.HasPrefix(h, []byte("SQLite format 3\x00")) {
		return 0, fail(NotAStore, path, nil, "it is not a SQLite file")
	}
	if app := binary.BigEndian.Uint32(h[68:]); app != ApplicationID {
		return 0, fail(NotAStore, path, nil, "it is the database of another program (application id %#08x)", app)
	}
	if h[18] != 1 || h[19] != 1 {
		return 0, fail(WAL, path, nil, "it is in write-ahead-log mode")
	}
	page := int64(binary.BigEndian.Uint16(h[16:]))
	if page == 1 {
		page = 65536
	}
	pages := int64(binary.BigEndian.Uint32(h[28:]))
	if page < 512 || size%page != 0 || pages*page != size {
		return 0, fail(Corrupted, path, nil, "its size of %d bytes is not the %d pages of %d bytes that its header names", size, pages, page)
	}
	if encoding := binary.BigEndian.Uint32(h[56:]); encoding != 1 {
		return 0, fail(Corrupted, path, nil, "its text is not encoded as UTF-8")
	}
	version := binary.BigEndian.Uint32(h[60:])
	switch {
	case int(version) > len(migrations):
		return 0, fail(NewerVersion, path, nil, "it has format %d, written by a later release; this one reads up to %d", version, len(migrations))
	case version == 0:
		return 0, fail(NotAStore, path, nil, "it has no format version")
	}
	return int(version), nil
}

// checkContents reads the file and compares its schema, its repository, its
// pages and its rows, and returns the latest dates of these. SQLite's
// quick_check and our own look at the rows run beside each other, each on what
// the schema names.
func checkContents(ctx context.Context, path string, version int, id Identity) (dates, error) {
	c, err := connect(ctx, path, checking)
	if err != nil {
		return dates{}, broken(ctx, path, err)
	}
	defer c.close()
	if err := checkSchema(ctx, c, path, version); err != nil {
		return dates{}, err
	}
	var found dates
	beside := make(chan error, 1)
	go func() {
		var err error
		index := newPackedIndex()
		if found, err = checkRows(ctx, path, index); err == nil && !index.packed() {
			err = quickCheckOf(ctx, path, searchTable) // of one that packedIndex does not know
		}
		beside <- err
	}()
	if err = quickCheck(ctx, c, path); err == nil {
		err = checkOwner(ctx, c, path, id)
	}
	if other := <-beside; err == nil {
		err = other
	}
	return found, err
}

// searchTable is the full-text index; SQLite checks it through the module
// that made it.
const searchTable = "recall"

// largestTable takes as long to check as all others together.
const largestTable = "versions"

// quickCheck runs SQLite's quick_check over every table of the schema but
// the full-text index: over the largest on a connection of its own, beside the
// others.
func quickCheck(ctx context.Context, c *connection, path string) error {
	found, err := readSchema(ctx, c.conn)
	if err != nil {
		return broken(ctx, path, err)
	}
	largest := make(chan error, 1)
	go func() { largest <- quickCheckOf(ctx, path, largestTable) }()
	for _, row := range sortedRows(found) {
		if row.kind != "table" || row.name == searchTable || row.name == largestTable {
			continue
		}
		if err = checkPragma(ctx, c, path, "PRAGMA quick_check('"+row.name+"')"); err != nil {
			break
		}
	}
	return cmp.Or(<-largest, err)
}

// quickCheckOf runs the quick_check of one table on a connection of its own;
// that of the full-text index is FTS5's.
func quickCheckOf(ctx context.Context, path, table string) error {
	c, err := connect(ctx, path, checking)
	if err != nil {
		return broken(ctx, path, err)
	}
	defer c.close()
	return checkPragma(ctx, c, path, "PRAGMA quick_check('"+table+"')")
}

// checkOwner refuses a store of another repository.
func checkOwner(ctx context.Context, c *connection, path string, id Identity) error {
	var repository int64
	err := c.conn.QueryRowContext(ctx, "SELECT repository_id FROM store").Scan(&repository)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fail(Corrupted, path, nil, "it does not say whose store it is")
	case err != nil:
		return broken(ctx, path, err)
	case repository != id.RepositoryID:
		return fail(WrongRepository, path, nil, "it holds the lessons of repository id %d, not of %s/%s (id %d)",
			repository, id.Owner, id.Name, id.RepositoryID)
	}
	return nil
}

// checkPragma runs a check that answers with no row, or with "ok".
func checkPragma(ctx context.Context, c *connection, path, pragma string) error {
	rows, err := c.conn.QueryContext(ctx, pragma)
	if err != nil {
		return broken(ctx, path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var first any
		columns, _ := rows.Columns()
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		into[0] = &first
		if err := rows.Scan(into...); err != nil {
			return broken(ctx, path, err)
		}
		if s := fmt.Sprint(first); s != "ok" {
			return fail(Corrupted, path, nil, "SQLite finds it damaged (%s: %.200s)", pragma, s)
		}
	}
	if err := rows.Err(); err != nil {
		return broken(ctx, path, err)
	}
	return nil
}

// schemaRow is one row of sqlite_schema; where it lies in the file does not
// matter.
type schemaRow struct{ kind, name, table, sql string }

func readSchema(ctx context.Context, conn *sql.Conn) (map[schemaRow]bool, error) {
	rows, err := conn.QueryContext(ctx, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema LIMIT 200")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[schemaRow]bool{}
	for rows.Next() {
		var r schemaRow
		if err := rows.Scan(&r.kind, &r.name, &r.table, &r.sql); err != nil {
			return nil, err
		}
		found[r] = true
	}
	return found, rows.Err()
}

// checkSchema refuses every table, index, view and trigger that the
// migrations up to version do not make, and every one that is missing or
// spelled in another way.
func checkSchema(ctx context.Context, c *connection, path string, version int) error {
	found, err := readSchema(ctx, c.conn)
	if err != nil {
		return broken(ctx, path, err)
	}
	wanted, err := wantedSchema(ctx, version)
	if err != nil {
		return err
	}
	for _, row := range sortedRows(found) {
		if !wanted[row] {
			return fail(ForeignSchema, path, nil, "its schema has the %s %.60q, which this program does not make so", row.kind, row.name)
		}
	}
	for _, row := range sortedRows(wanted) {
		if !found[row] {
			return fail(ForeignSchema, path, nil, "its schema lacks the %s %q", row.kind, row.name)
		}
	}
	return nil
}

func sortedRows(set map[schemaRow]bool) []schemaRow {
	return slices.SortedFunc(maps.Keys(set), func(a, b schemaRow) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.sql, b.sql)) })
}

var schemas struct {
	sync.Mutex
	byVersion map[int]map[schemaRow]bool
}

// wantedSchema makes an empty store of that version in memory and reads its
// schema.
func wantedSchema(ctx context.Context, version int) (map[schemaRow]bool, error) {
	schemas.Lock()
	defer schemas.Unlock()
	if s := schemas.byVersion[version]; s != nil {
		return s, nil
	}
	db, err := sql.Open("sqlite", "file::memory:?_dqs=0")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, statements := range migrations[:version] {
		for _, statement := range statements {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return nil, err
			}
		}
	}
	s, err := readSchema(ctx, conn)
	if err != nil {
		return nil, err
	}
	if schemas.byVersion == nil {
		schemas.byVersion = map[int]map[schemaRow]bool{}
	}
	schemas.byVersion[version] = s
	return s, nil
}

// columnsOf returns the names of a table's columns in the order of its rows.
func columnsOf(table string) []string {
	columns.Lock()
	defer columns.Unlock()
	if names := columns.byTable[table]; names != nil {
		return names
	}
	var names []string
	if table == indexedTable {
		names = []string{"id", "sz"}
	}
	for _, line := range definitionOf(table) {
		if name, _, _ := strings.Cut(line, " "); name == strings.ToLower(name) && name != ")" {
			names = append(names, name)
		}
	}
	if columns.byTable == nil {
		columns.byTable = map[string][]string{}
	}
	columns.byTable[table] = names
	return names
}

var columns struct {
	sync.Mutex
	byTable map[string][]string
}

// broken turns an error of SQLite into ours: out of time, or damaged.
func broken(ctx context.Context, path string, err error) error {
	var mine *Error
	switch {
	case errors.As(err, &mine):
		return mine
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return fail(TooSlow, path, err, "it did not open within %s of processor time", openTime)
	case ctx.Err() != nil:
		return fail(Unusable, path, ctx.Err(), "opening it was cancelled")
	case strings.Contains(err.Error(), "unable to open"), strings.Contains(err.Error(), "readonly"):
		return fail(Unwritable, path, err, "it cannot be written (%v)", err)
	}
	return fail(Corrupted, path, err, "SQLite cannot read it (%.200s)", err.Error())
}
