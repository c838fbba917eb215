package store

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

// keep writes the file of the current version anew; a released one is never
// written again.
var keep = flag.Bool("keep", false, "write testdata/store/v1.db anew")

const keptV1 = "testdata/store/v1.db"

// fillKept teaches what the kept files hold: a lesson with everything, one
// with two versions, one that waits, one that was rejected, one forgotten.
func fillKept(f *fixture) {
	whole := keyed("money/rounding", "Money is rounded half-even")
	whole.Class, whole.Paths, whole.About = memory.Durable, []string{"services/billing/**"}, []string{"currency"}
	whole.Check = &memory.Check{Kind: memory.CheckPrefer, Pattern: "Truncate(", Prefer: "RoundHalfEven(", In: []string{"**/*.go"}}
	whole.Citations = []memory.Citation{{Path: "services/billing/money.go", StartLine: 3, EndLine: 4, Commit: strings.Repeat("c", 40), Digest: strings.Repeat("d", 64)}}
	f.must(f.remember(ada, whole))
	f.must(f.remember(mara, keyed("time/zone", "Times are local")))
	f.must(f.remember(mara, keyed("time/zone", "Times are in UTC")))
	f.must(f.propose(4, keyed("names/ascii", "Names are ASCII")))
	f.must(f.on(memory.OpReject, mara, f.must(f.propose(4, keyed("names/short", "Names are short"))).ID()))
	f.must(f.on(memory.OpForget, ada, f.must(f.remember(ada, keyed("a/secret", "This is forgotten"))).DocumentID))
}

func TestTheKeptFileOfVersion1Opens(t *testing.T) {
	if *keep {
		f := newFixture(t)
		fillKept(f)
		if err := os.MkdirAll(filepath.Dir(keptV1), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(keptV1, f.saved(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "v1.db")
	if err := copyFile(keptV1, path); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f := &fixture{Store: s, t: t, events: 1000}
	counts, err := s.Counts(t.Context())
	if err != nil || counts.Active != 2 || counts.Pending != 1 || counts.Tombstoned != 1 || counts.StoredVersions != 6 {
		t.Errorf("counts %+v, %v", counts, err)
	}
	if got := f.recalled("money rounded currency", "services/billing/x.go"); len(got) != 1 || got[0].Check == nil || got[0].Check.Prefer != "RoundHalfEven(" || len(got[0].Citations) != 1 {
		t.Errorf("recalled %+v", got)
	}
	if yes, err := s.Suppressed(t.Context(), "this is FORGOTTEN"); err != nil || !yes {
		t.Errorf("suppressed %v, %v", yes, err)
	}
	f.must(f.remember(ada, keyed("new/one", "Dates are ISO 8601")))
}

func TestVersionCountsTheMigrations(t *testing.T) {
	if len(migrations) != Version {
		t.Errorf("%d migrations, version %d", len(migrations), Version)
	}
}

// withMigration runs a test in a world with one more migration.
func withMigration(t *testing.T, statements ...string) {
	t.Helper()
	old := migrations
	migrations = append(migrations[:len(migrations):len(migrations)], statements)
	t.Cleanup(func() { migrations = old; delete(schemas.byVersion, len(old)+1) })
}

func TestAnOlderFileIsMigratedOnACopy(t *testing.T) {
	path := savedFile(t)
	withMigration(t, "ALTER TABLE audit ADD COLUMN run TEXT NOT NULL DEFAULT '' CHECK (length(run) <= 40)", "CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT")
	s, err := Open(t.Context(), path, ledger)
	if err != nil {
		t.Fatal(err)
	}
	if counts, err := s.Counts(t.Context()); err != nil || counts.Active != 60 {
		t.Errorf("counts %+v, %v", counts, err)
	}
	s.Close()
	if version, err := checkFile(path); err != nil || version != Version+1 {
		t.Errorf("the file has format %d, %v", version, err)
	}
	if s, err = Open(t.Context(), path, ledger); err != nil {
		t.Fatalf("opened again: %v", err)
	}
	s.Close()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".migrate-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAMigrationThatFailsLeavesTheFileAsItWas(t *testing.T) {
	path := savedFile(t)
	before := listing(t, path)
	withMigration(t, "CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT", "INSERT INTO nowhere VALUES (1)")
	if _, err := Open(t.Context(), path, ledger); err == nil {
		t.Fatal("it was opened")
	}
	if after := listing(t, path); after != before {
		t.Errorf("the folder went from\n%s\nto\n%s", before, after)
	}
}
