package artifact

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"
)

// zipOf makes a zip of members with modes.
func zipOf(t *testing.T, mode os.FileMode, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestARecordIsOneRegularFileAndNothingElse(t *testing.T) {
	packed, err := packRecord([]byte(`{"schema":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := unpackRecord(packed); err != nil || string(out) != `{"schema":"x"}` {
		t.Errorf("%q, %v", out, err)
	}
	large := bytes.Repeat([]byte("a"), maxRecord+1)
	if _, err := packRecord(large); err == nil {
		t.Error("a record above the bound is packed")
	}
	var bomb bytes.Buffer
	z := zip.NewWriter(&bomb)
	w, err := z.Create(recordMember)
	if err == nil {
		_, err = w.Write(large)
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, says string
		data       []byte
	}{
		{"no zip", "no zip", []byte("hello")},
		{"another name", "nothing else", zipOf(t, 0o644, "Review.json")},
		{"a second member", "nothing else", zipOf(t, 0o644, "review.json", "memory.sealed")},
		{"the member twice", "nothing else", zipOf(t, 0o644, "review.json", "review.json")},
		{"no member", "nothing else", zipOf(t, 0o644)},
		{"a link", "no regular file", zipOf(t, os.ModeSymlink|0o777, "review.json")},
		{"cut", "no zip", packed[:len(packed)-3]},
		{"one that unpacks to more than the bound", "too large", bomb.Bytes()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, err := unpackRecord(c.data); err == nil || out != nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want it to say %q", err, c.says)
			}
		})
	}
}
