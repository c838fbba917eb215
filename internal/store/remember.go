package store

import (
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// remember stores what a person teaches: active at once. A key that is in use
// gets a new version if the actor owns what is there, else it is refused,
// since to change a lesson takes its owner (page 4.3).
func (a *applying) remember() (outcome, error) { return a.teach(a.t.Lesson) }

// teach stores a person's words.
func (a *applying) teach(lesson *memory.NewLesson) (outcome, error) {
	n, refused := a.admissible(lesson)
	if refused != nil {
		return a.refused(refused, ""), nil
	}
	taken, err := a.claimKey(n.NewLesson)
	if err != nil {
		return outcome{}, err
	}
	if refused, err := a.keyTaken(taken); refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	if same, err := a.sameText(n.NewLesson, memory.Active); err != nil {
		return outcome{}, err
	} else if len(same) > 0 && !changes(n.NewLesson, same[0], taken) {
		return a.refuse(memory.ReasonDuplicate, same[0].DocumentID, "This is remembered already, as %s. To change it, use edit.", same[0].ID()), nil
	}
	if refused, err := a.forgotten(n.NewLesson); refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	if refused, err := a.room(len(taken)); refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	return a.add(n, memory.NewDocumentID(a.id.RepositoryID, a.t.Cause, n.Line), taken)
}

// forgotten asks for the line "again: yes" where a person teaches what was
// forgotten.
func (a *applying) forgotten(n *memory.NewLesson) (*memory.Refusal, error) {
	if n.Again {
		return nil, nil
	}
	known, err := a.suppressed(sameAs(n.Text, n.Check))
	if err != nil || !known {
		return nil, err
	}
	return &memory.Refusal{Reason: memory.ReasonSuppressed,
		Detail: "The same text was forgotten before. If it should be remembered all the same, send the command again with the line `again: yes`."}, nil
}

// propose stores what a runtime proposes: pending, or active where page 3.7
// lets it. It never replaces what somebody taught.
func (a *applying) propose() (outcome, error) {
	n, refused := a.admissible(a.t.Lesson)
	if refused != nil {
		return a.refused(refused, ""), nil
	}
	if refused, err := a.news(n.NewLesson); err != nil {
		return outcome{}, err
	} else if refused != nil {
		return a.refused(refused, refused.Target), nil
	}
	if n.State == memory.Active {
		if taken, err := a.activeWithKey(n.NewLesson); err != nil || len(taken) > 0 {
			return a.refuse(memory.ReasonNotYours, "", "The key is in use by a lesson that somebody taught; a proposal never replaces one."), err
		}
	}
	if refused, err := a.roomToPropose(n.NewLesson); refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	id := memory.NewProposalID(a.id.RepositoryID, n.Provenance.PullRequest, n.Provenance.Head, n.Key, n.Text)
	return a.add(n, id, nil)
}

// importEntry stores an entry that a person brought from elsewhere. It waits
// as a proposal does, whatever it was where it comes from (page 6.6).
func (a *applying) importEntry() (outcome, error) {
	n, refused := a.admissible(a.t.Lesson)
	if refused != nil {
		return a.refused(refused, ""), nil
	}
	if refused, err := a.news(n.NewLesson); err != nil {
		return outcome{}, err
	} else if refused != nil {
		return a.refused(refused, refused.Target), nil
	}
	if refused, err := a.roomToPropose(n.NewLesson); refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	return a.add(n, memory.NewDocumentID(a.id.RepositoryID, a.t.Cause, n.Line), nil)
}

// news refuses what would wait though it is known: decided on before, waiting
// already, or forgotten.
func (a *applying) news(n *memory.NewLesson) (*memory.Refusal, error) {
	same, err := a.sameText(n, memory.Draft, memory.ReviewRequired, memory.Active, memory.Rejected)
	switch {
	case err != nil:
		return nil, err
	case len(same) > 0 && same[0].State == memory.Rejected:
		return &memory.Refusal{Target: same[0].DocumentID, Reason: memory.ReasonDuplicate,
			Detail: fmt.Sprintf("A maintainer rejected the same text, as %s.", same[0].ID())}, nil
	case len(same) > 0:
		return &memory.Refusal{Target: same[0].DocumentID, Reason: memory.ReasonDuplicate,
			Detail: fmt.Sprintf("The same text is there already, as %s (%s).", same[0].ID(), same[0].State)}, nil
	}
	if known, err := a.suppressed(sameAs(n.Text, n.Check)); err != nil || known {
		return &memory.Refusal{Reason: memory.ReasonSuppressed, Detail: "The same text was forgotten before; only a maintainer may remember it again."}, err
	}
	return nil, nil
}

// activeWithKey returns the active versions under the lesson's key, the
// latest confirmed first.
func (a *applying) activeWithKey(n *memory.NewLesson) ([]row, error) {
	// Documents first: SQLite would go through all active versions instead of
	// the few documents that have the key.
	return a.versions(`v.document_id IN (SELECT document_id FROM documents WHERE repository_id = ? AND scope = ? AND key = ?)
 AND +v.state = 'active' ORDER BY v.confirmed_at DESC, v.uid`, a.id.RepositoryID, string(n.Scope), storedKey(n.Key))
}

// maxNumberedKeys bounds the search for a free key.
const maxNumberedKeys = 99

// claimKey returns the active versions that the lesson would replace. A key
// that was made from the first words of the text is nobody's choice: where
// another text has it, the lesson gets the next number instead of replacing
// what was taught (decision 0003).
func (a *applying) claimKey(n *memory.NewLesson) ([]row, error) {
	base := n.Key
	taken, err := a.activeWithKey(n)
	if base.Rest() != text.Slug(n.Text) {
		return taken, err
	}
	for i := 2; err == nil && len(taken) > 0 && text.Fold(sameAs(taken[0].Text, taken[0].Check)) != text.Fold(sameAs(n.Text, n.Check)) && i <= maxNumberedKeys; i++ {
		key, problem := memory.ParseKey(fmt.Sprintf("%s-%d", base, i))
		if problem != nil {
			break
		}
		n.Key = key
		taken, err = a.activeWithKey(n)
	}
	return taken, err
}

// keyTaken refuses a key that is in use by somebody else.
func (a *applying) keyTaken(taken []row) (*memory.Refusal, error) {
	for _, r := range taken {
		doc, err := a.document(r.DocumentID)
		if err != nil {
			return nil, err
		}
		if !memory.Owns(a.t.Actor, versionsOf(doc)) {
			return &memory.Refusal{Reason: memory.ReasonNotYours,
				Detail: "The key is taken by " + r.ID() + ", which is not yours to change. Retire " + r.DocumentID + " first, or choose another key with the line `key:`. Nothing was changed."}, nil
		}
	}
	return nil, nil
}

// document returns all versions of a document, the first one first.
func (a *applying) document(id string) ([]row, error) {
	return a.versions("v.document_id = ? ORDER BY v.number, v.uid", id)
}

// sameText returns versions in one of the states whose text is the same but
// for case, spaces and punctuation.
func (a *applying) sameText(n *memory.NewLesson, states ...memory.State) ([]row, error) {
	mac := a.fingerprint(sameAs(n.Text, n.Check))
	if mac == nil {
		return nil, nil
	}
	rows, err := a.versions("v.fingerprint = ? ORDER BY v.confirmed_at DESC, v.uid", mac)
	return slices.DeleteFunc(rows, func(r row) bool { return !slices.Contains(states, r.State) }), err
}

// changes says whether the lesson differs from the version of its own key
// that has the same text: other globs, words, rule, class or end.
func changes(n *memory.NewLesson, same row, taken []row) bool {
	own := slices.ContainsFunc(taken, func(r row) bool { return r.uid == same.uid })
	return own && !(same.Text == n.Text && slices.Equal(same.Paths, n.Paths) && slices.Equal(same.About, n.About) &&
		same.Class == n.Class && same.ValidUntil.Equal(n.ValidUntil) && sameRule(same.Check, n.Check))
}

func sameRule(a, b *memory.Check) bool {
	x, errX := encodeRule(a)
	y, errY := encodeRule(b)
	return errX == nil && errY == nil && x == y
}
