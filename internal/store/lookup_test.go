package store

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// looked is a version with its document as lookup and scanVersion give it.
func looked(t *testing.T, r *recalling, id int64) (got row, there bool) {
	t.Helper()
	if err := r.eachOf([]int64{id}, versionColumns, func(s scanner) (err error) {
		there = true
		got, err = r.scanVersion(s)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return got, there
}

func TestALookUpGivesTheRowsThatSQLiteGives(t *testing.T) {
	f := newFixture(t)
	var lessons []*memory.NewLesson
	for i := range 250 { // enough for inner pages in both tables
		n := keyed(fmt.Sprintf("k/k%d", i), threeSentences(i))
		switch i % 7 {
		case 1:
			n.Paths, n.About = []string{"services/**", "area \"x\"/*.go"}, []string{"höher", "weiter"}
		case 2:
			n.Text = strings.TrimSpace(strings.Repeat(fmt.Sprintf("lang und länger %d. ", i), 90)) // on pages of its own
		}
		lessons = append(lessons, n)
	}
	f.bulk(lessons...)
	all, err := f.queryVersions(f.query(t.Context()), "SELECT "+versionColumns+fromVersions, ledger.RepositoryID)
	if err != nil || len(all) != 250 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	f.must(f.on(memory.OpForget, ada, all[3].DocumentID)) // what is committed last counts
	r := &recalling{Store: f.Store, ctx: t.Context()}
	defer r.close()
	for i, want := range all {
		got, there := looked(t, r, want.id)
		if forgotten := i == 3; there == forgotten || !forgotten && !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: %v\n%+v\nwant\n%+v", i, there, got, want)
		}
	}
	for _, id := range []int64{0, -1, 10_000, 1 << 62} {
		if got, there := looked(t, r, id); there {
			t.Errorf("a row with the id %d: %+v", id, got)
		}
	}
	if record, err := r.rows.document(ledger.RepositoryID+1, all[0].DocumentID); record != "" || err != nil {
		t.Errorf("a document of another repository: %q, %v", record, err)
	}
}

func TestALookUpDoesNotFollowPagesThatAreNotThere(t *testing.T) {
	f := newFixture(t)
	f.bulk(keyed("k/k", threeSentences(1)))
	r := &recalling{Store: f.Store, ctx: t.Context()}
	defer r.close()
	looked(t, r, 1)
	for _, n := range []uint32{0, uint32(r.rows.pages) + 1, 1 << 31} {
		r.rows.roots["versions"] = n
		if _, err := r.rows.withRowid("versions", 1); !errors.Is(err, errImage) {
			t.Errorf("page %d: %v", n, err)
		}
	}
	// An inner page that leads to itself ends.
	r.rows.roots["versions"] = 2
	page := []byte(strings.Repeat("\x00", r.rows.pageSize))
	page[0], page[11] = interiorTable, 2
	r.rows.inner[2] = string(page)
	if _, err := r.rows.withRowid("versions", 1); !errors.Is(err, errImage) {
		t.Errorf("a circle of pages: %v", err)
	}
}

func TestAColumnIsReadIntoTheKindsOfVariablesThatRowsHave(t *testing.T) {
	j := &joined{rowid: 7, version: []field{{}, {kind: isInt, i: 5}}, document: []field{{kind: isInt, i: 5}, {kind: isText, s: "m-x"}}, columns: selected("v.id, v.repository_id, d.document_id")}
	var id, repository int64
	var document string
	if err := j.Scan(&id, &repository, &document); err != nil || id != 7 || repository != 5 || document != "m-x" {
		t.Errorf("%d, %d, %q, %v", id, repository, document, err)
	}
	for _, bad := range [][]any{{&id}, {&id, &repository, &document, &id}, {&id, &repository, new(float64)}} {
		if err := j.Scan(bad...); err == nil {
			t.Errorf("%d variables, the last of %T, were filled", len(bad), bad[len(bad)-1])
		}
	}
}

func TestAFileIsReadAheadAsItIs(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		whole := strings.NewReader(string(data))
		a := &ahead{file: whole}
		for _, at := range []int64{0, 1, 4096, 100, 64<<10 - 5, 64 << 10, 150_000, 0, int64(size) - 3, int64(size), int64(size) + 9} {
			if at < 0 {
				continue
			}
			for _, length := range []int{1, 3, 4096, 64 << 10, 70_000} {
				got, want := make([]byte, length), make([]byte, length)
				n, err := a.ReadAt(got, at)
				m, wantErr := whole.ReadAt(want, at)
				if n != m || string(got[:n]) != string(want[:m]) || (n < length) != (err != nil) || n < length && !errors.Is(err, wantErr) {
					t.Fatalf("%d bytes at %d of %d: %d, %v; want %d, %v", length, at, size, n, err, m, wantErr)
				}
			}
		}
	}
}
