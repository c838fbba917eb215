package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// document is one lesson with all its versions, the first one first.
type document struct {
	id       string
	versions []memory.Version
	owner    string
}

// current is the version that counts: the one in use, else the last.
func (d document) current() memory.Version {
	for _, v := range slices.Backward(d.versions) {
		if v.State == memory.Active {
			return v
		}
	}
	return d.versions[len(d.versions)-1]
}

// documents are the lessons, the latest first.
func documents(all []memory.Version) []document {
	at := map[string]int{}
	var out []document
	for _, v := range all {
		i, known := at[v.DocumentID]
		if !known {
			i = len(out)
			at[v.DocumentID] = i
			out = append(out, document{id: v.DocumentID})
		}
		out[i].versions = append(out[i].versions, v)
	}
	for i := range out {
		slices.SortStableFunc(out[i].versions, func(a, b memory.Version) int { return cmp.Compare(a.Number, b.Number) })
		out[i].owner = memory.Nobody
		if p := memory.Owner(out[i].versions); p.ID > 0 {
			out[i].owner = p.Login
		}
	}
	slices.SortStableFunc(out, func(a, b document) int {
		return cmp.Or(b.current().Since().Compare(a.current().Since()), strings.Compare(a.id, b.id))
	})
	return out
}

// filter is one list of words to choose from.
type filter struct {
	name, label string
	of          func(document) string
}

func filters(r Report) []filter {
	return []filter{
		{"state", "State", func(d document) string { return render.Stands(d.current()) }},
		{"namespace", "Namespace", func(d document) string { return d.current().Key.Namespace() }},
		{"class", "Class", func(d document) string { return string(d.current().Class) }},
		{"owner", "Owner", func(d document) string { return d.owner }},
		{"use", "Use", func(d document) string {
			if r.Uses[d.id] > 0 {
				return "shaped a finding"
			}
			return "never shaped a finding"
		}},
	}
}

func (p *page) lessons(docs []document, r Report) {
	list := filters(r)
	p.open("section", "aria-labelledby", "lessons")
	p.element("h2", "Lessons", "id", "lessons")
	p.open("form", "id", "filters", "role", "search", "aria-label", "Filter the lessons")
	p.open("label")
	p.text("Search ")
	p.open("input", "type", "search", "id", "search", "autocomplete", "off")
	p.close("label")
	for _, f := range list {
		p.choices(f, docs)
	}
	p.close("form")
	p.element("p", fmt.Sprintf("%d of %d lessons", len(docs), len(docs)), "id", "count", "role", "status", "aria-live", "polite")
	p.open("div", "id", "list")
	events := map[string][]render.Event{}
	for _, e := range r.Events {
		id, _, _ := strings.Cut(e.Target, "@")
		events[id] = append(events[id], e)
	}
	for _, d := range docs {
		p.lesson(d, list, r, events[d.id])
	}
	p.close("div")
	p.close("section")
}

// choices writes a list to choose from, of the words that occur.
func (p *page) choices(f filter, docs []document) {
	seen := map[string]bool{}
	for _, d := range docs {
		seen[f.of(d)] = true
	}
	words := make([]string, 0, len(seen))
	for w := range seen {
		words = append(words, w)
	}
	slices.Sort(words)
	p.open("label")
	p.text(f.label + " ")
	p.open("select", "data-filter", f.name)
	p.element("option", "all", "value", "")
	for _, w := range words {
		p.element("option", w, "value", w)
	}
	p.close("select")
	p.close("label")
}

func (p *page) lesson(d document, list []filter, r Report, events []render.Event) {
	v := d.current()
	attributes := []string{"id", d.id}
	for _, f := range list {
		attributes = append(attributes, "data-"+f.name, f.of(d))
	}
	p.open("article", attributes...)
	p.open("h3")
	p.element("code", d.id)
	state := render.Stands(v)
	p.text(" ")
	p.element("span", state, "class", "badge "+badge(state))
	p.close("h3")
	p.element("p", render.LessonWords(v), "class", "words")
	p.open("p", "class", "quiet")
	p.element("code", render.KeyWords(v))
	p.text(fmt.Sprintf(" · owner %s · shaped %s", d.owner, render.Count(r.Uses[d.id], "finding")))
	p.close("p")
	p.open("details")
	p.element("summary", fmt.Sprintf("Where it came from (%s, %s)", render.Count(len(d.versions), "version"), render.Count(len(events), "event")))
	for _, v := range d.versions {
		p.version(v)
	}
	p.history(events)
	p.close("details")
	p.close("article")
}

func (p *page) version(v memory.Version) {
	p.element("h4", v.ID()+" "+render.Stands(v))
	if v.State.Erased() {
		p.element("p", "Its text was overwritten.")
		return
	}
	p.element("p", render.LessonWords(v), "class", "words")
	p.open("ul")
	for _, fact := range render.LessonFacts(v) {
		p.element("li", fact)
	}
	if v.ConfirmedThrough.URL != "" {
		p.open("li")
		p.link("Where it was approved", v.ConfirmedThrough.URL)
		p.close("li")
	}
	if v.Provenance.PullRequest > 0 {
		p.element("li", fmt.Sprintf("From pull request %d, head %.10s.", v.Provenance.PullRequest, v.Provenance.Head))
	}
	p.close("ul")
}

// history lists what happened to one lesson, the first first.
func (p *page) history(events []render.Event) {
	if len(events) == 0 {
		return
	}
	slices.SortStableFunc(events, func(a, b render.Event) int { return a.At.Compare(b.At) })
	p.open("ol", "class", "events")
	for _, e := range events {
		p.event(e, false)
	}
	p.close("ol")
}

func (p *page) event(e render.Event, linked bool) {
	p.open("li")
	p.element("time", when(e.At), "datetime", e.At.UTC().Format("2006-01-02T15:04:05Z"))
	p.text(" " + e.Deed())
	if e.Actor.Login != "" {
		p.text(" by " + e.Actor.Login)
	}
	if id, _, _ := strings.Cut(e.Target, "@"); id != "" {
		p.text(" ")
		if _, _, ok := memory.ParseID(id); ok && linked {
			p.element("a", e.Target, "href", "#"+id)
		} else {
			p.element("code", e.Target)
		}
	}
	if e.Detail != "" {
		p.element("span", " "+e.Detail, "class", "quiet")
	}
	p.close("li")
}

// told are the operations that the timeline tells.
var told = []string{"remember", "approve", "reject", "edit", "forget", "redact", "purge", "revoke", "unrevoke", "retire", "restore", "recover"}

// timeline lists approvals and forgettings, the latest first.
func (p *page) timeline(all []render.Event) {
	var events []render.Event
	for _, e := range all {
		if e.Reason == "" && slices.Contains(told, e.Op) {
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b render.Event) int { return b.At.Compare(a.At) })
	p.open("section", "aria-labelledby", "timeline")
	p.element("h2", "Approvals and forgettings", "id", "timeline")
	p.open("ol", "class", "events")
	for _, e := range events[:min(len(events), maxTimeline)] {
		p.event(e, true)
	}
	p.close("ol")
	if more := len(events) - maxTimeline; more > 0 {
		p.element("p", fmt.Sprintf("And %d earlier ones.", more))
	}
	p.close("section")
}
