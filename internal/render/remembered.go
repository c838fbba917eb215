package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// Match says how many added lines a new check finds, and where.
type Match struct {
	Where   string  // what was searched, in our words: "the last 50 commits"; "": here, the change at hand
	Lines   int     // added lines that match, or changes that miss what they need
	Places  []Place // the first few
	Checked bool    // false: there was nothing to search, and nothing is said
}

// Place is where a new check finds something.
type Place struct {
	At     string // "path:line", or a path
	Commit string // that added it, where a history was searched; ""
}

// Taught is a lesson that was stored, with what it would have found.
type Taught struct {
	Version  memory.Version
	Already  bool // the same command was applied before
	DryRun   bool // nothing was stored
	Replaced []string
	Former   memory.Version // the first that it replaced, as it stood
	Matches  []Match
	// Suggest are lines to add when teaching ("paths: billing/**"), from the
	// change at hand; none on work from a fork.
	Suggest []string
	// Notes are doubts about what was taught, one sentence each.
	Notes []string
}

// Remembered returns the answer to teaching, for a terminal.
func Remembered(t Taught, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	var b strings.Builder
	for _, line := range t.lines(d) {
		b.WriteString(wrap(line, "", "  ", w))
	}
	return b.String()
}

// RememberedProse returns the same answer as the text of an Answer: one
// paragraph in which code stands between backticks.
func RememberedProse(t Taught) string {
	d := terminalDialect(false)
	d.code = func(s string) string { return "`" + strings.ReplaceAll(Plain(s), "`", "'") + "`" }
	d.typed = d.code
	return strings.Join(t.lines(d), " ")
}

func (t Taught) lines(d dialect) []string {
	v := t.Version
	verb := "Remembered as "
	if t.Already {
		verb = "Remembered before as "
	}
	first := verb + d.code(v.DocumentID)
	if t.Already && v.State.Erased() {
		return []string{"Remembered before as " + d.code(v.DocumentID) + ", and forgotten since. Nothing was brought back."}
	}
	if v.DocumentID == "" {
		first = "Would be remembered; this is a dry run, and nothing was stored"
	}
	if v.Check != nil {
		first += ": " + checkWords(d, *v.Check)
	}
	out := []string{first + "."}
	if v.DocumentID == "" && v.Check == nil {
		out = append(out, "It would say: "+d.text(v.Text))
	}
	if v.DocumentID == "" {
		if len(v.Paths) > 0 && v.Check == nil {
			out = append(out, "It would be for "+codes(d, v.Paths)+".")
		}
		out = append(out, "Its key would be "+d.code(keyWords(v))+".")
		out = append(out, versionFacts(d, v)...)
	}
	if len(t.Replaced) > 0 {
		out = append(out, replacing(d, t.Replaced, t.Former, v, t.DryRun)...)
	}
	if v.Check != nil {
		out = append(out, t.matchLines(d)...)
	}
	out = append(out, directiveWarning(d, v)...)
	for _, n := range t.Notes {
		out = append(out, d.prose(n))
	}
	if len(t.Suggest) > 0 {
		out = append(out, "It would be found more surely with "+codes(d, t.Suggest)+".")
	}
	return out
}

// replacing says which versions give way to one that is taught or approved,
// and what of them is not taken over.
func replacing(d dialect, replaced []string, former, now memory.Version, dryRun bool) []string {
	verb := "It replaces "
	if dryRun {
		verb = "It would replace "
	}
	return append([]string{verb + codes(d, replaced) + "."}, droppedLine(d, former, now)...)
}

// Replacing is the same for one line of a terminal, without colour.
func Replacing(replaced []string, former, now memory.Version, dryRun bool) string {
	return strings.Join(replacing(terminalDialect(false), replaced, former, now, dryRun), " ")
}

// droppedLine says what a lesson does not take over from the one that it
// replaces: a command says a lesson whole, and what it leaves out is gone.
func droppedLine(d dialect, former, now memory.Version) []string {
	var gone []string
	for _, list := range []struct {
		line        string
		before, now []string
	}{{"paths", former.Paths, now.Paths}, {"about", former.About, now.About}} {
		if left := without(list.before, list.now); len(left) > 0 {
			gone = append(gone, d.code(list.line+": "+strings.Join(left, ", ")))
		}
	}
	if former.Check != nil && now.Check == nil {
		gone = append(gone, "its rule ("+checkWords(d, *former.Check)+")")
	}
	if !former.ValidUntil.IsZero() && now.ValidUntil.IsZero() {
		gone = append(gone, "its end ("+lastDay(former.ValidUntil)+")")
	}
	if len(gone) == 0 {
		return nil
	}
	return []string{"What that had and this has not: " + strings.Join(gone, ", ") + ". Say it again with them to keep them."}
}

// without are the members of a list that another one lacks.
func without(list, other []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			out = append(out, s)
		}
	}
	return out
}

// shownPlaces bounds the places named for one search.
const shownPlaces = 3

func (t Taught) matchLines(d dialect) []string {
	var out []string
	for _, m := range t.Matches {
		if !m.Checked {
			continue
		}
		line := "It matches " + t.matched(m.Lines) + " " + m.where(d)
		if n := len(m.Places); n > 0 {
			line += ": " + places(d, m.Places[:min(n, shownPlaces)])
			if m.Lines > shownPlaces && n >= shownPlaces {
				line += " and " + strconv.Itoa(m.Lines-shownPlaces) + " more"
			}
		}
		out = append(out, line+".")
	}
	return out
}

// places names them, each with its commit, since the file may say something
// else by now.
func places(d dialect, list []Place) string {
	var out []string
	for _, p := range list {
		at := d.code(p.At)
		if p.Commit != "" {
			at += " at " + d.code(shortSHA(p.Commit))
		}
		out = append(out, at)
	}
	return strings.Join(out, ", ")
}

// where says what was searched; nothing means the change at hand.
func (m Match) where(d dialect) string {
	if m.Where == "" {
		return "here"
	}
	return "in " + d.text(m.Where)
}

func (t Taught) matched(n int) string {
	thing := "added line"
	if t.Version.Check.Kind == memory.CheckWith {
		thing = "change"
	}
	if n == 0 {
		return "no " + thing
	}
	return count(n, thing)
}
