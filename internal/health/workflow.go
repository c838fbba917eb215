// This file is the one door through which a workflow file comes to be parsed:
// its size, its nodes and its depth are bounded first.

package health

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/familiarhq/familiar/internal/redact"
)

// Limits of a workflow file.
const (
	maxWorkflowBytes = 1 << 20
	maxWorkflowNodes = 50_000
	maxWorkflowDepth = 24
)

// Scalar is a text in a workflow file and the line it stands on, 1-based.
type Scalar struct {
	Value string
	Line  int
}

// Workflow is a workflow file as far as the checks look at it.
type Workflow struct {
	Path        string // ".github/workflows/name.yml"
	Text        string
	Problem     string // why it cannot be read; "" if it can
	Line        int    // of the problem
	Name        string
	Events      []Event
	Permissions *Permissions // nil: none stated
	Concurrency *Concurrency
	Env         []Scalar
	Jobs        []Job
}

// Event is one entry of `on:`.
type Event struct {
	Name  string
	Line  int
	Types []string
	Crons []Scalar // of schedule
}

// Permissions are those of a token. All is "read-all", "write-all" or ""; By
// holds single ones.
type Permissions struct {
	All  string
	By   map[string]string
	Line int
}

// Concurrency is the group of a workflow or job.
type Concurrency struct {
	Line      int
	GroupLine int // of its group; 0: written on one line
	Cancel    bool
	Queue     string
}

// Job is one job.
type Job struct {
	ID          string
	Line        int
	If          Scalar
	RunsOn      []string
	Environment string
	Permissions *Permissions
	Concurrency *Concurrency
	Uses        string // of a reusable workflow
	Steps       []Step
	Texts       []Scalar // every text in it, keys left out
}

// Step is one step of a job.
type Step struct {
	Line int
	Uses string
	Run  Scalar
	With map[string]Scalar
}

// ParseWorkflow reads a workflow file. One that cannot be read comes back
// with its problem: nothing in it counts as safe.
func ParseWorkflow(path string, data []byte) Workflow {
	w := Workflow{Path: path, Text: string(data)}
	if len(data) > maxWorkflowBytes {
		w.Problem = fmt.Sprintf("it has %d bytes, more than the %d that are read", len(data), maxWorkflowBytes)
		return w
	}
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxWorkflowNodes {
		w.Problem = "it opens more lists and mappings than any workflow does"
		return w
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		w.Problem = "it is no YAML: " + oneLine(strings.TrimPrefix(err.Error(), "yaml: "))
		return w
	}
	p := &workflowReader{}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		w.Problem = "it is no workflow: a workflow is a mapping"
		return w
	}
	if p.measure(doc.Content[0], 0); p.tooBig != "" {
		w.Problem = p.tooBig
		return w
	}
	p.workflow(&w, doc.Content[0])
	return w
}

// oneLine keeps an error's words on one line.
func oneLine(s string) string {
	return redact.Cut(strings.Join(strings.Fields(s), " "), 200)
}

type workflowReader struct {
	nodes  int
	tooBig string
}

// measure walks as the checks will, with aliases followed, so that a bomb of
// aliases ends here.
func (p *workflowReader) measure(n *yaml.Node, depth int) {
	p.nodes++
	if p.nodes > maxWorkflowNodes || depth > maxWorkflowDepth {
		p.tooBig = "it is larger or deeper, with its aliases, than any workflow is"
	}
	if p.tooBig != "" {
		return
	}
	if n.Kind == yaml.AliasNode {
		p.measure(n.Alias, depth+1)
		return
	}
	for _, c := range n.Content {
		p.measure(c, depth+1)
	}
}

// plainNode follows an alias.
func plainNode(n *yaml.Node) *yaml.Node {
	for range maxWorkflowDepth {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return nil
}

// entry is a key of a mapping with its value.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// entries are those of a mapping, merged ones ("<<") after its own.
func entries(n *yaml.Node) []entry {
	n = plainNode(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var out, merged []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], plainNode(n.Content[i+1])
		if key.Value == "<<" && value != nil && value.Kind == yaml.MappingNode && value != n {
			merged = append(merged, entries(value)...)
			continue
		}
		out = append(out, entry{key.Value, key.Line, value})
	}
	for _, m := range merged {
		if !slices.ContainsFunc(out, func(e entry) bool { return e.key == m.key }) {
			out = append(out, m)
		}
	}
	return out
}

func scalar(n *yaml.Node) Scalar {
	if n == nil || n.Kind != yaml.ScalarNode {
		return Scalar{}
	}
	return Scalar{n.Value, n.Line}
}

// strings are a scalar or a list of them.
func listed(n *yaml.Node) []Scalar {
	n = plainNode(n)
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.ScalarNode && n.Value != "":
		return []Scalar{scalar(n)}
	case n.Kind != yaml.SequenceNode:
		return nil
	}
	var out []Scalar
	for _, c := range n.Content {
		if s := scalar(plainNode(c)); s.Value != "" {
			out = append(out, s)
		}
	}
	return out
}

func values(list []Scalar) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Value)
	}
	return out
}

// texts are all scalars below a node that are no keys.
func texts(n *yaml.Node) []Scalar {
	n = plainNode(n)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []Scalar{scalar(n)}
	}
	var out []Scalar
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			out = append(out, texts(c)...)
		}
	}
	return out
}
