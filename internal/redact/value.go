package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// This file judges what is assigned to a name: a secret, or what code and
// prose write in its place.

// code matches what a program writes where a secret would stand: a call, a
// field, an index, a pointer, a type with its parameters, an option.
var code = text.Lazy(`[()\[\]]|^[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$|^[&*@]|^--|^\.{1,2}/|^/[a-z]|://|^\$|^#|\*\*`)

// algorithm matches the beginnings of words that are about secrets and have a
// digit.
var algorithm = text.Lazy(`(?i)^(?:sha-?[0-9]|md[45]|base(?:16|32|58|64)|argon2|bcrypt|scrypt|pbkdf2|hmac|aes|rsa|ecdsa|ed25519|x25519|x509|pkcs|oauth|http|utf-?(?:8|16)|rfc|hs256|rs256|es256|jwt|ipv|v[0-9]|[0-9]+[-a-z]{0,12}$|[a-z]{1,3}[0-9]$)`)

// password says whether a value is a password that somebody uses: it has a
// letter and a digit or a sign, and stands for nothing else. A word alone may
// be one as well, but most words in its place are not.
func password(name, value string, quoted bool) bool {
	if len(value) < 5 || len(value) > 128 || placeholder(value) || stands(value) || code.MatchString(value) && !(quoted && signed(value)) || algorithm.MatchString(value) {
		return false
	}
	lower := strings.ToLower(value)
	if generic[lower] || trivial[lower] || strings.Contains(lower, "password") || strings.Contains(lower, "secret") {
		return false
	}
	letters, numbers, signs, transitions := shape(value)
	switch {
	case letters == 0:
		return false
	case quoted:
		return numbers > 0 || signs > 0 && !dashed.MatchString(value) || signs == 0 && transitions > 4 && len(value) <= 16
	case strings.HasSuffix(strings.TrimRight(name, " "), ":="):
		return false // Go declares with a value of Go
	case numbers == 1 && signs == 0 && transitions == 1:
		return len(value) > 6 && !strings.HasSuffix(name, " ") // hunter2, or a variable
	}
	return numbers > 0 && (signs > 0 || numbers > 1 || transitions > 1) || signs > 0 && !dashed.MatchString(value)
}

// dashed matches words that are joined: names of files, options and resources.
var dashed = text.Lazy(`^[A-Za-z]+(?:[-_./:+@]+[A-Za-z]*)*$`)

func signed(value string) bool { return strings.ContainsAny(value, "!?*+&#%^~=") }

// random says whether a value was made by a machine: long, of letters and
// digits that alternate, and no name, path, id or checksum.
func random(name, value string, _ bool) bool {
	if len(value) < 16 || placeholder(value) || stands(value) || filler(value) || gitSHA.MatchString(value) && !confidence.MatchString(name) {
		return false
	}
	if uuid.MatchString(value) || checksum.MatchString(value) || code.MatchString(value) || strings.HasSuffix(value, "EXAMPLEKEY") || strings.HasSuffix(value, "EXAMPLE") {
		return false
	}
	letters, numbers, _, transitions := shape(value)
	if letters == 0 || numbers == 0 {
		return false
	}
	return transitions >= max(4, len(value)/6) && runsOf(value).longest[8] >= 16
}

// stands tells what stands for a value: a word in brackets, a variable.
func stands(value string) bool {
	return strings.ContainsAny(value, "<>{}…•") || strings.Contains(value, "...") || strings.HasPrefix(value, "$") || strings.HasPrefix(value, "%")
}

// shape counts letters, digits and signs, and how often one kind follows
// another, lower case and upper case apart.
func shape(s string) (letters, numbers, signs, transitions int) {
	before := 0
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			letters, kind = letters+1, 1
		case c >= 'A' && c <= 'Z':
			letters, kind = letters+1, 2
		case c >= '0' && c <= '9':
			numbers, kind = numbers+1, 3
		default:
			signs++
		}
		if i > 0 && kind != before {
			transitions++
		}
		before = kind
	}
	return letters, numbers, signs, transitions
}
