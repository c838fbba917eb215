package report

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// HTML returns the page. It is whole in itself: its policy lets it load and
// send nothing, and run the one script that is in it.
func HTML(r Report) []byte {
	p := &page{}
	p.head(r)
	p.open("body")
	p.element("a", "Skip to the lessons", "class", "skip", "href", "#lessons")
	p.open("header")
	p.element("h1", "What is remembered of "+r.Repository)
	p.element("p", fmt.Sprintf("Generation %d, store %.8s. Made on %s by %s.", r.Generation, r.StoreID, when(r.Made), r.Tool))
	p.close("header")
	p.open("main")
	docs := documents(r.Versions)
	p.contents(r)
	p.numbers(docs, r)
	p.health(r.Health)
	p.lessons(docs, r)
	p.plots(weeks(r))
	p.timeline(r.Events)
	p.denied(r.Denied, r.Versions)
	p.generations(r.Generations)
	p.close("main")
	p.WriteString("<script>" + script + "</script>\n")
	p.close("body")
	p.close("html")
	return []byte(p.String())
}

func (p *page) head(r Report) {
	p.WriteString("<!doctype html>\n")
	p.open("html", "lang", "en")
	p.open("head")
	p.WriteString("<meta charset=\"utf-8\">\n")
	p.open("meta", "http-equiv", "Content-Security-Policy", "content",
		"default-src 'none'; style-src "+hash(style)+"; script-src "+hash(script)+"; base-uri 'none'; form-action 'none'")
	p.WriteString("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
	p.element("title", "Memory of "+r.Repository)
	p.WriteString("<style>" + style + "</style>\n")
	p.close("head")
}

// contents lead to the parts of the page, which are far apart where a memory
// is large.
func (p *page) contents(r Report) {
	p.open("nav", "aria-label", "On this page")
	for _, part := range []struct {
		id, title string
		there     bool
	}{{"health", "Health", true}, {"lessons", "Lessons", true}, {"weeks", "Weeks", true}, {"timeline", "Approvals and forgettings", true}, {"revoked", "Revoked", len(r.Denied) > 0}, {"generations", "Generations", true}} {
		if part.there {
			p.element("a", part.title, "href", "#"+part.id)
			p.text(" ")
		}
	}
	p.close("nav")
}

// numbers are the figures that somebody asks for first.
func (p *page) numbers(docs []document, r Report) {
	var active, pending, auto, gone, used, revoked int
	for _, d := range docs {
		switch v := d.current(); {
		case v.State == memory.Active && v.Denied != "":
			revoked++
		case v.State == memory.Active:
			active++
			if v.Approved == memory.ApprovedAuto {
				auto++
			}
			if r.Uses[d.id] > 0 {
				used++
			}
		case v.State.Pending():
			pending++
		case v.State.Erased():
			gone++
		}
	}
	p.open("ul", "class", "numbers", "aria-label", "In numbers")
	_, denied, _ := strings.Cut(render.Count(len(r.Denied), "denied key"), " ")
	for _, n := range []struct {
		n    int
		what string
	}{{active, "in use"}, {used, "of them shaped a finding"}, {pending, "wait for approval"}, {auto, "stored without approval"}, {gone, "forgotten"}, {revoked, "revoked"}, {len(r.Denied), denied}} {
		p.open("li")
		p.element("strong", itoa(n.n))
		p.text(" " + n.what)
		p.close("li")
	}
	p.close("ul")
}

func (p *page) health(list []Finding) {
	p.open("section", "aria-labelledby", "health")
	p.element("h2", "Health", "id", "health")
	if len(list) == 0 {
		p.element("p", "Nothing is wrong with the lessons that could be told from here.")
	}
	p.findings(list[:min(len(list), maxFindings)])
	if rest := list[min(len(list), maxFindings):]; len(rest) > 0 {
		p.open("details")
		p.element("summary", fmt.Sprintf("And %d more", len(rest)))
		p.findings(rest)
		p.close("details")
	}
	p.close("section")
}

// maxFindings is how many findings of health stand open; the others fold.
const maxFindings = 20

// maxLinks bounds how many lessons one finding leads to.
const maxLinks = 10

func (p *page) findings(list []Finding) {
	p.open("ul", "class", "findings")
	for _, f := range list {
		p.open("li")
		p.element("span", f.Severity, "class", "badge "+badge(f.Severity))
		p.text(" " + f.Message + " ")
		p.element("span", f.Fix, "class", "quiet")
		for _, id := range f.Lessons[:min(len(f.Lessons), maxLinks)] {
			p.text(" ")
			p.element("a", id, "href", "#"+id)
		}
		p.close("li")
	}
	p.close("ul")
}

// badge is the class of a severity or state; a word that is none has none.
func badge(word string) string {
	switch word {
	case "error", string(memory.Tombstoned), string(memory.Rejected):
		return "bad"
	case "warning", string(memory.Draft), string(memory.ReviewRequired):
		return "warn"
	case string(memory.Active):
		return "good"
	}
	return "plain"
}

// maxTimeline bounds the timeline; the rest is counted.
const maxTimeline = 500

func (p *page) denied(list []string, versions []memory.Version) {
	if len(list) == 0 {
		return
	}
	p.open("section", "aria-labelledby", "revoked")
	p.element("h2", "Revoked", "id", "revoked")
	p.open("ul")
	for _, prefix := range list {
		p.open("li")
		p.element("code", prefix)
		p.text(" " + render.Count(len(memory.Below(prefix, versions)), "lesson"))
		p.close("li")
	}
	p.close("ul")
	p.close("section")
}

func (p *page) generations(list []Generation) {
	p.open("section", "aria-labelledby", "generations")
	p.element("h2", "Generations", "id", "generations")
	p.open("div", "class", "wide", "tabindex", "0", "role", "group", "aria-label", "Table of generations")
	p.open("table")
	p.row("th", "Generation", "Where", "Made", "Expires", "Lessons", "In use", "Waiting", "By", "Digest")
	for _, g := range list {
		expires := "never"
		if !g.Expires.IsZero() {
			expires = when(g.Expires)
		}
		p.row("td", fmt.Sprint(g.Number), g.Where, when(g.Made), expires, itoa(g.Lessons), itoa(g.Active), itoa(g.Pending), g.By, fmt.Sprintf("%.12s", g.Digest))
	}
	p.close("table")
	p.close("div")
	p.close("section")
}

// row writes a row of a table, of words only.
func (p *page) row(cell string, words ...string) {
	p.open("tr")
	for _, w := range words {
		if cell == "th" {
			p.element(cell, w, "scope", "col")
			continue
		}
		p.element(cell, w)
	}
	p.close("tr")
}

func when(t time.Time) string {
	if t.IsZero() {
		return "a time that is not known"
	}
	return t.UTC().Format("2006-01-02 15:04")
}
