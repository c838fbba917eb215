package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

// Files of the right schema, with sound pages and rows that keep every
// constraint, that no run of ours could have written.
func TestA88RowsThatNobodyWroteAreRefusedUntouched(t *testing.T) {
	const off = "PRAGMA foreign_keys=OFF"
	for _, c := range []struct{ name, statement, says string }{
		{"a hidden character in a text", "UPDATE versions SET text = text || char(8203) || 'x' WHERE id = 1", "no lesson in its normal form"},
		{"a text that turns its direction", "UPDATE versions SET text = char(8238) || text WHERE id = 1", "no lesson in its normal form"},
		{"a control character in a text", "UPDATE versions SET text = text || char(27) || '[2J' WHERE id = 1", "no lesson in its normal form"},
		{"a zero byte in a text", "UPDATE versions SET text = text || char(0) || 'x' WHERE id = 1", "no lesson in its normal form"},
		{"bytes that are no UTF-8", "UPDATE versions SET text = CAST(x'41ff42' AS TEXT) WHERE id = 1", "no lesson in its normal form"},
		{"a line break in a login", "UPDATE versions SET creator_login = 'ada' || char(13) WHERE id = 1", "creator_login"},
		{"a hidden character in a key", "UPDATE documents SET key = key || char(8203)", "column key"},
		{"an escape in an audit row", "UPDATE audit SET detail = char(27)", "column detail"},
		{"a time after the year 9999", "UPDATE versions SET confirmed_at = 9000000000000000 WHERE id = 1", "after the year 9999"},
		{"an end after the year 9999", "UPDATE documents SET valid_until = 9000000000000000", "after the year 9999"},
		{"an active lesson that nobody confirmed", "UPDATE versions SET confirmed_at = NULL WHERE id = 1", "nobody confirmed it"},
		{"an active lesson without an approval", "UPDATE versions SET approved = '' WHERE id = 1", "nobody confirmed it"},
		{"a forgotten lesson with its text", "UPDATE versions SET redacted = 1 WHERE id = 1", "active and was forgotten"},
		{"a tombstone with its text", "UPDATE versions SET state = 'tombstoned' WHERE id = 1", "tombstoned, and its text"},
		{"a pending lesson in the index", "UPDATE versions SET state = 'review_required' WHERE id = 1", "names no active lesson"},
		{"an active lesson outside the index", "DELETE FROM recall_docsize WHERE id = 1; DELETE FROM places WHERE id = 1", "are active and"},
		{"an unknown source", "UPDATE versions SET source = 'rumour' WHERE id = 1", "source that is unknown"},
		{"a rule that is no rule", `UPDATE versions SET rule = '{"kind":"exec"}' WHERE id = 1`, "rule that cannot be read"},
		{"a rule with an unknown field", `UPDATE versions SET rule = '{"kind":"deny","pattern":"x","run":"y"}' WHERE id = 1`, "rule that cannot be read"},
		{"a list that is no JSON", "UPDATE versions SET paths = '[' WHERE id = 1", "list that cannot be read"},
		{"a hidden character inside JSON", `UPDATE versions SET about = '["a\u200bb"]' WHERE id = 1`, "list with characters"},
		{"citations that are no JSON", "UPDATE versions SET citations = 'x' WHERE id = 1", "citations that cannot be read"},
		{"a uid that is none", "PRAGMA ignore_check_constraints=ON; UPDATE versions SET uid = x'00' WHERE id = 1", "uid"},
		{"a document id that is none", "UPDATE documents SET document_id = 'm-ILILILIL' WHERE document_id = (SELECT document_id FROM versions WHERE id = 1)", "id that is none of ours"},
		{"a day that is none", "UPDATE documents SET last_used = '2026-99-99'", "used on no day"},
		{"a row of another repository", "INSERT INTO causes SELECT 7, id, op, reason, target, number, at, event_kind, event_id FROM causes LIMIT 1", "another repository's"},
		{"a fingerprint of an unknown key", "INSERT INTO fingerprints VALUES (7001, '" + strings.Repeat("0", 32) + "', zeroblob(32), 1)", "key that is not there"},
		{"two rows that say whose it is", "PRAGMA ignore_check_constraints=ON; INSERT INTO store SELECT 2, store_id, repository_id, genesis, generation, audit_horizon, reindex FROM store", "say whose store it is"},
		{"a place of a lesson that is not in the index", "INSERT INTO places VALUES ('x', 99999)", "no lesson of the index"},
	} {
		t.Run("A88: "+c.name, func(t *testing.T) {
			path := savedFile(t)
			tamper(append([]string{off}, strings.Split(c.statement, "; ")...)...)(t, path)
			before := listing(t, path)
			s, err := Open(t.Context(), path, ledger)
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			var mine *Error
			if !errors.As(err, &mine) || mine.Kind != Corrupted || !strings.Contains(mine.Detail, c.says) {
				t.Errorf("%v; want it to say %q", err, c.says)
			}
			if listing(t, path) != before {
				t.Error("the file changed")
			}
		})
	}
}

