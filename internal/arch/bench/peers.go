package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
)

// libraries are the peers that a Go benchmark runs in its own process, where
// both sides were measured.
func (w *work) libraries(r *report) {
	for id, sides := range map[string][2]string{
		"scan library":      {"BenchmarkSixteenthOfDiff", "BenchmarkDiffLibraryAlone"},
		"proposals library": {"BenchmarkProposals", "BenchmarkProposalsLibraryAlone"},
		"recall 10k":        {"BenchmarkStore/Recall/lessons=10000", "BenchmarkPlainFTS5/lessons=10000"},
		"recall 100k":       {"BenchmarkStore/Recall/lessons=100000", "BenchmarkPlainFTS5/lessons=100000"},
	} {
		if p := (pair{Ours: w.took(sides[0]), Theirs: w.took(sides[1])}); p.Ours > 0 && p.Theirs > 0 {
			r.Peers[id] = p
		}
	}
}

// install builds a program of another module outside of this repository. Its
// version stands behind the @; the second answer says why it cannot be had.
func (w *work) install(program string) (binary, missing string) {
	dir := filepath.Join(w.dir, "peers")
	cmd := exec.CommandContext(w.ctx, "go", append(append([]string{"install"}, flagsOfARelease...), program)...)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(w.say, "%s\n", out)
		return "", "it could not be built here"
	}
	path, _, _ := strings.Cut(program, "@")
	name := filepath.Base(path)
	if strings.HasPrefix(name, "v") && len(name) == 2 { // .../gitleaks/v8
		name = filepath.Base(filepath.Dir(path))
	}
	return filepath.Join(dir, name), ""
}

// moduleVersion is the version of a module that go.mod asks for.
func (w *work) moduleVersion(module string) (string, error) {
	out, err := exec.CommandContext(w.ctx, "go", "list", "-m", "-f", "{{.Version}}", module).Output()
	return strings.TrimSpace(string(out)), err
}

// scanning is a review of a megabyte of new files against gitleaks' own
// command on the same folder.
func (w *work) scanning(r *report) error {
	const module = "github.com/zricethezav/gitleaks/v8"
	version, err := w.moduleVersion(module)
	if err != nil {
		return err
	}
	folder, err := w.sources(1 << 20)
	if err != nil {
		return err
	}
	env := append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(w.dir, "state"))
	bin, err := w.binaries()
	if err != nil {
		return err
	}
	ours := exec.Command(filepath.Join(bin, "familiar"), "local", "--worktree")
	ours.Dir, ours.Env = folder, env
	mine, err := w.again(5, nil, ours)
	if err != nil {
		return err
	}
	time, memory := pair{Ours: rounded(mine.MS), Version: version}, pair{Ours: rounded(mine.PeakMB), Version: version}
	if binary, missing := w.install(module + "@" + version); missing != "" {
		time.Missing, memory.Missing = missing, missing
	} else {
		theirs, err := w.again(5, nil, exec.Command(binary, "dir", "--no-banner", "--exit-code", "0", folder))
		if err != nil {
			return err
		}
		time.Theirs, memory.Theirs = rounded(theirs.MS), rounded(theirs.PeakMB)
	}
	r.Peers["scan command"], r.Peers["scan memory"] = time, memory
	return nil
}

// sources is a clone whose work tree has about n bytes of this repository's
// own Go files, none of them committed, and no secret that is one.
func (w *work) sources(n int64) (string, error) {
	folder := filepath.Join(w.dir, "sources")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "--allow-empty", "-m", "First"}} {
		cmd := exec.CommandContext(w.ctx, "git", args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git: %w\n%s", err, out)
		}
	}
	files, err := filepath.Glob(filepath.Join("internal", "*", "*.go"))
	if err != nil {
		return "", err
	}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if n -= int64(len(data)); n < 0 {
			return folder, nil
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), data, 0o644); err != nil {
			return "", err
		}
	}
	return "", errors.New("there is less than a megabyte of Go files in internal")
}

// reviewdog compares start-up and size with another review bot's binary. Its
// release is the last whose modules are all to be had.
func (w *work) reviewdog(r *report) error {
	const program, version = "github.com/reviewdog/reviewdog/cmd/reviewdog", "v0.21.0"
	bin, err := w.binaries()
	if err != nil {
		return err
	}
	familiar := filepath.Join(bin, "familiar")
	mine, err := w.again(50, nil, exec.Command(familiar, "version"))
	if err != nil {
		return err
	}
	start := pair{Ours: rounded(mine.MS), Version: version}
	size := pair{Ours: rounded(megabytes(familiar)), Version: version}
	if binary, missing := w.install(program + "@" + version); missing != "" {
		start.Missing, size.Missing = missing, missing
	} else {
		theirs, err := w.again(50, nil, exec.Command(binary, "-version"))
		if err != nil {
			return err
		}
		start.Theirs, size.Theirs = rounded(theirs.MS), rounded(megabytes(binary))
	}
	r.Peers["start"], r.Peers["size"] = start, size
	return nil
}

// parseArg is the argument under which this program reads a patch as a
// process of its own, so that git is compared with a process too.
const parseArg = "read-patch"

func parsePatch(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	files, omitted, err := diff.Parse(f, diff.Limits{})
	if err == nil && (len(files) == 0 || len(omitted) > 0) {
		err = fmt.Errorf("%d files, %d omissions", len(files), len(omitted))
	}
	return err
}

func (w *work) patches(r *report) error {
	var patch bytes.Buffer
	for i := range 1000 {
		name := fmt.Sprintf("services/s%d/handler%d.go", i%50, i)
		fmt.Fprintf(&patch, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,30 @@\n", name)
		for line := range 30 {
			fmt.Fprintf(&patch, "+\treturn handlers.Serve(request, %d, %d) // as the others do\n", i, line)
		}
	}
	path := filepath.Join(w.dir, "a.patch")
	if err := os.WriteFile(path, patch.Bytes(), 0o644); err != nil {
		return err
	}
	self, err := os.Executable()
	if err == nil {
		_, err = w.binaries()
	}
	if err != nil {
		return err
	}
	mine, err := w.again(10, nil, exec.Command(self, parseArg, path))
	if err != nil {
		return err
	}
	theirs, err := w.again(10, nil, exec.Command("git", "apply", "--stat", path))
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(w.ctx, "git", "version").Output()
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	r.Peers["patch"] = pair{Ours: rounded(mine.MS), Theirs: rounded(theirs.MS), Version: version}
	return err
}
