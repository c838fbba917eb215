package redact

import (
	"regexp"
	"strings"
)

// rule is one of our own patterns, for what the library does not see or sees
// only above an entropy. Every pattern is RE2 and so linear in the text.
type rule struct {
	name     string
	needles  []string // one of them must occur, as written, before the pattern is tried
	pattern  *regexp.Regexp
	group    int                      // which group is the secret; 0: all of it
	excepted func(secret string) bool // true: documented, or a placeholder
}

// own are our rules. A token's whole text is matched, never a part of it.
var own = []rule{
	{
		name:    "github-token",
		needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
		// The long form of an installation token is ghs_<app id>_<jwt>: its
		// dots and dashes belong to it (attack A77).
		pattern: regexp.MustCompile(`gh[pousr]_[A-Za-z0-9_]{20,}(?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?`),
	},
	{
		name:    "github-token",
		needles: []string{"ghs_"},
		pattern: regexp.MustCompile(`ghs_[0-9]{1,20}_[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){1,2}`),
	},
	{
		name:    "github-fine-grained-token",
		needles: []string{"github_pat_"},
		pattern: regexp.MustCompile(`github_pat_[A-Za-z0-9_]{20,}`),
	},
	{
		name:     "access-token-in-url",
		needles:  []string{"x-access-token:"},
		pattern:  regexp.MustCompile(`x-access-token:([^\s@/"'<>]+)`),
		group:    1,
		excepted: placeholder,
	},
	{
		name:     "url-credentials",
		needles:  []string{"://"},
		pattern:  regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:([^\s/@"'<>]+)@[A-Za-z0-9\[]`),
		group:    1,
		excepted: harmlessPassword,
	},
	{
		name:    "private-key",
		needles: []string{"PRIVATE KEY"},
		pattern: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.-]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`),
	},
	{
		name:     "aws-access-key-id",
		needles:  []string{"AKIA", "ASIA"},
		pattern:  regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`),
		excepted: func(s string) bool { return strings.HasSuffix(s, "EXAMPLE") },
	},
	{
		name:    "slack-token",
		needles: []string{"xox"},
		pattern: regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{14,}`),
	},
	{
		name:    "gitlab-token",
		needles: []string{"glpat-"},
		pattern: regexp.MustCompile(`glpat-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_]+)*`),
	},
	{
		name:    "anthropic-token",
		needles: []string{"sk-ant-"},
		pattern: regexp.MustCompile(`sk-ant-[a-z]{2,}[0-9]{2}-[A-Za-z0-9_-]{20,}`),
	},
	{
		name:    "openai-token",
		needles: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"},
		pattern: regexp.MustCompile(`sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}`),
	},
	{
		name:    "npm-token",
		needles: []string{"npm_"},
		pattern: regexp.MustCompile(`\bnpm_(?:[A-Za-z0-9]{36}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b`),
	},
	{
		name:    "pypi-token",
		needles: []string{"pypi-AgE"},
		pattern: regexp.MustCompile(`pypi-AgE[A-Za-z0-9_-]{16,}`),
	},
	{
		name:    "hugging-face-token",
		needles: []string{"hf_"},
		pattern: regexp.MustCompile(`\bhf_[A-Za-z]{34}\b`),
	},
	{
		name:    "age-identity",
		needles: []string{"AGE-SECRET-KEY-"},
		pattern: regexp.MustCompile(`AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}`),
	},
	{
		name:    "json-web-token",
		needles: []string{"eyJ"},
		pattern: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
	},
}

// ownRules applies our rules to the whole text.
func ownRules(s string) []Hit {
	var hits []Hit
	for _, r := range own {
		if !containsAny(s, r.needles) {
			continue
		}
		for _, m := range r.pattern.FindAllStringSubmatchIndex(s, -1) {
			start, end := m[2*r.group], m[2*r.group+1]
			if r.excepted != nil && r.excepted(s[start:end]) {
				continue
			}
			hits = append(hits, Hit{Start: start, End: end, Kind: Secret, Rule: r.name})
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

// placeholder tells what stands where a secret will be filled in.
func placeholder(s string) bool {
	return strings.ContainsAny(s, "${}%<>*[]()") || strings.Trim(s, "xX.-_") == "" || strings.HasPrefix(s, "redacted")
}

// harmlessPassword tells passwords that documentation and local test
// services use for everybody to read.
func harmlessPassword(s string) bool {
	if placeholder(s) || len(s) < 3 {
		return true
	}
	switch strings.ToLower(s) {
	case "password", "passwd", "pass", "pwd", "passw0rd", "secret", "postgres", "mysql", "root", "admin", "test", "testing", "tester",
		"user", "guest", "example", "foo", "bar", "baz", "foobar", "changeme", "token", "key", "redis", "rabbitmq", "mypassword",
		"mypass", "yourpassword", "your_password", "your-password", "my_password", "hunter2", "123", "1234", "12345", "123456":
		return true
	}
	return false
}
