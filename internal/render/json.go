package render

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/text"
	"github.com/familiarhq/familiar/internal/trust"
)

// JSONVersion is the version of what JSON writes. Fields may join without a
// new one; none changes its meaning or goes.
const JSONVersion = 1

// The types below are the wire form of Status for `--json`, apart from the
// types it is made of, so that these may change. Lists are never null.

type statusJSON struct {
	Version   int             `json:"version"`
	Outcome   review.Outcome  `json:"outcome"`
	Detail    string          `json:"detail"`
	Repo      string          `json:"repository"`
	Number    int             `json:"number"`
	Change    string          `json:"change"`
	Head      string          `json:"head"`
	RunURL    string          `json:"run_url"`
	Coverage  coverageJSON    `json:"coverage"`
	Findings  []findingJSON   `json:"findings"`
	Dropped   map[string]int  `json:"not_published"`
	Dismissed []dismissedJSON `json:"dismissed"`
	Reminders []lessonJSON    `json:"reminders"`
	Skipped   []skippedJSON   `json:"skipped_rules"`
	Answers   []answerJSON    `json:"commands"`
	Lessons   []lessonJSON    `json:"lessons_read"`
	Proposals []lessonJSON    `json:"proposals"`
	Stored    []lessonJSON    `json:"stored_without_approval"`
	Refusals  []refusalJSON   `json:"refusals"`
	Trust     trustJSON       `json:"trust"`
	Memory    memoryJSON      `json:"memory"`
	Notes     []string        `json:"notes"`
	Cost      string          `json:"cost"`
	Summary   string          `json:"summary,omitempty"`
}

type coverageJSON struct {
	Files      int       `json:"files"`
	Reviewed   int       `json:"reviewed"`
	Unreviewed []gapJSON `json:"not_reviewed"`
	Outside    int       `json:"outside"`
}

type gapJSON struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

type findingJSON struct {
	ID             string            `json:"id"`
	Fingerprint    string            `json:"fingerprint"`
	Rule           string            `json:"rule"`
	Severity       contract.Severity `json:"severity"`
	Path           string            `json:"path"`
	Line           int               `json:"line"`
	FileLevel      bool              `json:"file_level"`
	Title          string            `json:"title"`
	Body           string            `json:"body"`
	Recommendation string            `json:"recommendation"`
	Evidence       string            `json:"evidence"`
	Replacement    *string           `json:"replacement"`
	Because        []string          `json:"because_of"`
	Said           *saidJSON         `json:"said,omitempty"`
}

// saidJSON is the last word of a maintainer on a finding that is shown.
type saidJSON struct {
	Kind   memory.Op `json:"kind"` // accept or correct
	Lesson string    `json:"lesson"`
	Text   string    `json:"text"`
	Number int       `json:"pull_request"`
	By     string    `json:"by"`
	On     string    `json:"on"`
}

type dismissedJSON struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Lesson      string `json:"lesson"`
}

