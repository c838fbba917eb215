// This file is the one door for finding secrets and personal data:
// everything that enters memory, leaves the action or reaches a reviewer is
// asked of a Finder.

package redact

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says what was found. The zero value is nothing.
type Kind string

// The closed set of kinds.
const (
	None   Kind = ""
	Secret Kind = "secret"
	PII    Kind = "pii"
)

// ParseKind returns the kind that s names exactly; nothing else is a kind.
func ParseKind(s string) (Kind, error) {
	switch k := Kind(s); k {
	case Secret, PII:
		return k, nil
	}
	return None, fmt.Errorf("%q is no kind of hit: it is %s or %s", s, Secret, PII)
}

// What stands in place of what was taken out.
const (
	SecretMarker = "[redacted-secret]"
	PIIMarker    = "[redacted-pii]"
)

// Hit is one place in a text: byte offsets, End exclusive.
type Hit struct {
	Start, End int
	Kind       Kind
	Rule       string // which rule saw it, such as "github-token"
}

// Finder looks for secrets and personal data. The zero value uses every
// rule; NewFinder adds the live tokens of a run.
type Finder struct {
	live  []string
	forms []liveForms // of each, in the same order
}

// minLive is the shortest live value that is looked for: a shorter one would
// be found in any text.
const minLive = 8

// NewFinder returns a Finder that also knows the exact credentials of this
// run, which no pattern may know (attack A80). Of a value of several lines,
// such as a file of identities, each line counts by itself as well; comments
// in it and values shorter than 8 bytes are left out.
func NewFinder(live ...string) Finder {
	var f Finder
	for _, value := range live {
		for _, v := range append(strings.Split(value, "\n"), value) {
			if v = strings.TrimSpace(v); len(v) >= minLive && !strings.HasPrefix(v, "#") && !slices.Contains(f.live, v) {
				f.live, f.forms = append(f.live, v), append(f.forms, formsOf(v))
			}
		}
	}
	return f
}

// Find returns all hits in s in order, overlapping ones of a kind joined.
// Where a secret and personal data overlap, the secret stays.
func (f Finder) Find(s string) []Hit {
	secrets := f.FindSecrets(s)
	hits := slices.Clone(secrets)
	for i, p := 0, FindPII(s); len(p) > 0; p = p[1:] {
		for i < len(secrets) && secrets[i].End <= p[0].Start {
			i++
		}
		if i == len(secrets) || secrets[i].Start >= p[0].End {
			hits = append(hits, p[0])
		}
	}
	return join(hits)
}

// FindSecrets returns the hits of kind Secret.
func (f Finder) FindSecrets(s string) []Hit {
	hits := f.findLive(s)
	hits = append(hits, ownRules(s)...)
	return join(append(hits, libraryRules(s)...))
}

// HasLive says whether one of the run's live values occurs in s, in any
// encoding that live.go knows (page 3.3: a brief in which one occurs is not
// written).
func (f Finder) HasLive(s string) bool { return len(f.findLive(s)) > 0 }

// ScrubLive returns s with the run's live values replaced by their marker, and
// everything else as it is.
func (f Finder) ScrubLive(s string) string {
	for range maxScrubs {
		hits := f.findLive(s)
		if len(hits) == 0 {
			return s
		}
		s = replace(s, hits)
	}
	return SecretMarker
}

// Scrub returns s with every hit replaced by its marker. What it returns has
// no hit.
func (f Finder) Scrub(s string) string {
	for range maxScrubs {
		hits := f.Find(s)
		if len(hits) == 0 {
			return s
		}
		s = replace(s, hits)
	}
	// Taking something out kept making something new; show nothing of it.
	return SecretMarker
}

// maxScrubs bounds the rounds: joining two halves around a marker can make a
// new hit, but not for long.
const maxScrubs = 4

// Refuse says whether s may not be stored, and for which kind; a secret
// outranks personal data.
func (f Finder) Refuse(s string) (Kind, bool) {
	if len(f.FindSecrets(s)) > 0 {
		return Secret, true
	}
	if len(FindPII(s)) > 0 {
		return PII, true
	}
	return None, false
}

// Find is Finder.Find without live values.
func Find(s string) []Hit { return Finder{}.Find(s) }

// FindSecrets is Finder.FindSecrets without live values.
func FindSecrets(s string) []Hit { return Finder{}.FindSecrets(s) }

// Scrub is Finder.Scrub without live values.
func Scrub(s string) string { return Finder{}.Scrub(s) }

// Refuse is Finder.Refuse without live values.
func Refuse(s string) (Kind, bool) { return Finder{}.Refuse(s) }

func occurrences(s, value, rule string) []Hit {
	var hits []Hit
	for from := 0; value != ""; {
		i := strings.Index(s[from:], value)
		if i < 0 {
			break
		}
		hits = append(hits, Hit{Start: from + i, End: from + i + len(value), Kind: Secret, Rule: rule})
		from += i + len(value)
	}
	return hits
}

// join sorts hits and merges overlapping ones of the same kind. The first rule
// keeps the name, unless it goes by the place alone and another knows what it
// is.
func join(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	var out []Hit
	for _, h := range hits {
		if n := len(out); n > 0 && h.Start < out[n-1].End && h.Kind == out[n-1].Kind {
			out[n-1].End = max(out[n-1].End, h.End)
			if byPlace(out[n-1].Rule) && !byPlace(h.Rule) {
				out[n-1].Rule = h.Rule
			}
			continue
		}
		out = append(out, h)
	}
	return out
}

func replace(s string, hits []Hit) string {
	var b strings.Builder
	at := 0
	for _, h := range hits {
		if h.Start < at {
			continue
		}
		b.WriteString(s[at:h.Start])
		if h.Kind == PII {
			b.WriteString(PIIMarker)
		} else {
			b.WriteString(SecretMarker)
		}
		at = h.End
	}
	b.WriteString(s[at:])
	return b.String()
}
