package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// dresses are the ways in which a value may be written.
var dresses = map[string]func(string) string{
	"as it is":                    func(s string) string { return s },
	"reversed":                    reversed,
	"base64":                      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url, one byte before":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + s + "\xff\xfe")) },
	"base64, two bytes before":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte("\xff\xfb" + s + "y")) },
	"base64 in lines":             func(s string) string { return wrapped(base64.StdEncoding.EncodeToString([]byte("GH_TOKEN="+s)), 16) },
	"hexadecimal":                 func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hexadecimal in upper case":   func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"bytes in hexadecimal":        func(s string) string { return strings.ReplaceAll(fmt.Sprintf("% x", s), " ", ":") },
	"bytes of a string":           func(s string) string { return `\x` + strings.ReplaceAll(fmt.Sprintf("% x", s), " ", `\x`) },
	"numbers of a program":        func(s string) string { return "0x" + strings.ReplaceAll(fmt.Sprintf("% x", s), " ", ", 0x") },
	"URL-encoded":                 url.QueryEscape,
	"URL-encoded, every byte":     func(s string) string { return "%" + strings.ReplaceAll(fmt.Sprintf("% X", s), " ", "%") },
	"URL-encoded, some bytes":     func(s string) string { return strings.NewReplacer("e", "%65", "A", "%41").Replace(s) },
	"in the escapes of JSON":      func(s string) string { return eachByte(s, `\u%04x`) },
	"in entities":                 func(s string) string { return eachByte(s, "&#%d;") },
	"in octal":                    func(s string) string { return eachByte(s, `\%03o`) },
	"split by zero-width spaces":  func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
	"split by tag characters":     func(s string) string { return strings.Join(strings.Split(s, ""), "\U000E0041") },
	"split by controls":           func(s string) string { return strings.Join(strings.Split(s, ""), "\x00") },
	"split by line breaks":        func(s string) string { return wrapped(s, 7) },
	"split by carriage returns":   func(s string) string { return strings.ReplaceAll(wrapped(s, 5), "\n", "\r\n") },
	"split by spaces":             func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"split into strings":          func(s string) string { return `"` + strings.ReplaceAll(wrapped(s, 8), "\n", `" + "`) + `"` },
	"split by a diff":             func(s string) string { return "+" + strings.ReplaceAll(wrapped(s, 9), "\n", "\n+") },
	"split by Markdown":           func(s string) string { return "**" + strings.ReplaceAll(wrapped(s, 9), "\n", "**_") },
	"URL-encoded base64":          func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"reversed and split by lines": func(s string) string { return wrapped(reversed(s), 6) },
}

func wrapped(s string, n int) string {
	var b strings.Builder
	for i := 0; i < len(s); i += n {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s[i:min(len(s), i+n)])
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func TestA80ALiveTokenIsFoundInEveryDress(t *testing.T) {
	m := newMaker(3)
	for name, dress := range dresses {
		t.Run("A80: "+name, func(t *testing.T) {
			for _, token := range []string{
				m.alnum(16), m.alnum(40), "gh" + "s_" + m.alnum(36), "gh" + "s_" + m.num(6) + "_" + m.jwt(),
				m.base64(24) + "/+", "AGE-" + "SECRET-KEY-1" + m.of(bech32s, 58), m.url(21), m.alnum(33) + "-" + m.alnum(17),
			} {
				f := NewFinder(token)
				in := "before " + dress(token) + " after"
				if !f.HasLive(in) {
					t.Fatalf("a token of %d bytes is not found in %q", len(token), in)
				}
				if k, refused := f.Refuse(in); !refused || k != Secret {
					t.Errorf("not refused as a secret: %q", k)
				}
				clean := f.Scrub(in)
				// What a rule knows only after decoding takes its whole line with it.
				kept := strings.HasPrefix(clean, "before ") && strings.HasSuffix(clean, " after") || clean == SecretMarker
				if f.HasLive(clean) || !kept {
					t.Errorf("scrubbed to %q", clean)
				}
				if (Finder{}).HasLive(in) || NewFinder(m.alnum(40)).HasLive(in) {
					t.Error("found without being known")
				}
			}
		})
	}
}

func TestA80BytesAroundALiveTokenDoNotHideIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`[A-Za-z0-9_-]{16,60}`).Draw(t, "token")
		f := NewFinder(token)
		before, after := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "before"), rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "after")
		all := string(before) + token + string(after)
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			if in := enc.EncodeToString([]byte(all)); !f.HasLive(in) {
				t.Fatalf("not found in base64 with %d bytes before and %d behind", len(before), len(after))
			}
		}
		if !f.HasLive(hex.EncodeToString([]byte(all))) {
			t.Fatal("not found in hexadecimal")
		}
	})
}

func TestTextWithoutTheTokenHasNoLiveOne(t *testing.T) {
	f := NewFinder("gh"+"s_"+body(36), body(12), "AGE-"+"SECRET-KEY-1"+strings.ToUpper(body(58)))
	for _, s := range negatives(t) {
		if f.HasLive(s) {
			t.Errorf("found in %q", s)
		}
	}
}

func TestEscapesKnowWhereTheyStood(t *testing.T) {
	for in, want := range map[string]string{
		"%41b": "Ab", `\x41\u0042\103`: "ABC", "&#65;&#x42;": "AB", "=41": "A", "a%": "a%", "%zz %4": "%zz %4", `\u00`: `\u00`, "&#;": "&#;", "%00": "%00", "%c3%a9": "%c3%a9", "&#9999;": "&#9999;",
	} {
		got, at := unescape(in)
		if got != want || at != nil && len(at) != len(got) {
			t.Errorf("unescape(%q) = %q, want %q; %d origins", in, got, want, len(at))
		}
	}
	token := body(20)
	f := NewFinder(token)
	in := "x=" + eachByte(token, "%%%02x") + "&y=1"
	if got, want := f.Scrub(in), "x="+SecretMarker+"&y=1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
