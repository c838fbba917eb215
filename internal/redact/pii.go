package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/text"
)

// Limits of RFC 5321.
const (
	maxLocal  = 64
	maxDomain = 253
)

// FindPII returns the hits of kind PII (page 3.5): e-mail addresses of people,
// also with a full-width at sign, telephone numbers, routable addresses of the
// internet protocol, bank accounts and payment cards.
func FindPII(s string) []Hit {
	hits := addresses(s, "@")
	if wide := "\uFF20"; strings.Contains(s, wide) {
		hits = append(hits, addresses(s, wide)...)
	}
	hits = append(hits, cards(s)...)
	hits = append(hits, ibans(s)...)
	hits = append(hits, addressesIP(s)...)
	return join(append(hits, phones(s)...))
}

func addresses(s, sign string) []Hit {
	var hits []Hit
	for at := 0; ; {
		i := strings.Index(s[at:], sign)
		if i < 0 {
			return hits
		}
		i += at
		at = i + len(sign)
		start, end := localStart(s, i), domainEnd(s, at)
		if start < i && end > at && !nobody(s, start, i, at, end) {
			hits = append(hits, Hit{Start: start, End: end, Kind: PII, Rule: "email"})
		}
	}
}

// localStart returns where the local part begins that ends at the @.
func localStart(s string, at int) int {
	start := at
	for start > 0 && at-start < maxLocal {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !wordRune(r) && !strings.ContainsRune("._%+-", r) {
			break
		}
		start -= size
	}
	for start < at { // it begins with a letter or a digit
		r, size := utf8.DecodeRuneInString(s[start:])
		if wordRune(r) {
			break
		}
		start += size
	}
	return start
}

// domainEnd returns where the domain that begins at from ends: labels joined
// by dots, the last of them one that may be a top-level domain. It returns
// from for none.
func domainEnd(s string, from int) int {
	end := from
	for i, labels := from, 0; i-from <= maxDomain; labels++ {
		n := strings.IndexFunc(s[i:], func(r rune) bool { return !wordRune(r) && r != '-' })
		if n < 0 {
			n = len(s) - i
		}
		label := strings.TrimRight(s[i:i+n], "-")
		if label == "" || label[0] == '-' {
			break
		}
		if labels > 0 && topLevel(label) {
			end = i + len(label)
		}
		if i += n; i >= len(s) || s[i] != '.' {
			break
		}
		i++
	}
	return end
}

func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
		r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func topLevel(label string) bool {
	n := 0
	for _, r := range label {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return strings.HasPrefix(label, "xn--") && len(label) > 4
		}
		n++
	}
	return n >= 2 && n <= 24
}

// revision matches the beginning of a version, or of the scale of an image,
// where a domain would stand: package@1.2.3, actions/checkout@v4.beta,
// icon@2x.png.
var revision = text.Lazy(`^(?:v?[0-9]+\.[0-9]|v[0-9]+\.[a-z]+$|[0-9]+x\.)`)

// fileEndings are endings of file names that are no top-level domain.
var fileEndings = set("png jpg jpeg gif svg webp ico js jsx mjs cjs ts tsx css scss less html htm json yaml yml toml xml java kt class dll exe vue rb php txt lock jar war h c cpp hpp go")

// urlUser matches what stands before the user of a URL.
var urlUser = text.Lazy(`[A-Za-z][A-Za-z0-9+.-]*://$`)

// nobody tells addresses that belong to no person: reserved domains, no-reply
// addresses, remotes of version control, and what only looks like an address.
func nobody(s string, start, at, from, end int) bool {
	local, domain := strings.ToLower(s[start:at]), strings.ToLower(s[from:end])
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	switch {
	case urlUser.MatchString(s[max(0, start-40):start]):
		return true
	case local == "git", local == "hg", local == "svn": // a remote
		return true
	case strings.Contains(local, "noreply"), strings.Contains(local, "no-reply"), strings.Contains(local, "donotreply"):
		return true
	case strings.HasSuffix(strings.TrimRight(s[max(0, start-40):start], " <"), "[bot]"): // a trailer of a bot
		return true
	case domain == "noreply.github.com", strings.HasSuffix(domain, ".noreply.github.com"):
		return true
	case revision.MatchString(domain), fileEndings[last]:
		return true
	case strings.HasPrefix(s[end:], "("): // a method call on a product of matrices
		return true
	}
	return reserved(domain)
}

// reserved tells the domains that RFC 2606 and RFC 6761 keep for examples and
// for one network.
func reserved(domain string) bool {
	labels := strings.Split(strings.TrimSuffix(domain, "."), ".")
	last := labels[len(labels)-1]
	switch last {
	case "example", "test", "invalid", "localhost", "local", "localdomain":
		return true
	}
	if len(labels) < 2 {
		return false
	}
	second := labels[len(labels)-2]
	return second == "example" && (last == "com" || last == "org" || last == "net" || last == "edu")
}
