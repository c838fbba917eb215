package text

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestConformanceContent runs the cases about content that other systems
// accept or refuse, in our terms. Where ours is stricter, the case says why.
func TestConformanceContent(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/content.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 23 {
		t.Fatalf("%d cases, want at least 23", len(lines))
	}
	for _, line := range lines {
		var c struct {
			Name  string
			Input struct {
				Value                 any
				Bytes, Repeat, Around string
				Count                 int
			}
			Want struct {
				OK      *string
				Length  int
				Problem Problem
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			in := c.Input.Value
			switch {
			case c.Input.Repeat != "":
				in = c.Input.Around + strings.Repeat(c.Input.Repeat, c.Input.Count) + c.Input.Around
			case c.Input.Bytes != "":
				raw, err := hex.DecodeString(c.Input.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				in = string(raw)
			}
			got, p := NormaliseRaw(in)
			if p != c.Want.Problem {
				t.Fatalf("problem %q, want %q", p, c.Want.Problem)
			}
			if c.Want.OK != nil && got != *c.Want.OK {
				t.Errorf("got %q, want %q", got, *c.Want.OK)
			}
			if c.Want.Length > 0 && utf8.RuneCountInString(got) != c.Want.Length {
				t.Errorf("%d characters, want %d", utf8.RuneCountInString(got), c.Want.Length)
			}
		})
	}
}
