package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	expr "github.com/familiarhq/familiar/internal/text"
)

// Bounds on the values of single keys.
const (
	maxTextBytes   = 512
	maxListEntries = 500
)

// Parse reads `.github/familiar.toml` (page 6.5); file is its name for
// messages. A file with any error is broken: what comes back is then the
// defaults with memory off. An empty file is the defaults.
func Parse(file string, data []byte) (Config, []Diagnostic) {
	c, _, list := ParseSources(file, data)
	return c, list
}

// Sources says on which line, 1-based, the file sets a value. A key is named
// as "memory.mode"; one of a single repository by repoSource.
type Sources map[string]int

func repoSource(repo, key string) string { return "memory.repos." + strings.ToLower(repo) + "." + key }

// ParseSources is Parse, and tells where the values come from. What no entry
// is for is a default; of a broken file, so is everything.
func ParseSources(file string, data []byte) (Config, Sources, []Diagnostic) {
	r := &report{file: file}
	doc, ok := read(r, data)
	if !ok {
		return broken(), Sources{}, r.done()
	}
	p := &parser{report: r, pos: doc.pos, config: Defaults(), sources: Sources{}}
	p.table(nil, doc.root)
	p.repos(doc.root)
	list := r.done()
	if HasErrors(list) {
		return broken(), Sources{}, list
	}
	return p.config, p.sources, list
}

type parser struct {
	*report
	pos     positions
	config  Config
	sources Sources
}

// inOrder lists the keys of a table as they stand in the file.
func (p *parser) inOrder(path []string, table map[string]any) []string {
	keys := slices.Sorted(maps.Keys(table))
	slices.SortStableFunc(keys, func(a, b string) int {
		return p.pos.offset(below(path, a)...) - p.pos.offset(below(path, b)...)
	})
	return keys
}

func below(path []string, key string) []string {
	return append(path[:len(path):len(path)], key)
}

// table reads one section and the sections below it.
func (p *parser) table(path []string, table map[string]any) {
	section := strings.Join(path, ".")
	for _, key := range p.inOrder(path, table) {
		full := below(path, key)
		name := strings.TrimPrefix(section+"."+key, ".")
		if s, ok := lookup(section, key); ok {
			p.apply(s, full, table[key], &p.config.Memory.MemorySettings)
			continue
		}
		if slices.Contains(sections, name) {
			sub, ok := table[key].(map[string]any)
			switch {
			case !ok:
				p.fail(p.pos.find(full...), fmt.Sprintf("write [%s] on a line of its own", name), "%s is a table, not %s", name, describe(table[key]))
			case name != "memory.repos": // those inherit from memory: see repos
				p.table(full, sub)
			}
			continue
		}
		p.unknown(section, full, name)
	}
}

// unknown reports a key that nothing knows, with the nearest name that
// something does.
func (p *parser) unknown(section string, full []string, name string) {
	at, key := p.pos.find(full...), full[len(full)-1]
	if input, ok := stepInput(key); ok {
		p.fail(at, fmt.Sprintf("give the step's input %s and remove the key here", input),
			"%s is taken from the step's inputs only, never from a file in the repository", clip(name, 80))
		return
	}
	known := keysOf(section)
	what := "key"
	if section == "" {
		known = topSections()
		what = "section"
	}
	for _, s := range settings {
		if s.key == key {
			p.fail(at, fmt.Sprintf("move it to [%s]", s.section), "unknown %s %s", what, clip(name, 80))
			return
		}
	}
	if near := Nearest(key, known); near != "" {
		p.fail(at, fmt.Sprintf("did you mean %s?", near), "unknown %s %s", what, clip(name, 80))
		return
	}
	p.fail(at, "known here: "+strings.Join(known, ", "), "unknown %s %s", what, clip(name, 80))
}

func topSections() []string {
	return slices.DeleteFunc(slices.Clone(sections), func(s string) bool { return strings.Contains(s, ".") })
}

