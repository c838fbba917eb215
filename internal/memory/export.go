package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
)

// This file is the format in which lessons leave a store as text and come
// back (page 6.6): JSON Lines, a header and then one version a line. Whatever
// a line says of its state, it comes back as something that waits.

// ExportKind stands in the first line of every export.
const ExportKind = "familiar memory export"

// ExportVersion is the version of the format that is written and read. A new
// field is optional and needs no new one.
const ExportVersion = 1

// Limits of what is read back.
const (
	MaxExportBytes = 16 << 20
	MaxExportLines = 20_000
	maxExportLine  = 128 << 10
)

// ExportHeader is the first line: where the lessons come from.
type ExportHeader struct {
	Kind         string `json:"kind" wire:"is=familiar memory export"`
	Version      int    `json:"version" wire:"min=1,max=1"`
	Repository   string `json:"repository"`
	RepositoryID int64  `json:"repository_id" wire:"min=0"`
	StoreID      string `json:"store_id"`
	Generation   int64  `json:"generation" wire:"min=0"`
	Lessons      int    `json:"lessons" wire:"min=0"`
}

// ExportLine is one version on the wire. Key is without the coordinates of the
// repository; times are RFC 3339 in UTC, "" for none.
type ExportLine struct {
	ID         string           `json:"id"`
	Number     int              `json:"version" wire:"min=0"`
	Key        string           `json:"key"`
	Text       string           `json:"text"`
	State      string           `json:"state"`
	Class      string           `json:"class" wire:"optional"`
	Paths      []string         `json:"paths" wire:"optional"`
	About      []string         `json:"about" wire:"optional"`
	Check      *ExportCheck     `json:"check" wire:"optional"`
	Citations  []ExportCitation `json:"citations" wire:"optional"`
	ValidUntil string           `json:"valid_until" wire:"optional"`
	Source     string           `json:"source" wire:"optional"`
	Creator    string           `json:"creator" wire:"optional"`
	CreatedAt  string           `json:"created_at" wire:"optional"`
	Approval   string           `json:"approval" wire:"optional"`
	ApprovedBy string           `json:"approved_by" wire:"optional"`
	ApprovedAt string           `json:"approved_at" wire:"optional"`
	Where      string           `json:"approved_where" wire:"optional"`
	Pull       int              `json:"pull_request" wire:"optional,min=0"`
}

// ExportCheck is a check on the wire.
type ExportCheck struct {
	Kind     string   `json:"kind"`
	Pattern  string   `json:"pattern" wire:"optional"`
	Prefer   string   `json:"prefer" wire:"optional"`
	In       []string `json:"in" wire:"optional"`
	With     []string `json:"with" wire:"optional"`
	Regex    bool     `json:"regex" wire:"optional"`
	Severity string   `json:"severity" wire:"optional"`
	Because  string   `json:"because" wire:"optional"`
	Bad      []string `json:"bad" wire:"optional"`
	Good     []string `json:"good" wire:"optional"`
}

// ExportCitation is a citation on the wire.
type ExportCitation struct {
	Path   string `json:"path"`
	Start  int    `json:"start_line" wire:"min=0"`
	End    int    `json:"end_line" wire:"min=0"`
	Commit string `json:"commit"`
	Digest string `json:"digest"`
}

// Exported is an export that was read back. Line numbers are 1-based; the
// header is line 1.
type Exported struct {
	Header ExportHeader
	Lines  []ExportedLesson
}

// ExportedLesson is one line, and where it stands.
type ExportedLesson struct {
	Line int
	ExportLine
}

// Export writes versions as JSON Lines. Texts that were overwritten are left
// out: nothing of them is left to take elsewhere.
func Export(h ExportHeader, versions []Version) ([]byte, error) {
	var kept []Version
	for _, v := range versions {
		if !v.State.Erased() {
			kept = append(kept, v)
		}
	}
	h.Kind, h.Version, h.Lessons = ExportKind, ExportVersion, len(kept)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(h)
	for _, v := range kept {
		if err == nil {
			err = enc.Encode(exportLine(v))
		}
	}
	return out.Bytes(), err
}

func exportLine(v Version) ExportLine {
	out := ExportLine{
		ID: v.DocumentID, Number: v.Number, Key: v.Key.afterCoordinates(), Text: v.Text, State: string(v.State), Class: string(v.Class),
		Paths: notNil(v.Paths), About: notNil(v.About), Citations: []ExportCitation{}, ValidUntil: instant(v.ValidUntil), Source: string(v.Source),
		Creator: v.Creator.Login, CreatedAt: instant(v.CreatedAt), Approval: string(v.Approved), ApprovedBy: v.ConfirmedBy.Login,
		ApprovedAt: instant(v.ConfirmedAt), Where: v.ConfirmedThrough.URL, Pull: v.Provenance.PullRequest,
	}
	for _, c := range v.Citations {
		out.Citations = append(out.Citations, ExportCitation{Path: c.Path, Start: c.StartLine, End: c.EndLine, Commit: c.Commit, Digest: c.Digest})
	}
	if c := v.Check; c != nil {
		out.Check = &ExportCheck{Kind: string(c.Kind), Pattern: c.Pattern, Prefer: c.Prefer, In: notNil(c.In), With: notNil(c.With), Regex: c.Regex,
			Severity: string(c.Severity), Because: c.Because, Bad: notNil(c.Bad), Good: notNil(c.Good)}
	}
	return out
}

