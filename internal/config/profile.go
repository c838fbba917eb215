package config

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits of a profile (page 6.5).
const (
	MaxProfileBytes = 1 << 20
	maxProfileDepth = 12
	maxProfileNodes = 50_000
)

// profileKeys are the keys of a profile at its top; all are required, so that
// an empty list says "none" and not "forgotten".
var profileKeys = []string{
	"schema_version", "kind", "metadata", "repository", "review_scope", "required_stages",
	"components", "priorities", "test_surfaces", "evidence_policy", "unresolved_questions",
}

// profileLists bound the lists of a profile, by key.
var profileLists = map[string]int{"components": 500, "priorities": 500, "test_surfaces": 500, "unresolved_questions": 200}

const (
	maxProfileRoots      = 10_000
	maxComponentEvidence = 100
)

// ProfileStages are the stages of a review, in the order that a profile
// states them in.
var ProfileStages = []string{"scope", "correctness", "security", "tests", "operations", "reconcile", "synthesize"}

// ParseProfile checks `.github/familiar/profile.yaml`: what the maintainers
// currently care about (page 6.5). It returns everything that is wrong with
// it; without an error the text may be handed to a reviewer. The checks are
// about form and size; what the profile says is the maintainers' business.
func ParseProfile(file string, data []byte) []Diagnostic {
	r := &report{file: file}
	root, ok := readProfile(r, data)
	if !ok {
		return r.done()
	}
	p := &profileReader{report: r}
	p.walk(root, 0)
	if !HasErrors(r.list) {
		p.top(root)
	}
	return r.done()
}

// readProfile parses one YAML document with a mapping at its top.
func readProfile(r *report, data []byte) (*yaml.Node, bool) {
	if len(data) > MaxProfileBytes {
		r.fail(place{}, "keep what matters now and take the rest out", "the profile has %d bytes, more than the %d that are read", len(data), MaxProfileBytes)
		return nil, false
	}
	if i := invalidUTF8(data); i >= 0 {
		r.fail(placeOf(data, i), "save the file as UTF-8", "the text is not UTF-8 here")
		return nil, false
	}
	if deep := nesting(data); deep > maxProfileNodes {
		r.fail(place{}, "write it flatter", "the profile opens %d lists and mappings, more than %d", deep, maxProfileNodes)
		return nil, false
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		r.fail(place{}, "see https://yaml.org for the notation", "not valid YAML: %s", clip(strings.TrimPrefix(err.Error(), "yaml: "), 200))
		return nil, false
	}
	if err := dec.Decode(&more); err == nil {
		r.fail(place{line: more.Line, column: max(more.Column, 1)}, "keep one document", "the file holds more than one YAML document")
		return nil, false
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		r.fail(place{line: 1, column: 1}, "start with schema_version: 1", "a profile is a mapping")
		return nil, false
	}
	return doc.Content[0], true
}

// nesting is an upper bound of how many flow collections the parser opens: its
// cost grows with them before any node is seen.
func nesting(data []byte) int { return bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")) }

type profileReader struct {
	report *report
	nodes  int
}

func spot(n *yaml.Node) place { return place{line: n.Line, column: n.Column} }

// walk checks what holds everywhere: no anchors, aliases or tags of the
// author's own, no key twice, bounded depth and size.
func (p *profileReader) walk(n *yaml.Node, depth int) {
	if p.nodes++; p.nodes > maxProfileNodes {
		if p.nodes == maxProfileNodes+1 {
			p.report.fail(spot(n), "take some out", "the profile has more than %d values", maxProfileNodes)
		}
		return
	}
	switch {
	case depth > maxProfileDepth:
		p.report.fail(spot(n), "write it flatter", "values lie more than %d levels deep", maxProfileDepth)
		return
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		p.report.fail(spot(n), "write the value out", "anchors and aliases are not read")
		return
	case n.Style&yaml.TaggedStyle != 0:
		p.report.fail(spot(n), "take the tag out", "the tag %s is not read", clip(n.Tag, 60))
		return
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			switch {
			case key.Kind != yaml.ScalarNode:
				p.report.fail(spot(key), "use a word", "a key must be a word")
			case key.Value == "<<" || seen[key.Value]:
				p.report.fail(spot(key), "keep one of them", "the key %q is there twice or merges another", clip(key.Value, 60))
			}
			seen[key.Value] = true
		}
	}
	for _, c := range n.Content {
		p.walk(c, depth+1)
	}
}

