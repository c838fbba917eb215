package cli

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// TestAnotherProgramReadsAContainerFromItsDescription runs a reader in another
// language that was written from docs/format.md alone: it takes what we saved,
// and refuses what we refuse, by the same name.
func TestAnotherProgramReadsAContainerFromItsDescription(t *testing.T) {
	r := newRunner(t)
	issue := r.server.AddIssue(githubtest.Issue{Repo: r.repo, Title: "Conventions", Author: "mara"})
	r.ok(r.comment(issue, "mara", "@familiar remember Grüße STEHEN in ﬁnal—form, x < 1\nkey: texts/greetings\n"+
		"@familiar never `time.Sleep(` in services/**\nbecause: a wait must be cancellable\nkey: waits/sleep\n"+
		"@familiar remember a secret habit\nkey: habits/secret"))
	r.ok(r.comment(issue, "mara", "@familiar forget "+documentID.FindAllString(strings.Join(r.ours(issue), "\n"), -1)[2]))
	good := r.server.Artifacts(r.repo, memoryName)[0].Data
	out, complaint := readByDescription(t, good, r.key, "501")
	if complaint != "" {
		t.Fatalf("refused: %s", complaint)
	}
	var lines []string
	for line := range strings.Lines(documentID.ReplaceAllString(out, "m-x")) {
		lines = append(lines, strings.TrimSpace(line))
	}
	for _, want := range []string{
		"m-x@1\tactive\tstandard\ttexts/greetings\tGrüße STEHEN in ﬁnal—form, x < 1",
		"m-x@1\tactive\tstandard\twaits/sleep\tnever time.Sleep( in services/**, because a wait must be cancellable",
		"m-x@1\ttombstoned\tstandard\tredacted/m-x\t[redacted]",
	} {
		if n := strings.Count("\n"+strings.Join(lines, "\n")+"\n", "\n"+want+"\n"); n != 1 || len(lines) != 3 {
			t.Errorf("%q stands there %d times:\n%s", want, n, out)
		}
	}
	if !bytes.Contains(good, []byte(`"generation":2,`)) {
		t.Fatal("the container has no generation 2 to change")
	}
	flipped := func(at int) []byte {
		changed := bytes.Clone(good)
		changed[at] ^= 1
		return changed
	}
	for name, c := range map[string]struct {
		container       []byte
		key, repository string
		says            string
	}{
		"another key":                 {good, otherKey(t), "501", "unknown_key"},
		"another repository":          {good, r.key, "502", "wrong_repository"},
		"a byte of the sealed member": {flipped(100), r.key, "501", "bad_zip"}, // its checksum in the header
		"something behind it":         {append(bytes.Clone(good), 0), r.key, "501", "bad_zip"},
		"a manifest that was changed": {rezipped(t, good, func(manifest, sealed []byte) ([]byte, []byte) {
			return bytes.Replace(manifest, []byte(`"generation":2`), []byte(`"generation":3`), 1), sealed
		}), r.key, "501", "bad_mac"},
		"another spelling": {rezipped(t, good, func(manifest, sealed []byte) ([]byte, []byte) {
			return bytes.Replace(manifest, []byte(`"generation":2`), []byte(`"generation": 2`), 1), sealed
		}), r.key, "501", "bad_manifest"},
		"another sealed member": {rezipped(t, good, func(manifest, sealed []byte) ([]byte, []byte) {
			changed := bytes.Clone(sealed)
			changed[len(changed)-1] ^= 1
			return manifest, changed
		}), r.key, "501", "digest_mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, complaint := readByDescription(t, c.container, c.key, c.repository); complaint != c.says || out != "" {
				t.Errorf("it says %q and lists %q, want %q", complaint, out, c.says)
			}
			keys, err := vault.ParseKeys(c.key)
			if err != nil {
				t.Fatal(err)
			}
			id := int64(501)
			if c.repository == "502" {
				id = 502
			}
			if _, err := vault.Open(c.container, keys, vault.Expect{RepositoryID: id, AnyStore: true}); string(vault.KindOf(err)) != c.says {
				t.Errorf("we refuse it as %q (%v), the description as %q", vault.KindOf(err), err, c.says)
			}
		})
	}
}

// rezipped has other members in the layout of a container.
func rezipped(t *testing.T, container []byte, change func(manifest, sealed []byte) ([]byte, []byte)) []byte {
	t.Helper()
	held := map[string][]byte{}
	for _, m := range unzipped(t, container) {
		held[m.name] = m.data
	}
	manifest, sealed := change(held["manifest.json"], held["memory.sealed"])
	if bytes.Equal(manifest, held["manifest.json"]) && bytes.Equal(sealed, held["memory.sealed"]) {
		t.Fatal("nothing was changed")
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range []member{{"memory.sealed", sealed}, {"manifest.json", manifest}} {
		to, err := w.CreateRaw(&zip.FileHeader{
			//lint:ignore SA1019 CreateRaw writes this field, and no other holds a date for it
			Name: m.name, CreatorVersion: 3<<8 | 10, ReaderVersion: 10, ModifiedDate: 1<<5 | 1, ExternalAttrs: 0o100600 << 16,
			CRC32: crc32.ChecksumIEEE(m.data), CompressedSize64: uint64(len(m.data)), UncompressedSize64: uint64(len(m.data)),
		})
		if err == nil {
			_, err = to.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readByDescription runs the reader of testdata/format.
func readByDescription(t *testing.T, container []byte, key, repository string) (out, complaint string) {
	t.Helper()
	dir := t.TempDir()
	file, keyFile := filepath.Join(dir, "container.zip"), filepath.Join(dir, "key.txt")
	if err := errors.Join(os.WriteFile(file, container, 0o600), os.WriteFile(keyFile, []byte(key+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "testdata/format/reader.py", file, keyFile, repository)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	if err := cmd.Run(); err != nil && wrong.Len() == 0 {
		t.Fatal(err)
	}
	return said.String(), strings.TrimSpace(wrong.String())
}
