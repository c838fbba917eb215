package vault

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func FuzzOpen(f *testing.F) {
	keys := keysOf(f, "ada")
	zip, _ := seal(f, keys)
	sealed, manifest := split(f, zip)
	f.Add(zip)
	f.Add(zip[:len(zip)-1])
	f.Add(assemble(sealed, manifest[:len(manifest)-1]))
	f.Add(assemble([]byte("x"), []byte("{}")))
	f.Add(resealed(f, keys, aged(f, recipientOf(keys), []byte("not zstd")), nil))
	f.Add(resealed(f, keys, []byte("not age"), nil))
	f.Add(bytes.ReplaceAll(zip, []byte(manifestName), []byte("../../../etc/")))
	f.Add(append([]byte("PK\x05\x06"), make([]byte, 18)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Open(data, keys, expected())
		if err != nil {
			known(t, err)
			return
		}
		// Whatever opens carries our MAC, so we made it in this process.
		if blob(got.SQLite) != got.Manifest.Database || got.Manifest.RepositoryID != testRepository {
			t.Errorf("it opened with %+v", got.Manifest)
		}
		s, m := split(t, data)
		if !bytes.Equal(assemble(s, m), data) {
			t.Error("a zip of another layout opened")
		}
	})
}

func known(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !slices.Contains(kinds, e.Kind) || e.Detail == "" || len(e.Error()) > 1000 {
		t.Errorf("a refusal without a kind, or a long one: %v", err)
	}
}

func FuzzReadManifest(f *testing.F) {
	text := manifestOf(f, keysOf(f, "ada"))
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add([]byte(`{"schema_version":3}`))
	f.Add([]byte(`{"schema_version":2,"schema_version":2}`))
	f.Add(bytes.Replace(text, []byte("octo-org"), []byte(`\u006fcto-org`), 1))
	f.Add(bytes.Replace(text, []byte("familiar.yml"), []byte("\u2028\u202e.yml"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadManifest(assemble([]byte("x"), data))
		if err != nil {
			known(t, err)
			return
		}
		again, err := m.encode(true)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("two spellings of one manifest:\n%s\n%s", data, again)
		}
		if strings.ContainsAny(string(data[:len(data)-1]), "\n\t\x00") {
			t.Errorf("a manifest with control characters: %q", data)
		}
	})
}

func FuzzParseKeys(f *testing.F) {
	ada, mara := identityText(f, "ada"), identityText(f, "mara")
	f.Add(ada)
	f.Add("# created\n" + ada + "\r\n\n" + mara)
	f.Add(ada[:40] + "\n" + mara)
	f.Add(strings.ToLower(ada))
	f.Add(keysOf(f, "ada").Recipient())
	f.Add(ada + ada)
	f.Add("AGE-SECRET-KEY-PQ-1QQQQ\xff")
	f.Fuzz(func(t *testing.T, input string) {
		keys, err := ParseKeys(input)
		if err != nil {
			known(t, err)
			noEcho(t, quotable(input), err)
			if keys.Len() != 0 {
				t.Error("there are keys beside the error")
			}
			return
		}
		if keys.Len() == 0 || keys.Len() > MaxKeys {
			t.Errorf("%d keys", keys.Len())
		}
		for _, id := range keys.ids() {
			if !strings.Contains(input, id.secret) {
				t.Error("a key that was not given")
			}
		}
	})
}

// quotable leaves out lines of words that our own messages use.
func quotable(input string) string {
	var out []string
	for word := range strings.FieldsSeq(input) {
		if strings.HasPrefix(word, "AGE-SECRET-KEY-") && len(word) > 40 {
			out = append(out, word[15:])
		}
	}
	return strings.Join(out, "\n")
}

func FuzzOpenBytes(f *testing.F) {
	keys := keysOf(f, "ada")
	sealed, err := SealBytes([]byte("a note"), keys.Recipient())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add(sealed[:len(sealed)-1])
	f.Add(aged(f, recipientOf(keys), bytes.Repeat(zstded(f, zeros(1<<16)), 40)))
	f.Add([]byte("age-encryption.org/v1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := keys.OpenBytes(data, 1<<20)
		if err != nil {
			known(t, err)
		}
		if len(got) > 1<<20 {
			t.Errorf("%d bytes came out", len(got))
		}
	})
}

// FuzzUnpack feeds the decompressor behind a right seal.
func FuzzUnpack(f *testing.F) {
	keys := keysOf(f, "ada")
	f.Add(packedTest(f))
	f.Add(frameWithWindow(64 << 20))
	f.Add(zstded(f, zeros(1<<21)))
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, err := keys.OpenBytes(aged(t, recipientOf(keys), packed), 1<<20)
		if err != nil {
			known(t, err)
		}
		if len(got) > 1<<20 {
			t.Errorf("%d bytes came out", len(got))
		}
	})
}
