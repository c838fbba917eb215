package render

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Trace is what a lesson did: the findings that it shaped, the latest first,
// and what maintainers said of findings with it.
type Trace struct {
	Uses         []Use
	Dispositions []Disposition
}

// Use is one finding of one review that a lesson shaped.
type Use struct {
	Finding string // fingerprint
	Day     string // 2026-11-30
	Number  int    // pull request; 0: a clone
	Head    string // commit; "": a work tree
}

// Disposition is a maintainer's word on a finding.
type Disposition struct {
	Kind    memory.Op // accept, dismiss or correct
	Finding string    // fingerprint
	Lesson  string    // document; "" where none was given
	Number  int
	By      string
	At      time.Time
	Holds   bool   // a dismissal that keeps the finding away now
	Text    string // of the lesson, where its words are to be shown; ""
}

// WhyFinding is what is known of one finding.
type WhyFinding struct {
	ID           string // "F2"
	Path         string // "" where the change does not have it any more
	Line         int
	Number       int    // of the pull request; 0: a clone
	Head         string // at which it was shown
	Gone         bool   // the last review did not find it
	Lessons      []memory.Version
	Missing      []string // ids of lessons that are not there any more
	Dispositions []Disposition
	Away         string // the lesson that keeps it away; "": it is shown
	Now          time.Time
}

// LessonTrace says in a few lines what a lesson did so far. It is shown below
// the lesson itself.
func LessonTrace(t Trace, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	for _, line := range traceLines(d, t) {
		b.WriteString(wrap(line, "", "", w))
	}
	return b.String()
}

// shownDispositions bounds the words of maintainers that are shown.
const shownDispositions = 10

func traceLines(d dialect, t Trace) []string {
	out := []string{"It has shaped no finding yet."}
	if len(t.Uses) > 0 {
		last := lastUse(t.Uses)
		out[0] = "It shaped " + count(distinctFindings(t.Uses), "finding") + " in " + count(distinctReviews(t.Uses), "review") +
			", last on " + joined(" ", d.text(last.Day), bracketed(whereUsed(d, last.Number, last.Head))) + "."
	}
	for i, x := range t.Dispositions {
		if i == shownDispositions {
			out = append(out, "And "+count(len(t.Dispositions)-i, "more finding")+".")
			break
		}
		out = append(out, dispositionLine(d, x, false))
	}
	return out
}

// lastUse is the last day of use, and where it was as far as that is one
// place: of several uses on one day none is known to be the last.
func lastUse(uses []Use) Use {
	last := uses[0]
	for _, u := range uses[1:] {
		if u.Day != last.Day {
			continue
		}
		if u.Number != last.Number {
			last.Number, last.Head = 0, ""
		}
		if u.Head != last.Head {
			last.Head = ""
		}
	}
	return last
}

func whereUsed(d dialect, number int, head string) string {
	where := ""
	if number > 0 {
		where = "pull request " + strconv.Itoa(number)
	}
	if head != "" {
		where = joined(" at ", where, d.code(shortSHA(head)))
	}
	return where
}

func distinctFindings(uses []Use) int {
	seen := map[string]bool{}
	for _, u := range uses {
		seen[u.Finding] = true
	}
	return len(seen)
}

func distinctReviews(uses []Use) int {
	type review struct {
		number int
		head   string
		day    string
	}
	seen := map[review]bool{}
	for _, u := range uses {
		r := review{u.Number, u.Head, ""}
		if u.Head == "" {
			r.day = u.Day // a work tree has no commit to tell two looks apart
		}
		seen[r] = true
	}
	return len(seen)
}

// dispositionWords say what a maintainer did.
var dispositionWords = map[memory.Op]string{memory.OpAccept: "Accepted", memory.OpDismiss: "Dismissed", memory.OpCorrect: "Corrected"}

// dispositionLine is "Dismissed by mara on 2026-11-30 (pull request 7): ...".
func dispositionLine(d dialect, x Disposition, named bool) string {
	what := dispositionWords[x.Kind]
	if what == "" {
		what = "Noted"
	}
	line := what + " by " + d.text(x.By) + " on " + joined(" ", day(x.At), bracketed(whereUsed(d, x.Number, "")))
	if !named {
		line = "A finding was " + lowerFirst(line)
	}
	switch {
	case x.Kind == memory.OpDismiss && x.Holds:
		line += ", because of " + d.code(x.Lesson) + ", which lives: it is not shown again"
	case x.Kind == memory.OpDismiss && x.Lesson != "":
		line += ", because of " + d.code(x.Lesson) + ", which keeps nothing away any more"
	case x.Lesson != "":
		line += ", with the lesson " + d.code(x.Lesson)
	}
	return line + "."
}

