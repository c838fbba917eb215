package redact

import (
	"regexp"
	"strings"
)

// rule is one of our own patterns, for what the library does not see or sees
// only above an entropy. Every pattern is RE2 and so linear in the text.
type rule struct {
	name    string
	needles []string // one of them must occur, as written, before the pattern is tried
	pattern *regexp.Regexp
	except  func(secret string) bool // true: documented, or a placeholder
}

// own are our rules for tokens that tell themselves by how they begin. A
// token's whole text is matched, never a part of it. Where the beginning is
// also an English one (sk-, hf_), it must not stand inside a word.
var own = []rule{
	{
		name:    "github-token",
		needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
		// The long form of an installation token is ghs_<app id>_<jwt>: its
		// dots and dashes belong to it (attack A77). The body of a classic one
		// has no underscore, which tells it from an identifier.
		pattern: regexp.MustCompile(`gh[pousr]_(?:[0-9]{1,20}_ey[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}|` +
			`[0-9]{1,20}_[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|[A-Za-z0-9]{20,})`),
		except: filler,
	},
	{
		name:    "github-fine-grained-token",
		needles: []string{"github_pat_"},
		pattern: regexp.MustCompile(`github_pat_[A-Za-z0-9]{20,}[A-Za-z0-9_]*`),
		except:  filler,
	},
	{
		name:    "aws-access-key-id",
		needles: []string{"AKIA", "ASIA", "ABIA", "ACCA"},
		pattern: regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`),
		except:  func(s string) bool { return strings.HasSuffix(s, "EXAMPLE") || filler(s) },
	},
	{
		name:    "slack-token",
		needles: []string{"xox"},
		pattern: regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`),
		except:  func(s string) bool { return !strings.ContainsAny(s, "0123456789") || filler(s) },
	},
	{
		name:    "gitlab-token",
		needles: []string{"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"},
		pattern: regexp.MustCompile(`\bgl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_]+)*`),
		except:  filler,
	},
	{
		name:    "anthropic-token",
		needles: []string{"sk-ant-"},
		pattern: regexp.MustCompile(`\bsk-ant-[a-z]{2,}[0-9]{2}-[A-Za-z0-9_-]{20,}`),
		except:  filler,
	},
	{
		name:    "openai-token",
		needles: []string{"sk-"},
		pattern: regexp.MustCompile(`\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`),
		except:  filler,
	},
	{
		name:    "npm-token",
		needles: []string{"npm_"},
		pattern: regexp.MustCompile(`\bnpm_(?:[A-Za-z0-9]{36}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b`),
		except:  filler,
	},
	{
		name:    "pypi-token",
		needles: []string{"pypi-AgE"},
		pattern: regexp.MustCompile(`pypi-AgE[A-Za-z0-9_-]{16,}`),
		except:  filler,
	},
	{
		name:    "hugging-face-token",
		needles: []string{"hf_"},
		pattern: regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}\b`),
		except:  filler,
	},
	{
		name:    "age-identity",
		needles: []string{"AGE-SECRET-KEY-", "age-secret-key-"},
		pattern: regexp.MustCompile(`(?i)AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}`),
		except:  filler,
	},
	{
		name:    "json-web-token",
		needles: []string{"eyJ"},
		pattern: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
	},
}

// ownRules applies our rules to the whole text, so that nothing is cut.
func ownRules(s string) []Hit {
	hits := append(urlCredentials(s), privateKeys(s)...)
	for _, r := range own {
		if !containsAny(s, r.needles) {
			continue
		}
		for _, m := range r.pattern.FindAllStringIndex(s, -1) {
			if r.except == nil || !r.except(s[m[0]:m[1]]) {
				hits = append(hits, Hit{Start: m[0], End: m[1], Kind: Secret, Rule: r.name})
			}
		}
	}
	return hits
}

func containsAny(s string, needles []string) bool {
	for _, n := range needles {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}
