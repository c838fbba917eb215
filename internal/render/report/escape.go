package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/render"
)

// This file is the one escaping door of the page. Every word of anybody
// reaches it through text or an attribute's value; tags and the names of
// attributes are constants of this package. It is written by hand rather than
// with a template, which would keep every method of every type in the binary.

// page is the HTML that was written so far.
type page struct{ strings.Builder }

// safe returns s so that it is only ever text, in an element or between the
// double quotes of an attribute: what HTML acts on is escaped, and what cannot
// be seen is written out. A space at either end stays one.
func safe(s string) string {
	out := html.EscapeString(render.Plain(s))
	if strings.HasPrefix(s, " ") {
		out = " " + out
	}
	if strings.HasSuffix(s, " ") && out != " " {
		out += " "
	}
	return out
}

// text writes words of anybody.
func (p *page) text(s string) { p.WriteString(safe(s)) }

// open writes a start tag with attributes as name, value, name, value.
func (p *page) open(tag string, attributes ...string) {
	p.WriteString("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		p.WriteString(" " + attributes[i])
		p.WriteString(`="` + safe(attributes[i+1]) + `"`)
	}
	p.WriteString(">")
}

// inline are the elements that stand within a sentence.
var inline = []string{"a", "code", "span", "strong", "time"}

// close writes an end tag, and a line break behind what is no part of a
// sentence.
func (p *page) close(tag string) {
	p.WriteString("</" + tag + ">")
	if !slices.Contains(inline, tag) {
		p.WriteByte('\n')
	}
}

// element writes an element that holds words only.
func (p *page) element(tag, words string, attributes ...string) {
	p.open(tag, attributes...)
	p.text(words)
	p.close(tag)
}

// link writes words that lead to an https address, or the words alone.
func (p *page) link(words, address string) {
	address, ok := render.SafeURL(address)
	if !ok {
		p.text(words)
		return
	}
	p.element("a", words, "href", address, "rel", "noreferrer")
}

// hash is how a content security policy names inline content.
func hash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func itoa(n int) string { return strconv.Itoa(n) }

// many is "1 event" or "3 events".
