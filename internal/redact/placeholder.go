package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// standsFor matches what will be replaced by a secret when it is needed:
// variables and expressions of shells, CI, templates and format strings.
var standsFor = text.Lazy(`\$\{|\$\(|\{\{|#\{|^\$[A-Za-z_]+$|^\$[A-Z_][A-Z0-9_]*$|^%[A-Z0-9_]+%$|^%[a-z]$|%\(\w+\)s|\{[A-Za-z_][\w.()\[\]]*\}|^<.*>$|^\[.*\]$|^:[a-z_]+$`)

// placeholder tells what stands where a secret will be filled in.
func placeholder(s string) bool {
	return strings.Trim(s, "xX*.-_…") == "" || standsFor.MatchString(s) || strings.HasPrefix(s, "redacted")
}

// fillers are what documentation writes in the place of a token's body.
var fillers = []string{"xxxxxx", "......", "000000000000", "your_", "your-", "yourtoken", "yourkey", "placeholder", "changeme", "change-me", "change_me", "redacted", "insert_", "insert-", "replace_", "replace-"}

// filler tells a token that is none: its form is right, its body says that it
// is to be replaced. A body of any other repeated letter counts as a token.
func filler(token string) bool { return containsAny(strings.ToLower(token), fillers) }

// generic are words that stand for a user or a password in documentation.
var generic = set("x-access-token oauth2 user username usr name login me you someuser myuser pass password passwd passwort pwd pw secret token pat key " +
	"mypassword mypass my_password my-password yourpassword your_password your-password")

// trivial are passwords that local and test services use for everybody to
// read. On any other host they are a secret like another, if a poor one.
var trivial = set("postgres postgresql mysql mariadb mongo mongodb redis rabbitmq guest root admin test testing tester passw0rd " +
	"example foobar changeme dev develop development local localhost demo sample 1234 12345 123456 12345678 password123 default")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
