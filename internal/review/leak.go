package review

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// credentialed finds a URL with a user and password, or an HTTP one with
// anything before its host: tokens travel there without a colon too. That is
// stricter than redact, which must let an example in a lesson pass: a brief has
// no use for any such URL.
var credentialed = text.Lazy(`(?i)([a-z][a-z0-9+.-]*://[^\s/?#@:"'<>]*:[^\s/?#@"'<>]+@|https?://[^\s/?#@"'<>]+@)`)

// findLeak looks through every string of the brief.
func findLeak(b contract.Brief, tokens []string) error {
	find := redact.NewFinder(carried(tokens)...)
	fields, err := briefFields(b)
	if err != nil {
		return fmt.Errorf("brief not written: %w", err)
	}
	for _, f := range fields {
		switch {
		case find.HasLive(f.text):
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

// minToken is the length from which the base64 forms of a token are looked for.
const minToken = 8

// carried lists the forms in which a token travels: as it is, and inside of an
// HTTP basic credential. There its base64 depends on what stands before it, so
// all three offsets are listed, without the characters that neighbours change.
func carried(tokens []string) []string {
	var out []string
	for _, t := range tokens {
		t = strings.TrimSpace(t)
		if len(t) < minToken {
			continue
		}
		out = append(out, t)
		for shift, skip := range []int{0, 2, 3} {
			enc := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + t))
			out = append(out, enc[skip:len(enc)-1])
		}
	}
	return out
}
