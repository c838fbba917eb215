package review

import (
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
	find := redact.NewFinder(tokens...)
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
