package redact

import (
	"regexp"
	"strings"
	"sync"
)

// rule is one of our own patterns, for what the library does not see or sees
// only above an entropy. Every pattern is RE2 and so linear in the text.
type rule struct {
	name    string
	needles []string // how the token begins
	pattern pattern
	apart   bool                     // it must not begin inside a word
	except  func(secret string) bool // true: documented, or a placeholder
}

// pattern is a regular expression twice: at the beginning of a text, for which
// it is tried where a needle stands, and anywhere.
type pattern struct{ here, anywhere *regexp.Regexp }

func compile(expr string) pattern {
	return pattern{here: regexp.MustCompile("^(?:" + expr + ")"), anywhere: regexp.MustCompile(expr)}
}

// own are our rules for tokens that tell themselves by how they begin. A
// token's whole text is matched, never a part of it. Where the beginning is
// also an English one (sk-, hf_), it must not stand inside a word.
var own = sync.OnceValue(func() []rule {
	return []rule{
		{
			name:    "github-token",
			needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
			// The long form of an installation token is ghs_<app id>_<jwt>: its
			// dots and dashes belong to it (attack A77). The body of a classic one
			// has no underscore, which tells it from an identifier.
			pattern: compile(`gh[pousr]_(?:[0-9]{1,20}_ey[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}|` +
				`[0-9]{1,20}_[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|[A-Za-z0-9]{20,})`),
			except: filler,
		},
		{
			name:    "github-fine-grained-token",
			needles: []string{"github_pat_"},
			pattern: compile(`github_pat_[A-Za-z0-9]{20,}[A-Za-z0-9_]*`),
			except:  filler,
		},
		{
			name:    "aws-access-key-id",
			needles: []string{"AKIA", "ASIA", "ABIA", "ACCA"},
			pattern: compile(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`),
			apart:   true,
			except:  func(s string) bool { return strings.HasSuffix(s, "EXAMPLE") || filler(s) },
		},
		{
			name:    "slack-token",
			needles: []string{"xox"},
			pattern: compile(`xox[abeoprs]-[A-Za-z0-9-]{10,}`),
			apart:   true,
			except:  func(s string) bool { return !strings.ContainsAny(s, "0123456789") || filler(s) },
		},
		{
			name:    "gitlab-token",
			needles: []string{"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"},
			pattern: compile(`gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_]+)*`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "anthropic-token",
			needles: []string{"sk-ant-"},
			pattern: compile(`sk-ant-[a-z]{2,}[0-9]{2}-[A-Za-z0-9_-]{20,}`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "openai-token",
			needles: []string{"sk-"},
			pattern: compile(`sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "npm-token",
			needles: []string{"npm_"},
			pattern: compile(`npm_(?:[A-Za-z0-9]{36}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "pypi-token",
			needles: []string{"pypi-AgE"},
			pattern: compile(`pypi-AgE[A-Za-z0-9_-]{16,}`),
			except:  filler,
		},
		{
			name:    "hugging-face-token",
			needles: []string{"hf_"},
			pattern: compile(`hf_[A-Za-z0-9]{30,}\b`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "age-identity",
			needles: []string{"AGE-SECRET-KEY-", "age-secret-key-"},
			pattern: compile(`(?i)AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}`),
			except:  filler,
		},
		{
			name:    "json-web-token",
			needles: []string{"eyJ"},
			pattern: compile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
			apart:   true,
		},
	}
})

// ownRules applies our rules to the whole text, so that nothing is cut.
func ownRules(s string) []Hit {
	hits := append(urlCredentials(s), privateKeys(s)...)
	for _, r := range own() {
		for _, needle := range r.needles {
			hits = append(hits, r.find(s, needle)...)
		}
	}
	return hits
}

// nearby is how much of a text a pattern looks at first; most tokens are
// shorter.
const nearby = 512

// find tries the rule wherever needle stands in s. Where that does not settle
// it nearby, the rest of s is searched in one pass, so that no text takes more
// time than its length.
func (r rule) find(s, needle string) []Hit {
	var hits []Hit
	for at := 0; ; {
		i := strings.Index(s[at:], needle)
		if i < 0 {
			return hits
		}
		i += at
		at = i + len(needle)
		if r.apart && i > 0 && wordByte(s[i-1]) {
			continue
		}
		window := s[i:min(len(s), i+nearby)]
		m := r.pattern.here.FindStringIndex(window)
		switch {
		case len(window) == nearby && (m == nil && unfinished(window) || m != nil && m[1] >= nearby-1):
			return append(hits, r.findIn(s, i)...)
		case m != nil:
			at = i + m[1]
			hits = r.add(hits, s, i, at)
		}
	}
}

// findIn searches s from a place on.
func (r rule) findIn(s string, from int) []Hit {
	var hits []Hit
	for _, m := range r.pattern.anywhere.FindAllStringIndex(s[from:], -1) {
		if start := from + m[0]; !r.apart || start == 0 || !wordByte(s[start-1]) {
			hits = r.add(hits, s, start, from+m[1])
		}
	}
	return hits
}

func (r rule) add(hits []Hit, s string, start, end int) []Hit {
	if r.except != nil && r.except(s[start:end]) {
		return hits
	}
	return append(hits, Hit{Start: start, End: end, Kind: Secret, Rule: r.name})
}

// unfinished says whether a token may go on behind what was looked at.
func unfinished(window string) bool {
	for i := range len(window) {
		if c := window[i]; !wordByte(c) && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func containsAny(s string, needles []string) bool {
	for _, n := range needles {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}
