package vault

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// breaksAfter takes so many bytes and then fails.
type breaksAfter struct {
	left int
	err  error
}

func (b *breaksAfter) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, b.err
	}
	return len(p), nil
}

func TestAContainerOfAFileIsTheOneOfItsBytes(t *testing.T) {
	keys := keysOf(t, "ada")
	database := pages(300<<10, "streamed")
	for name, from := range map[string]struct {
		r    io.Reader
		size int64
	}{
		"at once":                  {bytes.NewReader(database), int64(len(database))},
		"of a size that is wrong":  {bytes.NewReader(database), 1},
		"of a size that is absurd": {bytes.NewReader(database), -5},
		"half of what is asked":    {iotest.HalfReader(bytes.NewReader(database)), int64(len(database))},
		"its end beside its bytes": {iotest.DataErrReader(bytes.NewReader(database)), int64(len(database))},
	} {
		t.Run(name, func(t *testing.T) {
			zip, m, err := Seal(SealInput{Keys: keys, Reader: from.r, Size: from.size, Manifest: facts()})
			if err != nil || m.Database != blob(database) {
				t.Fatalf("the manifest says %+v, %v", m.Database, err)
			}
			var out bytes.Buffer
			opened, err := OpenTo(&out, zip, keys, expectedWith(func(e *Expect) { e.Digest = blob(zip).Digest }))
			if err != nil || !bytes.Equal(out.Bytes(), database) || opened.SQLite != nil || opened.Digest != blob(zip).Digest {
				t.Errorf("%d bytes come out of the container %s, %v", out.Len(), opened.Digest, err)
			}
		})
	}
}

func TestNothingIsWrittenBeforeAKeyVouchedForIt(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	for name, c := range map[string]struct {
		zip  []byte
		keys Keys
		want Expect
		kind Kind
	}{
		"another key":                    {zip, keysOf(t, "hubot"), expected(), UnknownKey},
		"another repository":             {zip, keys, expectedWith(func(e *Expect) { e.RepositoryID++ }), WrongRepository},
		"a listed digest of other bytes": {zip, keys, expectedWith(func(e *Expect) { e.Digest = digestOf("others") }), DigestMismatch},
		"a sealed member of other bytes": {resealed(t, keys, []byte("sealed"), func(m *Manifest) { m.Sealed = blob([]byte("others")) }), keys, expected(), DigestMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			_, err := OpenTo(&out, c.zip, c.keys, c.want)
			wantKind(t, err, c.kind)
			if out.Len() > 0 {
				t.Errorf("%d bytes were written", out.Len())
			}
		})
	}
}

func TestADigestThatWasMadeIsNotMadeAgainAndComparedAllTheSame(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	right, other := blob(zip).Digest, digestOf("others")
	for name, c := range map[string]struct{ loaded, listed, want string }{
		"made by the home":            {right, right, right},
		"made by the home, no listed": {other, "", other},
		"that is none":                {"sha256", right, right},
		"of none":                     {"", right, right},
		"that is not the listed one":  {other, right, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opened, err := Open(zip, keys, expectedWith(func(e *Expect) { e.Loaded, e.Digest = c.loaded, c.listed }))
			if c.want == "" {
				wantKind(t, err, DigestMismatch, "listed digest")
			} else if err != nil || opened.Digest != c.want {
				t.Errorf("the container is %s, %v", opened.Digest, err)
			}
		})
	}
}

func TestAnErrorOfWritingOrReadingIsTheCallersOwn(t *testing.T) {
	keys := keysOf(t, "ada")
	full := errors.New("no space left")
	database := pages(300<<10, "full")
	zip, _, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: facts()})
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{0, 1, 150 << 10, len(database) - 1} {
		if _, err := OpenTo(&breaksAfter{after, full}, zip, keys, expected()); err != full {
			t.Errorf("a disk that is full after %d bytes: %v", after, err)
		}
	}
	for _, after := range []int64{0, 1, 200 << 10, int64(len(database))} {
		from := io.MultiReader(io.LimitReader(bytes.NewReader(database), after), iotest.ErrReader(full))
		out, m, err := Seal(SealInput{Keys: keys, Reader: from, Size: int64(len(database)), Manifest: facts()})
		if err != full || out != nil || m.MAC != "" {
			t.Errorf("a file that cannot be read beyond %d bytes: %d bytes, %v", after, len(out), err)
		}
	}
}

// TestADatabaseIsCountedAsItIsRead: what a file grows to while it is sealed
// counts, not what it was when it was asked.
func TestADatabaseIsCountedAsItIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		size, said int64
		kind       Kind
		words      string
	}{
		"more than it said":  {MaxDatabase + 5, 10, TooLarge, "134217729 bytes, at most 134217728"},
		"nothing":            {0, 0, BadInput, "database.size must be 1 byte to 128 MiB"},
		"said to be too big": {10, MaxDatabase + 1, TooLarge, "134217729 bytes, at most 134217728"},
	} {
		t.Run(name, func(t *testing.T) {
			zip, m, err := Seal(SealInput{Keys: keysOf(t, "ada"), Reader: zeros(c.size), Size: c.said, Manifest: facts()})
			wantKind(t, err, c.kind, c.words)
			if zip != nil || m.MAC != "" {
				t.Error("there is a container beside the error")
			}
		})
	}
}
