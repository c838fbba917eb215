package render

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/trust"
)

// section is one part of a status, in words of a dialect.
type section struct {
	kind    sectionKind
	title   string // our words
	fold    bool
	entries []entry
	after   string                           // one line below the entries
	cut     func(shown, left []entry) string // the same where not all entries are shown; may be nil
}

type sectionKind int

const (
	answersSection sectionKind = iota
	findingsSection
	proposalsSection
	storedSection
	refusalsSection
	remindersSection
	earlierSection
	lessonsSection
	detailsSection
)

// entry is one item of a section. Everything but quote and code is in words
// of the dialect.
type entry struct {
	id    string // of a proposal
	lead  string
	quote string // raw: shown in full, line by line
	code  string // raw: one line of code
	paras []string
	box   Box // on a dashboard, the box that the line begins with
}

// sections returns what there is to say, in the order of page 6.3.
func (m Status) sections(d dialect) []section {
	all := []section{
		m.answers(d), m.findings(d), m.reminders(d), m.proposals(d), m.stored(d), m.refusals(d), m.earlier(d), m.lessons(d), m.details(d),
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.entries) == 0 })
}

func (m Status) answers(d dialect) section {
	s := section{kind: answersSection, title: "Commands"}
	for _, a := range m.Answers {
		s.entries = append(s.entries, entry{lead: answerLine(d, a)})
	}
	return s
}

func (m Status) earlier(d dialect) section {
	s := section{kind: earlierSection, title: "Done here before", fold: true}
	for _, a := range m.Earlier {
		s.entries = append(s.entries, entry{lead: answerLine(d, a)})
	}
	if m.MoreEarlier {
		s.after = "Only the last " + strconv.Itoa(len(m.Earlier)) + " are shown."
	}
	return s
}

// commandLine is the first line of a command: the answer says what its
// options came to.
func commandLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return excerpt(first, 80)
}

func (m Status) findings(d dialect) section {
	s := section{kind: findingsSection, title: "Findings"}
	for _, f := range m.Findings {
		e := findingEntry(d, f)
		e.paras = append(e.paras, nonEmpty(m.said(d, f))...)
		s.entries = append(s.entries, e)
	}
	if len(m.Findings) > 0 && m.Feedback && !m.Local {
		s.after = "Wrong? " + d.typed(m.command("dismiss "+m.Findings[0].ID+": why")) + " keeps it from coming back."
	}
	return s
}

func findingEntry(d dialect, f review.Finding) entry {
	e := entry{
		lead:  joined(" · ", d.strong(d.text(f.ID))+" "+d.text(string(f.Severity)), d.code(place(f)), d.prose(f.Title)),
		code:  f.Evidence,
		paras: nonEmpty(d.prose(f.Body), d.prose(f.Recommendation)),
	}
	if f.Replacement != nil {
		e.paras = append(e.paras, "Instead: "+d.code(excerpt(strings.TrimSpace(*f.Replacement), 200)))
	}
	switch {
	case len(f.Because) > 0:
		e.paras = append(e.paras, "Because of "+codes(d, f.Because)+".")
	case f.Rule != "":
		e.paras = append(e.paras, "Rule "+d.code(f.Rule)+".")
	}
	return e
}

// place is where a finding is, as people read it. The name of a file is a text
// of somebody's like any other, so a secret in it is not repeated (page 6.1).
func place(f review.Finding) string {
	path := redact.Scrub(f.Path)
	if f.Line > 0 && !f.FileLevel {
		return path + ":" + strconv.Itoa(f.Line)
	}
	return path
}

func (m Status) reminders(d dialect) section {
	s := section{kind: remindersSection, title: "Remembered for these files"}
	for _, v := range m.Reminders {
		s.entries = append(s.entries, entry{lead: d.code(v.DocumentID), quote: quoteOf(v), paras: ruleLine(d, v)})
	}
	return s
}

