package redact

import "strings"

// endsAuthority are the characters that end the part of a URL in which
// credentials stand, or the URL itself.
const endsAuthority = " \t\r\n/?#\"'<>`"

// longestAuthority bounds how far credentials are looked for.
const longestAuthority = 2 << 10

// urlCredentials finds passwords in URLs, with or without a user, and the
// form x-access-token:TOKEN in which git is given an installation token, also
// alone. Only the password is a hit, so that what is left says whose it was
// and where.
func urlCredentials(s string) []Hit {
	var hits []Hit
	eachAuthority(s, "://", func(start int, authority string) (seen int) {
		if start < 4 || !wordByte(s[start-4]) {
			return 0
		}
		userinfo, host, ok := cutLast(authority, "@")
		user, password, both := strings.Cut(userinfo, ":")
		if ok && both && password != "" && host != "" && !harmless(user, password, hostName(host)) {
			from := start + len(user) + 1
			hits = append(hits, Hit{Start: from, End: from + len(password), Kind: Secret, Rule: "url-credentials"})
		}
		return len(authority)
	})
	eachAuthority(s, "x-access-token:", func(start int, rest string) (seen int) {
		value, _, _ := strings.Cut(rest, "@")
		if value != "" && !placeholder(value) && !generic[strings.ToLower(value)] && !filler(value) {
			hits = append(hits, Hit{Start: start, End: start + len(value), Kind: Secret, Rule: "access-token-in-url"})
		}
		return len(value)
	})
	return hits
}

// eachAuthority calls f with what follows an occurrence of mark, as far as an
// authority can go, and where it starts. It goes on behind what f has seen.
func eachAuthority(s, mark string, f func(start int, rest string) (seen int)) {
	for at := 0; ; {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return
		}
		at += i + len(mark)
		rest := s[at:min(len(s), at+longestAuthority)]
		if end := strings.IndexAny(rest, endsAuthority); end >= 0 {
			rest = rest[:end]
		}
		at += f(at, rest)
	}
}

// cutLast is strings.Cut at the last separator: a password may hold an
// unescaped @, as in practice it does.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// hostName returns a host without its port.
func hostName(host string) string {
	if strings.HasPrefix(host, "[") {
		return host
	}
	name, _, _ := strings.Cut(host, ":")
	return name
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
