package config

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	expr "github.com/familiarhq/familiar/internal/text"
)

// MaxRules is how many rules of a rules file are read.
const MaxRules = 500

// Rule is one sound rule of `.github/familiar/rules.toml` (page 6.5).
type Rule struct {
	ID    string // as the file gives it, without a prefix
	Check memory.Check
	Line  int // 1-based, of its [[rule]]
}

// ruleKeys are the keys of one [[rule]].
var ruleKeys = []string{"id", "never", "prefer", "over", "paths", "with", "in", "regex", "severity", "because", "bad", "good"}

var ruleID = expr.Lazy(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// ParseRules reads `.github/familiar/rules.toml`; file is its name for
// messages. A broken rule costs that rule only, also where the notation
// itself is broken within it; what comes back is sound: compiled once, and
// its examples tried.
func ParseRules(file string, data []byte) ([]Rule, []Diagnostic) {
	r := &report{file: file}
	p := &rulesParser{report: r, lines: map[string]int{}}
	trial := &report{file: file}
	if doc, ok := read(trial, data); ok {
		p.document(doc, 0)
		return p.rules, r.done()
	}
	pieces := splitRules(data)
	if len(data) > maxFileBytes || len(pieces) < 2 {
		return nil, trial.done()
	}
	for _, piece := range pieces {
		own := &report{file: file}
		doc, ok := read(own, piece.text)
		for _, d := range own.list {
			r.fail(place{d.Line + piece.skipped, d.Column}, d.Fix, "this rule is left out: %s", d.Message)
		}
		if ok {
			p.document(doc, piece.skipped)
		}
	}
	return p.rules, r.done()
}

// piece is a part of a rules file that starts at a [[rule]].
type piece struct {
	text    []byte
	skipped int // lines before it
}

var ruleHeader = expr.Lazy(`(?m)^[ \t]*\[\[[ \t]*rule[ \t]*\]\]`)

// splitRules cuts a file before each line that looks like the start of a
// rule, so that what is wrong with one does not cost the others.
func splitRules(data []byte) []piece {
	starts := ruleHeader.FindAllIndex(data, MaxRules+1)
	var out []piece
	from := 0
	for _, s := range starts {
		if s[0] > from && len(bytes.TrimSpace(data[from:s[0]])) > 0 {
			out = append(out, piece{data[from:s[0]], bytes.Count(data[:from], []byte{'\n'})})
		}
		from = s[0]
	}
	return append(out, piece{data[from:], bytes.Count(data[:from], []byte{'\n'})})
}

type rulesParser struct {
	*report
	rules []Rule
	lines map[string]int // line of each id so far
	full  bool
}

// at finds a path and adds the lines that were cut off before this piece.
func at(doc document, skipped int, path ...string) place {
	found := doc.pos.find(path...)
	if found.line > 0 {
		found.line += skipped
	}
	return found
}

func (p *rulesParser) document(doc document, skipped int) {
	for _, key := range slices.Sorted(maps.Keys(doc.root)) {
		if key == "rule" {
			continue
		}
		p.fail(at(doc, skipped, key), "write [[rule]] before each rule", "unknown table or key %s; a rules file holds [[rule]] tables only", quote(key))
	}
	tables, ok := ruleTables(doc.root["rule"])
	if !ok {
		p.fail(at(doc, skipped, "rule"), "write [[rule]], with two brackets", "rule is no array of tables")
	}
	for i, table := range tables {
		if len(p.rules) >= MaxRules {
			if !p.full {
				p.fail(at(doc, skipped, "rule", strconv.Itoa(i)), "drop what is not needed", "only the first %d rules are read", MaxRules)
			}
			p.full = true
			return
		}
		p.rule(&ruleReader{rulesParser: p, doc: doc, skipped: skipped, path: []string{"rule", strconv.Itoa(i)}, table: table})
	}
}

func ruleTables(v any) ([]map[string]any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case []map[string]any:
		return v, true
	case []any:
		out := make([]map[string]any, 0, len(v))
		for _, item := range v {
			table, ok := item.(map[string]any)
			if !ok {
				return nil, false
			}
			out = append(out, table)
		}
		return out, true
	}
	return nil, false
}

