package render

import (
	"encoding/json"

	"github.com/familiarhq/familiar/internal/memory"
)

type useJSON struct {
	Finding string `json:"finding"`
	Day     string `json:"day"`
	Number  int    `json:"pull_request"`
	Head    string `json:"head"`
}

type dispositionJSON struct {
	Kind    memory.Op `json:"kind"`
	Finding string    `json:"finding"`
	Lesson  string    `json:"lesson"`
	Number  int       `json:"pull_request"`
	By      string    `json:"by"`
	On      string    `json:"on"`
	Holds   bool      `json:"holds"`
}

func wireDispositions(list []Disposition) []dispositionJSON {
	out := make([]dispositionJSON, 0, len(list))
	for _, x := range list {
		out = append(out, dispositionJSON{x.Kind, x.Finding, x.Lesson, x.Number, x.By, day(x.At), x.Holds})
	}
	return out
}

// TraceJSON is what a lesson did, for machines.
func TraceJSON(id string, t Trace) ([]byte, error) {
	uses := make([]useJSON, 0, len(t.Uses))
	for _, u := range t.Uses {
		uses = append(uses, useJSON(u))
	}
	return json.MarshalIndent(struct {
		ID           string            `json:"id"`
		Findings     int               `json:"findings"`
		Reviews      int               `json:"reviews"`
		Uses         []useJSON         `json:"uses"`
		Dispositions []dispositionJSON `json:"dispositions"`
	}{id, distinctFindings(t.Uses), distinctReviews(t.Uses), uses, wireDispositions(t.Dispositions)}, "", "  ")
}

// WhyFindingJSON is what is known of a finding, for machines.
func WhyFindingJSON(f WhyFinding) ([]byte, error) {
	return json.MarshalIndent(struct {
		ID           string            `json:"id"`
		Path         string            `json:"path"`
		Line         int               `json:"line"`
		Head         string            `json:"head"`
		Away         string            `json:"dismissed_by"`
		Lessons      []lessonJSON      `json:"lessons"`
		Missing      []string          `json:"missing"`
		Dispositions []dispositionJSON `json:"dispositions"`
	}{f.ID, f.Path, f.Line, f.Head, f.Away, wireLessons(f.Lessons), append([]string{}, f.Missing...), wireDispositions(f.Dispositions)}, "", "  ")
}

// DisposedJSON is what became of a word on a finding, for machines.
func DisposedJSON(x Disposed) ([]byte, error) {
	return json.MarshalIndent(struct {
		Kind    memory.Op `json:"kind"`
		Finding string    `json:"finding"`
		Lesson  string    `json:"lesson"`
		Known   bool      `json:"known"`
	}{x.Kind, x.Finding, x.Lesson, x.Known}, "", "  ")
}

// DisposedTerminal is the answer for a terminal.
func DisposedTerminal(x Disposed, opts TerminalOptions) string {
	return wrap(terminalDialect(opts.Color).prose(DisposedProse(x)), "", "", opts.width())
}
