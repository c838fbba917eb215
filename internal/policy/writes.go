package policy

import (
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// judgeWrite applies the checks of page 3.5 to one proposal; the first
// failure is the answer.
func (s *session) judgeWrite(i int, w contract.MemoryWrite) (WriteVerdict, string) {
	refuse := func(reason memory.Reason, detail string) (WriteVerdict, string) {
		return WriteVerdict{Position: i, Refused: reason}, detail
	}
	if s.off != "" {
		return refuse(memory.ReasonMemoryDisabled, s.off)
	}
	active := w.Approval == contract.ApprovalAuto
	if detail := s.overQuota(i, active); detail != "" {
		return refuse(memory.ReasonQuota, detail)
	}
	if reason, detail := s.addressed(w.Key, w.Scope, s.policy.WriteScopes, "write"); reason != "" {
		return refuse(reason, detail)
	}
	if reason, detail := s.unfit(w.Key, w.Summary); reason != "" {
		return refuse(reason, detail)
	}
	if detail := s.approvalFault(w.Approval); detail != "" {
		return refuse(memory.ReasonApprovalMismatch, detail)
	}
	lesson, reason, detail := s.gate(w, active)
	if reason == "" {
		reason, detail = s.knownText(lesson.Text)
	}
	if reason != "" {
		return refuse(reason, detail)
	}
	s.count(lesson.Text, active)
	return WriteVerdict{Position: i, Lesson: lesson}, ""
}

// overQuota says which bound of page 3.5 one more proposal would pass. The
// bound of a run counts every entry, accepted or not, so that a flood of bad
// ones costs nothing.
func (s *session) overQuota(i int, active bool) string {
	q, c := s.quotas, s.v.Counts
	switch {
	case q.ProposedInThisRun+i >= q.ProposalsPerRun:
		return "A run may propose only so many lessons; this one is beyond that."
	case active && c.Active+s.activated >= q.ActivePerRepo:
		return "The repository has as many active lessons as it may; `retire` or `forget` some."
	case active:
		return ""
	case c.PendingInPull+s.pending >= q.PendingPerPull:
		return "Too many proposals wait on this pull request; approve or reject some."
	case c.PendingInRepo+s.pending >= q.PendingPerRepo:
		return "Too many proposals wait in this repository; approve or reject some."
	}
	return ""
}

// unfit holds secret, pii and unsafe_text, for the key as well as the text.
// The text is searched as it came and in its normal form, so that a character
// that normalisation removes cannot hide a secret (attack A87).
func (s *session) unfit(key, summary string) (memory.Reason, string) {
	normalised, problem := text.Normalise(summary)
	if reason := sensitive(s.v.Finder, key, summary, normalised, text.WithoutHidden(summary)); reason != "" {
		return reason, sensitiveDetail(reason)
	}
	if problem == text.ProblemUnsafe {
		return memory.ReasonUnsafeText, "The lesson was refused: " + text.Describe(problem, summary) + "."
	}
	return "", ""
}

// approvalFault says what is wrong with the approval that the runtime claims:
// applied always is, auto where approval is required, and everything that is
// not exactly one of the words.
func (s *session) approvalFault(claimed contract.Approval) string {
	switch claimed {
	case contract.ApprovalPending:
		return ""
	case contract.ApprovalAuto:
		if s.auto() {
			return ""
		}
		return "Approval is required here, so a proposal must say pending; a maintainer decides."
	case contract.ApprovalApplied:
		return "A runtime never applies a lesson itself; a proposal must say pending."
	}
	return "The approval of a proposal must say pending."
}

// auto says whether page 3.7 holds: approval switched off, for a scope that
// allows it.
func (s *session) auto() bool {
	return !s.policy.ApprovalRequired && memory.AutoScope(s.policy.TrustScope)
}

// gate passes the proposal through the write gate and makes the lesson.
func (s *session) gate(w contract.MemoryWrite, active bool) (memory.NewLesson, memory.Reason, string) {
	request := memory.WriteRequest{
		Content: w.Summary,
		Scope:   w.Scope,
		State:   string(memory.ReviewRequired),
		Source:  string(memory.ChatExtracted),
		Origin:  memory.OriginRuntime,
	}
	if active {
		request.State = string(memory.Active)
		request.Confirmation = s.v.Trigger
	}
	verdict := memory.Gate(request, memory.GateContext{
		Mode:         s.v.Mode,
		Incognito:    s.v.Incognito,
		Now:          s.v.Now,
		AutoApproval: s.auto(),
		Trust:        s.policy.TrustScope,
	})
	if refusal := verdict.Refusal(opPropose, ""); refusal != nil {
		return memory.NewLesson{}, refusal.Reason, refusal.Detail
	}
	key, _ := memory.ParseKey(w.Key) // addressed has parsed it
	return memory.NewLesson{
		Key:        key.Canonical(s.v.Coordinates),
		Scope:      verdict.Entry.Scope,
		Text:       verdict.Entry.Text,
		Source:     verdict.Entry.Source,
		State:      verdict.Entry.State,
		Class:      memory.Standard,
		Provenance: s.v.Provenance,
		Approved:   verdict.Entry.Approved,
	}, "", ""
}

// knownText holds the last two checks. Texts that differ only in case, spaces
// or punctuation are one text (attack A104).
func (s *session) knownText(lesson string) (memory.Reason, string) {
	if s.known[sameText(lesson)] {
		return memory.ReasonDuplicate, "The same lesson is already known or proposed."
	}
	if s.v.Suppressed != nil && s.v.Suppressed(lesson) {
		return memory.ReasonSuppressed, "This lesson was forgotten on purpose; a maintainer can teach it again with `remember` and the line `again: yes`."
	}
	return "", ""
}

func (s *session) count(lesson string, active bool) {
	s.known[sameText(lesson)] = true
	if active {
		s.activated++
	} else {
		s.pending++
	}
}

// sameText is the form under which two lessons are one. A text of punctuation
// alone folds to nothing and stands for itself.
func sameText(lesson string) string {
	if folded := text.Fold(lesson); folded != "" {
		return "folded " + folded
	}
	return "as is " + lesson
}
