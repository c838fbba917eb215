package config

import (
	"encoding/json"
	"slices"
	"strings"
)

// Origin says where a value comes from.
type Origin string

// The closed set of origins.
const (
	FromDefault  Origin = "default"  // nothing says otherwise
	FromFile     Origin = "file"     // the configuration
	FromOverride Origin = "override" // [memory.repos."owner/name"] in it
	FromStep     Origin = "step"     // an input of the workflow's step
	FromBroken   Origin = "broken"   // the file is broken, so this is off
)

// Value is one value that holds, and where it comes from.
type Value struct {
	Key   string `json:"key"`   // "memory.mode"
	Value any    `json:"value"` // a bool, an int, a string or a list of strings
	From  Origin `json:"from"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"` // 1-based; 0: no line
	// Default is the value without the file.
	Default any `json:"default"`
	// Trusted says that the default branch decides, not the base of a change
	// (page 3.1).
	Trusted bool   `json:"trusted"`
	About   string `json:"about"`
}

// Side is one file of the two that make up what holds: that of the default
// branch, or that of the base.
type Side struct {
	File    string // its name for people
	Config  Config
	Sources Sources
	Broken  bool
}

// ReadSide parses one file for Explain.
func ReadSide(name string, data []byte) (Side, []Diagnostic) {
	c, sources, list := ParseSources(name, data)
	return Side{File: name, Config: c, Sources: sources, Broken: HasErrors(list)}, list
}

// Explain lists every value that holds for a repository, in the order of the
// documentation: the review's own keys from the base, all others from the
// default branch.
func Explain(defaultBranch, base Side, owner, name string) []Value {
	defaults := Defaults()
	out := make([]Value, 0, len(settings))
	for _, s := range settings {
		side := defaultBranch
		if s.base() {
			side = base
		}
		out = append(out, s.explain(side, &defaults, owner, name))
	}
	return out
}

// SameValues says whether two files make every value of a repository the same.
func SameValues(a, b Side, owner, name string) bool {
	return slices.EqualFunc(Explain(a, a, owner, name), Explain(b, b, owner, name), func(x, y Value) bool {
		return Literal(x.Value) == Literal(y.Value)
	})
}

// base says whether the base commit of a change decides a key. External stands
// in the section and is about trust all the same: see Config.
func (s setting) base() bool { return s.section == "review" && s.key != "external" }

func (s setting) explain(side Side, defaults *Config, owner, name string) Value {
	c := side.Config.ForRepo(owner, name)
	v := Value{
		Key: s.name(), Value: s.get(&c, &c.Memory.MemorySettings), Default: s.get(defaults, &defaults.Memory.MemorySettings),
		From: FromDefault, Trusted: !s.base(), About: unlinked(s.about),
	}
	if line, ok := side.Sources[s.name()]; ok {
		v.From, v.File, v.Line = FromFile, side.File, line
	}
	if line, ok := side.Sources[repoSource(owner+"/"+name, s.key)]; ok && s.perRepo() {
		v.From, v.File, v.Line = FromOverride, side.File, line
	}
	if side.Broken && s.section == "memory" && (s.key == "enabled" || s.key == "mode") {
		v.From, v.File = FromBroken, side.File
	}
	return v
}

// Literal is a value as the file would hold it.
func Literal(v any) string {
	switch v := v.(type) {
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = Literal(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default: // JSON writes these as TOML does
		data, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(data)
	}
}

// unlinked is Markdown without its links and code signs, for where nothing
// shows them.
func unlinked(s string) string {
	for {
		before, rest, ok := strings.Cut(s, "[")
		word, rest, ok2 := strings.Cut(rest, "](")
		_, after, ok3 := strings.Cut(rest, ")")
		if !ok || !ok2 || !ok3 {
			return strings.ReplaceAll(s, "`", "")
		}
		s = before + word + after
	}
}
