package redact

import (
	"regexp"
	"strings"
)

// email matches an address with a top-level domain of letters, so that
// package@1.2.3 is none.
var email = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}\b`)

// FindPII returns the hits of kind PII: e-mail addresses of people. The rest
// of page 3.5's personal data joins behind this function.
func FindPII(s string) []Hit {
	if !strings.Contains(s, "@") {
		return nil
	}
	var hits []Hit
	for _, m := range email.FindAllStringIndex(s, -1) {
		if nobody(s, m[0], m[1]) {
			continue
		}
		hits = append(hits, Hit{Start: m[0], End: m[1], Kind: PII, Rule: "email"})
	}
	return hits
}

// nobody tells addresses that belong to no person: reserved domains, no-reply
// addresses, and what only looks like an address.
func nobody(s string, start, end int) bool {
	local, domain, _ := strings.Cut(strings.ToLower(s[start:end]), "@")
	switch {
	case strings.HasSuffix(s[:start], "://"): // user of a URL
		return true
	case local == "git" && strings.HasPrefix(s[end:], ":"), local == "git" && strings.HasPrefix(s[end:], "/"): // SSH remote
		return true
	case strings.Contains(local, "noreply"), strings.Contains(local, "no-reply"), strings.Contains(local, "donotreply"):
		return true
	case domain == "users.noreply.github.com", strings.HasSuffix(domain, ".noreply.github.com"):
		return true
	}
	return reserved(domain)
}

// reserved tells the domains that RFC 2606 and RFC 6761 keep for examples.
func reserved(domain string) bool {
	labels := strings.Split(domain, ".")
	last := labels[len(labels)-1]
	switch last {
	case "example", "test", "invalid", "localhost", "local":
		return true
	}
	if len(labels) < 2 {
		return false
	}
	second := labels[len(labels)-2]
	return second == "example" && (last == "com" || last == "org" || last == "net" || last == "edu")
}
