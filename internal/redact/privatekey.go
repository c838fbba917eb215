package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

var (
	keyHeader = text.Lazy(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	keyFooter = text.Lazy(`-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	// keyMaterial is what may stand in a block of a key: base64, headers, and
	// what a diff, a JSON string or an indented file puts around its lines.
	keyMaterial = text.Lazy(`^(?:[\s"'+,>|]|\\[nrt]|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n]{1,80}\n|[A-Za-z0-9/=]{16,}|[A-Za-z0-9/]{1,15}={1,2})+`)
)

// longestKey bounds a block: the largest keys in use take a quarter of it.
const longestKey = 32 << 10

// privateKeys finds the blocks of private keys: up to the footer where there
// is one, else as far as key material goes. A header alone is a hit too, since
// the rest may have been cut off; its rule says so, because code that reads
// keys has it as well.
func privateKeys(s string) []Hit {
	hits := puttyKeys(s)
	for at := 0; ; {
		i := strings.Index(s[at:], "PRIVATE KEY")
		if i < 0 {
			return hits
		}
		from := max(at, at+i-60)
		m := keyHeader.FindStringIndex(s[from:min(len(s), at+i+60)])
		if m == nil {
			at += i + len("PRIVATE KEY")
			continue
		}
		hit := Hit{Start: from + m[0], End: from + m[1], Kind: Secret, Rule: "private-key-header"}
		if end := keyEnd(s, hit.End); end > hit.End {
			hit.End, hit.Rule = end, "private-key"
		}
		hits = append(hits, hit)
		at = hit.End
	}
}

// keyEnd returns where the block ends whose header ended at from: before the
// next block at the latest.
func keyEnd(s string, from int) int {
	body := s[from:min(len(s), from+longestKey)]
	if next := strings.Index(body, "-----BEGIN "); next >= 0 {
		body = body[:next]
	}
	if m := keyFooter.FindStringIndex(body); m != nil {
		return from + m[1]
	}
	material := strings.TrimRight(keyMaterial.FindString(body), " \t\r\n\"'+,>|")
	if len(material) < 16 {
		return from
	}
	return from + len(material)
}

var puttyLines = text.Lazy(`^Private-Lines: [0-9]{1,4}`)

// puttyKeys finds the private part of PuTTY's key files, which have no header
// of that name: the line that counts it, and the material behind it.
func puttyKeys(s string) []Hit {
	var hits []Hit
	for at := 0; ; {
		i := strings.Index(s[at:], "Private-Lines: ")
		if i < 0 {
			return hits
		}
		from := at + i
		m := puttyLines.FindStringIndex(s[from:min(len(s), from+40)])
		if m == nil {
			at = from + 1
			continue
		}
		at = from + m[1]
		if end := keyEnd(s, at); end > at {
			hits = append(hits, Hit{Start: from, End: end, Kind: Secret, Rule: "private-key"})
			at = end
		}
	}
}
