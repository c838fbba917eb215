package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// ftsFile is a database that has nothing but a full-text index like ours, of
// so many rows.
func ftsFile(t testing.TB, rows int, words func(i int) string) (string, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fts.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	statements := []string{"PRAGMA synchronous=OFF", schemaV1[len(schemaV1)-1], "BEGIN"}
	for i := range rows {
		statements = append(statements, fmt.Sprintf("INSERT INTO recall(rowid, words) VALUES (%d, '%s')", 3*i+1, words(i)))
	}
	statements = append(statements, "COMMIT", "INSERT INTO recall(recall) VALUES ('optimize')")
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return path, db
}

// longLists has words of three kinds: one that every row has many times, one
// that many rows have, and one of its own.
func longLists(i int) string {
	return strings.Repeat("common filler words ", 1+i%40) + fmt.Sprintf("handler%d of%d the%d", i, i%7, i%90)
}

// packedFile decodes the index of a file as the check of a store does.
func packedFile(t testing.TB, path string) (packed bool) {
	t.Helper()
	im, file, err := openImage(path)
	if err != nil {
		return false
	}
	defer file.Close()
	roots, err := im.roots()
	if err != nil {
		return false
	}
	x := newPackedIndex()
	for _, name := range sortedKeys(roots) {
		look := x.table(name)
		if look == nil {
			continue
		}
		if err := im.scan(roots[name], func(rowid int64, record string) error { look(rowid, record); return nil }); err != nil {
			return false
		}
	}
	return x.packed()
}

// soundToFTS5 asks FTS5's own check, on a connection that read nothing yet.
func soundToFTS5(t testing.TB, path string) error {
	t.Helper()
	c, err := connect(t.Context(), path, checking)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	return checkPragma(t.Context(), c, path, "PRAGMA quick_check('recall')")
}

func TestAPackedIndexIsKnown(t *testing.T) {
	for name, file := range map[string]struct {
		rows  int
		words func(int) string
	}{
		"no row":                        {0, longLists},
		"one row":                       {1, longLists},
		"one page":                      {12, func(i int) string { return fmt.Sprint("word", i) }},
		"some pages":                    {700, func(i int) string { return fmt.Sprintf("alpha%d beta%d gamma", i, i*7) }},
		"lists of several pages":        {900, longLists},
		"positions that go over a page": {3, func(i int) string { return strings.Repeat("again and ", 3000+i) }},
		"rows far apart":                {90, func(i int) string { return strings.Repeat("x ", 1+i*11) }},
	} {
		path, db := ftsFile(t, file.rows, file.words)
		if !packedFile(t, path) || soundToFTS5(t, path) != nil {
			t.Errorf("%s: FTS5 says %v, and it should be known as packed", name, soundToFTS5(t, path))
		}
		if _, err := db.Exec("INSERT INTO recall(rowid, words) VALUES (1000000, 'one more')"); err != nil {
			t.Fatal(err)
		}
		if file.rows > 0 && packedFile(t, path) {
			t.Errorf("%s: an index of two pieces is not packed", name)
		}
	}
}

func TestTheIndexOfASavedStoreIsPackedAlsoAfterAForget(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Money is never a float")))
	f.must(f.remember(ada, keyed("time/utc", "Times are in UTC")))
	for _, last := range []string{"", v.DocumentID} {
		if last != "" {
			f.must(f.on("forget", ada, last))
		}
		path := filepath.Join(t.TempDir(), "saved.db")
		if err := f.SaveTo(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		index := newPackedIndex()
		if _, err := checkRows(t.Context(), path, index); err != nil || !index.packed() {
			t.Errorf("packed: %v, %v", index.packed(), err)
		}
	}
}

// damage changes bytes of one row of the index. It returns what puts them back.
func damage(t testing.TB, db *sql.DB, row, at int, patch []byte) func() {
	t.Helper()
	tables := []struct{ name, column, key string }{{"recall_data", "block", "id"}, {"recall_idx", "pgno", "term"}, {"recall_config", "v", "k"}}
	table := tables[0]
	if row%11 == 10 {
		table = tables[1+row/11%2]
	}
	var key, before any
	query := fmt.Sprintf("SELECT %s, %s FROM %s LIMIT 1 OFFSET ? %% (SELECT count(*) FROM %s)", table.key, table.column, table.name, table.name)
	if err := db.QueryRow(query, row).Scan(&key, &before); err != nil {
		t.Fatal(err)
	}
	set := func(v any) {
		if _, err := db.Exec(fmt.Sprintf("UPDATE %s SET %s = ? WHERE %s = ?", table.name, table.column, table.key), v, key); err != nil {
			t.Fatal(err)
		}
	}
	switch before := before.(type) {
	case []byte:
		after := append([]byte{}, before...)
		copy(after[at%len(after):], patch)
		if len(patch) > 0 && patch[0] == 0 {
			after = after[:at%len(after)] // cut off
		}
		set(after)
	case int64:
		set(before ^ int64(at%8))
	}
	return func() { set(before) }
}

func TestADamagedIndexIsNeverTakenForAPackedOne(t *testing.T) {
	t.Parallel()
	path, db := ftsFile(t, 400, longLists)
	random := rand.New(rand.NewPCG(10, 4))
	other, harmless := 0, 0
	for range 150 {
		patch := make([]byte, 1+random.IntN(3))
		for i := range patch {
			patch[i] = byte(random.IntN(256))
		}
		row, at := random.IntN(500), random.IntN(4096)
		back := damage(t, db, row, at, patch)
		if !packedFile(t, path) {
			other++
		} else if harmless++; soundToFTS5(t, path) != nil {
			t.Fatalf("row %d at %d with %v: FTS5 refuses it with %v, and it was taken for a packed one", row, at, patch, soundToFTS5(t, path))
		}
		back()
	}
	if other < 30 || harmless < 20 {
		t.Errorf("%d were told apart and %d changed nothing that matters: the damage is of one kind only", other, harmless)
	}
	if !packedFile(t, path) {
		t.Error("what was put back is packed")
	}
}

func FuzzPackedIndex(f *testing.F) {
	path, db := ftsFile(f, 300, longLists)
	f.Add(uint16(0), uint16(3), []byte{1})
	f.Add(uint16(1), uint16(9), []byte{0x80, 1})
	f.Add(uint16(5), uint16(0), []byte{0, 4})
	f.Fuzz(func(t *testing.T, row, at uint16, patch []byte) {
		back := damage(t, db, int(row), int(at), patch)
		defer back()
		if packedFile(t, path) && soundToFTS5(t, path) != nil {
			t.Fatalf("FTS5 refuses it: %v", soundToFTS5(t, path))
		}
	})
}
