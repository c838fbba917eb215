package policy

import (
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// judgeRead applies the checks of page 3.5 to one reported read; the first
// failure is the answer. A read that passes was handed out, so it may be
// cited (attack A64).
func (s *session) judgeRead(i int, read contract.MemoryRead) (ReadVerdict, string) {
	refuse := func(reason memory.Reason, detail string) (ReadVerdict, string) {
		return ReadVerdict{Position: i, Refused: reason}, detail
	}
	if s.off != "" {
		return refuse(memory.ReasonMemoryDisabled, s.off)
	}
	if i >= maxReads {
		return refuse(memory.ReasonQuota, "A report names at most 1000 lessons as read.")
	}
	if reason, detail := s.addressed(read.ID, read.Scope, s.policy.ReadScopes, "read"); reason != "" {
		return refuse(reason, detail)
	}
	key, _ := memory.ParseKey(read.ID) // addressed has parsed it
	key = key.Canonical(s.v.Coordinates)
	lessons := s.inScope(key, contract.MemoryScope(read.Scope))
	if len(lessons) == 0 {
		return refuse(memory.ReasonUnsupplied, "This lesson was not handed out for this review, so it cannot have shaped it.")
	}
	return ReadVerdict{Position: i, Key: key, Lessons: lessons}, ""
}

// inScope returns what was handed out under the key. Only active lessons ever
// are (attack A70); should a snapshot hold another, it is not cited either.
func (s *session) inScope(key memory.Key, scope contract.MemoryScope) []memory.Version {
	var lessons []memory.Version
	for _, lesson := range s.supplied[key] {
		if lesson.State.Recallable() && lesson.Scope == scope {
			lessons = append(lessons, lesson)
		}
	}
	return lessons
}

// addressed holds the checks that reads and writes share, in their order:
// revoked, unknown_scope, scope_not_granted, not_addressable.
func (s *session) addressed(id, scope string, granted []contract.MemoryScope, verb string) (memory.Reason, string) {
	if _, denied := memory.CoveredBy(s.policy.Denied, id); denied {
		return memory.ReasonRevoked, "This key was revoked; an admin can lift that with unrevoke."
	}
	known, ok := contract.ParseMemoryScope(scope)
	if !ok {
		return memory.ReasonUnknownScope, "A scope is repo, tenant_shared or familiar_global."
	}
	if !slices.Contains(granted, known) || known == contract.ScopeFamiliarGlobal {
		return memory.ReasonScopeNotGranted,
			"The trust scope " + string(s.policy.TrustScope) + " may not " + verb + " " + scope + " here."
	}
	key, problem := memory.ParseKey(id)
	if problem != nil {
		return memory.ReasonNotAddressable, "The key has not the form repo/<owner>/<name>/<namespace>/<key>: " + problem.Detail + "."
	}
	if !key.Within(s.v.Coordinates, known) {
		return memory.ReasonNotAddressable, "The key does not lie in the scope " + scope + " of this repository."
	}
	return "", ""
}
