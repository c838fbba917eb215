package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// audited are the ops in the store's audit, the newest last.
func audited(t *testing.T, m Memory) (ops []string) {
	t.Helper()
	if err := m.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		rows, err := st.Audit(ctx, 1000)
		for _, r := range rows {
			ops = append(ops, r.Op)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ops
}

func TestRecoverAcceptsWhatIsNamedAndNothingElse(t *testing.T) {
	grown := func(t *testing.T) (*cloud, vault.Floor) {
		c := newCloud()
		var v *Vaulted
		for i := range 3 {
			v = c.run(t)
			does(t, v, teach(lessonNumber(i), c.now))
			c.pass(2 * time.Hour)
		}
		return c, v.Seen()
	}
	request := func(c *cloud, t *testing.T, f vault.Floor, accept ...string) RecoverRequest {
		v := c.run(t)
		_ = v.open(t.Context()) // as a run does before it knows what it is asked
		return RecoverRequest{Memory: v, Accept: accept, Floor: f, Actor: mara, Cause: memory.NewCause("recover"), At: c.now}
	}
	t.Run("A11 a rollback is merged when its digest is named, above the floor and audited", func(t *testing.T) {
		c, floor := grown(t)
		c.drop(103)
		report, err := Recover(t.Context(), request(c, t, floor, "sha256:"+strings.ToUpper(c.kept[1].Digest)))
		if err != nil || report.Problem != "" || !report.Saved || report.Generation != floor.Generation+1 {
			t.Fatalf("report %+v, %v; want a save above generation %d", report, err, floor.Generation)
		}
		v := c.run(t)
		v.Heed(floor)
		wantTexts(t, v, lessonNumber(0), lessonNumber(1))
		if ops := audited(t, v); !slices.Contains(ops, "recover") {
			t.Errorf("audit %v, want the recovery in it", ops)
		}
	})
	for _, x := range []struct {
		name   string
		accept []string
		says   string
	}{
		{"without a digest nothing changes and the way is shown", nil, "recover"},
		{"another digest is no acceptance", []string{strings.Repeat("ab", 32)}, "rolled back"},
		{"a blank one neither", []string{""}, "rolled back"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, floor := grown(t)
			c.drop(103)
			report, err := Recover(t.Context(), request(c, t, floor, x.accept...))
			if err != nil || report.Saved || !strings.Contains(report.Problem, x.says) || len(c.kept) != 2 {
				t.Errorf("report %+v, %v", report, err)
			}
		})
	}
	t.Run("where all is well, a digest that is not there is named", func(t *testing.T) {
		c, floor := grown(t)
		report, err := Recover(t.Context(), request(c, t, floor, strings.Repeat("ab", 32)))
		if err != nil || report.Saved || !strings.Contains(report.Problem, "no container of digest") {
			t.Errorf("report %+v, %v", report, err)
		}
	})
	t.Run("an empty store begins only where one is missed, and above the floor", func(t *testing.T) {
		c, floor := grown(t)
		r := request(c, t, floor)
		r.AcceptEmpty = true
		if report, err := Recover(t.Context(), r); err != nil || report.Saved || !strings.Contains(report.Problem, "begun only where none does") {
			t.Errorf("beside a good store: %+v, %v", report, err)
		}
		c.kept = nil
		r = request(c, t, floor)
		r.AcceptEmpty = true
		report, err := Recover(t.Context(), r)
		if err != nil || !report.Saved || report.Generation != floor.Generation+1 {
			t.Fatalf("report %+v, %v", report, err)
		}
		v := c.run(t)
		v.Heed(floor)
		wantTexts(t, v)
		does(t, v, teach("anew", c.now))
	})
	t.Run("an empty store begins where the key is lost, though the containers are there", func(t *testing.T) {
		c, floor := grown(t)
		lost := under(keysNamed(t, "another"))
		r := request(c, t, floor)
		r.Memory = c.run(t, lost)
		_ = r.Memory.open(t.Context())
		if report, err := Recover(t.Context(), r); err != nil || report.Saved || !strings.Contains(report.Problem, "unknown_key") {
			t.Errorf("unasked: %+v, %v", report, err)
		}
		r.AcceptEmpty = true
		report, err := Recover(t.Context(), r)
		if err != nil || !report.Saved || report.Generation != floor.Generation+1 {
			t.Fatalf("report %+v, %v", report, err)
		}
		v := c.run(t, lost)
		v.Heed(floor)
		wantTexts(t, v)
		does(t, v, teach("anew", c.now))
	})
	t.Run("it names heads and quarantine", func(t *testing.T) {
		c, floor := grown(t)
		odd := c.put([]byte("not ours"))
		report, err := Recover(t.Context(), request(c, t, floor))
		if err != nil || report.Problem != "" || len(report.Heads) != 1 || len(report.Quarantine) != 1 || report.Quarantine[0].Digest != odd.Digest {
			t.Errorf("report %+v, %v", report, err)
		}
	})
	t.Run("without a memory there is nothing to do", func(t *testing.T) {
		if report, err := Recover(t.Context(), RecoverRequest{StateDir: private(t)}); err != nil || report.Marker != "" || report.Saved {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

func private(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func snapshotOf(t *testing.T, c *cloud, v *Vaulted) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snapshot.zip")
	if _, err := SnapshotTo(t.Context(), SnapshotRequest{Memory: v, Identity: shop, Keys: v.Keys, Path: path, Dir: t.TempDir(), Now: c.now, Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	return path
}

func restoring(c *cloud, t *testing.T, m Memory, path string) RestoreRequest {
	return RestoreRequest{Memory: m, Identity: shop, Keys: keysNamed(t, "first"), Path: path, Dir: t.TempDir(), Actor: mara,
		Cause: memory.NewCause("restore", path), At: c.now, Now: c.now}
}

func TestASnapshotIsMergedBackAndNeverUndoesADenial(t *testing.T) {
	c := newCloud()
	v := c.run(t)
	does(t, v, teach("kept", c.now), teach("to be forgotten", c.now))
	path := snapshotOf(t, c, v)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	c.pass(time.Hour)
	does(t, v, touching(memory.OpForget, idOf(t, v, "to be forgotten"), c.now), teach("later", c.now))
	c.pass(time.Hour)

	r := restoring(c, t, c.run(t), path)
	report, err := RestoreFrom(t.Context(), r)
	if err != nil || report.Already || report.Merged.Refused != 0 {
		t.Fatalf("report %+v, %v", report, err)
	}
	w := c.run(t)
	wantTexts(t, w, "kept", "later")
	if ops := audited(t, w); !slices.Contains(ops, "restore") {
		t.Errorf("audit %v", ops)
	}
	n := w.Seen().Generation
	if n != 3 {
		t.Errorf("generation %d, want one of its own", n)
	}
	t.Run("again it is done already", func(t *testing.T) {
		again := r
		again.Memory, again.Dir = c.run(t), t.TempDir()
		report, err := RestoreFrom(t.Context(), again)
		if err != nil || !report.Already || c.run(t).open(t.Context()) != nil || len(c.kept) != 2 {
			t.Errorf("report %+v, %v, %d containers", report, err, len(c.kept))
		}
	})
	t.Run("into a repository whose store is lost", func(t *testing.T) {
		lost := newCloud()
		lost.now = c.now
		v := lost.run(t)
		v.Heed(vault.Floor{Generation: 40, Digest: strings.Repeat("cd", 32)})
		wantOff(t, v, Lost)
		if _, err := RestoreFrom(t.Context(), restoring(lost, t, v, path)); err != nil {
			t.Fatal(err)
		}
		w := lost.run(t)
		w.Heed(vault.Floor{Generation: 40, Digest: strings.Repeat("cd", 32)})
		wantTexts(t, w, "kept", "to be forgotten")
		if got := w.Seen().Generation; got != 41 {
			t.Errorf("generation %d, want one above what was seen", got)
		}
	})
	t.Run("the same store goes on in a file", func(t *testing.T) {
		s := Stores{Home: file.New(filepath.Join(t.TempDir(), "memory.db")), Now: c.now, Identity: shop}
		if _, err := RestoreFrom(t.Context(), restoring(c, t, s, path)); err != nil {
			t.Fatal(err)
		}
		if n := lessonsIn(t, s); n != 2 {
			t.Errorf("%d lessons, want 2", n)
		}
		again := restoring(c, t, s, path)
		again.Cause = memory.NewCause("another day")
		if report, err := RestoreFrom(t.Context(), again); err != nil || report.Merged.Added != 0 {
			t.Errorf("merging it once more: %+v, %v", report, err)
		}
	})
}

func TestASnapshotThatIsNotWholeOrNotOursChangesNothing(t *testing.T) {
	c := newCloud()
	v := c.run(t)
	does(t, v, teach("kept", c.now))
	good, err := os.ReadFile(snapshotOf(t, c, v))
	if err != nil {
		t.Fatal(err)
	}
	other := newCloud()
	w := other.run(t)
	does(t, w, teach("of another store", c.now))
	elsewhere := newCloud()
	e := elsewhere.run(t, func(v *Vaulted, _ *cloudHome) { v.Identity.RepositoryID = 6 })
	does(t, e, teach("of another repository", c.now))
	foreign, err := os.ReadFile(snapshotOf(t, other, w))
	if err != nil {
		t.Fatal(err)
	}
	strange := elsewhere.kept[0].data
	broken, _, err := vault.Seal(vault.SealInput{Keys: v.Keys, SQLite: []byte("no database"), Manifest: v.heads.Newest().Manifest})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, x := range map[string]struct {
		data []byte
		says string
	}{
		"cut":                      {good[:len(good)-1], "zip"},
		"changed":                  {append(bytes.Clone(good[:80]), append([]byte{good[80] ^ 1}, good[81:]...)...), "refused"},
		"bytes behind it":          {append(bytes.Clone(good), "more"...), "zip"},
		"empty":                    {nil, "zip"},
		"of another store":         {foreign, "belongs to store"},
		"of another repository":    {strange, "belongs to repository"},
		"sealed over no database":  {broken, "its store is refused"},
		"larger than any snapshot": {make([]byte, vault.MaxZip+1), "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if err := os.WriteFile(path, x.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := RestoreFrom(t.Context(), restoring(c, t, c.run(t), path))
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%v, want %q", err, x.says)
			}
			if len(c.kept) != 1 {
				t.Errorf("%d containers", len(c.kept))
			}
		})
	}
	t.Run("a link or a folder is no snapshot", func(t *testing.T) {
		path, link := filepath.Join(dir, "good"), filepath.Join(dir, "link")
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{link, dir, filepath.Join(dir, "missing")} {
			if _, err := RestoreFrom(t.Context(), restoring(c, t, c.run(t), p)); err == nil {
				t.Errorf("%s was restored", p)
			}
		}
	})
	t.Run("a save that fails rolls back", func(t *testing.T) {
		path := filepath.Join(dir, "rolled-back")
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		m := c.run(t, failing(onCall("save", 1, errDown)))
		if _, err := RestoreFrom(t.Context(), restoring(c, t, m, path)); err == nil || !strings.Contains(err.Error(), "nothing was restored") {
			t.Errorf("%v", err)
		}
		wantTexts(t, c.run(t), "kept")
		if ops := audited(t, c.run(t)); slices.Contains(ops, "restore") {
			t.Errorf("audit %v", ops)
		}
	})
	t.Run("a snapshot never takes another file's place", func(t *testing.T) {
		path := filepath.Join(dir, "mine")
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := SnapshotTo(t.Context(), SnapshotRequest{Memory: v, Identity: shop, Keys: v.Keys, Path: path, Dir: t.TempDir(), Now: c.now, Tool: "test"})
		if data, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), "never overwrites") || string(data) != "mine" {
			t.Errorf("%v, %q", err, data)
		}
		if _, err := SnapshotTo(t.Context(), SnapshotRequest{Memory: newCloud().run(t), Identity: shop, Keys: v.Keys, Path: filepath.Join(dir, "none"), Dir: t.TempDir(), Now: c.now, Tool: "test"}); err == nil || !strings.Contains(err.Error(), "no store yet") {
			t.Errorf("of nothing: %v", err)
		}
	})
}

// What may be read is decided before it is read.
func TestASnapshotIsBoundedBeforeItIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, []byte("twelve bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBounded(path, 11); err == nil || !strings.Contains(err.Error(), "more than 11 bytes") {
		t.Errorf("%v", err)
	}
	if data, err := readBounded(path, 12); err != nil || string(data) != "twelve bytes" {
		t.Errorf("%q, %v", data, err)
	}
}
