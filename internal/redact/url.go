package redact

import (
	"regexp"
	"strings"
)

// userinfo matches the credentials of a URL up to its host. A password may
// hold an unescaped @, as in practice it does: the last one before the path
// ends it.
var userinfo = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]{0,30}://([^\s/?#:@"'<>\x60]*):([^\s/?#"'<>\x60]+)@(\[[0-9A-Fa-f:.]+\]|[^\s/?#:@"'<>\x60]+)`)

// accessToken matches the form in which git is given an installation token,
// in a URL or alone.
var accessToken = regexp.MustCompile(`x-access-token:([^\s@/"'<>\x60]+)`)

// urlCredentials finds passwords in URLs. Only the password is a hit, so that
// what is left says whose it was and where.
func urlCredentials(s string) []Hit {
	var hits []Hit
	if strings.Contains(s, "://") {
		for _, m := range userinfo.FindAllStringSubmatchIndex(s, -1) {
			user, password, host := s[m[2]:m[3]], s[m[4]:m[5]], s[m[6]:m[7]]
			if !harmless(user, password, host) {
				hits = append(hits, Hit{Start: m[4], End: m[5], Kind: Secret, Rule: "url-credentials"})
			}
		}
	}
	if strings.Contains(s, "x-access-token:") {
		for _, m := range accessToken.FindAllStringSubmatchIndex(s, -1) {
			if value := s[m[2]:m[3]]; !placeholder(value) && !generic[strings.ToLower(value)] && !filler(value) {
				hits = append(hits, Hit{Start: m[2], End: m[3], Kind: Secret, Rule: "access-token-in-url"})
			}
		}
	}
	return hits
}

// harmless tells credentials that nobody can use: placeholders, words that
// stand for a user and a password, and what local and test services have.
func harmless(user, password, host string) bool {
	if placeholder(password) || filler(password) || len(password) < 4 {
		return true
	}
	u, p := strings.ToLower(user), strings.ToLower(password)
	if generic[p] && (generic[u] || u == "") && !localHost(host) {
		return u != ""
	}
	return localHost(host) && (generic[p] || trivial[p] || p == u)
}

// localHost tells hosts that are reached from one machine or network only, or
// that are reserved for examples.
func localHost(host string) bool {
	h := strings.ToLower(host)
	switch {
	case strings.HasPrefix(h, "["), strings.HasPrefix(h, "127."), strings.HasPrefix(h, "10."), strings.HasPrefix(h, "192.168."), h == "0.0.0.0":
		return true
	case strings.ContainsAny(h, "${}"), !strings.Contains(h, "."): // a name within a network of containers
		return true
	}
	return strings.HasSuffix(h, ".internal") || reserved(h)
}
