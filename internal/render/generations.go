package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Event is one applied or refused operation on a memory, or one use of a
// lesson.
type Event struct {
	At     time.Time
	Op     string
	Reason memory.Reason // why it was refused; "": it was done
	Target string        // version or document id
	Actor  memory.Principal
	Detail string
}

// done says in the past tense what an operation did.
var done = map[string]string{
	"remember": "taught", "propose": "proposed", "approve": "approved", "reject": "rejected", "forget": "forgotten", "edit": "edited",
	"retire": "retired", "keep": "kept", "redact": "redacted", "purge": "purged", "revoke": "revoked", "unrevoke": "lifted a denial",
	"import": "imported", "accept": "a finding accepted", "dismiss": "a finding dismissed", "correct": "a finding corrected",
	"lapse": "lapsed", "expire": "expired", "announce": "its end announced", "age": "ended by age", "idle": "ended unused", "fade": "text redacted by age",
	"horizon": "old audit rows gone", "restore": "a snapshot restored", "recover": "recovered", "uninstall": "uninstalled",
}

// Deed says what an event was: "approved", "forget refused (not_yours)".
func (e Event) Deed() string {
	if e.Reason != "" {
		return e.Op + " refused (" + string(e.Reason) + ")"
	}
	if words, ok := done[e.Op]; ok {
		return words
	}
	return e.Op
}

// EventList returns what happened to a lesson, a line each.
func EventList(events []Event, opts TerminalOptions) string {
	if len(events) == 0 {
		return ""
	}
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	b.WriteString("\n" + d.strong("History") + "\n")
	for _, e := range events {
		line := e.At.UTC().Format("2006-01-02 15:04") + "  " + d.text(e.Deed())
		if e.Actor.Login != "" {
			line += " by " + d.text(e.Actor.Login)
		}
		if e.Target != "" {
			line += ", " + d.code(e.Target)
		}
		if e.Detail != "" {
			line += " (" + d.text(e.Detail) + ")"
		}
		b.WriteString(wrap(line, "  ", "                    ", w))
	}
	return b.String()
}

// Changes returns for a terminal what differs between two generations.
func Changes(before, after int64, changes []memory.Change, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	head := fmt.Sprintf("From generation %d to %d: %s", before, after, count(len(changes), "difference"))
	if len(changes) == 0 {
		return wrap(head+".", "", "", w)
	}
	b.WriteString(wrap(d.strong(head+"."), "", "", w))
	for _, c := range changes {
		b.WriteString(wrap(changeLead(d, c), "", "    ", w))
		if v := c.Version(); c.Kind == memory.ChangeAdded || c.Kind == memory.ChangeGone {
			b.WriteString(wrap(d.text(excerpt(v.Text, 3*(w-4))), "    ", "    ", w))
		}
	}
	return b.String()
}

func changeLead(d dialect, c memory.Change) string {
	v := c.Version()
	id := d.strong(v.ID())
	switch c.Kind {
	case memory.ChangeAdded:
		return "+ " + id + " " + d.text(string(v.State)) + ", key " + d.code(keyWords(v))
	case memory.ChangeGone:
		return "- " + id + " is not there any more, was " + d.text(string(v.State)) + ", key " + d.code(keyWords(v))
	case memory.ChangeMoved:
		return "~ " + id + " was " + d.text(string(c.Before.State)) + ", is " + d.text(string(v.State))
	case memory.ChangeKept:
		return "~ " + id + " " + strings.Join(keepWords(d, c), ", ")
	case memory.ChangeRevoked:
		return "! " + d.code(c.Prefix) + " is revoked"
	case memory.ChangeLifted:
		return "! " + d.code(c.Prefix) + " is no longer revoked"
	}
	return "? " + id
}

// keepWords say what a keep changed.
func keepWords(d dialect, c memory.Change) []string {
	var out []string
	if c.Before.Class != c.After.Class {
		out = append(out, "class was "+d.text(string(c.Before.Class))+", is "+d.text(string(c.After.Class)))
	}
	if !c.Before.ValidUntil.Equal(c.After.ValidUntil) {
		out = append(out, "ended "+endWords(c.Before.ValidUntil)+", ends "+endWords(c.After.ValidUntil))
	}
	if !c.Before.RenewedAt.Equal(c.After.RenewedAt) {
		out = append(out, "renewed on "+day(c.After.RenewedAt))
	}
	return out
}

func endWords(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return "on " + day(t)
}

