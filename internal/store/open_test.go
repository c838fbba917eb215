package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// savedFile is a saved store with a few lessons, at a path of its own.
func savedFile(t *testing.T) string {
	t.Helper()
	if sample == nil {
		f := newFixture(t)
		for i := range 60 {
			f.must(f.remember(ada, keyed(fmt.Sprintf("a/k%d", i), fmt.Sprintf("Lesson %d about amounts, cents and topic%d", i, i))))
		}
		sample = f.saved()
	}
	path := filepath.Join(t.TempDir(), "saved.db")
	write(t, path, string(sample))
	return path
}

var sample []byte

// tamper changes a file by SQL, as another program would.
func tamper(statements ...string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
}

func patch(change func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

const approveAll = "UPDATE versions SET state = 'active'"

func TestHostileFilesAreRefusedUntouched(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*testing.T, string)
		kind Kind
		says string
	}{
		{"A88 a trigger that approves", tamper("CREATE TRIGGER t AFTER INSERT ON versions BEGIN " + approveAll + "; END"), ForeignSchema, `trigger "t"`},
		{"A88 a trigger named like a table of ours", tamper("CREATE TRIGGER versions_x AFTER UPDATE ON causes BEGIN " + approveAll + "; END"), ForeignSchema, "trigger"},
		{"A88 a view", tamper("CREATE VIEW v AS SELECT * FROM versions"), ForeignSchema, `view "v"`},
		{"A88 a view in a table's place", tamper("DROP TABLE lifts", "CREATE VIEW lifts AS SELECT repository_id, id AS revocation_id FROM revocations"), ForeignSchema, "lifts"},
		{"A88 an extra table", tamper("CREATE TABLE extra (x)"), ForeignSchema, `table "extra"`},
		{"A88 an extra index", tamper("CREATE INDEX extra ON versions (text)"), ForeignSchema, `index "extra"`},
		{"A88 a missing index", tamper("DROP INDEX versions_state"), ForeignSchema, `lacks the index "versions_state"`},
		{"A88 another full-text table", tamper("CREATE VIRTUAL TABLE more USING fts5(x)"), ForeignSchema, "more"},
		{"A88 a column of its own", tamper("ALTER TABLE audit ADD COLUMN x TEXT DEFAULT 'y'"), ForeignSchema, "audit"},
		{"A88 statistics that steer the planner", tamper("ANALYZE"), ForeignSchema, "sqlite_stat1"},
		{"A88 a table without its constraint", tamper("PRAGMA writable_schema=ON",
			"UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (scope IN (''repo'', ''tenant_shared''))', '') WHERE name = 'documents'"), ForeignSchema, "documents"},
		{"A89 a page of garbage", patch(func(b []byte) []byte {
			copy(b[4096*3:], bytes.Repeat([]byte{0xa5, 0x5a, 0xff}, 1000))
			return b
		}), Corrupted, ""},
		{"A89 the schema's page zeroed", patch(func(b []byte) []byte { clear(b[100:4096]); return b }), Corrupted, ""},
		{"A89 a row that breaks a constraint", tamper("PRAGMA ignore_check_constraints=ON", "UPDATE versions SET state = 'blessed' WHERE number = 1"), Corrupted, "breaks the constraint state IN"},
		{"A89 a text above the cap", tamper("PRAGMA ignore_check_constraints=ON", "UPDATE versions SET text = hex(zeroblob(2000))"), Corrupted, "breaks the constraint length(text) BETWEEN 1 AND 2000"},
		{"A89 a version without its document", tamper("PRAGMA foreign_keys=OFF", "DELETE FROM documents"), Corrupted, "belongs to no document"},
		{"A89 no row that says whose it is", tamper("DELETE FROM store"), Corrupted, "whose"},
		{"A92 a file in write-ahead-log mode", tamper("PRAGMA journal_mode=WAL"), WAL, "write-ahead"},
		{"A92 the flag of a write-ahead log alone", patch(func(b []byte) []byte { b[18], b[19] = 2, 2; return b }), WAL, "write-ahead"},
		{"A14 a log beside it", func(t *testing.T, p string) { write(t, p+"-wal", "x") }, Sidecar, "-wal lies beside it"},
		{"A14 a journal beside it", func(t *testing.T, p string) { write(t, p+"-journal", "x") }, Sidecar, "-journal lies beside it"},
		{"a newer format", tamper("PRAGMA user_version=2"), NewerVersion, "format 2"},
		{"a newer format with unknown tables", tamper("CREATE TABLE later (x)", "PRAGMA user_version=900"), NewerVersion, "later release"},
		{"no format", tamper("PRAGMA user_version=0"), NotAStore, "no format version"},
		{"another program's database", tamper("PRAGMA application_id=42"), NotAStore, "another program"},
		{"another repository's store", tamper("UPDATE store SET repository_id = 4"), WrongRepository, "repository id 4, not of octocat/ledger (id 7001)"},
		{"cut short", patch(func(b []byte) []byte { return b[:len(b)-4096] }), Corrupted, "pages"},
		{"cut inside a page", patch(func(b []byte) []byte { return b[:len(b)-1] }), Corrupted, "pages"},
		{"something behind it", patch(func(b []byte) []byte { return append(b, make([]byte, 4096)...) }), Corrupted, "pages"},
		{"a header alone", patch(func(b []byte) []byte { return b[:100] }), Corrupted, "pages"},
		{"shorter than a header", patch(func(b []byte) []byte { return b[:99] }), NotAStore, "shorter"},
		{"empty", patch(func([]byte) []byte { return nil }), NotAStore, "shorter"},
		{"text", patch(func([]byte) []byte { return []byte(strings.Repeat("hello ", 100)) }), NotAStore, "not a SQLite file"},
		{"UTF-16", patch(func(b []byte) []byte { binary.BigEndian.PutUint32(b[56:], 2); return b }), Corrupted, "UTF-8"},
		{"above the size cap", func(t *testing.T, p string) {
			if err := os.Truncate(p, MaxBytes+4096); err != nil {
				t.Fatal(err)
			}
		}, TooLarge, "more than 134217728"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := savedFile(t)
			c.do(t, path)
			before := listing(t, path)
			s, err := Open(t.Context(), path, ledger)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			var mine *Error
			if !errors.As(err, &mine) || mine.Kind != c.kind || !strings.Contains(mine.Detail, c.says) {
				t.Fatalf("refused as %q: %v; want %s saying %q", KindOf(err), err, c.kind, c.says)
			}
			if mine.Fix == "" || !strings.Contains(err.Error(), path) {
				t.Errorf("%q lacks the path or the next step", err)
			}
			if after := listing(t, path); after != before {
				t.Errorf("the folder went from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listing spells every file of the folder with its bytes' digest.
func listing(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(path), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		info, _ := d.Info()
		fmt.Fprintf(&b, "%s %d %s\n", p, info.ModTime().UnixNano(), memory.TextDigest(string(data)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPathsThatAreNoFile(t *testing.T) {
	dir := t.TempDir()
	real := savedFile(t)
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]Kind{filepath.Join(dir, "none.db"): Missing, dir: NotAStore, link: NotAStore} {
		if _, err := Open(t.Context(), path, ledger); KindOf(err) != kind {
			t.Errorf("%s was refused as %q (%v), want %s", path, KindOf(err), err, kind)
		}
	}
	if _, err := Create(t.Context(), real, ledger, noon); KindOf(err) != Exists {
		t.Errorf("Create over a file: %v", err)
	}
	if _, err := Create(t.Context(), filepath.Join(dir, "no", "folder.db"), ledger, noon); KindOf(err) != Unwritable {
		t.Errorf("Create in a missing folder: %v", err)
	}
	if _, err := Create(t.Context(), filepath.Join(dir, "nobody.db"), Identity{Owner: "a", Name: "b"}, noon); KindOf(err) != WrongRepository {
		t.Errorf("Create without a repository id: %v", err)
	}
}

func TestPathsWithUnusualCharacters(t *testing.T) {
	for _, name := range []string{"with space.db", "what?.db", "a#b.db", "100%.db", "ünï.db", "x&mode=memory.db"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := Create(t.Context(), path, ledger, noon)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		s.Close()
		if info, err := os.Stat(path); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v", name, info, err)
		}
		if s, err = Open(t.Context(), path, ledger); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		s.Close()
	}
}

func TestACancelledOpenIsNoVerdictOnTheFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, savedFile(t), ledger); KindOf(err) != Unusable {
		t.Errorf("kind %q of %v", KindOf(err), err)
	}
}

func TestAFileThatTakesTooLongIsRefused(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), noon.AddDate(-9, 0, 0))
	defer cancel()
	path := savedFile(t)
	before := listing(t, path)
	if _, err := Open(ctx, path, ledger); KindOf(err) != TooSlow || !strings.Contains(err.Error(), "10s") {
		t.Errorf("kind %q of %v", KindOf(err), err)
	}
	if after := listing(t, path); after != before {
		t.Errorf("the folder went from\n%s\nto\n%s", before, after)
	}
}

func TestA93TheConnectionRefusesWhatTheStoreHasNoUseFor(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	outside := filepath.Join(t.TempDir(), "outside.db")
	for _, statement := range []string{
		"SELECT load_extension('/tmp/evil.so')",
		"SELECT LOAD_EXTENSION('/tmp/evil.so', 'init')",
		"ATTACH '" + outside + "' AS x",
		"CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)", "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON audit BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE z USING fts5(x)", "DROP TABLE audit", "ALTER TABLE audit ADD COLUMN x", "REINDEX", "ANALYZE",
		"VACUUM INTO '" + outside + "'", "DELETE FROM sqlite_schema",
		"PRAGMA journal_mode=WAL", "PRAGMA writable_schema=ON", "PRAGMA trusted_schema=ON", "PRAGMA foreign_keys=OFF",
		"SELECT hex(randomblob(9))", "SELECT fts5(1)", "INSERT INTO recall_data VALUES (99, x'00')",
	} {
		if _, err := f.c.conn.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was written outside")
	}
	for pragma, want := range map[string]string{"page_size": "4096", "user_version": "1", "application_id": "1718447218"} {
		var got string
		if err := f.c.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", pragma, got, err, want)
		}
	}
	if got := f.recall("cents amounts"); len(got) != 1 || got[0] != v.ID() {
		t.Errorf("the store itself works no more: %v", got)
	}
}