func notNil(list []string) []string { return append([]string{}, list...) }

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// ExportProblem says why a file is no export, at which line.
type ExportProblem struct {
	Line   int
	Detail string
}

// Error names the line and what is wrong with it.
func (p *ExportProblem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Detail) }

// ReadExport reads an export. It is taken whole or not at all: the first line
// that is not of the format is the *ExportProblem.
func ReadExport(data []byte) (Exported, error) {
	problem := func(line int, format string, args ...any) (Exported, error) {
		return Exported{}, &ExportProblem{line, fmt.Sprintf(format, args...)}
	}
	switch {
	case len(data) > MaxExportBytes:
		return problem(1, "the file has %d bytes, at most %d are read", len(data), MaxExportBytes)
	case !utf8.Valid(data):
		return problem(1, "the file is not UTF-8")
	}
	var out Exported
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if n > MaxExportLines {
			return problem(n, "at most %d lines are read", MaxExportLines)
		}
		if out.Header.Kind == "" {
			if err := contract.StrictJSON([]byte(text), &out.Header, exportLimits()); err != nil {
				return problem(n, "it is not the first line of a %s of version %d (%v)", ExportKind, ExportVersion, err)
			}
			continue
		}
		line := ExportedLesson{Line: n}
		if err := contract.StrictJSON([]byte(text), &line.ExportLine, exportLimits()); err != nil {
			return problem(n, "%v", err)
		}
		out.Lines = append(out.Lines, line)
	}
	if out.Header.Kind == "" {
		return problem(1, "the file is empty")
	}
	return out, nil
}

func exportLimits() contract.Limits {
	return contract.Limits{MaxBytes: maxExportLine, MaxDepth: 4, MaxItems: 1000, MaxString: 20_000}
}

// Lesson returns what the line asks to bring in, waiting and unconfirmed,
// without its key, or why it is nothing to bring in. It is nobody's own words
// here, so that whoever approves it owns it. Its texts are not yet
// looked at: they pass the same doors as everything that somebody says.
func (l ExportedLesson) Lesson() (NewLesson, *Refusal) {
	refuse := func(reason Reason, detail string) (NewLesson, *Refusal) {
		return NewLesson{}, &Refusal{Op: string(OpImport), Target: fmt.Sprintf("line %d", l.Line), Reason: reason, Detail: detail}
	}
	state, err := ParseState(l.State)
	if err != nil {
		return refuse(ReasonStateInvalid, err.Error()+".")
	}
	if state != Active && !state.Pending() {
		return refuse(ReasonWrongState, "A lesson that is "+l.State+" is not brought in; only what is in use or waits.")
	}
	n := NewLesson{
		Scope: contract.ScopeRepo, Text: l.Text, Source: ChatExtracted, State: ReviewRequired, Class: Standard,
		Paths: l.Paths, About: l.About, Line: l.Line,
	}
	if l.Class != "" {
		if n.Class, err = ParseClass(l.Class); err != nil {
			return refuse(ReasonClassInvalid, err.Error()+".")
		}
	}
	if l.ValidUntil != "" {
		if n.ValidUntil, err = time.Parse(time.RFC3339, l.ValidUntil); err != nil {
			return refuse(ReasonContentInvalid, "Its valid_until is no time such as 2027-03-31T00:00:00Z.")
		}
	}
	for _, c := range l.Citations {
		n.Citations = append(n.Citations, Citation{Path: c.Path, StartLine: c.Start, EndLine: c.End, Commit: c.Commit, Digest: c.Digest})
	}
	if c := l.Check; c != nil {
		kind, err := ParseCheckKind(c.Kind)
		if err != nil {
			return refuse(ReasonCheckInvalid, err.Error()+".")
		}
		n.Check = &Check{Kind: kind, Pattern: c.Pattern, Prefer: c.Prefer, In: c.In, With: c.With, Regex: c.Regex, Because: c.Because, Bad: c.Bad, Good: c.Good}
		if c.Severity != "" {
			severity, ok := contract.ParseSeverity(c.Severity)
			if !ok {
				return refuse(ReasonCheckInvalid, "Its severity is none of info, low, medium, high and critical.")
			}
			n.Check.Severity = severity
		}
	}
	return n, nil
}