type skippedJSON struct {
	Rule   string `json:"rule"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

type answerJSON struct {
	Command string `json:"command"`
	Done    bool   `json:"done"`
	Text    string `json:"text"`
}

type refusalJSON struct {
	Op     string        `json:"operation"`
	Target string        `json:"target"`
	Reason memory.Reason `json:"reason"`
	Detail string        `json:"detail"`
}

type trustJSON struct {
	Scope   contract.TrustScope `json:"scope"`
	Reasons []reasonJSON        `json:"reasons"`
}

type reasonJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

type memoryJSON struct {
	Enabled          bool                   `json:"enabled"`
	Off              string                 `json:"off_because"`
	ReadScopes       []contract.MemoryScope `json:"read_scopes"`
	WriteScopes      []contract.MemoryScope `json:"write_scopes"`
	ApprovalRequired bool                   `json:"approval_required"`
	Reasons          []reasonJSON           `json:"reasons"`
	Generation       int64                  `json:"generation"`
	Expiry           string                 `json:"expires"`
}

type lessonJSON struct {
	ID         string            `json:"id"`
	Version    int               `json:"version"`
	Key        memory.Key        `json:"key"`
	Scope      string            `json:"scope"`
	Text       string            `json:"text"`
	State      memory.State      `json:"state"`
	Revoked    string            `json:"revoked_by,omitempty"` // the denial that covers its key
	Class      memory.Class      `json:"class"`
	Paths      []string          `json:"paths"`
	About      []string          `json:"about"`
	Check      *checkJSON        `json:"check"`
	Source     memory.Source     `json:"source"`
	Creator    string            `json:"creator"`
	CreatedAt  string            `json:"created_at"`
	Approved   memory.ApprovedBy `json:"approval"`
	ApprovedBy string            `json:"approved_by"`
	ApprovedAt string            `json:"approved_at"`
	Where      string            `json:"approved_where"`
	ValidUntil string            `json:"valid_until"`
	LastUsed   string            `json:"last_used"`
	Citations  []citationJSON    `json:"citations"`
}

type checkJSON struct {
	Kind     memory.CheckKind  `json:"kind"`
	Pattern  string            `json:"pattern"`
	Prefer   string            `json:"prefer"`
	In       []string          `json:"in"`
	With     []string          `json:"with"`
	Regex    bool              `json:"regex"`
	Severity contract.Severity `json:"severity"`
	Because  string            `json:"because"`
	Bad      []string          `json:"bad"`
	Good     []string          `json:"good"`
}

type citationJSON struct {
	Path   string `json:"path"`
	Start  int    `json:"start_line"`
	End    int    `json:"end_line"`
	Commit string `json:"commit"`
}

// JSON returns the status for machines: one object, two spaces of indent, a
// line break at its end. The error is that of encoding/json.
func JSON(m Status) ([]byte, error) { return encode(wireStatus(m)) }

// HistoryJSON returns several changes: {"version", "changes": [{"commit",
// "title", "status"}]}.
func HistoryJSON(items []HistoryItem) ([]byte, error) {
	type change struct {
		Commit string     `json:"commit"`
		Title  string     `json:"title"`
		Status statusJSON `json:"status"`
	}
	out := struct {
		Version int      `json:"version"`
		Changes []change `json:"changes"`
	}{Version: JSONVersion, Changes: []change{}}
	for _, it := range items {
		out.Changes = append(out.Changes, change{it.Commit, it.Title, wireStatus(it.Status)})
	}
	return encode(out)
}

// LessonsJSON returns lessons: {"version", "lessons": [...]}.
func LessonsJSON(versions []memory.Version) ([]byte, error) {
	return encode(struct {
		Version int          `json:"version"`
		Lessons []lessonJSON `json:"lessons"`
	}{JSONVersion, wireLessons(versions)})
}

func encode(v any) ([]byte, error) {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(escapeHidden(out), '\n'), nil
}

// escapeHidden writes what cannot be seen as JSON escapes, which is the same
// for a machine and harmless for a terminal. In JSON such characters stand in
// strings only.
func escapeHidden(data []byte) []byte {
	var out []byte
	for _, r := range string(data) {
		switch {
		case r < 0x80 || text.Classify(r) == text.ClassNone:
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func wireStatus(m Status) statusJSON {
	return statusJSON{
		Version: JSONVersion, Outcome: m.outcome(), Detail: m.Detail, Repo: m.Repo, Number: m.Number,
		Change: m.Change, Head: m.Head, RunURL: m.RunURL,
		Coverage: coverageJSON{m.Coverage.Files, m.Coverage.Reviewed,
			each(m.Coverage.Unreviewed, func(g review.Gap) gapJSON { return gapJSON(g) }), m.Coverage.Outside},
		Findings:  each(m.Findings, m.wireFinding),
		Dropped:   notNil(m.Dropped),
		Dismissed: wireDismissed(m.Dismissed),
		Reminders: wireLessons(m.Reminders),
		Skipped:   each(m.Skipped, func(s Skipped) skippedJSON { return skippedJSON(s) }),
		Answers:   each(m.Answers, func(a Answer) answerJSON { return answerJSON{a.Command, a.Done, a.Text} }),
		Lessons:   wireLessons(m.Lessons), Proposals: wireLessons(m.Proposals), Stored: wireLessons(m.Stored),
		Refusals: each(m.Refusals, func(r memory.Refusal) refusalJSON { return refusalJSON(r) }),
		Trust:    trustJSON{m.Trust.Scope, wireReasons(m.Trust.Reasons)},
		Memory: memoryJSON{
			Enabled: m.Policy.Enabled && m.MemoryOff == "", Off: m.MemoryOff,
			ReadScopes: each(m.Policy.ReadScopes, same), WriteScopes: each(m.Policy.WriteScopes, same),
			ApprovalRequired: m.Policy.ApprovalRequired, Reasons: wireReasons(m.PolicyReasons),
			Generation: m.Generation, Expiry: moment(m.Expiry),
		},
		Notes: each(m.Notes, same), Cost: m.Cost, Summary: m.Summary,
	}
}

func (m Status) wireFinding(f review.Finding) findingJSON {
	var said *saidJSON
	if x, ok := m.WordOn(f.Fingerprint); ok {
		said = &saidJSON{x.Kind, x.Lesson, x.Text, x.Number, x.By, day(x.At)}
	}
	return findingJSON{
		Said: said,
		ID:   f.ID, Fingerprint: f.Fingerprint, Rule: f.Rule, Severity: f.Severity, Path: f.Path, Line: f.Line,
		FileLevel: f.FileLevel, Title: f.Title, Body: f.Body, Recommendation: f.Recommendation,
		Evidence: f.Evidence, Replacement: f.Replacement, Because: each(f.Because, same),
	}
}

func wireReasons(list []trust.Reason) []reasonJSON {
	return each(list, func(r trust.Reason) reasonJSON { return reasonJSON(r) })
}

func wireLessons(list []memory.Version) []lessonJSON {
	return each(list, func(v memory.Version) lessonJSON {
		return lessonJSON{
			ID: v.DocumentID, Version: v.Number, Key: v.Key, Scope: string(v.Scope), Text: v.Text, State: v.State, Revoked: v.Denied, Class: v.Class,
			Paths: each(v.Paths, same), About: each(v.About, same), Check: wireCheck(v.Check),
			Source: v.Source, Creator: v.Creator.Login, CreatedAt: moment(v.CreatedAt),
			Approved: v.Approved, ApprovedBy: v.ConfirmedBy.Login, ApprovedAt: moment(v.ConfirmedAt), Where: v.ConfirmedThrough.URL,
			ValidUntil: moment(v.ValidUntil), LastUsed: v.LastUsed,
			Citations: each(v.Citations, func(c memory.Citation) citationJSON {
				return citationJSON{c.Path, c.StartLine, c.EndLine, c.Commit}
			}),
		}
	})
}

func wireCheck(c *memory.Check) *checkJSON {
	if c == nil {
		return nil
	}
	return &checkJSON{
		Kind: c.Kind, Pattern: c.Pattern, Prefer: c.Prefer, In: each(c.In, same), With: each(c.With, same),
		Regex: c.Regex, Severity: c.Severity, Because: c.Because, Bad: each(c.Bad, same), Good: each(c.Good, same),
	}
}

// each maps a list; nil becomes an empty one.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

func same[T any](v T) T { return v }

func notNil(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return m
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
