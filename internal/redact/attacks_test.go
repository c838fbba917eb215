package redact

import (
	"strings"
	"testing"
)

// TestNamedAttacksAndTheirSiblings asks for each attack on this door, and for
// others of its kind.
func TestNamedAttacksAndTheirSiblings(t *testing.T) {
	m := newMaker(7)
	long := func() string { return "gh" + "s_" + m.num(6) + "_" + m.jwt() }
	for _, c := range []struct {
		name   string
		secret func() string
	}{
		{"A77: the long installation token", long},
		{"A77: of 520 characters with dashes", func() string {
			return "gh" + "s_" + m.num(7) + "_ey" + m.url(120) + "." + m.url(280) + "-_." + m.url(86)
		}},
		{"A77: whose body ends in a sign", func() string { return long() + "-_x" }},
		{"A78: an OAuth token", func() string { return "sk-" + "ant-oat01-" + m.url(90) }},
		{"A78: a refresh token", func() string { return "sk-" + "ant-ort01-" + m.url(90) }},
		{"A78: a project key", func() string { return "sk-" + "proj-" + m.url(60) }},
		{"A78: a service account key", func() string { return "sk-" + "svcacct-" + m.url(60) }},
		{"A78: a package token in UUID form", func() string { return "np" + "m_" + m.uuid() }},
		{"A79: a classic token", func() string { return "gh" + "p_" + m.alnum(36) }},
		{"A79: a fine-grained token", func() string { return "github" + "_pat_" + m.alnum(22) + "_" + m.alnum(59) }},
		{"A79: a package index token", func() string { return "pypi" + "-AgEIcHlwaS5vcmc" + m.url(60) }},
		{"A79: a model hub token", func() string { return "hf" + "_" + m.of(alnums[:52], 34) }},
		{"A79: a chat bot token", func() string { return "xo" + "xb-" + m.num(12) + "-" + m.alnum(24) }},
		{"A79: a cloud key id", func() string { return "AK" + "IA" + m.of(base32s, 16) }},
		{"A79: a private key", func() string { return m.pem("RSA " + "PRIVATE KEY") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range places {
				secret := c.secret()
				in := p.before + secret + p.after
				clean := Scrub(in)
				if k, refused := Refuse(in); !refused || k != Secret || leaves(clean, secret) {
					t.Errorf("%q is scrubbed to %q; refused as %q", in, clean, k)
				}
			}
		})
	}
	for _, c := range []struct {
		name string
		in   []string
	}{
		{"A84: a commit", []string{"commit " + m.hex(40), "at " + m.hex(12), "cache_key: " + m.hex(40)}},
		{"A84: a version", []string{"version 1.2.3.4", "v1.2.3-rc.1", "==1.2.3.4", "upgrade to 2.10.0.1"}},
		{"A84: the documented key id", []string{"AKIA" + "IOSFODNN7EXAMPLE", "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE"}},
		{"A84: an id", []string{"id " + m.uuid(), "request_id=" + m.uuid(), "sha256:" + m.hex(64)}},
		{"A84: what stands for a secret", []string{"token: ${{ secrets.X }}", "password: $DB_PASSWORD", "api_key = <your key>", "PASSWORD=changeme"}},
		{"A86: nobody's address", []string{"hello@example.com", "127.0.0.1", "10.1.2.3:80", "2001:db8::1", "@octocat", "1+x[bot]@users.noreply.github.com"}},
		{"A86: a number that is none of a person", []string{"1733000000123", "run 12345678901", "2026-11-30 09:30", "4111 1111 1111 1111", "(212) 555-0142"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range c.in {
				if k, refused := Refuse(s); refused {
					t.Errorf("%q is refused as %q", s, k)
				}
			}
		})
	}
	for kind, make := range personalKinds() {
		t.Run("A86: "+kind, func(t *testing.T) {
			in := "ask " + make(m) + " first"
			k, refused := Refuse(in)
			if clean := Scrub(in); !refused || k != PII || !strings.Contains(clean, PIIMarker) {
				t.Errorf("%q is scrubbed to %q; refused as %q", in, clean, k)
			}
		})
	}
}
