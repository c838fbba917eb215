package render

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Dashboard is everything that the dashboard issue says: the whole
// memory of a repository at a glance. Strings may hold anything: they are
// escaped here.
type Dashboard struct {
	Repo   string // "owner/name"; with Number it makes the marker
	Number int    // of the issue; 0: it is not open yet
	Handle string // what commands start with; "": familiar

	Versions []memory.Version // in use or waiting, in any order
	Uses     map[string]int   // document id to how often it shaped a finding
	Ending   []Ending         // lessons that end soon
	Denied   []string         // revoked keys and prefixes
	Notices  []Notice         // what to look at, the worst first

	Generation int64     // of the store; 0: there is none yet
	Expiry     time.Time // of the stored container; zero: not shown
	Problem    string    // why the memory cannot be used, one clause; "": it can
	// Boxes are the tags of the boxes to tick, by Box.Name. A version without
	// one has no box.
	Boxes map[string]string
}

// Ending is a lesson that ends at a time if nobody does anything.
type Ending struct {
	ID string
	At time.Time
}

// Notice is one warning about the memory. Words between backticks become
// code.
type Notice struct {
	Severity string // "error", "warning" or "note"; anything else is shown as a note
	Text     string // sentences: what is so, and what to do
}

// severity is the word that is shown, of a closed set: a colon of ours follows
// it, which would end an emoji code that somebody else's word began.
func (n Notice) severity() string {
	switch n.Severity {
	case "error", "warning":
		return n.Severity
	}
	return "note"
}

// Box is one box to tick on a dashboard.
type Box struct {
	Op      memory.Op // approve or retire
	Version string    // "m-7f3k2q8a@1"
}

// Name is the box in words: what its hidden comment says.
func (b Box) Name() string { return string(b.Op) + " " + b.Version }

// DashboardTitle is the title of the issue.
const DashboardTitle = "What familiar remembers here"

// DashboardMarker returns the first line of a dashboard. What is no part of a
// repository's name or of a tag is left out of it.
func DashboardMarker(repo, tag string) string {
	return "<!-- " + joined(" ", "familiar:dashboard v1", markerWord(repo), markerWord(tag)) + " -->"
}

// DashboardBody returns the body of the issue without its marker, and the
// boxes that are shown. What does not fit into MaxComment is left out lesson
// by lesson, never within one, and counted.
func DashboardBody(m Dashboard) (body Markup, boxes []Box) {
	d := markdownDialect()
	head := m.head(d)
	body.md = head
	for _, s := range fill(m.sections(d), MaxComment-units(head)) {
		body.md += s.markdown(Status{}, d)
		for _, e := range s.shown {
			if e.box != (Box{}) {
				boxes = append(boxes, e.box)
			}
		}
	}
	return body, boxes
}

// head says in two lines how much there is and what can be done here.
func (m Dashboard) head(d dialect) string {
	active, waiting := m.counts()
	line := d.strong(count(active, "lesson")+" in use") + ", " + count(waiting, "proposal") + " waiting for approval."
	if m.Generation == 0 {
		line = d.strong("Nothing is remembered here yet.")
	}
	if m.Problem != "" {
		line = d.strong("The memory cannot be used:") + " " + d.prose(m.Problem)
	}
	if m.Generation > 0 {
		line += " Store: generation " + strconv.FormatInt(m.Generation, 10)
		if !m.Expiry.IsZero() {
			line += ", kept until " + day(m.Expiry) + " and renewed in time while the daily sweep runs"
		}
		line += "."
	}
	out := line + "\n\n"
	if len(m.Boxes) > 0 {
		out += "A box that a maintainer ticks is done at once. "
	}
	return out + "Commands work in comments below: " + d.typed(m.command("remember TEXT")) + ", " + d.typed(m.command("forget m-ID")) +
		", " + d.typed(m.command("help")) + ". The sweep brings this text up to date; what people write into it is overwritten.\n"
}

func (m Dashboard) counts() (active, waiting int) {
	for _, v := range m.Versions {
		switch {
		case v.State == memory.Active && v.Denied == "":
			active++
		case v.State.Pending():
			waiting++
		}
	}
	return active, waiting
}

func (m Dashboard) command(words string) string { return Status{Handle: m.Handle}.command(words) }

// sections returns what there is to say, the most urgent first.
func (m Dashboard) sections(d dialect) []section {
	all := []section{m.notices(d), m.waiting(d), m.ending(d)}
	all = append(all, m.namespaces(d)...)
	all = append(all, m.denied(d))
	return slices.DeleteFunc(all, func(s section) bool { return len(s.entries) == 0 })
}

func (m Dashboard) notices(d dialect) section {
	s := section{kind: refusalsSection, title: "To look at", cut: m.more(d, "more to look at: ", "status")}
	for _, n := range m.Notices {
		s.entries = append(s.entries, entry{lead: joined(" ", d.strong(n.severity()+":"), d.prose(marked(n.Text)))})
	}
	return s
}