type changeJSON struct {
	Kind   memory.ChangeKind `json:"kind"`
	Before *lessonJSON       `json:"before"`
	After  *lessonJSON       `json:"after"`
	Prefix string            `json:"prefix"`
}

// ChangesJSON returns the differences for machines: {"version", "before",
// "after", "changes": [{"kind", "before", "after", "prefix"}]}.
func ChangesJSON(before, after int64, changes []memory.Change) ([]byte, error) {
	lesson := func(v memory.Version) *lessonJSON {
		if v.DocumentID == "" {
			return nil
		}
		return &wireLessons([]memory.Version{v})[0]
	}
	return encode(struct {
		Version int          `json:"version"`
		Before  int64        `json:"before"`
		After   int64        `json:"after"`
		Changes []changeJSON `json:"changes"`
	}{JSONVersion, before, after, each(changes, func(c memory.Change) changeJSON {
		return changeJSON{c.Kind, lesson(c.Before), lesson(c.After), c.Prefix}
	})})
}

type eventJSON struct {
	At     string        `json:"at"`
	Op     string        `json:"operation"`
	Reason memory.Reason `json:"refused"`
	Target string        `json:"target"`
	By     string        `json:"by"`
	Detail string        `json:"detail"`
}

// LessonJSON returns one lesson with its history: {"version", "lessons",
// "history"}.
func LessonJSON(versions []memory.Version, events []Event) ([]byte, error) {
	return encode(struct {
		Version int          `json:"version"`
		Lessons []lessonJSON `json:"lessons"`
		History []eventJSON  `json:"history"`
	}{JSONVersion, wireLessons(versions), each(events, func(e Event) eventJSON {
		return eventJSON{moment(e.At), e.Op, e.Reason, e.Target, e.Actor.Login, e.Detail}
	})})
}

// ExportMarkdown returns lessons as a Markdown page that a person reads: by
// namespace, those in use before those that wait, each in full. What was
// overwritten is left out.
func ExportMarkdown(h memory.ExportHeader, versions []memory.Version) string {
	d := markdownDialect()
	var b strings.Builder
	fmt.Fprintf(&b, "# Lessons of %s\n\nGeneration %d.\n", Text(h.Repository), h.Generation)
	for _, space := range namespaces(versions) {
		fmt.Fprintf(&b, "\n## %s\n", Text(space))
		for _, v := range versions {
			if v.Key.Namespace() != space || v.State.Erased() {
				continue
			}
			fmt.Fprintf(&b, "\n### %s\n\n", Code(v.ID()))
			if q := quoteOf(v); q != "" {
				b.WriteString(Quote(q) + "\n\n")
			}
			lead := joined(", ", d.text(string(v.State)), "key "+d.code(keyWords(v)), pathWords(d, v))
			b.WriteString("- " + upperFirst(lead) + ".\n")
			for _, fact := range facts(d, v) {
				b.WriteString("- " + fact + "\n")
			}
		}
	}
	return b.String()
}

// namespaces are those of the versions that have their text, in order.
func namespaces(versions []memory.Version) []string {
	seen := map[string]bool{}
	for _, v := range versions {
		if !v.State.Erased() {
			seen[v.Key.Namespace()] = true
		}
	}
	return sortedKeys(seen)
}

// Visible returns lines of JSON with what cannot be seen written out, so that
// they do no harm in a terminal and mean the same.
func Visible(data []byte) []byte { return escapeHidden(data) }

// SafeURL returns an https address of which nothing can end a link, or false.
func SafeURL(s string) (string, bool) { return safeURL(s) }

// Stands is what a version is called: its state, and "revoked" where a denial
// keeps it from being read.
func Stands(v memory.Version) string { return stands(v) }

// LessonWords is what a lesson says, in plain words: its text, or that of its
// check.
func LessonWords(v memory.Version) string {
	if q := quoteOf(v); q != "" {
		return q
	}
	return checkWords(plainDialect(), *v.Check)
}

// LessonFacts are the sentences about a lesson below its words, in plain
// words: its check, what differs from the default, and where it came from.
func LessonFacts(v memory.Version) []string { return facts(plainDialect(), v) }

// plainDialect is that of a surface which escapes for itself.
func plainDialect() dialect {
	same := func(s string) string { return s }
	return dialect{text: same, prose: same, code: same, typed: same, strong: same, link: func(string, string) string { return "" }}
}

// KeyWords is the key of a lesson without the coordinates of the repository.
func KeyWords(v memory.Version) string { return keyWords(v) }
