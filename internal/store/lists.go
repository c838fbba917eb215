package store

import (
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// storedRule and storedCitation are what a row holds, apart from the types
// that the rest of the program uses: a stored name never changes, and a new
// field is optional.
type storedRule struct {
	Kind     string   `json:"kind"`
	Pattern  string   `json:"pattern,omitempty"`
	Prefer   string   `json:"prefer,omitempty"`
	In       []string `json:"in,omitempty"`
	With     []string `json:"with,omitempty"`
	Regex    bool     `json:"regex,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Because  string   `json:"because,omitempty"`
	Bad      []string `json:"bad,omitempty"`
	Good     []string `json:"good,omitempty"`
}

type storedCitation struct {
	Path   string `json:"path"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Commit string `json:"commit"`
	Digest string `json:"digest"`
}

type encodedLists struct {
	paths, about, citations string
	rule                    any // nil without a rule
}

func encodeLists(n *memory.NewLesson) (l encodedLists, err error) {
	if l.paths, err = encode(n.Paths); err != nil {
		return l, err
	}
	if l.about, err = encode(n.About); err != nil {
		return l, err
	}
	if n.Check != nil {
		if l.rule, err = encodeRule(n.Check); err != nil {
			return l, err
		}
	}
	citations := make([]storedCitation, len(n.Citations))
	for i, c := range n.Citations {
		citations[i] = storedCitation{Path: c.Path, Start: c.StartLine, End: c.EndLine, Commit: c.Commit, Digest: c.Digest}
	}
	l.citations, err = encode(citations)
	return l, err
}

func encodeRule(c *memory.Check) (string, error) {
	if c == nil {
		return "", nil
	}
	return encode(storedRule{Kind: string(c.Kind), Pattern: c.Pattern, Prefer: c.Prefer, In: c.In, With: c.With, Regex: c.Regex,
		Severity: string(c.Severity), Because: c.Because, Bad: c.Bad, Good: c.Good})
}

func decodeRule(s string) (*memory.Check, error) {
	var r storedRule
	if err := decode(s, &r); err != nil {
		return nil, err
	}
	kind, err := memory.ParseCheckKind(r.Kind)
	if err != nil {
		return nil, err
	}
	return &memory.Check{Kind: kind, Pattern: r.Pattern, Prefer: r.Prefer, In: r.In, With: r.With, Regex: r.Regex,
		Severity: contract.Severity(r.Severity), Because: r.Because, Bad: r.Bad, Good: r.Good}, nil
}

func decodeCitations(s string) ([]memory.Citation, error) {
	var stored []storedCitation
	if err := decode(s, &stored); err != nil || len(stored) == 0 {
		return nil, err
	}
	out := make([]memory.Citation, len(stored))
	for i, c := range stored {
		out[i] = memory.Citation{Path: c.Path, StartLine: c.Start, EndLine: c.End, Commit: c.Commit, Digest: c.Digest}
	}
	return out, nil
}
