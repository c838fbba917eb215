package redact

import (
	"fmt"
	"strings"
	"testing"
)

// The corpus of personal data is made when the tests run: no number in it
// was taken from anybody.

func (m maker) luhn(prefix string, n int) string {
	s := prefix + m.of(digits, n-len(prefix)-1)
	for d := range 10 {
		if t := s + fmt.Sprint(d); luhn(t) {
			return t
		}
	}
	return ""
}

func (m maker) iban(country string) string {
	n := ibanLengths[country]
	account := m.of(digits, n-4)
	for check := 2; check < 99; check++ {
		if s := fmt.Sprintf("%s%02d%s", country, check, account); mod97(s) {
			return s
		}
	}
	return ""
}

func grouped(s string, n int, by string) string {
	return strings.ReplaceAll(wrapped(s, n), "\n", by)
}

func (m maker) person() string {
	return []string{"mara.klein", "j.doe", "ada", "o'neill", "li.wei", "mara+git", "josé"}[m.IntN(7)]
}

func personalKinds() map[string]func(m maker) string {
	national := func(m maker) string { return m.of("23456789", 1) + m.of(digits, 2) }
	return map[string]func(m maker) string{
		"e-mail":                     func(m maker) string { return m.person() + "@" + m.of(lowers, 6) + ".io" },
		"e-mail of a country":        func(m maker) string { return m.person() + "@mail." + m.of(lowers, 5) + ".co.uk" },
		"e-mail with a wide sign":    func(m maker) string { return "mara\uff20" + m.of(lowers, 6) + ".com" },
		"German mobile":              func(m maker) string { return "+49 17" + m.of("0123456789", 1) + " " + m.num(7) },
		"German landline":            func(m maker) string { return "+49 (0)30 " + m.num(6) },
		"British number":             func(m maker) string { return "+44 20 8" + m.num(3) + " " + m.num(4) },
		"French number":              func(m maker) string { return "+33 6 " + grouped(m.num(8), 2, " ") },
		"number without spaces":      func(m maker) string { return "+4179" + m.num(7) },
		"Indian number":              func(m maker) string { return "+91-98" + m.num(3) + "-" + m.num(5) },
		"Japanese number":            func(m maker) string { return "+81 90-" + m.num(4) + "-" + m.num(4) },
		"Brazilian number":           func(m maker) string { return "+55 (11) 9" + m.num(4) + "-" + m.num(4) },
		"Chinese number":             func(m maker) string { return "+86 138 " + m.num(4) + " " + m.num(4) },
		"American number":            func(m maker) string { return "+1 (312) " + national(m) + "-" + m.num(4) },
		"American number at home":    func(m maker) string { return "(415) " + national(m) + "-" + m.num(4) },
		"American number, dashes":    func(m maker) string { return "646-" + national(m) + "-" + m.num(4) },
		"American number, dots":      func(m maker) string { return "503." + national(m) + "." + m.num(4) },
		"German number at home":      func(m maker) string { return "0171 / " + m.num(7) },
		"landline with brackets":     func(m maker) string { return "(030) " + m.num(6) },
		"French number at home":      func(m maker) string { return "06 " + grouped(m.num(8), 2, " ") },
		"number with a word":         func(m maker) string { return "tel: 0" + m.num(9) },
		"number of a mobile":         func(m maker) string { return "mobile " + m.num(10) },
		"number in a link":           func(m maker) string { return "tel:+49170" + m.num(7) },
		"number with zeros in front": func(m maker) string { return "0049 170 " + m.num(7) },
		"IPv4 address":               func(m maker) string { return "client ip 93." + m.num(2) + ".184." + m.num(2) },
		"IPv4 address alone":         func(m maker) string { return "185." + m.num(2) + ".220." + m.num(2) },
		"IPv4 address with a port":   func(m maker) string { return "81.2." + m.num(2) + ".142:8443" },
		"IPv6 address":               func(m maker) string { return "2a02:8109:" + m.hex(4) + "::" + m.hex(4) },
		"IPv6 address, whole":        func(m maker) string { return "2600:1f18:" + grouped(m.hex(24), 4, ":") },
		"German account":             func(m maker) string { return m.iban("DE") },
		"German account in groups":   func(m maker) string { return grouped(m.iban("DE"), 4, " ") },
		"French account in groups":   func(m maker) string { return grouped(m.iban("FR"), 4, " ") },
		"Dutch account":              func(m maker) string { return m.iban("PL") },
		"Swiss account":              func(m maker) string { return grouped(m.iban("CH"), 4, " ") },
		"Spanish account":            func(m maker) string { return strings.ToLower(m.iban("ES")) },
		"Visa card":                  func(m maker) string { return grouped(m.luhn("4556", 16), 4, " ") },
		"Visa card in one piece":     func(m maker) string { return m.luhn("4929", 16) },
		"Mastercard":                 func(m maker) string { return grouped(m.luhn("5425", 16), 4, "-") },
		"Mastercard, new range":      func(m maker) string { return m.luhn("2233", 16) },
		"American Express":           func(m maker) string { s := m.luhn("3714", 15); return s[:4] + " " + s[4:10] + " " + s[10:] },
		"Discover":                   func(m maker) string { return grouped(m.luhn("6011", 16), 4, " ") },
		"JCB":                        func(m maker) string { return m.luhn("3530", 16) },
		"Diners":                     func(m maker) string { return m.luhn("3600", 14) },
	}
}