// FindingTrace says why a finding was raised, and what became of it: place,
// the lessons that shaped it, and what maintainers said.
func FindingTrace(f WhyFinding, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	place := f.Path
	if place != "" && f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if place != "" {
		place = d.code(place)
	}
	b.WriteString(wrap(joined(" · ", d.strong(d.text(f.ID)), place, whereUsed(d, f.Number, f.Head)), "", "    ", w))
	for _, line := range f.lines(d) {
		b.WriteString(wrap(line, "", "", w))
	}
	for _, v := range f.Lessons {
		lead := joined(" · ", d.code(v.DocumentID), d.text(otherState(v)), learned(d, v), approved(d, v))
		b.WriteString(entry{lead: lead, quote: quoteOf(v), paras: ruleLine(d, v)}.terminal(w))
	}
	return b.String()
}

// otherState is a state worth naming: what is in use goes without saying.
func otherState(v memory.Version) string {
	if v.State == memory.Active && v.Denied == "" {
		return ""
	}
	return strings.TrimPrefix(stands(v), "active, ")
}

func (f WhyFinding) lines(d dialect) []string {
	var out []string
	switch {
	case f.Away != "":
		out = append(out, "It is dismissed, and not shown while "+d.code(f.Away)+" lives.")
	case f.Gone:
		out = append(out, "The last review did not find it any more.")
	}
	for _, x := range f.Dispositions[:min(len(f.Dispositions), shownDispositions)] {
		out = append(out, dispositionLine(d, x, true))
	}
	if len(f.Missing) > 0 {
		out = append(out, "Of what shaped it, nothing is left of "+codes(d, f.Missing)+".")
	}
	shaped := slices.DeleteFunc(slices.Clone(f.Lessons), func(v memory.Version) bool { return v.DocumentID == f.Away })
	switch {
	case len(shaped) > 0 && f.Away != "":
		out = append(out, "The lessons about it:")
	case len(f.Lessons) > 0 && len(shaped) == 0:
		out = append(out, "No lesson raised it; the one that dismissed it:")
	case len(shaped) > 0:
		out = append(out, "Because of what was taught:")
	case len(f.Missing) == 0:
		out = append(out, "No lesson shaped it: it comes from a rule, or from the reviewer alone.")
	}
	return out
}

// Disposed is what became of accept, dismiss or correct.
type Disposed struct {
	Kind    memory.Op
	Finding string // "F2"
	Lesson  string // document; "" where none was given
	Known   bool   // the lesson was there before
	Already bool   // the command was done before
	Checked bool   // the record of the review bears the finding out
	Undone  string // the lesson that kept the finding away until now; "": none did
	Doubt   string // why it could not be looked at (a clause); "": it could, or there is none
}

// staysAway is what dismissing does, and for how long (decision 0013).
const staysAway = "It is not shown again while that lesson lives, or until you accept or correct it."

// standsBelow is what correcting does, and for how long.
const standsBelow = "The finding says so while that lesson lives."

// DisposedProse is the answer to accept, dismiss and correct.
func DisposedProse(x Disposed) string {
	finding, lesson := x.Finding, "`"+x.Lesson+"`"
	out := ""
	switch {
	case x.Kind == memory.OpDismiss && x.Known:
		out = "Dismissed " + finding + ": " + lesson + " says so already. " + staysAway
	case x.Kind == memory.OpDismiss:
		out = "Dismissed " + finding + ", and remembered why as " + lesson + ". " + staysAway
	case x.Kind == memory.OpCorrect && x.Known:
		out = "Noted what " + finding + " should have been: " + lesson + " says so already. " + standsBelow
	case x.Kind == memory.OpCorrect:
		out = "Noted what " + finding + " should have been, and remembered it as " + lesson + ". " + standsBelow
	case x.Lesson != "" && x.Known:
		out = "Noted that " + finding + " is right: " + lesson + " says so already."
	case x.Lesson != "":
		out = "Noted that " + finding + " is right, and remembered " + lesson + "."
	default:
		out = "Noted that " + finding + " is right."
	}
	if x.Already {
		out += " (It was done before.)"
	}
	if x.Undone != "" {
		out += " It is shown again; `" + x.Undone + "` keeps it away no longer, and is taken out of use with `forget " + x.Undone + "`."
	}
	if x.Doubt != "" {
		out += " The record of that review was not looked at: " + x.Doubt + "."
	}
	return out
}
