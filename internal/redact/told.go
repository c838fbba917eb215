package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// This file finds the secrets that their place tells: what is assigned to a
// name for a password or a key, stands in a header, a cookie, a connection
// string or behind an option. What is assigned decides as much as the name: a
// variable, a call, a placeholder and a word are no secret.

// teller knows a place where a secret may stand. Its pattern begins at one of its words,
// in any case, and holds the secret as its first group that matched.
type teller struct {
	name    string
	words   []string // lower case; at least two bytes
	apart   bool     // the word must not stand inside another
	pattern *regexp.Regexp
	accept  func(name, value string, quoted bool) bool
}

// What may be assigned: between quotes, or up to what ends a word.
const (
	inQuotes = `(?:"([^"\s\\]{4,200})"|'([^'\s\\]{4,200})'|` + "`([^`\\s]{4,200})`" + `)`
	unquoted = `([^\s"'` + "`" + `,;(){}<>&|\\]{4,200})`
	bareKey  = `([^\s"'` + "`" + `,;(){}<>&|\\@]{4,400})` // a URL's host is no part of a key
	suffix   = `(?:[_.-]?(?:value|text|base|raw|prod|production|staging|live|current|old|new|[0-9]{1,2}))?`
	assigns  = `["'\]]{0,2}\s{0,3}(?:=>|:=|===?|=|:|\x{FF1A})\s{0,3}`
)

var tellers = sync.OnceValue(func() []teller {
	passwords := []string{"password", "passwd", "passphrase", "passwort", "kennwort", "pwd"}
	keys := []string{"secret", "token", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "app_key", "auth_key", "signing_key", "encryption_key", "private_key", "privatekey", "private-token", "secretkey", "sharedaccesskey", "accountkey", "storage_key", "presharedkey", "_auth"}
	anchored := func(expr string) *regexp.Regexp { return regexp.MustCompile(`^(?i:` + expr + `)`) }
	return []teller{
		{name: "password-assignment", words: passwords, accept: password,
			pattern: anchored(`[a-z]+` + suffix + assigns + `(?:[a-z]{0,2}` + inQuotes + `|` + unquoted + `)`)},
		{name: "password-in-prose", words: passwords, accept: password,
			pattern: anchored(`[a-z]+\s{1,3}(?:(?:is|was|ist|war|lautet)\s{1,3}|=\s{0,3})?(?:(?:still|now|set to|just|immer noch|jetzt)\s)?(?:` + inQuotes + `|` + unquoted + `)`)},
		{name: "secret-assignment", words: keys, accept: random,
			pattern: anchored(`[a-z_-]+` + suffix + assigns + `(?:(?:bearer|basic|token)\s)?(?:[a-z]{0,2}` + inQuotes + `|` + bareKey + `)`)},
		{name: "authorization-header", words: []string{"authorization"}, accept: random,
			pattern: anchored(`authorization["']?\s{0,3}[:=,]\s{0,3}["']?(?:bearer|basic|token|apikey|digest)\s{1,3}(?:` + inQuotes + `|` + unquoted + `)`)},
		{name: "bearer-token", words: []string{"bearer "}, apart: true, accept: random, pattern: anchored(`bearer\s{1,3}(?:` + inQuotes + `|` + unquoted + `)`)},
		{name: "session-cookie", words: []string{"sess", "sid", "remember_", "csrf", "xsrf", "auth"}, accept: random,
			pattern: anchored(`[a-z_.-]{2,24}=(?:` + inQuotes + `|` + unquoted + `)`)},
		{name: "shared-access-signature", words: []string{"sig="}, apart: true, accept: random, pattern: anchored(`sig=` + unquoted)},
		{name: "netrc-password", words: []string{"login "}, apart: true, accept: password,
			pattern: anchored(`login\s{1,8}\S{1,64}\s{1,8}password\s{1,8}` + unquoted)},
		{name: "command-line-password", words: []string{"curl", "sshpass", "redis-cli", "mysql", "wget", "mongosh"}, apart: true, accept: password,
			pattern: anchored(`[a-z-]{4,10}\b[^\n|;]{0,120}?\s(?:-u\s{0,2}|--user[ =])["']?[\w.@-]{1,64}:` + `([^\s"'@/]{4,100})|` +
				`(?:sshpass\s{1,3}-p|redis-cli\b[^\n|;]{0,80}?\s-a|mysql\w{0,6}\b[^\n|;]{0,80}?\s-p)\s{0,2}(?:` + inQuotes + `|` + unquoted + `)`)},
		{name: "password-element", words: []string{"<password>", "<passwd>", "<passphrase>", "<pwd>"}, accept: func(name, value string, _ bool) bool { return password(name, value, true) },
			pattern: anchored(`<[a-z]{3,10}>\s{0,8}([^<>\s]{4,200})\s{0,8}</`)},
		{name: "password-in-sql", words: []string{"identified by "}, accept: password, pattern: anchored(`identified by (?:password )?` + inQuotes)},
		{name: "docker-auth", words: []string{`"auth"`}, accept: random, pattern: anchored(`"auth"\s{0,3}:\s{0,3}"([A-Za-z0-9+/=]{16,400})"`)},
		{name: "key-data", words: []string{"client-key-data"}, pattern: anchored(`client-key-data:\s{0,3}["']?([A-Za-z0-9+/=]{60,})`)},
	}
})

