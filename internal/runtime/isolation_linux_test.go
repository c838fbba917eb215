package runtime

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func stateDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func aRun() Marker {
	return Marker{RepositoryID: 501, RunID: 9001, Attempt: 2, Head: strings.Repeat("a1", 20), Snapshot: strings.Repeat("b2", 32), Policy: strings.Repeat("c3", 32)}
}

func isolate(t *testing.T, dir string) *Isolation {
	t.Helper()
	i, err := Isolate(dir, aRun())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func wantMarker(t *testing.T, dir string, want bool) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, markerFile)); (err == nil) != want {
		t.Errorf("a marker is there: %v, want %v", err == nil, want)
	}
}

func TestAMarkerIsMadeOnceAndClearedByItsOwnRun(t *testing.T) {
	dir := stateDir(t)
	i := isolate(t, dir)
	info, err := os.Stat(filepath.Join(dir, markerFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, markerFile))
	if _, err := Isolate(dir, aRun()); err == nil || !strings.Contains(err.Error(), "did not end here as it should") || !strings.Contains(err.Error(), "recover") {
		t.Errorf("a second run: %v", err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, markerFile)); string(after) != string(before) {
		t.Error("the marker that was there was changed")
	}
	if err := i.Clear(aRun()); err != nil {
		t.Error(err)
	}
	wantMarker(t, dir, false)
	if err := i.Clear(aRun()); err == nil {
		t.Error("a marker was cleared twice")
	}
}

func TestAResultIsAcceptedForExactlyItsRun(t *testing.T) {
	for name, change := range map[string]func(*Marker){
		"repository": func(m *Marker) { m.RepositoryID++ },
		"run":        func(m *Marker) { m.RunID++ },
		"attempt":    func(m *Marker) { m.Attempt++ },
		"head":       func(m *Marker) { m.Head = strings.Repeat("ff", 20) },
		"snapshot":   func(m *Marker) { m.Snapshot = strings.Repeat("ff", 32) },
		"policy":     func(m *Marker) { m.Policy = strings.Repeat("ff", 32) },
	} {
		dir := stateDir(t)
		i := isolate(t, dir)
		m := aRun()
		change(&m)
		if err := i.Clear(m); err == nil || !strings.Contains(err.Error(), "not of the run, head, snapshot and policy") {
			t.Errorf("another %s: %v", name, err)
		}
		wantMarker(t, dir, true)
	}
}

