package redact

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

var (
	ipv4Run = text.Lazy(`(?:[0-9]{1,3}\.){3}[0-9]{1,3}`)
	ipv6Run = text.Lazy(`[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:.]{3,44}`)
)

// nobodys are the addresses that belong to no person: of one machine or
// network, of documentation, of tests, of the protocols themselves.
var nobodys = func() (all []netip.Prefix) {
	for s := range strings.FieldsSeq("0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 " +
		"198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001:db8::/32 2001::/23 3fff::/20 2002::/16") {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}()

// resolvers are public services that everybody names.
var resolvers = set("8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 2001:4860:4860::8888 2001:4860:4860::8844 2606:4700:4700::1111 2606:4700:4700::1001 2620:fe::fe")

// Four numbers are an address or a version. What stands before them says it,
// else how large they are.
var (
	saysVersion = text.Lazy(`(?i)(?:\b(?:v|ver|version|release|rev|build|chapter|section|sec|rfc|oid|update|upgrade|upgraded|from|to|than|since|tag|chrome|edge|firefox|safari|webkit|net|framework|sdk|api|driver|firmware|package|requires?|pinned|bump(?:ed)?|at least)\.?[ :=("'` + "`" + `]{0,3}|[@=<>~^!/_-]|\bv)$`)
	saysAddress = text.Lazy(`(?i)\b(?:ip|ipv4|ips|addr|address|host|hosts|hostname|server|client|remote|peer|ping|ssh|gateway|nameserver|dns|connect(?:ed|ion)?|login|visitor|user|request(?:s|ed)?|blocked|allow(?:list(?:ed)?)?|deny|listen|bind|proxy|forwarded|x-forwarded-for|x-real-ip|source|src|dst|destination|a record)\b[^\n]{0,14}$|@$|//$`)
)

// addressesIP finds routable addresses of the internet protocol.
func addressesIP(s string) []Hit {
	var hits []Hit
	eachRun(s, ipv4Run, 4, func(start, end int) {
		if a, err := netip.ParseAddr(s[start:end]); err == nil && !joinedIP(s, start, end) && routable(a) && !likeVersion(s, start, end, a) {
			hits = append(hits, Hit{Start: start, End: end, Kind: PII, Rule: "ip-address"})
		}
	})
	if !strings.Contains(s, ":") {
		return hits
	}
	eachRun(s, ipv6Run, 1, func(start, end int) {
		for end > start && (s[end-1] == '.' || s[end-1] == ':' && !strings.HasSuffix(s[start:end], "::")) {
			end--
		}
		a, err := netip.ParseAddr(s[start:end])
		if err == nil && a.Is6() && netip.MustParsePrefix("2000::/3").Contains(a) && !joinedIP(s, start, end) && routable(a) && strings.Count(s[start:end], ":") >= 3 {
			hits = append(hits, Hit{Start: start, End: end, Kind: PII, Rule: "ip-address"})
		}
	})
	return hits
}

// joinedIP says whether more of the same stands around: an OID, a time, a name.
func joinedIP(s string, start, end int) bool {
	if start > 0 && (wordByte(s[start-1]) && s[start-1] != 'v' && s[start-1] != 'V' || s[start-1] == '.' || s[start-1] == ':' && start > 1 && wordByte(s[start-2]) && strings.Count(s[start:end], ":") > 0) {
		return true
	}
	return end < len(s) && (wordByte(s[end]) || s[end] == '.' && end+1 < len(s) && wordByte(s[end+1]))
}

func routable(a netip.Addr) bool {
	return !resolvers[a.String()] && !slices.ContainsFunc(nobodys, func(p netip.Prefix) bool { return p.Contains(a.Unmap()) })
}

// likeVersion says whether four numbers are a version rather than an address.
func likeVersion(s string, start, end int, a netip.Addr) bool {
	before := s[max(0, start-32):start]
	if saysAddress.MatchString(before) && !strings.HasSuffix(strings.ToLower(before), "version ") {
		return false
	}
	if saysVersion.MatchString(before) || end < len(s) && (s[end] == '-' || s[end] == '+') {
		return true
	}
	if end < len(s) && (s[end] == ':' || s[end] == '/') && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9' {
		return false // a port, a network
	}
	large := 0
	for _, octet := range a.As4() {
		if octet > 31 {
			large++
		}
	}
	return large < 2
}
