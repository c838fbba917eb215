package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// What is written has the bounds of what is read: a row that the check of a
// file's rows would refuse makes the whole file unreadable, so it is refused
// here, by the same check, before it is one (page 4.5).

// datable says whether a time can be stored: one from outside these bounds
// would not be read again.
func datable(t time.Time) bool { return millis(t) > 0 && millis(t) <= lastTime }

// part is one string of a lesson beside its text, by the name that people give
// it.
type part struct {
	name, s string
	oneLine bool
	instead string // what to write in place of what is hidden
}

// partsOf are the strings that a lesson is stored with.
func partsOf(n *memory.NewLesson) []part {
	const again = "write it again without it"
	var out []part
	list := func(name, instead string, values ...string) {
		for _, s := range values {
			out = append(out, part{name, s, true, instead})
		}
	}
	const inGlob = again + ", or write `?` in its place, which stands for any one character"
	list("`paths:`", inGlob, n.Paths...)
	list("`about:`", again, n.About...)
	for _, c := range n.Citations {
		list("a citation", again, c.Path, c.Commit, c.Digest)
	}
	if c := n.Check; c != nil {
		list("the pattern", again+", or with `regex: yes` by its number, such as `\\x{200B}`", c.Pattern)
		list("what is preferred", again, c.Prefer)
		list("the glob", inGlob, c.In...)
		list("`with:`", inGlob, c.With...)
		list("`because:`", again, c.Because)
		for _, s := range slices.Concat(c.Bad, c.Good) {
			out = append(out, part{"an example", s, false, again})
		}
	}
	return out
}

// loads refuses a lesson whose rows would not be read again, and names what is
// wrong with it and what to write.
func loads(n *memory.NewLesson) *memory.Refusal {
	for _, p := range partsOf(n) {
		if plain(p.s) {
			continue
		}
		if hidden := text.FirstHidden(p.s, p.oneLine); hidden != "" {
			return &memory.Refusal{Reason: memory.ReasonUnsafeText,
				Detail: fmt.Sprintf("In the lesson, %s holds %s, which hides or reorders what people read; %s. Nothing was stored.", p.name, hidden, p.instead)}
		}
	}
	column, problem, err := rowProblem(n)
	switch {
	case err != nil:
		problem = err.Error()
	case problem == "":
		return nil
	case column == "valid_until":
		return &memory.Refusal{Reason: memory.ReasonContentInvalid,
			Detail: "The end of the lesson cannot be stored: `until:` takes a day from " + memory.FirstDay + " to " + memory.LastDay + ". Nothing was stored."}
	}
	return &memory.Refusal{Reason: memory.ReasonContentInvalid,
		Detail: fmt.Sprintf("The lesson cannot be stored, since it %s; make that shorter or simpler. Nothing was stored.", problem)}
}

// rowProblem holds the columns of a lesson against the checks of a file's
// rows.
func rowProblem(n *memory.NewLesson) (column, problem string, err error) {
	encoded, err := encodeLists(n)
	if err != nil {
		return "", "", err
	}
	version := make([]field, len(columnsOf("versions")))
	for i, s := range map[int]string{verText: n.Text, verPaths: encoded.paths, verAbout: encoded.about, verCitations: encoded.citations} {
		version[i] = field{kind: isText, s: s}
	}
	if rule, ok := encoded.rule.(string); ok {
		version[verRule] = field{kind: isText, s: rule}
	}
	document := make([]field, len(columnsOf("documents")))
	document[docKey] = field{kind: isText, s: storedKey(n.Key)}
	if !n.ValidUntil.IsZero() {
		document[docUntil] = field{kind: isInt, i: n.ValidUntil.UnixMilli()}
	}
	if column, problem, err = columnProblem("documents", document); err != nil || problem != "" {
		return column, problem, err
	}
	if column, problem, err = columnProblem("versions", version); err != nil || problem != "" {
		return column, problem, err
	}
	return "", lists(version), nil
}

// columnProblem holds those columns of a row that are set against the checks of
// their own.
func columnProblem(name string, row []field) (column, problem string, err error) {
	at := slices.IndexFunc(tables, func(t table) bool { return t.name == name })
	known, err := checksOf(tables[at])
	if err != nil {
		return "", "", err
	}
	var c rowCheck
	for i := range row {
		if row[i].kind == isNull {
			continue
		}
		if problem := c.column(&known[i], &row[i]); problem != "" {
			return known[i].name, problem, nil
		}
	}
	return "", "", nil
}
