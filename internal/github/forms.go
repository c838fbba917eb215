package github

import (
	"net"
	"regexp"
	"strings"
	"sync"

	"github.com/familiarhq/familiar/internal/text"
)

// What may stand in a path of the API. Anything else is refused before it is
// sent, since a login or a ref comes from an event that a stranger shaped.
var (
	ownerForm = text.Lazy(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$`)
	nameForm  = text.Lazy(`^[A-Za-z0-9._-]{1,100}$`)
	loginForm = text.Lazy(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})(?:\[bot\])?$`)
	shaForm   = text.Lazy(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// secretForms find what must never be shown, whoever put it there: tokens of
// GitHub, JSON web tokens, and the signature of a signed address.
var secretForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`gh[a-z]_[A-Za-z0-9_.-]{8,}|github_pat_\w+|eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*|(?i:\bsig(?:=|%3D)[^&\s"'<>]+)`)
})

// shown makes a text of GitHub's fit for an error: one line, bounded, without
// the token or anything like one.
func shown(s, secret string, limit int) string {
	if secret != "" {
		s = strings.ReplaceAll(s, secret, "[hidden]")
	}
	s = secretForms().ReplaceAllString(s, "[hidden]")
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "?") {
		if b.Len() >= limit {
			b.WriteString("…")
			break
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(strings.TrimSpace(b.String()), ".")
}
