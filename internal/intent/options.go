package intent

import (
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// optionLine is a line that could be an option. Dashes before the name are
// dropped, also those that a phone made of "--".
var optionLine = text.Lazy(`^[ \t]*[-\x{2010}-\x{2015}]*([A-Za-z]{1,20})[ \t]*[:\x{FF1A}][ \t]*(.*?)[ \t]*$`)

// given are the options of one command, by name, in the order of their lines.
type given map[string][]string

// takeOptions takes the trailing option lines off a command's lines. A line
// of the form "name: value" whose name is unknown is text, unless the name is
// a slip of a known one or belongs to another verb: that is answered, since
// storing it as words would surprise its author.
func takeOptions(row CommandHelp, lines []string) (rest []string, opts given, problem string) {
	opts = given{}
	if len(row.Options) == 0 {
		return lines, opts, ""
	}
	end := len(lines)
	for ; end > 0; end-- {
		line := lines[end-1]
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := optionLine.FindStringSubmatch(line)
		if m == nil {
			break
		}
		name := strings.ToLower(m[1])
		if !row.takes(name) {
			if problem := strangeOption(row, name); problem != "" {
				return lines, opts, problem
			}
			break
		}
		opts[name] = append([]string{m[2]}, opts[name]...)
	}
	if problem := buriedOption(row, lines[:end]); problem != "" {
		return lines, opts, problem
	}
	return trimBlank(lines[:end]), opts, opts.check()
}

// buriedOption answers an option that other words follow: it would be stored
// as a part of the text. Indented lines and lines between code fences are the
// text's own.
func buriedOption(row CommandHelp, lines []string) string {
	fenced := false
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		m := optionLine.FindStringSubmatch(line)
		if m == nil || fenced || strings.TrimLeft(line, " \t") != line {
			continue
		}
		if name := strings.ToLower(m[1]); row.takes(name) {
			return "the line `" + name + ":` stands before other words; put it at the end of the command"
		}
	}
	return ""
}

// strangeOption returns what to say about an unknown name, or "" where the
// line is text.
func strangeOption(row CommandHelp, name string) string {
	if near := nearest(name, row.optionNames()); near != "" {
		return "`" + name + ":` is no line of `" + string(row.Verb) + "`; did you mean `" + near + ":`?"
	}
	for _, other := range Table() {
		if other.takes(name) {
			return "`" + name + ":` is no line of `" + string(row.Verb) + "`, which takes " + row.optionList() +
				"; if it belongs to the text, write it before other words"
		}
	}
	return ""
}

// check refuses an option without a value, and one that was given twice
// although it takes one value.
func (g given) check() string {
	for _, o := range allOptions() {
		values := g[o.Name]
		if len(values) > 1 && !o.Many {
			return "the line `" + o.Name + ":` stands there " + "more than once; it takes one value"
		}
		if slices.Contains(values, "") {
			return "the line `" + o.Name + ":` has no value; it takes " + o.Value
		}
	}
	return ""
}

// read fills the options that belong to the lesson itself. Those of a check
// are read with it.
func (g given) read(o *LessonOptions) string {
	o.Key = unticked(g.one("key"))
	o.Paths = listOf(g["paths"])
	o.About = listOf(g["about"])
	if s := g.one("class"); s != "" {
		class, err := memory.ParseClass(strings.ToLower(unticked(s)))
		if err != nil {
			return err.Error()
		}
		o.Class = class
	}
	if s := g.one("until"); s != "" {
		named := unticked(s)
		day, err := time.Parse(time.DateOnly, named)
		if err != nil {
			return "`until:` takes a day such as `2027-03-31`, not " + quoted(s)
		}
		if named < memory.FirstDay || named > memory.LastDay {
			return "`until:` takes a day from " + memory.FirstDay + " to " + memory.LastDay + ", not " + quoted(s) + "; leave it out for a lesson without an end"
		}
		o.Until = day.AddDate(0, 0, 1)
	}
	var problem string
	o.Again, problem = g.yes("again")
	return problem
}

// readCheck fills the options of a check.
func (g given) readCheck(c *memory.Check) string {
	c.Because = g.one("because")
	c.Bad, c.Good = examples(g["bad"]), examples(g["good"])
	if s := g.one("severity"); s != "" {
		severity, ok := contract.ParseSeverity(strings.ToLower(unticked(s)))
		if !ok {
			return "`severity:` is one of info, low, medium, high, critical, not " + quoted(s)
		}
		c.Severity = severity
	}
	var problem string
	c.Regex, problem = g.yes("regex")
	return problem
}

func (g given) one(name string) string {
	if len(g[name]) == 0 {
		return ""
	}
	return g[name][0]
}

func (g given) yes(name string) (bool, string) {
	switch s := strings.ToLower(unticked(g.one(name))); s {
	case "yes", "true", "on":
		return true, ""
	case "", "no", "false", "off":
		return false, ""
	default:
		return false, "`" + name + ":` takes yes or no, not " + quoted(s)
	}
}

// listOf splits values at commas and white space. What stands in backticks is
// one item, whatever it holds. Each item is kept once.
func listOf(values []string) []string {
	var out []string
	add := func(items ...string) {
		for _, item := range items {
			if item != "" && !slices.Contains(out, item) {
				out = append(out, item)
			}
		}
	}
	for _, v := range values {
		for i, part := range strings.Split(v, "`") {
			if i%2 == 1 {
				add(strings.TrimSpace(part))
				continue
			}
			add(splitList(foldPunctuation(part))...)
		}
	}
	return out
}

// splitList splits at commas, semicolons, quotes and white space; a comma
// between braces belongs to the glob, as in "src/{api,web}/**".
func splitList(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ',':
			return depth == 0
		case ' ', '\t', '"', ';':
			depth = 0 // a brace that is left open ends with its word
			return true
		}
		return false
	})
}

// examples are code: what stands in backticks is taken as it is, elsewhere
// the quotes that a phone bent are straightened.
func examples(values []string) []string {
	var out []string
	for _, v := range values {
		if inner, rest, ok := ticked(v); ok && rest == "" {
			out = append(out, inner)
		} else {
			out = append(out, foldQuotes(v))
		}
	}
	return out
}