func TestTheConnectionIsHardened(t *testing.T) {
	f := newFixture(t)
	f.c.schema.Store(true) // to ask
	defer f.c.schema.Store(false)
	for pragma, want := range map[string]int{"trusted_schema": 0, "cell_size_check": 1, "mmap_size": 0, "foreign_keys": 1, "secure_delete": 1} {
		var got int
		if err := f.c.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil && !errors.Is(err, sql.ErrNoRows) || got != want {
			t.Errorf("%s is %d (%v), want %d", pragma, got, err, want)
		}
	}
}

func TestA92ASavedFileIsOneOrdinaryFile(t *testing.T) {
	path := savedFile(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if data[18] != 1 || data[19] != 1 {
		t.Errorf("its header names file format %d/%d", data[18], data[19])
	}
	if free := binary.BigEndian.Uint32(data[36:]); free != 0 {
		t.Errorf("it has %d free pages", free)
	}
	// The plain program is part of what is promised, so this test fails, and
	// does not skip, where it is missing; .ci/run installs it. SQLite's own
	// library, without any of our settings, opens the file as well.
	ask := "SELECT count(*) || ' ' || min(text) FROM versions WHERE text LIKE 'Lesson 1 %'; PRAGMA integrity_check; SELECT count(*) FROM recall WHERE recall MATCH 'amount'"
	want := "1 Lesson 1 about amounts, cents and topic1\nok\n60\n"
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Fatalf("sqlite3 is not installed: %v. Install it (apt-get install sqlite3); this test is required", err)
	}
	said, err := exec.CommandContext(t.Context(), program, "-readonly", path, ask).CombinedOutput()
	if err != nil || string(said) != want {
		t.Errorf("sqlite3 said %q, %v; want %q", said, err, want)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out strings.Builder
	for _, q := range strings.Split(ask, "; ") {
		var s string
		if err := db.QueryRow(q).Scan(&s); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		out.WriteString(s + "\n")
	}
	if out.String() != want {
		t.Errorf("SQLite said %q, want %q", out.String(), want)
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			t.Errorf("%s lies beside it", suffix)
		}
	}
}

