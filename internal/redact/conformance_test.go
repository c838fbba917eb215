package redact

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestConformanceRedaction runs the cases about credentials that other
// systems see or miss, in our terms.
func TestConformanceRedaction(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/redaction.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 8 {
		t.Fatalf("%d cases, want at least 8", len(lines))
	}
	for _, line := range lines {
		var c struct {
			Name  string
			Input struct {
				Parts, Prefixes []string
				Repeat          string
				Count           int
			}
			Want struct {
				Secret   *bool
				Scrubbed string
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			fill := strings.Repeat(c.Input.Repeat, c.Input.Count)
			texts := []string{strings.Join(c.Input.Parts, "") + fill}
			if len(c.Input.Prefixes) > 0 {
				texts = nil
				for _, p := range c.Input.Prefixes {
					texts = append(texts, p+fill)
				}
				texts = append(texts, "x-access-token:"+fill+"@host")
			}
			for _, s := range texts {
				if got := len(FindSecrets(s)) > 0; c.Want.Secret != nil && got != *c.Want.Secret {
					t.Errorf("secret: %v, want %v", got, *c.Want.Secret)
				}
				if c.Want.Scrubbed != "" && Scrub(s) != c.Want.Scrubbed {
					t.Errorf("scrubbed to %q, want %q", Scrub(s), c.Want.Scrubbed)
				}
			}
		})
	}
}