func (m Status) proposals(d dialect) section {
	n := len(m.Proposals)
	s := section{kind: proposalsSection, title: count(n, "lesson") + " waiting for approval"}
	var ids []string
	for _, v := range m.Proposals {
		ids = append(ids, v.DocumentID)
		s.entries = append(s.entries, proposalEntry(d, v))
	}
	if n == 0 {
		return s
	}
	s.after = m.howToApprove(d, ids)
	s.cut = func(shown, left []entry) string { return m.cutProposals(d, shown, left) }
	return s
}

// fewIDs is how many ids a command that we suggest may name.
const fewIDs = 3

func (m Status) howToApprove(d dialect, ids []string) string {
	approve := "approve " + strings.Join(ids, " ")
	if len(ids) > fewIDs {
		approve = "approve all"
	}
	if m.Local {
		return "Approve: " + d.typed(m.command(approve)) + ". Reject: " + d.typed(m.command("reject "+ids[0])) + "."
	}
	return "Approve exactly these words: " + d.typed(m.command(approve)) + ", or the label " + d.code(m.approveLabel()) +
		". Other words: " + d.typed(m.command("approve "+ids[0]+" as: TEXT")) + ". Reject: " + d.typed(m.command("reject "+ids[0])) + "."
}

// cutProposals keeps the ids of what could not be shown, and offers no way to
// approve what nobody could read (page 6.3).
func (m Status) cutProposals(d dialect, shown, left []entry) string {
	out := count(len(left), "lesson") + " more could not be shown whole, so neither the label nor " + d.code("all") +
		" approves anything here. Not shown: " + codes(d, entryIDs(left)) + ". Read one with " + d.typed(m.command("show "+left[0].id)) + "."
	if len(shown) > 0 {
		ids := entryIDs(shown)
		out += " Approve what is shown by id: " + d.typed(m.command("approve "+strings.Join(ids[:min(len(ids), fewIDs)], " "))) + "."
	}
	return out
}

func entryIDs(entries []entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.id)
	}
	return out
}

func (m Status) approveLabel() string {
	if m.ApproveLabel == "" {
		return intent.DefaultLabelNames().Approve
	}
	return m.ApproveLabel
}

// proposalEntry shows everything that an approval covers (attack A74).
func proposalEntry(d dialect, v memory.Version) entry {
	e := entry{id: v.DocumentID, quote: quoteOf(v)}
	e.lead = joined(" · ", d.strong(d.code(v.DocumentID)), "key "+d.code(keyWords(v)), scopeWords(d, v), pathWords(d, v), origin(d, v))
	e.paras = append(directiveWarning(d, v), versionFacts(d, v)...)
	return e
}

func (m Status) stored(d dialect) section {
	s := section{kind: storedSection, title: "Stored without approval"}
	for _, v := range m.Stored {
		e := proposalEntry(d, v)
		e.id = ""
		s.entries = append(s.entries, e)
	}
	if len(m.Stored) > 0 {
		s.after = "Undo: " + d.typed(m.command("forget "+m.Stored[0].DocumentID)) + "."
	}
	return s
}

// shownRefusals bounds the refusals that are named (page 6.3).
const shownRefusals = 5

func (m Status) refusals(d dialect) section {
	s := section{kind: refusalsSection, title: "Refused"}
	for i, r := range m.Refusals {
		if i == shownRefusals {
			s.after = "And " + strconv.Itoa(len(m.Refusals)-i) + " more."
			break
		}
		lead := d.text(r.Op)
		if r.Target != "" {
			lead += " " + d.code(excerpt(r.Target, 120))
		}
		s.entries = append(s.entries, entry{lead: lead + ": " + joined(" ", d.prose(marked(r.Detail)), "("+d.text(plainReason(string(r.Reason)))+")")})
	}
	return s
}

func (m Status) lessons(d dialect) section {
	s := section{kind: lessonsSection, title: count(len(m.Lessons), "lesson") + " read", fold: true}
	for _, v := range m.Lessons {
		s.entries = append(s.entries, entry{lead: joined(" · ", d.code(v.DocumentID), learned(d, v), approved(d, v)), quote: quoteOf(v), paras: ruleLine(d, v)})
	}
	return s
}

