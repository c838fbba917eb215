package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The corpus of credentials is made when the tests run, from a fixed seed: no
// file of this repository holds one, and none was ever live.

// maker makes random bodies.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 6))} }

const (
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	digits   = "0123456789"
	alnums   = lowers + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	hexes    = digits + "abcdef"
	urlsafe  = alnums + "-_"
	base32s  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	bech32s  = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
)

func (m maker) of(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[m.IntN(len(alphabet))])
	}
	return b.String()
}

func (m maker) alnum(n int) string { return m.of(alnums, n) }
func (m maker) hex(n int) string   { return m.of(hexes, n) }
func (m maker) upper(n int) string { return m.of(capitals, n) }
func (m maker) num(n int) string   { return m.of("123456789", 1) + m.of(digits, n-1) }
func (m maker) url(n int) string   { return m.alnum(1) + m.of(urlsafe, n-2) + m.alnum(1) }

func (m maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.IntN(256))
	}
	return b
}

func (m maker) base64(bytes int) string { return base64.StdEncoding.EncodeToString(m.bytes(bytes)) }

func (m maker) uuid() string {
	return m.hex(8) + "-" + m.hex(4) + "-4" + m.hex(3) + "-a" + m.hex(3) + "-" + m.hex(12)
}

func (m maker) jwt() string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(fmt.Sprintf(`{"sub":"%s","iat":%s}`, m.num(10), m.num(10))) + "." + m.url(43)
}

func (m maker) pem(kind string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n")
	for range 6 + m.IntN(6) {
		b.WriteString(m.base64(48) + "\n")
	}
	return b.String() + m.base64(20) + "\n-----END " + kind + "-----"
}

// password is what people take for one: a word or two, digits, a sign.
func (m maker) password() string {
	words := []string{"Winter", "summer", "dragon", "Kaffee", "tiger", "Hafen", "orange", "monday", "Berlin", "quartz", "falcon", "Nebel"}
	w := words[m.IntN(len(words))]
	switch m.IntN(4) {
	case 0:
		return w + m.num(4) + string("!?*+&"[m.IntN(5)])
	case 1:
		return w + "-" + words[m.IntN(len(words))] + m.num(2)
	case 2:
		return m.alnum(12 + m.IntN(10))
	}
	return m.alnum(4) + string("!?*+"[m.IntN(4)]) + m.alnum(6) + "9"
}

func (m maker) name() string {
	names := []string{"app", "svc_orders", "deploy", "billing", "reporter", "ci", "mara", "ledger"}
	return names[m.IntN(len(names))]
}

// secretKind is one kind of credential. bare makes a token that tells itself
// by its form, and stands in any of the places below; within makes a text in
// which the place tells it.
type secretKind struct {
	name   string
	bare   func(m maker) string
	within func(m maker) (before, secret, after string)
}

// places are where tokens that tell themselves are found.
var places = []struct{ before, after string }{
	{"use ", " for the deploy until friday"},
	{"TOKEN=", "\n"},
	{"  value: ", "\n  other: 1\n"},
	{`const k = "`, `"`},
	{`{"k":"`, `","n":1}`},
	{"+\tclient := New('", "')"},
	{"// old one: ", ""},
	{"The key `", "` is in the vault now."},
	{"curl https://api.corp.io/v1?key=", "&page=2"},
	{"(", ")."},
	{"before\n", "\nafter"},
	{"x: <", ">, // gitleaks:allow"},
}

func bare(name string, f func(m maker) string) secretKind { return secretKind{name: name, bare: f} }

func within(name string, f func(m maker) (before, secret, after string)) secretKind {
	return secretKind{name: name, within: f}
}

// named is a kind whose value tells nothing: the name before it does.
func named(name string, value func(m maker) string, forms ...string) secretKind {
	return within(name, func(m maker) (string, string, string) {
		before, after, _ := strings.Cut(forms[m.IntN(len(forms))], "%")
		return before, value(m), after
	})
}

// positive is a text of the corpus that holds a secret.
type positive struct {
	kind, text, secret string
}

// positives returns n texts of each kind.
func positives(n int) []positive {
	m := newMaker(1)
	var out []positive
	for _, k := range secretKinds() {
		for i := range n {
			var p positive
			if k.bare != nil {
				place, secret := places[(i+m.IntN(2))%len(places)], k.bare(m)
				p = positive{k.name, place.before + secret + place.after, secret}
			} else {
				before, secret, after := k.within(m)
				p = positive{k.name, before + secret + after, secret}
			}
			out = append(out, p)
		}
	}
	return out
}
