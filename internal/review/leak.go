package review

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
)

// minToken is the length from which a live secret is looked for: a shorter one
// would be found in ordinary words.
const minToken = 8

// credentialed finds a URL with a user and password, or an HTTP one with
// anything before its host: tokens travel there without a colon too.
var credentialed = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://[^\s/?#@:"'<>]*:[^\s/?#@"'<>]+@|https?://[^\s/?#@"'<>]+@)`)

// findLeak looks through every string of the brief.
func findLeak(b contract.Brief, tokens []string) error {
	fields, err := briefFields(b)
	if err != nil {
		return fmt.Errorf("brief not written: %w", err)
	}
	for _, f := range fields {
		switch {
		case holdsToken(f.text, tokens):
			return &Leak{Field: f.name, What: "a live token"}
		case credentialed.MatchString(f.text):
			return &Leak{Field: f.name, What: "a URL with credentials"}
		}
	}
	return nil
}

type briefField struct{ name, text string }

// briefFields lists the strings by way of the wire form, so that a field added
// to the contract is looked at without a change here.
func briefFields(b contract.Brief) ([]briefField, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	var out []briefField
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			out = append(out, briefField{name, v})
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s[%d]", name, i), e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimPrefix(name+"."+key, "."), v[key])
			}
		}
	}
	walk("", tree)
	return out, nil
}

// holdsToken finds a token as it is and as an HTTP basic credential carries it.
func holdsToken(text string, tokens []string) bool {
	for _, t := range tokens {
		t = strings.TrimSpace(t)
		if len(t) < minToken {
			continue
		}
		if strings.Contains(text, t) {
			return true
		}
		for shift := range 3 {
			// Base64 of the token at each of the three offsets, without the
			// characters that its neighbours would change.
			enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + t))
			enc = strings.TrimRight(enc, "=")
			if core := enc[[]int{0, 2, 3}[shift] : len(enc)-1]; strings.Contains(text, core) {
				return true
			}
		}
	}
	return false
}