func (m Dashboard) waiting(d dialect) section {
	s := section{kind: proposalsSection}
	for _, v := range m.sorted() {
		if !v.State.Pending() {
			continue
		}
		e := proposalEntry(d, v)
		e.lead = m.boxed(&e, memory.OpApprove, v, "approve ") + e.lead
		s.entries = append(s.entries, tailed(e, m.Boxes))
	}
	s.title = count(len(s.entries), "lesson") + " waiting for approval"
	if len(s.entries) > 0 {
		s.after = "Other words: " + d.typed(m.command("approve "+s.entries[0].id+" as: TEXT")) + ". Reject: " + d.typed(m.command("reject "+s.entries[0].id)) + "."
	}
	s.cut = func(_, left []entry) string {
		return count(len(left), "lesson") + " more did not fit here: " + codes(d, entryIDs(left)) + ". Read one with " + d.typed(m.command("show "+left[0].id)) + "."
	}
	return s
}

func (m Dashboard) ending(d dialect) section {
	s := section{kind: remindersSection, title: "Ending soon", cut: m.more(d, "more end soon: ", "list")}
	for _, e := range m.Ending {
		s.entries = append(s.entries, entry{lead: d.code(e.ID) + " ends on " + lastDay(e.At) + ". Does it still hold? " + d.typed(m.command("keep "+e.ID)) + "."})
	}
	return s
}

// unfolded is up to how many lessons in use are shown without a click.
const unfolded = 12

// namespaces are the lessons in use, a section for each namespace.
func (m Dashboard) namespaces(d dialect) []section {
	var out []section
	active, _ := m.counts()
	for _, v := range m.sorted() {
		if v.State != memory.Active {
			continue
		}
		title := v.Key.Namespace()
		if len(out) == 0 || out[len(out)-1].title != title {
			out = append(out, section{kind: lessonsSection, title: title, fold: active > unfolded, cut: m.more(d, "more of this namespace: ", "list")})
		}
		s := &out[len(out)-1]
		e := entry{quote: quoteOf(v), paras: append(directiveWarning(d, v), versionFacts(d, v)...)}
		e.lead = m.boxed(&e, memory.OpRetire, v, "retire ") + joined(" · ", d.strong(d.code(v.DocumentID)), "key "+d.code(keyWords(v)), scopeWords(d, v), pathWords(d, v), learned(d, v), approved(d, v), m.used(v))
		s.entries = append(s.entries, tailed(e, m.Boxes))
	}
	for i := range out {
		name := d.code(out[i].title)
		if out[i].fold {
			name = markerWord(out[i].title) // in HTML, where Markdown is not looked at
		}
		out[i].title = "In use: " + name + " (" + strconv.Itoa(len(out[i].entries)) + ")"
	}
	return out
}

// used says how often a lesson shaped a finding and when a review last read
// it.
func (m Dashboard) used(v memory.Version) string {
	switch n := m.Uses[v.DocumentID]; {
	case v.LastUsed == "" && n == 0:
		return "not used yet"
	case n == 0:
		return "last read on " + Text(v.LastUsed)
	case v.LastUsed == "":
		return "shaped " + count(n, "finding")
	default:
		return "shaped " + count(n, "finding") + ", last read on " + Text(v.LastUsed)
	}
}

func (m Dashboard) denied(d dialect) section {
	s := section{kind: storedSection, title: count(len(m.Denied), "denied key"), fold: true, cut: m.more(d, "more keys are denied: ", "status")}
	for _, key := range m.Denied {
		s.entries = append(s.entries, entry{lead: d.code(key)})
	}
	if len(s.entries) > 0 {
		s.after = "Nothing below these is read or written. An admin lifts one: " + d.typed(m.command("unrevoke KEY")) + "."
	}
	return s
}

// more says how many entries are not shown and which command shows them.
func (m Dashboard) more(d dialect, what, command string) func(shown, left []entry) string {
	return func(_, left []entry) string {
		return strconv.Itoa(len(left)) + " " + what + d.typed(m.command(command)) + "."
	}
}

// sorted are the versions by namespace, key and id, so that the text does not
// depend on the order of anything.
func (m Dashboard) sorted() []memory.Version {
	out := slices.Clone(m.Versions)
	slices.SortStableFunc(out, func(a, b memory.Version) int {
		return cmp.Or(cmp.Compare(a.Key.Namespace(), b.Key.Namespace()), cmp.Compare(a.Key, b.Key), cmp.Compare(a.DocumentID, b.DocumentID), a.Number-b.Number)
	})
	return out
}

// boxed gives an entry its box, where it has a tag, and returns the words
// that stand before its lead.
func (m Dashboard) boxed(e *entry, op memory.Op, v memory.Version, words string) string {
	box := Box{Op: op, Version: v.ID()}
	if m.Boxes[box.Name()] == "" {
		return ""
	}
	e.box = box
	return "[ ] " + words
}

// tailed ends the line of a box with the hidden comment that says which it is.
func tailed(e entry, tags map[string]string) entry {
	if e.box != (Box{}) {
		e.lead += " <!-- familiar:box " + e.box.Name() + " " + markerWord(tags[e.box.Name()]) + " -->"
	}
	return e
}
