package intent

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

const (
	neverForm  = "`never PATTERN in GLOB`, such as never `time.Sleep(` in **/*_test.go"
	preferForm = "`prefer X over Y in GLOB`, such as prefer `any` over `interface{}` in **/*.go"
	withForm   = "`with: PATH` and a line `paths:`, such as `with: docs/api.md` and `paths: api/**`"
)

func readNever(c command, in *Intent) string {
	if problem := oneLine(c, neverForm); problem != "" {
		return problem
	}
	pattern, globs, ok := c.patternIn()
	if !ok || pattern == "" || globs == "" {
		return "write " + neverForm + " (`in **` for every file)"
	}
	in.Check = &memory.Check{Kind: memory.CheckNever, Pattern: pattern}
	return finishCheck(c, in, globs)
}

func readPrefer(c command, in *Intent) string {
	if problem := oneLine(c, preferForm); problem != "" {
		return problem
	}
	x, rest, ok := c.preferred()
	if !ok {
		return "write " + preferForm + "; where X or Y has the word over in it, put both in backticks"
	}
	y, globs, ok := rest.patternIn()
	if !ok || x == "" || y == "" || globs == "" {
		return "write " + preferForm + " (`in **` for every file)"
	}
	in.Check = &memory.Check{Kind: memory.CheckPrefer, Pattern: y, Prefer: x}
	return finishCheck(c, in, globs)
}

func readWith(c command, in *Intent) string {
	if problem := oneLine(c, withForm); problem != "" {
		return problem
	}
	with := listOf([]string{c.line})
	if len(with) == 0 {
		return "write " + withForm
	}
	if problem := readWithCheck(c, in, with); problem != "" {
		return problem
	}
	in.Text = in.Check.Text()
	return ""
}

// readWithCheck makes the check "touching paths needs one of with as well".
func readWithCheck(c command, in *Intent, with []string) string {
	if len(in.Options.Paths) == 0 {
		return "`with:` needs a line `paths:` that says for which files: " + withForm
	}
	in.Check = &memory.Check{Kind: memory.CheckWith, In: in.Options.Paths, With: with}
	return c.opts.readCheck(in.Check)
}

func oneLine(c command, form string) string {
	for _, l := range c.more {
		if strings.TrimSpace(l) != "" {
			return quoted(strings.TrimSpace(l)) + " is neither a part of " + form + " nor one of its lines"
		}
	}
	return ""
}

// finishCheck reads the globs and the options of a never or prefer.
func finishCheck(c command, in *Intent, globs string) string {
	in.Check.In = listOf([]string{globs})
	if len(in.Check.In) > 1 && c.args == nil {
		for _, g := range in.Check.In {
			if !strings.ContainsAny(g, "*?/.{[!") {
				return quoted(globs) + " is no list of globs, such as `**/*.go, !vendor/**`; a lesson in plain words is taught with `remember`"
			}
		}
	}
	if problem := c.opts.readCheck(in.Check); problem != "" {
		return problem
	}
	in.Text = in.Check.Text()
	return ""
}

// patternIn splits "PATTERN in GLOBS". A pattern in backticks or quotes is
// taken as it is; elsewhere the last " in " divides.
func (c command) patternIn() (pattern, globs string, ok bool) {
	if at := lastIndex(c.args, "in"); at >= 0 {
		return unfenced(c.args[:at]), strings.Join(c.args[at+1:], " "), true
	}
	if inner, rest, ok := fenced(c.line); ok {
		if globs, ok := afterWord(rest, "in"); ok {
			return inner, globs, true
		}
	}
	line := foldQuotes(c.line)
	i := strings.LastIndex(line, " in ")
	if i < 0 {
		return "", "", false
	}
	return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+len(" in "):]), true
}

// preferred splits "X over ..." and returns the command of what follows.
func (c command) preferred() (x string, rest command, ok bool) {
	if at := slices.Index(c.args, "over"); at >= 0 {
		return unfenced(c.args[:at]), command{args: c.args[at+1:], line: strings.Join(c.args[at+1:], " ")}, true
	}
	if inner, after, ok := fenced(c.line); ok {
		if y, ok := afterWord(after, "over"); ok {
			return inner, command{line: y}, true
		}
	}
	x, y, ok := strings.Cut(c.line, " over ")
	if !ok || strings.Contains(y, " over ") {
		return "", rest, false
	}
	return strings.TrimSpace(foldQuotes(x)), command{line: strings.TrimSpace(y)}, true
}

// fenced splits s behind a pattern in backticks, or in quotes that a space
// follows.
func fenced(s string) (inner, rest string, ok bool) {
	if inner, rest, ok = ticked(s); ok {
		return inner, rest, inner != ""
	}
	folded := foldQuotes(s)
	if folded == "" || (folded[0] != '"' && folded[0] != '\'') {
		return "", "", false
	}
	inner, rest, ok = strings.Cut(folded[1:], folded[:1]+" ")
	return inner, strings.TrimSpace(rest), ok && inner != ""
}

// afterWord returns what follows word at the start of s.
func afterWord(s, word string) (string, bool) {
	first, rest := firstWord(s)
	return rest, strings.EqualFold(first, word)
}