// rule reads one rule and keeps it if nothing is wrong with it.
func (p *rulesParser) rule(r *ruleReader) {
	for _, key := range slices.Sorted(maps.Keys(r.table)) {
		if slices.Contains(ruleKeys, key) {
			continue
		}
		fix := "known: " + strings.Join(ruleKeys, ", ")
		if near := Nearest(key, ruleKeys); near != "" {
			fix = fmt.Sprintf("did you mean %s?", near)
		}
		r.wrong(key, fix, "unknown key %s", quote(key))
	}
	id := r.str("id")
	check := r.check()
	if r.bad {
		return
	}
	switch line, twice := p.lines[id]; {
	case id == "":
		r.wrong("", `give it one, such as id = "no-sleep"`, "the rule has no id")
	case !ruleID.MatchString(id):
		r.wrong("id", "use lower-case letters, digits, dots, dashes and underscores, at most 64", "%s is no id of a rule", quote(id))
	case twice:
		r.wrong("id", "give it another id", "the id %s is taken by the rule in line %d", quote(id), line)
	}
	if r.bad {
		return
	}
	if _, problem := memory.CompileCheck(check); problem != nil {
		r.wrong(tomlKey(check.Kind, problem.Field), "", "rule %s is left out: %s", quote(id), clip(problem.Error(), 300))
		return
	}
	line := r.at("").line
	p.lines[id] = line
	p.rules = append(p.rules, Rule{ID: id, Check: check, Line: line})
}

// tomlKey names the key that a field of a check came from.
func tomlKey(kind memory.CheckKind, field memory.CheckField) string {
	switch field {
	case memory.FieldPattern:
		if kind == memory.CheckPrefer {
			return "over"
		}
		return "never"
	case memory.FieldPrefer:
		return "prefer"
	case memory.FieldIn:
		if kind == memory.CheckWith {
			return "paths"
		}
		return "in"
	}
	return string(field)
}

// ruleReader reads the values of one [[rule]].
type ruleReader struct {
	*rulesParser
	doc     document
	skipped int
	path    []string
	table   map[string]any
	bad     bool
}

func (r *ruleReader) at(key string) place {
	path := r.path
	if key != "" {
		path = below(path, key)
	}
	return at(r.doc, r.skipped, path...)
}

func (r *ruleReader) wrong(key, fix, format string, args ...any) {
	r.bad = true
	r.fail(r.at(key), fix, format, args...)
}

func (r *ruleReader) has(key string) bool { _, ok := r.table[key]; return ok }

func (r *ruleReader) str(key string) string {
	v, present := r.table[key]
	s, ok := v.(string)
	if present && !ok {
		r.wrong(key, fmt.Sprintf("write %s = \"...\"", key), "%s takes a string, not %s", key, describe(v))
	}
	return s
}

// strs takes an array of strings, or one string.
func (r *ruleReader) strs(key string) []string {
	v, present := r.table[key]
	if !present {
		return nil
	}
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, ok := stringList(v)
	if !ok {
		r.wrong(key, fmt.Sprintf("write %s = [\"...\"]", key), "%s takes a string or an array of strings, not %s", key, describe(v))
	}
	return list
}

func (r *ruleReader) flag(key string) bool {
	v, present := r.table[key]
	b, ok := v.(bool)
	if present && !ok {
		r.wrong(key, fmt.Sprintf("write %s = true", key), "%s takes true or false, not %s", key, describe(v))
	}
	return b
}

// check puts the three forms of a rule into the one form of a check.
func (r *ruleReader) check() memory.Check {
	c := memory.Check{
		Regex: r.flag("regex"), Because: r.str("because"), In: r.strs("in"),
		Bad: r.strs("bad"), Good: r.strs("good"), Severity: r.severity(),
	}
	never, prefer, companions := r.has("never"), r.has("prefer") || r.has("over"), r.has("paths") || r.has("with")
	switch {
	case never && !prefer && !companions:
		c.Kind, c.Pattern = memory.CheckNever, r.str("never")
	case prefer && !never && !companions:
		c.Kind, c.Prefer, c.Pattern = memory.CheckPrefer, r.str("prefer"), r.str("over")
		r.both("prefer", "over")
	case companions && !never && !prefer:
		c.Kind, c.In, c.With = memory.CheckWith, r.strs("paths"), r.strs("with")
		r.both("paths", "with")
		if r.has("in") {
			r.wrong("in", "put its globs into paths", "a rule with paths takes no in")
		}
	default:
		r.wrong("", `give it never = "...", or prefer and over, or paths and with`, "a rule has exactly one of never, prefer with over, paths with with")
	}
	return c
}

func (r *ruleReader) both(a, b string) {
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if r.has(pair[0]) && !r.has(pair[1]) {
			r.wrong(pair[0], fmt.Sprintf("add %s", pair[1]), "%s needs %s beside it", pair[0], pair[1])
		}
	}
}

func (r *ruleReader) severity() contract.Severity {
	s := r.str("severity")
	if s == "" || slices.Contains(severities(), s) {
		return contract.Severity(s)
	}
	fix := "known: " + strings.Join(severities(), ", ")
	if near := Nearest(s, severities()); near != "" {
		fix = fmt.Sprintf("did you mean %q?", near)
	}
	r.wrong("severity", fix, "severity does not know %s", quote(s))
	return ""
}
