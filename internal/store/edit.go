package store

import (
	"github.com/familiarhq/familiar/internal/memory"
)

// edit gives a document new words: a new version that supersedes the one in
// use. Key, scope, class and end stay; paths, words and citations stay where
// none were named.
func (a *applying) edit() (outcome, error) {
	doc, number, refused, err := a.touched()
	if refused != nil || err != nil {
		return a.refused(refused, documentOf(doc)), err
	}
	current, refused := inUse(doc, number)
	if refused != nil {
		return a.refused(refused, doc[0].DocumentID), nil
	}
	if a.t.Lesson == nil {
		return a.refuse(memory.ReasonContentInvalid, current[0].ID(), "There are no new words for it. Nothing was changed."), nil
	}
	n, refused := a.admissible(inWords(a.t.Lesson, current[0].Version))
	if refused != nil {
		return a.refused(refused, current[0].ID()), nil
	}
	same, err := a.sameText(n.NewLesson, memory.Active)
	if err != nil {
		return outcome{}, err
	}
	if len(same) > 0 && !changes(n.NewLesson, same[0], current) {
		return a.refuse(memory.ReasonDuplicate, current[0].ID(), "This is remembered already, as %s. Nothing was changed.", same[0].ID()), nil
	}
	if refused, err := a.forgotten(n.NewLesson); refused != nil || err != nil {
		return a.refused(refused, current[0].ID()), err
	}
	if refused, err := a.room(len(current)); refused != nil || err != nil {
		return a.refused(refused, current[0].ID()), err
	}
	return a.succeed(n, current[0].DocumentID, current)
}

// inUse returns the active versions of a document; number names the one that
// the person meant, 0 for whichever is in use.
func inUse(doc []row, number int) ([]row, *memory.Refusal) {
	var current []row
	var refused *memory.Refusal
	named := number == 0
	for _, v := range doc {
		_, r := memory.ApplyMove(memory.OpEdit, v.Version, "")
		if r == nil {
			current = append(current, v)
		}
		if number == 0 || v.Number == number {
			named = true
			refused = r
		}
	}
	switch {
	case !named:
		return nil, &memory.Refusal{Reason: memory.ReasonUnknownID, Detail: noVersion(doc, number)}
	case len(current) == 0 || number != 0 && refused != nil:
		return nil, refused
	}
	return current, nil
}

// inWords is a person's new wording of a lesson: theirs in text and source,
// and the old one's in everything that they did not name.
func inWords(words *memory.NewLesson, old memory.Version) *memory.NewLesson {
	n := *words
	n.Key, n.Scope, n.Class, n.ValidUntil = old.Key, old.Scope, old.Class, old.ValidUntil
	n.Source, n.State, n.Approved = memory.UserAuthored, memory.Active, memory.ApprovedConfirmed
	if n.Paths == nil {
		n.Paths = old.Paths
	}
	if n.About == nil {
		n.About = old.About
	}
	if n.Citations == nil {
		n.Citations = old.Citations
	}
	if n.Check == nil {
		n.Check = old.Check
	}
	if n.Provenance == (memory.Provenance{}) {
		n.Provenance = old.Provenance
	}
	return &n
}
