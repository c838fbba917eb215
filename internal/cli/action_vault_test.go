package cli

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// twoGenerations is a repository that was taught two things, on one thread.
func twoGenerations(t *testing.T) (r *runner, issue int) {
	r = newRunner(t)
	issue = r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	for _, words := range []string{"the first convention", "the second convention"} {
		if got := r.comment(issue, "mara", "@familiar remember "+words); got.status != 0 {
			t.Fatalf("exit %d\n%s", got.status, got.log)
		}
	}
	return r, issue
}

// plant puts a container where a run of ours, or of others, would leave it.
func (r *runner) plant(event, path string, data []byte) {
	run := r.server.AddRun(githubtest.Run{Repo: r.repo, Name: "x", Path: path, Event: event, HeadBranch: "main", HeadSHA: r.server.Head(r.repo, "main"), Actor: "kim"})
	r.server.AddArtifact(githubtest.Artifact{Repo: r.repo, Name: memoryName, Run: run.ID, Data: data})
}

// member is a file in a zip.
type member struct {
	name string
	data []byte
}

// unzipped are the members of a zip, in their order, as any tool unpacks them.
func unzipped(t testing.TB, data []byte) (out []member) {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range in.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out = append(out, member{f.Name, data})
	}
	return out
}

// members are the two members of a container, and more.
func members(t *testing.T, container []byte, change func(w *zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range unzipped(t, container) {
		add(t, w, m.name, 0o100600, m.data)
	}
	change(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// add writes a member as a container's own are written: stored, its sizes
// before its bytes.
func add(t *testing.T, w *zip.Writer, name string, mode uint32, data []byte) {
	t.Helper()
	to, err := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Store, CreatorVersion: 3 << 8, ExternalAttrs: mode << 16,
		CRC32: crc32.ChecksumIEEE(data), CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Write(data); err != nil {
		t.Fatal(err)
	}
}

func named(t *testing.T, name string, mode uint32) func(w *zip.Writer) {
	return func(w *zip.Writer) { add(t, w, name, mode, []byte("/etc/passwd")) }
}

// TestAContainerThatIsNotOursOrNotWholeIsQuarantined plants one as the newest
// and looks with the whole binary: the next good one serves, and nothing is
// deleted.
func TestAContainerThatIsNotOursOrNotWholeIsQuarantined(t *testing.T) {
	for _, c := range []struct {
		name        string
		event, path string
		data        func(good []byte) []byte
		reason      string
	}{
		{"A105: a writer's branch seals a valid container", "push", workflow, func(good []byte) []byte { return good }, `started by`},
		{"A105: a writer's own workflow seals a valid container", "workflow_dispatch", ".github/workflows/mine.yml", func(good []byte) []byte { return good }, "mine.yml"},
		{"A12: a member that leaves its folder", "issue_comment", workflow, func(good []byte) []byte { return members(t, good, named(t, "../memory.db", 0o100600)) }, "foreign member"},
		{"A12: a symbolic link", "issue_comment", workflow, func(good []byte) []byte { return members(t, good, named(t, "link", 0o120777)) }, "foreign member"},
		{"A12: a name twice", "issue_comment", workflow, func(good []byte) []byte { return members(t, good, named(t, "manifest.json", 0o100600)) }, "foreign member"},
		{"A14: a journal of the database", "issue_comment", workflow, func(good []byte) []byte { return members(t, good, named(t, "memory.db-journal", 0o100600)) }, "foreign member"},
		{"A14: a write-ahead log", "issue_comment", workflow, func(good []byte) []byte { return members(t, good, named(t, "memory.db-wal", 0o100600)) }, "foreign member"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, issue := twoGenerations(t)
			oldest := r.server.Artifacts(r.repo, memoryName)
			good := oldest[len(oldest)-1].Data
			if len(oldest) != 2 {
				t.Fatalf("%d containers", len(oldest))
			}
			r.plant(c.event, c.path, c.data(good))
			p := r.pull("mara", map[string]string{"a.txt": "one\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"})
			got := r.opened(p, "mara")
			if got.status != 0 || got.outputs["memory-enabled"] != "true" {
				t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
			if said := strings.Join(r.ours(p.Number), "\n"); !strings.Contains(said, "quarantined") || !strings.Contains(said, c.reason) {
				t.Errorf("the status comment does not name it because of %q:\n%s", c.reason, said)
			}
			if got := r.comment(issue, "mara", "@familiar list"); got.status != 0 || !strings.Contains(strings.Join(r.ours(issue), "\n"), "2 lessons") {
				t.Errorf("exit %d\n%s", got.status, r.ours(issue))
			}
			if n := len(r.server.Artifacts(r.repo, memoryName)); n != 3 {
				t.Errorf("%d containers, want all three left", n)
			}
		})
	}
}

// TestAnOlderStoreIsRefusedWhereANewerOneWasSeen: the status comment of a
// thread remembers which store it saw.
func TestAnOlderStoreIsRefusedWhereANewerOneWasSeen(t *testing.T) {
	for _, c := range []struct {
		name string
		left int // containers that are left, the oldest
		says string
	}{
		{"A11: the newest container was deleted", 1, "rolled back"},
		{"A108: every container was deleted", 0, "lost or expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, issue := twoGenerations(t)
			all := r.server.Artifacts(r.repo, memoryName)
			newest := all[0]
			for _, a := range all {
				if a.CreatedAt.After(newest.CreatedAt) || a.CreatedAt.Equal(newest.CreatedAt) && a.ID > newest.ID {
					newest = a
				}
			}
			for _, a := range all {
				if a.ID == newest.ID || c.left == 0 {
					r.server.DeleteArtifact(r.repo, a.ID)
				}
			}
			got := r.comment(issue, "mara", "@familiar remember on top of it")
			if got.status != 1 {
				t.Errorf("exit %d, want 1: what was said was not stored\n%s", got.status, got.log)
			}
			said := strings.Join(r.ours(issue), "\n")
			if !strings.Contains(said, c.says) || !strings.Contains(said, "recover") {
				t.Errorf("said\n%s\nwant %q and the way out", said, c.says)
			}
			if n := len(r.server.Artifacts(r.repo, memoryName)); n != c.left {
				t.Errorf("%d containers, want %d: nothing may be saved on top", n, c.left)
			}
		})
	}
}
