package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// This file finds telephone numbers: international ones by their calling code
// and length, national ones by a form that nothing else has, and others where
// a word before them says what they are. Decision 0007 says why no library
// does it.

// numberRun matches digits with what is put between them.
var numberRun = text.Lazy(`(?:\+|\(\+?)?[0-9](?:(?:[ \x{a0}.\-/()\x{2010}-\x{2013}]|\) |\)-| \(|\(0\)|\(0\) | / | - )?[0-9]){6,19}`)

// saysPhone matches what says, right before a number, that it is one to call.
var (
	saysPhone  = text.Lazy(`(?i)(?:\b(?:tel|phone|telephone|phone ?number|mobile|mobil|mobilnummer|cell|cellphone|fax|handy|handynummer|whatsapp|signal|telefon|telefonnummer|rufnummer|telefono|hotline|dial|téléphone|portable|teléfono|móvil)\b|\btel:|☎|📞|📱)[^\n0-9]{0,18}$`)
	hintsPhone = text.Lazy(`(?i)\b(?:call|ring|text|sms|reach|contact|anrufen|unter|number|nummer|numéro|número)\b[^\n0-9]{0,18}$`)
)

// national are the forms that nothing else has: of North America, of France,
// and a trunk 0 with its area set apart.
var (
	northAmerican = text.Lazy(`^(?:1[ .-]|\(1\) ?)?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[.-])[2-9][0-9]{2}[.-][0-9]{4}$`)
	french        = text.Lazy(`^0[1-9](?:[ .][0-9]{2}){4}$`)
	trunk         = text.Lazy(`^(?:\(0[1-9][0-9]{1,4}\) ?[0-9]{2,}(?:[ -][0-9]{1,}){0,3}|0[1-9][0-9]{1,4}(?: ?/ ?| - )[0-9]{3,}(?:[ -][0-9]{1,}){0,3}|0[1-9][0-9]{1,4} [0-9]{3,4}[ -][0-9]{3,4}|0[1-9][0-9]{2,3}[ -][0-9]{6,8})$`)
)

// date matches a day, which has its digits apart as well.
var date = text.Lazy(`\b(?:[0-3]?[0-9][./-][01]?[0-9][./-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}[./-][01]?[0-9][./-][0-3]?[0-9])\b`)

// phones finds telephone numbers.
func phones(s string) []Hit {
	var hits []Hit
	eachRun(s, numberRun, 7, func(start, end int) {
		if s[start] == '(' && strings.IndexByte(s[start:end], ')') < 0 {
			start++
		}
		run := s[start:end]
		if from, to, ok := phoneIn(s, start, end, run); ok {
			hits = append(hits, Hit{Start: from, End: to, Kind: PII, Rule: "phone"})
		}
	})
	return hits
}

func phoneIn(s string, start, end int, run string) (from, to int, ok bool) {
	none := func() (int, int, bool) { return 0, 0, false }
	before := s[max(0, start-48):start]
	said := saysPhone.MatchString(before)
	switch {
	case glued(s, start, end) && !strings.HasSuffix(before, "tel:"), date.MatchString(run):
		return none()
	case strings.HasPrefix(strings.TrimLeft(run, "("), "+"), strings.HasPrefix(run, "00") && said:
		if n, ok := international(run); ok {
			return start, start + n, true
		}
		return none()
	case strings.HasPrefix(run, "00"):
		if n, ok := international(run); ok && strings.ContainsAny(run[:n], " -/") && n > 9 {
			return start, start + n, true
		}
		return none()
	}
	number := onlyDigits(run)
	if len(number) < 7 || len(number) > 15 || fictional(number) {
		return none()
	}
	apart := len(number) < len(run)
	switch {
	case northAmerican.MatchString(run), french.MatchString(run), trunk.MatchString(run) && len(number) >= 9 && len(number) <= 13:
		return start, end, true
	case said && (apart || len(number) >= 9 || number[0] == '0'), hintsPhone.MatchString(before) && apart && groups(run) && len(number) >= 9:
		return start, end, true
	}
	return none()
}

// groups says whether the digits stand in at least two groups of two or more.
func groups(run string) bool {
	parts := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || r > '9' })
	for _, p := range parts {
		if len(p) < 2 {
			return false
		}
	}
	return len(parts) > 1
}

// glued says whether what stands around a number makes it a part of something
// else: a word, a path, a decimal, an assignment's hash.
func glued(s string, start, end int) bool {
	if start > 0 {
		if c := s[start-1]; wordByte(c) || strings.IndexByte(".-/+#@$%&_\\", c) >= 0 {
			return true
		}
	}
	if end < len(s) {
		if c := s[end]; wordByte(c) || c == '%' || c == '_' || (c == '.' || c == '-' || c == '/') && end+1 < len(s) && wordByte(s[end+1]) {
			return true
		}
	}
	return false
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// international returns how much of a run that begins with + or 00 is a
// number of some country: whole groups, as many as make one.
func international(run string) (n int, ok bool) {
	for end := len(run); end > 0; end = lastGroup(run[:end]) {
		digits := onlyDigits(strings.ReplaceAll(run[:end], "(0)", ""))
		if strings.HasPrefix(strings.TrimLeft(run, "("), "00") {
			digits = digits[2:]
		}
		if callable(digits) && (len(digits) > 9 || len(digits)+1 < end) { // a short one without spaces is a sum
			return end, !fictional(digits)
		}
		if len(digits) < 9 {
			break
		}
	}
	return 0, false
}

// lastGroup returns where the last group of digits is cut off.
func lastGroup(run string) int {
	i := len(run)
	for i > 0 && run[i-1] >= '0' && run[i-1] <= '9' {
		i--
	}
	return len(strings.TrimRight(run[:i], " .-/()\u00a0\u2010\u2011\u2012\u2013"))
}

// callable says whether digits are a calling code and as many digits as its
// numbers have, of which the first is one that they begin with.
func callable(digits string) bool {
	if len(digits) < 8 || len(digits) > 15 || strings.Count(digits, digits[len(digits)-1:]) == len(digits) {
		return false
	}
	for n := 1; n <= 3; n++ {
		c, known := callingCodes()[digits[:n]]
		if !known {
			continue
		}
		national := digits[n:]
		if digits[0] == '1' && (len(national) != 10 || national[3] < '2') {
			return false
		}
		return len(national) >= c.least && len(national) <= c.most && strings.IndexByte(c.leads, national[0]) >= 0
	}
	return false
}

// fictionals are the numbers that are kept for films and documentation, by
// their beginnings: those of North America, Great Britain and France.
var fictionals = text.Lazy(`^(?:1?[2-9][0-9]{2}55501[0-9]{2}|1?555[0-9]{7}|(?:44|0)(?:2079460|1134960|1144960|1154960|1164960|1174960|1184960|1214960|1314960|1414960|1514960|1614960|2890180|2920180|191498|7700900|1632960|3069990|8081570|9098790)[0-9]{3}|(?:33|0)(?:199000?|26191|35301|46571|53649|63998)[0-9]{3,4}|1?(?:1234567890?|0123456789|9876543210))$`)

func fictional(digits string) bool {
	return fictionals.MatchString(digits) || strings.Count(digits, digits[:1]) == len(digits)
}