// repoName is what a key of memory.repos must look like.
var repoName = expr.Lazy(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}$`)

// repos reads memory.repos, each from what memory itself says.
func (p *parser) repos(root map[string]any) {
	section, _ := root["memory"].(map[string]any)
	table, _ := section["repos"].(map[string]any)
	path := []string{"memory", "repos"}
	for _, repo := range p.inOrder(path, table) {
		full := below(path, repo)
		sub, ok := table[repo].(map[string]any)
		if !ok || !repoName.MatchString(repo) {
			p.fail(p.pos.find(full...), `write [memory.repos."owner/name"]`, "memory.repos holds one table for each repository, and %s is none", quote(repo))
			continue
		}
		lower := strings.ToLower(repo)
		if _, twice := p.config.Memory.Repos[lower]; twice {
			p.fail(p.pos.find(full...), "keep one of them", "%s stands twice, in different case", quote(repo))
			continue
		}
		own := p.config.Memory.MemorySettings
		for _, key := range p.inOrder(full, sub) {
			if s, ok := lookup("memory", key); ok {
				p.apply(s, below(full, key), sub[key], &own)
			} else {
				p.unknown("memory", below(full, key), fmt.Sprintf("memory.repos.%s.%s", quote(repo), key))
			}
		}
		if p.config.Memory.Repos == nil {
			p.config.Memory.Repos = map[string]MemorySettings{}
		}
		p.config.Memory.Repos[lower] = own
	}
}

// apply checks one value and puts it in its place.
func (p *parser) apply(s setting, full []string, value any, m *MemorySettings) {
	at := p.pos.find(full...)
	source := s.name()
	if len(full) == 4 { // memory.repos, a repository, a key
		source = repoSource(full[2], s.key)
	}
	switch s.kind {
	case boolean:
		if _, ok := value.(bool); !ok {
			p.wrongType(at, s, value)
			return
		}
	case integer:
		n, ok := value.(int64)
		if !ok {
			p.wrongType(at, s, value)
			return
		}
		if n < s.least || n > s.most {
			fix := fmt.Sprintf("give %d to %d", s.least, s.most)
			if s.why != "" {
				fix += " (" + s.why + ")"
			}
			p.fail(at, fix, "%s = %d is out of range", s.name(), n)
			return
		}
	case text:
		v, ok := value.(string)
		if !ok {
			p.wrongType(at, s, value)
			return
		}
		if !p.word(at, s, v) {
			return
		}
	case list:
		entries, ok := stringList(value)
		if !ok {
			p.wrongType(at, s, value)
			return
		}
		if !p.entries(at, s, entries) {
			return
		}
		value = entries
	}
	s.put(&p.config, m, value)
	p.sources[source] = at.line
}

func (p *parser) wrongType(at place, s setting, value any) {
	p.fail(at, "write "+s.example(), "%s takes %s, not %s", s.name(), s.kind, describe(value))
}

// example is a line that shows what a key takes.
func (s setting) example() string {
	switch {
	case s.kind == boolean:
		return s.key + " = true"
	case s.kind == integer:
		return fmt.Sprintf("%s = %d", s.key, max(s.least, 1))
	case s.kind == list:
		return s.key + ` = ["..."]`
	case len(s.allowed) > 0:
		return fmt.Sprintf("%s = %q", s.key, s.allowed[0])
	}
	return s.key + ` = "..."`
}

// plain is what a name or a pattern in the file may hold: nothing invisible,
// and no line ends.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool {
		return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029'
	})
}

func (p *parser) word(at place, s setting, v string) bool {
	switch {
	case len(s.allowed) > 0 && !slices.Contains(s.allowed, v):
		fix := "known: " + strings.Join(s.allowed, ", ")
		if near := Nearest(v, s.allowed); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
		p.fail(at, fix, "%s does not know %s", s.name(), quote(v))
	case v == "" || len(v) > maxTextBytes || !plain(v):
		p.fail(at, "write "+s.example(), "%s takes 1 to %d bytes of visible text", s.name(), maxTextBytes)
	default:
		return p.formed(at, s, v)
	}
	return false
}

// formed holds a text, or an entry of a list, against the form of its key.
func (p *parser) formed(at place, s setting, v string) bool {
	f := s.form
	switch {
	case f == nil:
		return true
	case f.most > 0 && utf8.RuneCountInString(v) > f.most:
		p.fail(at, "shorten it", "%s is longer than the %d characters of a label", s.name(), f.most)
	case f.pattern != nil && !f.pattern.MatchString(v):
		p.fail(at, f.fix, "%s %s, not %s", s.name(), f.takes, quote(v))
	case f.problem != nil && f.problem(v) != "":
		p.fail(at, "mend the pattern", "%s: %s is no pattern: %s", s.name(), quote(v), f.problem(v))
	default:
		return true
	}
	return false
}

func (p *parser) entries(at place, s setting, entries []string) bool {
	if len(entries) > maxListEntries {
		p.fail(at, "shorten it", "%s has %d entries, more than the %d that are read", s.name(), len(entries), maxListEntries)
		return false
	}
	for _, e := range entries {
		if e == "" || len(e) > maxTextBytes || !plain(e) {
			p.fail(at, "mend or remove it", "%s takes entries of 1 to %d bytes of visible text, not %s", s.name(), maxTextBytes, quote(e))
			return false
		}
		if !p.formed(at, s, e) {
			return false
		}
	}
	return true
}

// stringList takes an array of strings. An empty array is a list too.
func stringList(v any) ([]string, bool) {
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// describe names the type of a value as the file's author would.
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + quote(v)
	case bool:
		return fmt.Sprintf("the truth value %t", v)
	case int64:
		return fmt.Sprintf("the number %d", v)
	case float64:
		return fmt.Sprintf("the number %v", v)
	case []any:
		return "an array"
	case []map[string]any:
		return "an array of tables"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// quote shows text from a file in a message: short, on one line.
func quote(s string) string { return fmt.Sprintf("%q", clip(s, 60)) }