// top checks the keys at the top and the parts that have a form.
func (p *profileReader) top(root *yaml.Node) {
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if !slices.Contains(profileKeys, key.Value) {
			fix := "take it out"
			if near := Nearest(key.Value, profileKeys); near != "" {
				fix = "the nearest is " + near
			}
			p.report.fail(spot(key), fix, "unknown key %q", clip(key.Value, 60))
			continue
		}
		values[key.Value] = root.Content[i+1]
	}
	for _, k := range profileKeys {
		if values[k] == nil {
			p.report.fail(place{line: root.Line, column: root.Column}, fmt.Sprintf("add %s, empty if there is nothing to say", k), "the key %s is missing", k)
		}
	}
	if v := values["schema_version"]; v != nil && (v.Kind != yaml.ScalarNode || v.Tag != "!!int" || v.Value != "1") {
		p.report.fail(spot(v), "write schema_version: 1", "schema_version is not 1")
	}
	if v := values["kind"]; v != nil && (v.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value) == "") {
		p.report.fail(spot(v), "write kind: review_profile", "kind must be a word")
	}
	for _, k := range []string{"metadata", "evidence_policy"} {
		p.mapping(k, values[k])
	}
	p.repository(values["repository"])
	p.scope(values["review_scope"])
	p.stages(values["required_stages"])
	for key, most := range profileLists {
		p.list(key, values[key], most)
	}
	p.evidence(values["components"])
}

// mapping checks a part that holds keys; one that is left blank holds none.
func (p *profileReader) mapping(name string, v *yaml.Node) bool {
	if v == nil {
		return false
	}
	if v.Kind == yaml.MappingNode {
		return true
	}
	if v.Tag != "!!null" {
		p.report.fail(spot(v), "write it as keys below "+name, "%s must be a mapping", name)
	}
	return false
}

// list checks a part that is a list; one that is left blank is empty.
func (p *profileReader) list(name string, v *yaml.Node, most int) bool {
	switch {
	case v == nil || v.Tag == "!!null":
		return false
	case v.Kind != yaml.SequenceNode:
		p.report.fail(spot(v), fmt.Sprintf("write %s: [] for none", name), "%s must be a list", name)
		return false
	case len(v.Content) > most:
		p.report.fail(spot(v), "keep what matters now", "%s has %d entries, more than %d", name, len(v.Content), most)
		return false
	}
	return true
}

func (p *profileReader) repository(v *yaml.Node) {
	if v != nil && v.Kind != yaml.MappingNode && (v.Kind != yaml.ScalarNode || v.Tag != "!!str" || strings.Count(v.Value, "/") != 1) {
		p.report.fail(spot(v), "write owner/name", "repository names no repository")
	}
}

// scope checks that the mode and the roots say the same.
func (p *profileReader) scope(v *yaml.Node) {
	if !p.mapping("review_scope", v) {
		if v != nil && v.Tag == "!!null" {
			p.report.fail(spot(v), "write mode: repository below it", "review_scope has no mode")
		}
		return
	}
	mode, roots := "", 0
	for i := 0; i+1 < len(v.Content); i += 2 {
		value := v.Content[i+1]
		switch v.Content[i].Value {
		case "mode":
			mode = value.Value
		case "roots":
			if p.list("review_scope.roots", value, maxProfileRoots) {
				roots = len(value.Content)
				p.roots(value)
			}
		}
	}
	switch {
	case mode == "repository" && roots > 0:
		p.report.fail(spot(v), "write mode: scoped, or take the roots out", "mode repository is about everything and goes with no roots")
	case mode == "scoped" && roots == 0:
		p.report.fail(spot(v), "name the folders under roots, or write mode: repository", "mode scoped needs roots")
	case mode != "repository" && mode != "scoped":
		p.report.fail(spot(v), "write one of them", "review_scope.mode is %q; it takes repository or scoped", clip(mode, 40))
	}
}

func (p *profileReader) roots(list *yaml.Node) {
	for _, n := range list.Content {
		if n.Kind != yaml.ScalarNode || n.Value == "" || path.IsAbs(n.Value) || path.Clean(n.Value) != strings.TrimSuffix(n.Value, "/") || strings.HasPrefix(n.Value, "..") {
			p.report.fail(spot(n), "write it from the top of the repository, like services/api", "%q is no folder of the repository", clip(n.Value, 80))
		}
	}
}

func (p *profileReader) stages(v *yaml.Node) {
	if v == nil {
		return
	}
	var got []string
	for _, n := range v.Content {
		got = append(got, n.Value)
	}
	if v.Kind != yaml.SequenceNode || !slices.Equal(got, ProfileStages) {
		p.report.fail(spot(v), "write required_stages: ["+strings.Join(ProfileStages, ", ")+"]", "required_stages are not the stages of a review in their order")
	}
}

func (p *profileReader) evidence(components *yaml.Node) {
	if components == nil || components.Kind != yaml.SequenceNode {
		return
	}
	for _, c := range components.Content {
		for i := 0; c.Kind == yaml.MappingNode && i+1 < len(c.Content); i += 2 {
			if c.Content[i].Value == "evidence" {
				p.list("the evidence of a component", c.Content[i+1], maxComponentEvidence)
			}
		}
	}
}
