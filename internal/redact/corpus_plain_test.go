package redact

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// negatives are texts without a secret: lines of this repository's code, of
// its documents and of its lists of checksums, and what is made to look like
// a secret and is none.
func negatives(t *testing.T) []string {
	t.Helper()
	out := made()
	for _, glob := range []string{"../*/*.go", "../../docs/*.md", "../../README.md", "../../go.sum", "../../.github/workflows/*.yml", "../../Dockerfile", "../../.ci/run"} {
		paths, err := filepath.Glob(glob)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %d files", glob, err, len(paths))
		}
		for i, p := range paths {
			// This package's own files and tests hold what looks like a secret.
			if !strings.HasSuffix(p, "_test.go") && filepath.Base(filepath.Dir(p)) != "redact" && (len(paths) < 20 || i%3 == 0) {
				out = append(out, linesOf(t, p, 12)...)
			}
		}
	}
	return out
}

// linesOf returns up to n lines with words, spread over a file.
func linesOf(t *testing.T, path string, n int) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	var all []string
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); len(line) > 20 {
			all = append(all, line)
		}
	}
	var out []string
	for i := 0; i < len(all); i += max(1, len(all)/n) {
		out = append(out, all[i])
	}
	return out
}

// made are texts of forty kinds that look like credentials to a hasty rule.
func made() []string {
	m := newMaker(2)
	forms := []func() string{
		func() string { return "commit " + m.hex(40) },
		func() string { return "Reverts " + m.hex(10) + ", see " + m.hex(40) + "." },
		func() string { return "cache_key: " + m.hex(40) },
		func() string { return "request_id=" + m.uuid() },
		func() string { return `"tenantId": "` + m.uuid() + `",` },
		func() string { return "image: ghcr.io/lumen/ledger@sha256:" + m.hex(64) },
		func() string { return "sha256: " + m.hex(64) },
		func() string {
			return fmt.Sprintf("github.com/lumen/x v1.%d.%d h1:%s", m.IntN(30), m.IntN(30), m.base64(32))
		},
		func() string { return `"integrity": "sha512-` + m.base64(64) + `"` },
		func() string {
			return "version " + m.of(digits, 1) + "." + m.of(digits, 2) + "." + m.of(digits, 1) + ".4"
		},
		func() string {
			return "token: ${{ secrets." + strings.ToUpper(m.of(lowers, 8)) + "_TOKEN }}"
		},
		func() string { return "password: ${" + strings.ToUpper(m.of(lowers, 6)) + "_PASSWORD}" },
		func() string { return `password = os.Getenv("` + strings.ToUpper(m.of(lowers, 6)) + `_PASSWORD")` },
		func() string { return "password := cfg." + m.of(lowers, 7) + ".Password" },
		func() string { return "const apiKeyHeader = \"X-" + m.of(lowers, 6) + "-Api-Key\"" },
		func() string {
			return "func (s *Store) SetPassword(ctx context.Context, " + m.of(lowers, 5) + " string) error {"
		},
		func() string { return "postgres://postgres:postgres@localhost:5432/" + m.of(lowers, 5) },
		func() string { return "https://user:password@example.com/" + m.of(lowers, 5) },
		func() string { return "AKIA" + "IOSFODNN7EXAMPLE is what the guide of " + m.of(lowers, 5) + " says" },
		func() string { return "GH_TOKEN=gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxx" + m.of("x", 4+m.IntN(4)) },
		func() string { return "api_key = \"your-" + m.of(lowers, 6) + "-api-key-here\"" },
		func() string { return "password: <your " + m.of(lowers, 6) + " password>" },
		func() string {
			return "The access token of " + m.of(lowers, 6) + " expires after an hour; refresh it with the refresh token."
		},
		func() string { return "Passwords are hashed with argon2id in " + m.of(lowers, 6) + "/auth.go." },
		func() string { return "if password == \"\" { return errMissing" + m.of(lowers, 5) + " }" },
		func() string { return "secretName: " + m.of(lowers, 6) + "-tls" },
		func() string { return "  secretKeyRef:\n    name: " + m.of(lowers, 6) + "\n    key: password" },
		func() string { return "public_key = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5" + "\" # " + m.of(lowers, 5) },
		func() string { return "-----BEGIN CERTIFICATE-----\n" + m.base64(48) + "\n-----END CERTIFICATE-----" },
		func() string { return "age1" + strings.ToLower(m.of(bech32s, 58)) + " is a recipient" },
		func() string {
			return "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" + m.alnum(24)
		},
		func() string { return "const id = \"" + m.num(19) + "\" // a snowflake" },
		func() string { return "trace_id=" + m.hex(32) + " span_id=" + m.hex(16) },
		func() string { return "etag: \"" + m.hex(32) + "\"" },
		func() string {
			return "authenticateWith" + strings.ToUpper(m.of(lowers, 1)) + m.of(lowers, 6) + "Token(ctx, store, retryPolicyDefault)"
		},
		func() string { return "session_cookie_name: " + m.of(lowers, 6) + "_session" },
		func() string { return "Authorization: Bearer $" + strings.ToUpper(m.of(lowers, 6)) + "_TOKEN" },
		func() string { return "Authorization: Bearer <" + m.of(lowers, 6) + ">" },
		func() string { return "The header is `Authorization: Bearer TOKEN`, see " + m.of(lowers, 6) + ".md" },
		func() string { return "curl -u \"$USER:$PASS\" https://" + m.of(lowers, 6) + ".corp.io" },
		func() string { return "mysql -u root -p" + " < " + m.of(lowers, 6) + ".sql" },
		func() string { return "tokens_per_day = " + m.num(7) },
		func() string { return "max_password_length: " + m.num(2) + " # " + m.of(lowers, 6) },
		func() string { return "Cookie: theme=dark; lang=" + m.of(lowers, 2) },
		func() string { return "password_hash = bcrypt.generate(" + m.of(lowers, 6) + ".form.password)" },
		func() string { return "key: " + m.of(lowers, 7) + "-" + m.of(lowers, 6) + "-" + m.of(lowers, 8) },
		func() string { return "uses: actions/checkout@" + m.hex(40) + " # v4" },
		func() string {
			return "<input type=\"password\" name=\"" + m.of(lowers, 6) + "\" autocomplete=\"off\">"
		},
	}
	var out []string
	for range 12 {
		for _, f := range forms {
			out = append(out, f())
		}
	}
	return out
}
