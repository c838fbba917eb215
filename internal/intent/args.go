package intent

import (
	"errors"
	"slices"
	"strings"
)

// FromArgs reads a command given as arguments: the verb, its arguments as the
// shell separated them, and its options by name (several values of one option
// on lines of their own). It answers as Parse does for the same words, but
// quotes in a pattern are the pattern's own, since the shell has taken off
// those of the person. The error is the intent's problem.
func FromArgs(verb string, args []string, opts map[string]string) (Intent, error) {
	row, ok := rowOf(Verb(strings.ToLower(verb)))
	if !ok {
		in := unknownVerb(verb, "familiar")
		return in, errors.New(in.Problem)
	}
	if args == nil {
		args = []string{}
	}
	c := command{word: verb, args: args, opts: given{}}
	c.line, c.more = firstLine(strings.Join(args, " "))
	in := Intent{Verb: row.Verb}
	for _, name := range sortedNames(opts) {
		if !row.takes(name) {
			in.Problem = strangeOption(row, name)
			if in.Problem == "" {
				in.Problem = "`" + string(row.Verb) + "` does not take `" + name + "`; it takes " + row.optionList()
			}
			return in, errors.New(in.Problem)
		}
		c.opts[name] = strings.Split(strings.TrimSuffix(opts[name], "\n"), "\n")
	}
	if in.Problem = c.opts.check(); in.Problem == "" {
		in = c.by(row)
	}
	in.Argument = c.text()
	in.Raw = strings.TrimSpace(verb + " " + in.Argument)
	if in.Problem != "" {
		return in, errors.New(in.Problem)
	}
	return in, nil
}

func firstLine(s string) (line string, more []string) {
	all := strings.Split(s, "\n")
	return strings.TrimSpace(all[0]), trimBlank(all[1:])
}

func sortedNames(opts map[string]string) []string {
	var out []string
	for name := range opts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func lastIndex(args []string, word string) int {
	for i := len(args) - 1; i >= 0; i-- {
		if args[i] == word {
			return i
		}
	}
	return -1
}

// unfenced joins the arguments of a pattern. Backticks that the shell left
// around it are taken off.
func unfenced(args []string) string {
	s := strings.Join(args, " ")
	if inner, rest, ok := ticked(s); ok && rest == "" {
		return inner
	}
	return s
}
