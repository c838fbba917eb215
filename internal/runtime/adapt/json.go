package adapt

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/familiarhq/familiar/internal/contract"
)

// limits bound every file that a tool writes. SARIF with code flows is deep.
var limits = contract.Limits{MaxBytes: contract.MaxResultBytes, MaxDepth: 64, MaxItems: contract.MaxItems, MaxString: contract.MaxString}

// maxEvents bounds the lines of a stream of events.
const maxEvents = 100_000

// node is a value of a document whose shape is another tool's. Names are
// compared exactly, unlike encoding/json: Level is not level (attack A65).
type node struct{ v any }

// document parses one JSON value. A key twice and data behind the value are
// refused; fields that nobody asks for are not looked at.
func document(data []byte) (node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var v any
	if err := contract.StrictJSON(data, &v, limits); err != nil {
		return node{}, err
	}
	return node{v}, nil
}

// events parses a stream of JSON objects, one a line. Lines that start
// otherwise are a tool's notices and are passed over.
func events(data []byte) ([]node, error) {
	if len(data) > limits.MaxBytes {
		return nil, fmt.Errorf("it is %d bytes, at most %d are read", len(data), limits.MaxBytes)
	}
	var out []node
	for n, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
			continue
		}
		e, err := document(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		if out = append(out, e); len(out) > maxEvents {
			return nil, errors.New("it has too many events")
		}
	}
	return out, nil
}

// at walks into objects by exact names; a zero node where there is nothing.
func (n node) at(names ...string) node {
	for _, name := range names {
		m, ok := n.v.(map[string]any)
		if !ok {
			return node{}
		}
		n = node{m[name]}
	}
	return n
}

func (n node) is() bool { return n.v != nil }

func (n node) str(names ...string) string {
	s, _ := n.at(names...).v.(string)
	return s
}

func (n node) list(names ...string) []node {
	l, _ := n.at(names...).v.([]any)
	out := make([]node, len(l))
	for i, v := range l {
		out[i] = node{v}
	}
	return out
}

// strs are the strings of a list; anything else in it is left out.
func (n node) strs(names ...string) []string {
	var out []string
	for _, item := range n.list(names...) {
		if s, ok := item.v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// num is a whole number, or not ok.
func (n node) num(names ...string) (int, bool) {
	f, ok := n.at(names...).v.(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// line is a line number from 1 on; 0 where there is none.
func (n node) line(names ...string) int {
	i, ok := n.num(names...)
	if !ok || i < 1 {
		return 0
	}
	return i
}