func TestAMarkerThatIsNotWholeStandsInTheWay(t *testing.T) {
	good := func(t *testing.T, dir string) []byte {
		isolate(t, dir)
		data, err := os.ReadFile(filepath.Join(dir, markerFile))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	replaced := func(old, new string) func(t *testing.T, path string, data []byte) {
		return func(t *testing.T, path string, data []byte) {
			changed := strings.Replace(string(data), old, new, 1)
			if changed == string(data) {
				t.Fatalf("no %s in %s", old, data)
			}
			if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, x := range map[string]struct {
		damage func(t *testing.T, path string, data []byte)
		says   string
	}{
		"a directory": {func(t *testing.T, path string, _ []byte) { _ = os.Remove(path); _ = os.Mkdir(path, 0o700) }, "not a regular file"},
		"a link": {func(t *testing.T, path string, data []byte) {
			_ = os.Rename(path, path+".real")
			_ = os.Symlink(path+".real", path)
		}, "not a regular file"},
		"readable by a group":   {func(t *testing.T, path string, _ []byte) { _ = os.Chmod(path, 0o640) }, "others may read or write it"},
		"too large":             {func(t *testing.T, path string, _ []byte) { _ = os.WriteFile(path, make([]byte, maxMarker+1), 0o600) }, "larger than"},
		"empty":                 {func(t *testing.T, path string, _ []byte) { _ = os.WriteFile(path, nil, 0o600) }, "damaged"},
		"a later schema":        {replaced(`"schema_version":1`, `"schema_version":2`), "damaged"},
		"a schema that is true": {replaced(`"schema_version":1`, `"schema_version":true`), "damaged"},
		"an unknown field":      {replaced(`{`, `{"reason":"x",`), "damaged"},
		"a field twice":         {replaced(`{`, `{"run_id":1,`), "damaged"},
		"upper case digest":     {replaced("b2b2", "B2B2"), "snapshot"},
		"a short digest":        {replaced("c3c3", ""), "policy"},
		"no repository":         {replaced(`"repository_id":501`, `"repository_id":0`), "damaged"},
		"a leader below zero":   {replaced(`"leader":0`, `"leader":-4`), "leader"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := stateDir(t)
			data := good(t, dir)
			x.damage(t, filepath.Join(dir, markerFile), data)
			_, there, err := FindMarker(dir)
			if !there || err == nil || !strings.Contains(err.Error(), x.says) {
				t.Errorf("there %v: %v, want %q", there, err, x.says)
			}
			if said, err := ClearMarker(dir); err == nil {
				t.Errorf("it was cleared: %q", said)
			}
			wantMarker(t, dir, true)
			if _, err := Isolate(dir, aRun()); err == nil {
				t.Error("a run was begun")
			}
		})
	}
}

func TestAReplacedMarkerIsNotOurs(t *testing.T) {
	dir := stateDir(t)
	i := isolate(t, dir)
	path := filepath.Join(dir, markerFile)
	data, _ := os.ReadFile(path)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if err := i.Clear(aRun()); err == nil || !strings.Contains(err.Error(), "changed or replaced") {
		t.Errorf("the same bytes in another file: %v", err)
	}
	wantMarker(t, dir, true)
}

func TestAStateFolderOfOthersIsRefused(t *testing.T) {
	dir := stateDir(t)
	for name, x := range map[string]struct {
		path string
		do   func() error
		says string
	}{
		"missing":            {filepath.Join(dir, "none"), func() error { return nil }, "cannot be used"},
		"writable by others": {dir, func() error { return os.Chmod(dir, 0o777) }, "others may write"},
		"a link":             {dir + ".link", func() error { return os.Symlink(dir, dir+".link") }, "a link or a file"},
	} {
		if err := x.do(); err != nil {
			t.Fatal(err)
		}
		if _, err := Isolate(x.path, aRun()); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v, want %q", name, err, x.says)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bad := aRun()
	bad.Policy = ""
	if _, err := Isolate(dir, bad); err == nil || !strings.Contains(err.Error(), "policy") {
		t.Errorf("without a policy: %v", err)
	}
	wantMarker(t, dir, false)
}

// rewrite changes a marker as the death of its run would leave it.
func rewrite(t *testing.T, dir string, change func(*Marker)) {
	t.Helper()
	path := filepath.Join(dir, markerFile)
	m, _, err := readMarker(path)
	if err != nil {
		t.Fatal(err)
	}
	change(&m)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sleeping is a process that leads a session of its own, as a reviewer does.
func sleeping(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	return cmd
}

func TestRecoveryProvesTheOldRunGone(t *testing.T) {
	t.Run("without a marker there is nothing to say", func(t *testing.T) {
		if said, err := ClearMarker(stateDir(t)); said != "" || err != nil {
			t.Errorf("%q, %v", said, err)
		}
	})
	t.Run("its run is still there", func(t *testing.T) {
		dir := stateDir(t)
		isolate(t, dir)
		if _, err := ClearMarker(dir); err == nil || !strings.Contains(err.Error(), "its run is still there") {
			t.Errorf("%v", err)
		}
		wantMarker(t, dir, true)
	})
	t.Run("its run is gone, and another process has its number", func(t *testing.T) {
		dir := stateDir(t)
		isolate(t, dir)
		rewrite(t, dir, func(m *Marker) { m.Start = "1" })
		said, err := ClearMarker(dir)
		if err != nil || !strings.Contains(said, "run 9001, attempt 2") {
			t.Errorf("%q, %v", said, err)
		}
		wantMarker(t, dir, false)
	})
	t.Run("its run is gone, but its reviewer is not", func(t *testing.T) {
		dir := stateDir(t)
		i := isolate(t, dir)
		cmd := sleeping(t)
		if err := i.Started(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		if err := i.Clear(aRun()); err == nil || !strings.Contains(err.Error(), "still there") {
			t.Errorf("a result beside a living reviewer: %v", err)
		}
		rewrite(t, dir, func(m *Marker) { m.Start = "1" })
		if _, err := ClearMarker(dir); err == nil || !strings.Contains(err.Error(), "reviewer's session") {
			t.Errorf("%v", err)
		}
		wantMarker(t, dir, true)
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		if said, err := ClearMarker(dir); err != nil || said == "" {
			t.Errorf("%q, %v", said, err)
		}
	})
	t.Run("a reviewer that ended lets the result be accepted", func(t *testing.T) {
		dir := stateDir(t)
		i := isolate(t, dir)
		cmd := sleeping(t)
		if err := i.Started(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		if err := i.Clear(aRun()); err != nil {
			t.Error(err)
		}
		wantMarker(t, dir, false)
	})
	t.Run("nothing outlives a boot", func(t *testing.T) {
		dir := stateDir(t)
		isolate(t, dir)
		rewrite(t, dir, func(m *Marker) { m.Boot = "another" })
		if said, err := ClearMarker(dir); err != nil || said == "" {
			t.Errorf("%q, %v", said, err)
		}
	})
	t.Run("a marker that does not say when it was booted is for a person", func(t *testing.T) {
		dir := stateDir(t)
		isolate(t, dir)
		rewrite(t, dir, func(m *Marker) { m.Boot = "" })
		if _, err := ClearMarker(dir); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%v", err)
		}
		wantMarker(t, dir, true)
	})
}