// tellersByPair finds the tellers whose words begin with two bytes.
type tellersByPair struct {
	all  []teller
	some [1 << 16]bool
	by   map[uint16][]needle
}

var tellerTable = sync.OnceValue(func() *tellersByPair {
	t := &tellersByPair{all: tellers(), by: map[uint16][]needle{}}
	for i, r := range t.all {
		for _, word := range r.words {
			at := pair(word[0], word[1])
			t.some[at] = true
			t.by[at] = append(t.by[at], needle{word, i})
		}
	}
	return t
})

// byPlace says whether a rule goes by where a secret stands, not by what it is.
func byPlace(rule string) bool {
	return rule == "generic-api-key" || slices.ContainsFunc(tellers(), func(t teller) bool { return t.name == rule })
}

// longestTold bounds how far from its word a secret may end.
const longestTold = 8 << 10

// told finds what is told by its place, in one pass over s.
func told(s string) []Hit {
	table := tellerTable()
	var hits []Hit
	for i := 0; i+1 < len(s); i++ {
		at := pair(lowerByte(s[i]), lowerByte(s[i+1]))
		if !table.some[at] {
			continue
		}
		for _, n := range table.by[at] {
			if len(s)-i < len(n.word) || !strings.EqualFold(s[i:i+len(n.word)], n.word) {
				continue
			}
			if hit, ok := table.all[n.rule].at(s, i); ok {
				hits = append(hits, hit)
			}
		}
	}
	return hits
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func (t teller) at(s string, i int) (Hit, bool) {
	if t.apart && i > 0 && wordByte(s[i-1]) {
		return Hit{}, false
	}
	window := s[i:min(len(s), i+nearTold)]
	m := t.pattern.FindStringSubmatchIndex(window)
	if m != nil && m[1] == len(window) && len(window) == nearTold {
		window = s[i:min(len(s), i+longestTold)]
		m = t.pattern.FindStringSubmatchIndex(window)
	}
	if m == nil {
		return Hit{}, false
	}
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		value := window[m[g]:m[g+1]]
		quoted := m[g] > 0 && strings.IndexByte("\"'`", window[m[g]-1]) >= 0
		if trimmed := strings.TrimRight(value, ".,:"); !quoted {
			value = trimmed
		}
		if t.accept == nil || t.accept(window[:m[g]], value, quoted) {
			return Hit{Start: i + m[g], End: i + m[g] + len(value), Kind: Secret, Rule: t.name}, true
		}
	}
	return Hit{}, false
}

// nearTold is how much is looked at first.
const nearTold = 512