func (m Status) details(d dialect) section {
	s := section{kind: detailsSection, fold: true, title: m.detailsTitle()}
	add := func(name, value string) {
		if value != "" {
			s.entries = append(s.entries, entry{lead: name + ": " + value})
		}
	}
	if m.Summary != "" {
		add("The change, as the reviewer sums it up", d.text(excerpt(m.Summary, 1200)))
	}
	if m.Trust.Scope != "" {
		add("Trust", joined(" ", d.code(string(m.Trust.Scope)), bracketed(reasons(d, m.Trust.Reasons))))
	}
	add("Memory", m.memoryLine(d))
	if m.Generation > 0 {
		line := "generation " + strconv.FormatInt(m.Generation, 10)
		if !m.Expiry.IsZero() {
			line += ", kept until " + day(m.Expiry)
		}
		add("Store", line)
	}
	var versions []string
	for _, v := range m.Versions {
		versions = append(versions, d.text(v.Name)+" "+d.code(v.Value))
	}
	add("Versions", strings.Join(versions, ", "))
	add("Cost", d.text(m.Cost))
	return s
}

// detailsTitle says the two things that explain most results, without
// unfolding.
func (m Status) detailsTitle() string {
	parts := []string{}
	if m.Trust.Scope != "" {
		parts = append(parts, "trust "+string(m.Trust.Scope))
	}
	switch {
	case !m.memoryKnown():
	case m.MemoryOff != "" || !m.Policy.Enabled:
		parts = append(parts, "memory off")
	default:
		parts = append(parts, "memory on")
	}
	if len(parts) == 0 {
		return "Details"
	}
	return "Details: " + strings.Join(parts, ", ")
}

// memoryKnown says whether a policy was computed: an answer to commands on an
// issue, or a run that failed early, has none to tell of.
func (m Status) memoryKnown() bool {
	return m.MemoryOff != "" || m.Policy.TrustScope != "" || m.Policy.Enabled
}

func (m Status) memoryLine(d dialect) string {
	switch {
	case !m.memoryKnown():
		return ""
	case m.MemoryOff != "" && m.MemoryOff == m.Detail:
		return "off, as said above"
	case m.MemoryOff != "":
		why := strings.TrimSuffix(m.MemoryOff, ".")
		if rest, ok := strings.CutPrefix(why, "memory is off because "); ok {
			return "off because " + d.prose(rest)
		}
		return "off, " + d.prose(why)
	}
	if !m.Policy.Enabled {
		return joined("; ", "off", reasons(d, m.PolicyReasons))
	}
	line := "reads " + scopes(m.Policy.ReadScopes) + "; may propose " + scopes(m.Policy.WriteScopes)
	if len(m.Policy.WriteScopes) > 0 && m.Policy.ApprovalRequired {
		line += ", with approval"
	}
	return joined("; ", line, reasons(d, m.PolicyReasons))
}

func scopes(list []contract.MemoryScope) string {
	var out []string
	for _, s := range list {
		if s.Known() {
			out = append(out, strings.ReplaceAll(string(s), "_", " "))
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, " and ") + " lessons"
}

func reasons(d dialect, list []trust.Reason) string {
	var out []string
	for _, r := range list {
		out = append(out, d.prose(strings.TrimSuffix(r.Text, ".")))
	}
	return strings.Join(out, "; ")
}

func (m Status) command(words string) string {
	if m.Local {
		return "familiar " + words
	}
	handle := m.Handle
	if handle == "" {
		handle = intent.DefaultHandle
	}
	return "/" + handle + " " + words
}

func codes(d dialect, list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = d.code(s)
	}
	return strings.Join(out, ", ")
}

func nonEmpty(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func dropped(d dialect, by map[string]int) string {
	var parts []string
	for _, reason := range sortedKeys(by) {
		if by[reason] > 0 {
			parts = append(parts, count(by[reason], "candidate")+" ("+d.text(plainReason(reason))+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not published: " + strings.Join(parts, ", ") + "."
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// lastDay is the last day of what holds until a moment: an end is kept as the
// moment after its day, and people name the day.
func lastDay(end time.Time) string { return day(end.Add(-1)) }
