package render

import (
	"fmt"
	"slices"
	"strings"
)

// Summary is everything that the summary of a job says. Strings may hold
// anything: they are escaped here.
type Summary struct {
	Outcome  string // one word of ours; "": a brief was prepared
	Detail   string // sentences
	Said     []string
	Warnings []string
	Block    Markup  // what was asked for, such as a list
	Status   *Status // what the status comment says; nil: nothing was looked at
	Deeds    []Deed
	Picture  *Picture
	Others   []Summary // of further pull requests of the same run
}

// Deed is one planned action with what became of it.
type Deed struct{ Kind, What, Result string }

// Picture is the run in boxes.
type Picture struct {
	Trust, Outcome string
	Memory         bool // it is on
	ReadScopes     int
	WriteScopes    int
	Read           int
	Proposed       int
	Refused        int
	Findings       int
}

// MaxSummary is how long a summary may be, in bytes: the runner refuses more
// than 1 MiB, and other actions of the step's job need some of it.
const MaxSummary = 900 << 10

// JobSummary returns the summary: what the status comment says, what was done,
// and a picture of the run (page 6.4). What is too much is left out section by
// section, the least important first and each from its end, and counted where
// it would stand.
func JobSummary(s Summary) Markup { return jobSummary(s, MaxSummary) }

func jobSummary(s Summary, most int) Markup {
	parts := s.parts(0)
	kept := fitParts(parts, most)
	var b strings.Builder
	for _, p := range parts[:kept] {
		p.write(&b)
	}
	if more := len(parts) - kept; more > 0 {
		b.WriteString("\n*" + count(more, "more section") + " left out here, for the summary would be too large.*\n")
	}
	return Markup{b.String()}
}

// part is one section of a summary: rows between a head and a tail.
type part struct {
	rank int    // the higher, the sooner it is cut
	what string // its rows, as a noun in the singular
	head string
	rows []string
	tail string
	left int // rows that were cut
}

// cutNote is room for the sentence that tells of a cut.
const cutNote = 120

func (p part) size() int {
	n := len(p.head) + len(p.tail) + cutNote
	for _, r := range p.rows {
		n += len(r)
	}
	return n
}

func (p part) write(b *strings.Builder) {
	if len(p.rows) > 0 || p.left == 0 {
		b.WriteString(p.head + strings.Join(p.rows, ""))
	}
	if p.left > 0 {
		b.WriteString("\n*" + count(p.left, p.what) + " left out here, for the summary would be too large.*\n")
	}
	if len(p.rows) > 0 || p.left == 0 {
		b.WriteString(p.tail)
	}
}

// fitParts cuts rows until all parts together are short enough, and returns how
// many parts are kept: all, unless the heads alone are too much.
func fitParts(parts []part, most int) int {
	total := 0
	order := make([]int, len(parts))
	for i, p := range parts {
		order[i] = i
		total += p.size()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if parts[a].rank != parts[b].rank {
			return parts[b].rank - parts[a].rank
		}
		return b - a
	})
	for _, i := range order {
		p := &parts[i]
		for n := len(p.rows); total > most && n > 0; n-- {
			total -= len(p.rows[n-1])
			p.rows, p.left = p.rows[:n-1], p.left+1
		}
	}
	kept := len(parts)
	for total > most && kept > 1 {
		kept--
		total -= parts[kept].size()
	}
	return kept
}

// The ranks of sections: what is cut last comes first. Those of further pull
// requests follow the same ones of the first.
const (
	rankHead = iota
	rankSaid
	rankStatus
	rankBlock
	rankDeeds
	rankPicture
	ranks
)

// parts are the sections of a summary, with those of the others behind them.
func (s Summary) parts(depth int) []part {
	rank := func(r int) int { return r + min(depth, 1)*ranks/2 }
	out := []part{
		{rank: rankHead, head: "## familiar: " + Text(or(s.Outcome, "prepared")) + "\n\n"},
		{rank: rank(rankSaid), what: "sentence", rows: paragraphRows(s.Detail)},
		{rank: rank(rankSaid), what: "answer", rows: listRows(s.Said), tail: "\n"},
		{rank: rank(rankSaid), what: "warning", rows: listRows(s.Warnings), tail: "\n"},
	}
	if !s.Block.Empty() {
		out = append(out, part{rank: rank(rankBlock), what: "text that was asked for", rows: []string{s.Block.md}})
	}
	if s.Status != nil {
		out = append(out, part{rank: rank(rankStatus), what: "review", rows: []string{Markdown(*s.Status).md + "\n"}})
	}
	if len(s.Deeds) > 0 {
		table := part{rank: rank(rankDeeds), what: "action", head: "\n### What was done\n\n| action | what | outcome |\n|---|---|---|\n"}
		for _, d := range s.Deeds {
			table.rows = append(table.rows, "| "+TableCell(d.Kind)+" | "+TableCell(d.What)+" | "+TableCell(d.Result)+" |\n")
		}
		out = append(out, table)
	}
	if s.Picture != nil {
		out = append(out, part{rank: rank(rankPicture), what: "picture", rows: []string{"\n" + s.Picture.markdown()}})
	}
	for _, o := range s.Others {
		out = append(out, part{rank: rankHead, head: "\n---\n\n"})
		out = append(out, o.parts(depth+1)...)
	}
	return out
}

func paragraphRows(s string) []string {
	if s == "" {
		return nil
	}
	return []string{Prose(s) + "\n\n"}
}

func listRows(list []string) []string {
	var out []string
	for _, line := range list {
		out = append(out, "- "+Prose(line)+"\n")
	}
	return out
}

// markdown shows the run in one line of boxes. Every label is a number or one
// of our own words.
func (p Picture) markdown() string {
	memory := "memory off"
	if p.Memory {
		memory = fmt.Sprintf("reads %d scopes, may propose %d", p.ReadScopes, p.WriteScopes)
	}
	return fmt.Sprintf("```mermaid\nflowchart LR\n  event[event] --> trust[trust: %s]\n  trust --> grants[%s]\n  grants --> used[read %d, proposed %d, refused %d]\n  used --> out[%d findings, %s]\n```\n",
		label(p.Trust), memory, p.Read, p.Proposed, p.Refused, p.Findings, label(p.Outcome))
}

// label keeps of a word what cannot end a box.
func label(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}
