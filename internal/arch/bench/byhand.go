package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// byHand loads and saves the store of 10,000 lessons with the standard tools,
// as docs/format.md says that anybody can.
func (w *work) byHand(r *report) error {
	if _, err := w.binaries(); err != nil {
		return err
	}
	load, save := pair{Ours: w.took("BenchmarkVault/Load/lessons=10000")}, pair{Ours: w.took("BenchmarkVault/Save/lessons=10000")}
	if load.Ours == 0 || save.Ours == 0 {
		return errors.New("the part vault, which measures our side, was not measured")
	}
	for _, tool := range []string{"sqlite3", "zstd", "age", "age-keygen"} {
		if _, err := exec.LookPath(tool); err != nil {
			load.Missing = tool + " is not on this machine"
			save.Missing = load.Missing
		}
	}
	if load.Missing == "" {
		saved, loaded, err := w.sealedByHand(filepath.Join(w.stores(), "seeded-10000.db"))
		if err != nil {
			return err
		}
		save.Theirs, load.Theirs = rounded(saved.MS), rounded(loaded.MS)
	}
	r.Peers["load"], r.Peers["save"] = load, save
	return nil
}

// sealedByHand packs, compresses and seals a store, and the other way round.
func (w *work) sealedByHand(database string) (saved, loaded spent, err error) {
	path := func(name string) string { return filepath.Join(w.dir, "hand-"+name) }
	if out, err := exec.CommandContext(w.ctx, "age-keygen", "-o", path("key")).CombinedOutput(); err != nil {
		return saved, loaded, fmt.Errorf("age-keygen: %w\n%s", err, out)
	}
	recipient, err := exec.CommandContext(w.ctx, "age-keygen", "-y", path("key")).Output()
	if err != nil {
		return saved, loaded, err
	}
	to := string(recipient[:len(recipient)-1])
	saved, err = w.again(5, cleared(path("packed"), path("zst"), path("age")),
		exec.Command("sqlite3", database, "VACUUM INTO '"+path("packed")+"'"),
		exec.Command("zstd", "-q", "-3", path("packed"), "-o", path("zst")),
		exec.Command("age", "-r", to, "-o", path("age"), path("zst")))
	if err != nil {
		return saved, loaded, err
	}
	loaded, err = w.again(5, cleared(path("zst"), path("opened")),
		exec.Command("age", "-d", "-i", path("key"), "-o", path("zst"), path("age")),
		exec.Command("zstd", "-q", "-d", path("zst"), "-o", path("opened")),
		exec.Command("sqlite3", path("opened"), "PRAGMA quick_check"))
	return saved, loaded, err
}

// cleared takes away what a time before left.
func cleared(paths ...string) func() error {
	return func() error {
		for _, p := range paths {
			if err := os.Remove(p); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		return nil
	}
}