func TestExportIsASave(t *testing.T) {
	f := newFixture(t)
	v := f.must(f.remember(ada, lesson("Amounts are in cents")))
	var b bytes.Buffer
	if err := f.Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "exported.db")
	write(t, path, b.String())
	s, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, refused, err := s.Get(t.Context(), v.ID()); err != nil || refused != nil || got[0].Text != v.Text {
		t.Errorf("the export gives %v, %v, %v", got, refused, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.path), ".export-*")); len(left) > 0 {
		t.Errorf("the export left %v", left)
	}
	if err := f.SaveTo(t.Context(), path); KindOf(err) != Exists {
		t.Errorf("SaveTo over a file: %v", err)
	}
	if err := f.SaveTo(t.Context(), filepath.Join(path, "x")); KindOf(err) != Unwritable {
		t.Errorf("SaveTo below a file: %v", err)
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	f := newFixture(t)
	tr := f.remember(ada, lesson("Amounts are in cents"))
	f.Close()
	if _, err := f.Apply(t.Context(), tr); KindOf(err) != Unusable {
		t.Errorf("Apply: %v", err)
	}
	if _, err := f.Recall(t.Context(), query("cents amounts")); KindOf(err) != Unusable {
		t.Errorf("Recall: %v", err)
	}
	if _, err := f.Info(t.Context()); KindOf(err) != Unusable {
		t.Errorf("Info: %v", err)
	}
}
