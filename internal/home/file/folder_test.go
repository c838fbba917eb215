package file

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestNamesAreThoseOfRegularFilesTheLatestFirst(t *testing.T) {
	dir := t.TempDir()
	day := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, at := range map[string]time.Time{"old.db": day, "new.db": day.AddDate(0, 0, 2), "b.db": day.AddDate(0, 0, 1), "a.db": day.AddDate(0, 0, 1), "x.json": day} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("old.db", filepath.Join(dir, "link.db")); err != nil {
		t.Fatal(err)
	}
	got, err := Names(dir, ".db")
	if want := []string{"new.db", "a.db", "b.db", "old.db"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := Names(filepath.Join(dir, "absent"), ".db"); err != nil || len(got) != 0 {
		t.Errorf("a folder that is not there: %v, %v", got, err)
	}
	if _, err := Names(filepath.Join(dir, "old.db"), ".db"); err == nil {
		t.Error("a file is taken for a folder")
	}
}
