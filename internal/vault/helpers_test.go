package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// seeded is an endless reader that depends on its name alone, so that the
// keys of these tests are the same on every machine and written nowhere.
type seeded struct {
	name string
	n    uint64
	left []byte
}

func (s *seeded) Read(p []byte) (int, error) {
	for i := range p {
		if len(s.left) == 0 {
			sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.name), s.n))
			s.n, s.left = s.n+1, sum[:]
		}
		p[i], s.left = s.left[0], s.left[1:]
	}
	return len(p), nil
}

func identityText(t testing.TB, name string) string {
	t.Helper()
	text, _, err := NewKey(&seeded{name: name})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// keysOf are the identities of these names, the first one current.
func keysOf(t testing.TB, names ...string) Keys {
	t.Helper()
	var lines []string
	for _, n := range names {
		lines = append(lines, identityText(t, n))
	}
	return parsed(t, strings.Join(lines, "\n"))
}

func parsed(t testing.TB, input string) Keys {
	t.Helper()
	keys, err := ParseKeys(input)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

const (
	testRepository = 4711
	testStore      = "00112233445566778899aabbccddeeff"
)

var testTime = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func digestOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func facts() Manifest {
	return Manifest{
		RepositoryID: testRepository, Repository: "octo-org/octo.repo_1", StoreID: testStore,
		InstallationID: 99, Generation: 7, CreatedAt: testTime, ToolVersion: "1.2.3",
		Parents: []string{digestOf("b"), digestOf("a")}, Seen: []int64{30, 10, 20},
		WorkflowPath: ".github/workflows/familiar.yml", Event: "issue_comment", RunID: 8001, RunAttempt: 2,
		Lessons: LessonCounts{Total: 12, Active: 7, Pending: 3},
	}
}

var testDatabase = append([]byte("SQLite format 3\x00"), bytes.Repeat([]byte("a lesson that nobody else may read. "), 40)...)

func seal(t testing.TB, keys Keys) ([]byte, Manifest) {
	t.Helper()
	zip, m, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: facts()})
	if err != nil {
		t.Fatal(err)
	}
	return zip, m
}

// expected lets a container of facts() open under the current identity.
func expected() Expect {
	return Expect{RepositoryID: testRepository, StoreID: testStore}
}

func expectedWith(change func(*Expect)) Expect {
	e := expected()
	change(&e)
	return e
}

// wantKind fails unless err is a *Error of this kind with a detail and, where
// given, these words in it.
func wantKind(t testing.TB, err error, kind Kind, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of kind %s", err, kind)
	}
	if e.Kind != kind || e.Detail == "" {
		t.Fatalf("got kind %s (%v), want %s", e.Kind, e, kind)
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("the error says %q, want %q in it", e.Error(), w)
		}
	}
}

// split takes a sound container apart.
func split(t testing.TB, zip []byte) (sealed, manifest []byte) {
	t.Helper()
	sealed, manifest, err := readZip(zip)
	if err != nil {
		t.Fatal(err)
	}
	return sealed, manifest
}

// assemble makes a zip of the right layout around any two members.
func assemble(sealed, manifest []byte) []byte {
	first := newMember(sealedName, 0, sealed)
	second := newMember(manifestName, first.end(), manifest)
	var out []byte
	for _, m := range []member{first, second} {
		out = append(append(out, m.local()...), m.data...)
	}
	return append(out, tail(first, second)...)
}

// resealed is a container that the holder of keys' current identity made by
// hand: any sealed member, any manifest, a right MAC.
func resealed(t testing.TB, keys Keys, sealed []byte, change func(*Manifest)) []byte {
	t.Helper()
	m := facts().prepared(keys.CurrentID())
	m.Database, m.Sealed = blob(testDatabase), blob(sealed)
	if change != nil {
		change(&m)
	}
	text, err := m.signed(keys.ids()[0])
	if err != nil {
		t.Fatal(err)
	}
	return assemble(sealed, text)
}

func recipientOf(keys Keys) age.Recipient { return keys.ids()[0].recipient }

// aged is data under age alone.
func aged(t testing.TB, to age.Recipient, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zstded is what r gives under zstd alone.
func zstded(t testing.TB, r io.Reader, options ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, options...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zeros is a reader of n zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// poison fails the test when something is decrypted with it.
type poison struct{ t testing.TB }

func (p poison) Unwrap([]*age.Stanza) ([]byte, error) {
	p.t.Error("something was decrypted before the container was vouched for")
	return nil, fmt.Errorf("poisoned")
}

// poisoned are the same keys, with which nothing may be decrypted.
func poisoned(t testing.TB, keys Keys) Keys {
	var out []*identity
	for _, id := range keys.ids() {
		c := *id
		c.age = poison{t}
		out = append(out, &c)
	}
	return keysHolding(out)
}
