package vault

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The programs age and zstd are part of what is promised (page 5.1), so these
// tests fail, and do not skip, where they are missing; .ci/run installs them.

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed: %v. Install it (apt-get install age zstd unzip); these tests are required", name, err)
	}
	return path
}

func piped(t *testing.T, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program(t, name), args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, complaint.String())
	}
	return out.Bytes()
}

func keyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnOwnerOpensAContainerWithoutUs(t *testing.T) {
	key := keyFile(t, "# a comment, as keygens write one\n"+identityText(t, "ada"))
	keys := keysOf(t, "ada")
	for name, database := range map[string][]byte{
		"small": testDatabase, "one byte": {7}, "a megabyte": pages(1<<20, "interop"), "zeros": make([]byte, 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			zip, _, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: facts()})
			if err != nil {
				t.Fatal(err)
			}
			// age -d -i key.txt memory.sealed | zstd -d
			sealed, _ := split(t, zip)
			got := piped(t, piped(t, sealed, "age", "-d", "-i", key), "zstd", "-d", "-q", "-c")
			if !bytes.Equal(got, database) {
				t.Errorf("age and zstd give %d bytes, want the %d that were sealed", len(got), len(database))
			}
			message, err := SealBytes(database, keys.Recipient())
			if err != nil {
				t.Fatal(err)
			}
			if got := piped(t, piped(t, message, "age", "-d", "-i", key), "zstd", "-d", "-q", "-c"); !bytes.Equal(got, database) {
				t.Error("a sealed message gives other bytes")
			}
		})
	}
}

func TestWhatAgeAndZstdSealedOpensWithUs(t *testing.T) {
	keys := keysOf(t, "ada")
	database := pages(300<<10, "interop")
	for _, level := range [][]string{{"-1"}, {"-3"}, {"-19"}, {"--ultra", "-20"}, {"-3", "--no-check"}, {"-3", "--no-content-size"}} {
		t.Run(strings.Join(level, " "), func(t *testing.T) {
			packed := piped(t, database, "zstd", append([]string{"-q", "-c", "-T1"}, level...)...)
			sealed := piped(t, packed, "age", "-r", keys.Recipient())
			zip := resealed(t, keys, sealed, func(m *Manifest) { m.Database = blob(database) })
			got, err := Open(zip, keys, expected())
			if err != nil || !bytes.Equal(got.SQLite, database) {
				t.Errorf("%v", err)
			}
			message, err := keys.OpenBytes(sealed, len(database))
			if err != nil || !bytes.Equal(message, database) {
				t.Errorf("as a message: %v", err)
			}
		})
	}
}

func TestKeysOfAgeKeygenAreOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.txt")
	if out, err := exec.Command(program(t, "age-keygen"), "-o", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	keys := parsed(t, string(text))
	public := strings.TrimSpace(string(piped(t, nil, "age-keygen", "-y", file)))
	if keys.Recipient() != public {
		t.Errorf("recipient %s, age-keygen says %s", keys.Recipient(), public)
	}
	zip, _ := seal(t, keys)
	if _, err := Open(zip, keys, expected()); err != nil {
		t.Error(err)
	}
	// And age-keygen reads ours.
	ours, recipient, err := NewKey(&seeded{name: "ours"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(piped(t, nil, "age-keygen", "-y", keyFile(t, ours)))); got != recipient {
		t.Errorf("age-keygen says %s, NewKey %s", got, recipient)
	}
}

// TestAnotherProgramVerifiesAManifest follows docs/format.md with nothing but
// a JSON library, HKDF and HMAC.
func TestAnotherProgramVerifiesAManifest(t *testing.T) {
	zip, _ := seal(t, keysOf(t, "ada"))
	_, text := split(t, zip)
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		t.Fatal(err)
	}
	mac := members["mac"].(string)
	unsigned := bytes.Replace(text, []byte(`"mac":"`+mac+`",`), nil, 1)
	info := fmt.Sprintf("familiar manifest 2\x00%v\x00%v", members["repository_id"], members["store_id"])
	key, err := hkdf.Key(sha256.New, []byte(identityText(t, "ada")), nil, info, 32)
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, key)
	h.Write(unsigned)
	if got := hex.EncodeToString(h.Sum(nil)); got != mac {
		t.Errorf("mac %s, the document's way gives %s", mac, got)
	}
	public := sha256.Sum256([]byte("familiar key id 1\x00" + keysOf(t, "ada").Recipient()))
	if members["key_id"] != hex.EncodeToString(public[:8]) {
		t.Errorf("key id %v", members["key_id"])
	}
}