// impersonal are texts that look personal and are not.
func impersonal() []string {
	m := newMaker(5)
	forms := []func() string{
		func() string { return "write to hello@example.com or ops@sub.example.org" },
		func() string { return "ping @" + m.of(lowers, 7) + " and @org/" + m.of(lowers, 5) },
		func() string {
			return "Co-authored-by: renovate[bot] <" + m.num(8) + "+renovate[bot]@users.noreply.github.com>"
		},
		func() string { return "Signed-off-by: dependabot[bot] <support@github.com>" },
		func() string { return "git clone git@github.com:lumen/" + m.of(lowers, 6) },
		func() string { return "uses: actions/checkout@v4." + m.num(1) },
		func() string { return "listens on 127.0.0.1:" + m.num(4) },
		func() string { return "the host 10.0." + m.num(2) + "." + m.num(2) + " is a worker" },
		func() string { return "192.168." + m.num(2) + ".1/24 and 172.16." + m.num(1) + ".1" },
		func() string { return "documentation uses 203.0.113." + m.num(2) + " and 2001:db8::" + m.hex(4) },
		func() string { return "resolved by 8.8.8.8 in " + m.num(2) + " ms" },
		func() string { return "version 1.2.3.4 of the API" },
		func() string { return "Chrome/120.0." + m.num(4) + ".109 on Linux" },
		func() string { return "upgrade from 4.17.21.3 to v4.18." + m.num(1) + ".0" },
		func() string { return "see section 3.1.4.2 of the guide, page " + m.num(2) },
		func() string { return "lib 2.14.1." + m.num(1) + " fixed it" },
		func() string { return "OID 1.3.6.1.4.1.311." + m.num(2) },
		func() string { return "epoch 1733000000" + m.num(3) },
		func() string { return "created_at: 17330000001234" + m.num(5) },
		func() string { return "order id 4" + m.num(15) },
		func() string { return "tweet_id=1" + m.num(18) },
		func() string { return "run " + m.num(11) + " of the workflow" },
		func() string { return "2026-11-30 09:27:" + m.of("12345", 1) + "0 GET /v1/orders 200 " + m.num(4) },
		func() string { return "from 01-02-2026 until 03/04/2026" },
		func() string { return "const maxSize = " + m.num(9) },
		func() string { return "pi is 3.14159265" + m.num(4) },
		func() string { return "sha " + m.hex(40) },
		func() string { return "id " + m.uuid() },
		func() string { return "offset 0x" + m.hex(16) },
		func() string { return "test card 4111 1111 1111 1111 and 4242424242424242" },
		func() string { return "for example DE89 3704 0044 0532 0130 00" },
		func() string { return "call (212) 555-01" + m.num(2) + " in the film" },
		func() string { return "12:34:56:78:9a:" + m.hex(2) + " is the MAC address" },
		func() string { return "std::vector<int> v" + m.num(3) + "; abc::def::ghi" },
		func() string { return "ISBN 978-3-16-14841" + m.num(1) + "-0" },
		func() string { return "@@ -" + m.num(3) + ",7 +" + m.num(4) + ",12 @@ func main()" },
		func() string { return "rows 100000-200000, step " + m.num(5) },
		func() string { return "a +" + m.num(9) + " b" },
		func() string { return "price 1 234 567." + m.num(2) + " in cents 123456789" },
		func() string { return "go1.26.8 and protobuf 1.36.11-" + m.num(14) },
		func() string { return "the port range 30000-32767 and pid " + m.num(7) },
		func() string { return "matrix: 10 20 30 40 50 60 70 " + m.num(2) },
		func() string { return "v0.0.0-20250218142911-" + m.hex(12) },
		func() string { return "0.0" + m.num(6) + " 0.0" + m.num(6) },
	}
	var out []string
	for range 15 {
		for _, f := range forms {
			out = append(out, f())
		}
	}
	return out
}

func TestPersonalDataOfTheCorpus(t *testing.T) {
	m := newMaker(4)
	var all figures
	missed := map[string]int{}
	kinds := personalKinds()
	around := []struct{ before, after string }{
		{"ask ", " about it"}, {"", ""}, {"Contact: ", "."}, {"// ", "\n"}, {`x = "`, `"`}, {"(", ")"}, {"- ", ", then go on"}, {"| ", " |"},
	}
	for kind, make := range kinds {
		for _, a := range around {
			in := a.before + make(m) + a.after
			hits := FindPII(in)
			if k, refused := Refuse(in); len(hits) == 0 || !refused || k != PII || len(onlyDigits(Scrub(in))) > 4 {
				all.missed++
				missed[kind]++
				t.Logf("missed (%s): %q -> %q", kind, in, Scrub(in))
				continue
			}
			all.right++
		}
	}
	plain := append(impersonal(), negatives(t)...)
	for _, s := range plain {
		if hits := FindPII(s); len(hits) > 0 {
			all.wrong++
			t.Logf("wrongly found (%s): %q in %q", hits[0].Rule, s[hits[0].Start:hits[0].End], s)
		}
	}
	t.Logf("missed by kind: %v", missed)
	t.Logf("corpus of personal data: %d of %d kinds, %d without any: recall %.1f%%, precision %.1f%%", all.right+all.missed, len(kinds), len(plain), all.recall(), all.precision())
	if len(plain) < 1000 || all.right+all.missed < 300 || all.recall() < 97 || all.precision() < 97 {
		t.Error("the corpus is too small or the figures fell: both are 97% at the least")
	}
}
