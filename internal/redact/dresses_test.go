package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// A80 again: what a live token wears that a person or a tool puts between its
// characters, or around them.
func TestA80ALiveTokenIsFoundInMoreDresses(t *testing.T) {
	token := "v1." + strings.Repeat("9fQ2x", 3) + "LmZ8kR4tW7c"
	find := NewFinder(token)
	split := func(by string) string { return token[:9] + by + token[9:17] + by + token[17:] }
	wide := strings.Map(func(r rune) rune { return r - '!' + firstWide }, token)
	code := func(format, s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(token))
	for name, dress := range map[string]string{
		"pieces joined by an escaped line break":      split(`\n`),
		"pieces joined by an escaped line end of DOS": split(`\r\n`),
		"pieces joined by a line break of a URL":      split(`%0A`),
		"pieces joined by an entity without width":    split(`&#8203;`),
		"pieces joined by an entity in hexadecimal":   split(`&#x200b;`),
		"pieces joined by hard spaces":                split(`&nbsp;`),
		"pieces joined by line breaks of HTML":        split(`<br>`),
		"pieces joined by closed line breaks of HTML": split(`<BR />`),
		"base64 wrapped by an escaped line break":     encoded[:20] + `\n` + encoded[20:],
		"code points of eight digits":                 code(`\U%08x`, token),
		"bytes with a capital X":                      code("0X%02X ", token),
		"hexadecimal digits, reversed":                reversed(hex.EncodeToString([]byte(token))),
		"reversed, in hexadecimal":                    hex.EncodeToString([]byte(reversed(token))),
		"reversed, in base64":                         base64.StdEncoding.EncodeToString([]byte(reversed(token))),
		"full-width letters":                          wide,
		"base32":                                      base32.StdEncoding.EncodeToString([]byte(token)),
		"base32 at another offset":                    base32.StdEncoding.EncodeToString([]byte("abc" + token)),
	} {
		t.Run(name, func(t *testing.T) {
			s := "before " + dress + " after"
			if !find.HasLive(s) {
				t.Errorf("%q is not found", s)
			}
			got := find.ScrubLive(s)
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || find.HasLive(got) {
				t.Errorf("scrubbed to %q", got)
			}
		})
	}
}

func TestA79MorePlacesTellASecret(t *testing.T) {
	password := "Tr4il" + "-Kx9!mq"
	material := strings.Repeat("AAAAIEx"+"b2Q9kf3JtWmZy8sLpVnRc4Hg7Td6Ua1Xe5Bo0iKq=\n", 3)
	for _, c := range []struct {
		name, in, rule string
		secret         string
	}{
		{"an element of XML", "<server><password>" + password + "</password></server>", "password-element", password},
		{"an element over lines", "<Password>\n  " + password + "\n</Password>", "password-element", password},
		{"a full-width colon", "password\uff1a" + password, "password-assignment", password},
		{"PuTTY's key file", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 3\n" + material + "Private-MAC: 00", "private-key", material[:40]},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := FindSecrets(c.in)
			if len(hits) == 0 || hits[len(hits)-1].Rule != c.rule || strings.Contains(Scrub(c.in), c.secret) {
				t.Errorf("%v, scrubbed %q", hits, Scrub(c.in))
			}
		})
	}
	for name, s := range map[string]string{
		"a variable of a build":        "<password>${env.REPO_PASSWORD}</password>",
		"a word for one":               "<password>changeme</password>",
		"a count without any key":      "Private-Lines: 3 are read from the file",
		"a full-width colon in a text": "password\uff1arequired",
	} {
		t.Run("no secret: "+name, func(t *testing.T) {
			if hits := FindSecrets(s); len(hits) > 0 {
				t.Errorf("%q gives %v", s, hits)
			}
		})
	}
}