func TestAPageInTwoPlacesIsRefused(t *testing.T) {
	path := savedFile(t)
	var roots []int64
	s, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lifts", "purges"} {
		var root int64
		if err := s.c.conn.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&root); err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	s.Close()
	tamper("PRAGMA writable_schema=ON", fmt.Sprintf("UPDATE sqlite_schema SET rootpage = %d WHERE name = 'lifts'", roots[1]))(t, path)
	if _, err := Open(t.Context(), path, ledger); KindOf(err) != Corrupted {
		t.Errorf("two tables on one page: %v", err)
	}
}

func TestTheRowsOfAFileAreLookedAtWithinTheTimeToOpen(t *testing.T) {
	path := savedFile(t)
	ended, end := context.WithCancel(t.Context())
	end()
	im, file, err := openImage(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := newRowCheck(ended, nil)
	if err := c.all(im); !errors.Is(err, context.Canceled) || c.looked != 256 {
		t.Errorf("after %d rows: %v; it should have stopped at the 256th", c.looked, err)
	}
	late, end := context.WithTimeout(t.Context(), -time.Second)
	defer end()
	if _, err := checkRows(late, path, nil); KindOf(err) != TooSlow {
		t.Errorf("out of time it says %v", err)
	}
}

func TestEveryConstraintOfTheSchemaIsRead(t *testing.T) {
	want := 0
	for _, statement := range schemaV1 {
		if strings.HasPrefix(statement, "CREATE TABLE ") {
			want += strings.Count(statement, " CHECK (")
		}
	}
	got := 0
	for _, name := range append([]string{"store", "places"}, tableNames()...) {
		found, err := constraintsOf(name)
		if err != nil {
			t.Error(err)
		}
		got += len(found)
	}
	if got != want || want < 100 {
		t.Errorf("%d of %d constraints are read", got, want)
	}
	for _, check := range []string{"x LIKE 'a'", "length(y) = 3", "x IN (1, a)", "x = 99999999999999999999", "x BETWEEN 1 AND 99999999999999999999"} {
		if _, err := parseConstraint("x", check); err == nil {
			t.Errorf("%q was read", check)
		}
	}
}

// Eight characters are looked at together: wherever one stands that is not
// printable ASCII, the text is not plain.
func TestAPlainTextHasNothingButPrintableCharacters(t *testing.T) {
	for _, length := range []int{1, 7, 8, 9, 17} {
		for at := range length {
			for b := range 256 {
				s := bytes.Repeat([]byte{'_'}, length)
				s[at] = byte(b)
				want := b >= '!' && b <= '~' || b == ' ' && at > 0 && at < length-1
				if plain(string(s)) != want {
					t.Fatalf("%q is called plain: %v", s, !want)
				}
			}
		}
	}
	if !plain("") {
		t.Error("nothing is not plain")
	}
}

func tableNames() []string {
	var out []string
	for _, t := range tables {
		out = append(out, t.name)
	}
	return out
}

func TestTheColumnsOfTheTablesAreThoseOfTheSchema(t *testing.T) {
	f := newFixture(t)
	for _, name := range append([]string{"store", indexedTable, "places"}, tableNames()...) {
		rows, err := f.c.conn.QueryContext(t.Context(), "SELECT * FROM "+name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := rows.Columns()
		rows.Close()
		if got := columnsOf(name); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	for column, at := range map[string]int{"document_id": docID, "key": docKey, "last_used": docLastUsed, "announced_cause": docAnnouncedCause} {
		if got := columnsOf("documents")[at]; got != column {
			t.Errorf("column %d of documents is %s, not %s", at, got, column)
		}
	}
	for column, at := range map[string]int{"uid": verUID, "text": verText, "fingerprint": verFingerprint, "state_op": verStateOp, "approved": verApproved} {
		if got := columnsOf("versions")[at]; got != column {
			t.Errorf("column %d of versions is %s, not %s", at, got, column)
		}
	}
	for _, table := range tables {
		names := columnsOf(table.name)
		for _, i := range append(append([]int{}, table.times...), table.days...) {
			if !strings.HasSuffix(names[i], "at") && names[i] != "day" && names[i] != "last_used" {
				t.Errorf("%s of %s is no time", names[i], table.name)
			}
		}
	}
}

// What is read from the bytes of a file is what SQLite reads from it, with
// texts that go on in overflow pages.
func TestTheImageReadsWhatSQLiteReads(t *testing.T) {
	dir, runs := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		s, err := anotherStore(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.db", runs)))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		f := &fixture{Store: s, t: t}
		var lessons []*memory.NewLesson
		for i := range rapid.IntRange(0, 20).Draw(rt, "lessons") {
			n := keyed(fmt.Sprintf("a/k%d", i), strings.TrimSpace(strings.Repeat(fmt.Sprintf("word%d ", i), rapid.IntRange(1, 250).Draw(rt, "words"))))
			for range rapid.IntRange(0, 30).Draw(rt, "globs") {
				n.Paths = append(n.Paths, strings.Repeat("long-folder-name/", rapid.IntRange(0, 12).Draw(rt, "depth"))+"**")
			}
			lessons = append(lessons, n)
		}
		f.bulk(lessons...)
		im, file, err := openImage(s.path)
		if err != nil {
			rt.Fatal(err)
		}
		defer file.Close()
		roots, err := im.roots()
		if err != nil {
			rt.Fatal(err)
		}
		for _, name := range append([]string{indexedTable, "places"}, tableNames()...) {
			var got strings.Builder
			err := im.scan(roots[name], func(rowid int64, record string) error {
				fields, err := decodeRecord(record, nil)
				values := make([]any, len(fields))
				for i, v := range fields {
					if values[i] = v.value(); columnsOf(name)[i] == "id" && v.kind == isNull {
						values[i] = rowid
					}
				}
				fmt.Fprintf(&got, "%s %q\n", name, values)
				return err
			})
			if want := dump(t, s, name); err != nil || sortedLines(got.String()) != sortedLines(want) {
				rt.Fatalf("%s reads\n%s (%v)\nwant\n%s", name, got.String(), err, want)
			}
		}
	})
}

func sortedLines(s string) string {
	return strings.Join(slices.Sorted(strings.Lines(s)), "")
}

// FuzzImage reads whatever bytes as the file of a store: an error or rows,
// never a panic or an endless walk.
func FuzzImage(f *testing.F) {
	good, err := os.ReadFile(keptV1)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(16), []byte{0, 1})
	f.Add(uint32(100), []byte{5, 0, 0, 0xff, 0xff})
	f.Add(uint32(4096), []byte{2, 0, 0, 0, 9})
	f.Fuzz(func(t *testing.T, offset uint32, patch []byte) {
		data := append([]byte(nil), good...)
		copy(data[int(offset)%len(data):], patch)
		im, err := newImage(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if c, err := loadContents(im, nil); err == nil {
			if err := newModelReplica().merge(c); err != nil {
				return
			}
			_, _ = c.digest()
		}
		im, _ = newImage(bytes.NewReader(data), int64(len(data)))
		_ = newRowCheck(context.Background(), newPackedIndex()).all(im)
	})
}
