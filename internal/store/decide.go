package store

import (
	"fmt"

	"github.com/familiarhq/familiar/internal/memory"
)

// approve makes a pending version active if the digest names its exact text.
// A key that is in use gives way only if the approver owns what is there.
func (a *applying) approve() (outcome, error) {
	v, refused, err := a.pending()
	if refused != nil || err != nil {
		return a.refused(refused, v.DocumentID), err
	}
	if a.t.Lesson != nil {
		return a.reword(v)
	}
	if _, refused := memory.ApplyMove(memory.OpApprove, v.Version, a.t.Digest); refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	if refused := a.confirmable(v.Version); refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	n := &memory.NewLesson{Key: v.Key, Scope: v.Scope, Text: v.Text, Check: v.Check}
	if known, err := a.suppressed(sameAs(v.Text, v.Check)); err != nil || known {
		return a.refuse(memory.ReasonSuppressed, v.ID(), "The same text was forgotten before; reject this one, or remember it with the line `again: yes`."), err
	}
	taken, refused, err := a.placeFor(n)
	if refused != nil || err != nil {
		return a.refused(refused, v.ID()), err
	}
	return a.activate(v, taken)
}

// placeFor says what an approved lesson replaces, or why it has no place: its
// text is remembered already, somebody else has its key, or there is no room.
func (a *applying) placeFor(n *memory.NewLesson) (taken []row, refused *memory.Refusal, err error) {
	same, err := a.sameText(n, memory.Active)
	if err != nil {
		return nil, nil, err
	}
	if len(same) > 0 {
		return nil, &memory.Refusal{Reason: memory.ReasonDuplicate,
			Detail: fmt.Sprintf("The same text is remembered already, as %s; reject this one.", same[0].ID())}, nil
	}
	if taken, err = a.activeWithKey(n); err != nil {
		return nil, nil, err
	}
	if refused, err := a.keyTaken(taken); refused != nil || err != nil {
		return nil, refused, err
	}
	refused, err = a.room(len(taken))
	return taken, refused, err
}

// reword approves a pending version in other words, which are then the
// approver's: the next version of the same document, active at once.
func (a *applying) reword(v row) (outcome, error) {
	if _, refused := memory.Reword(v.Version, a.t.Digest); refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	n, refused := a.admissible(inWords(a.t.Lesson, v.Version))
	if refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	if refused, err := a.forgotten(n.NewLesson); refused != nil || err != nil {
		return a.refused(refused, v.ID()), err
	}
	taken, refused, err := a.placeFor(n.NewLesson)
	if refused != nil || err != nil {
		return a.refused(refused, v.ID()), err
	}
	return a.succeed(n, v.DocumentID, append([]row{v}, taken...))
}

// confirmable passes an approval through the write gate: its text, and the
// approver's event as its confirmation.
func (a *applying) confirmable(v memory.Version) *memory.Refusal {
	if r := a.addressable(&memory.NewLesson{Key: v.Key, Scope: v.Scope}); r != nil {
		return r
	}
	verdict := memory.Gate(memory.WriteRequest{
		Content: v.Text, Scope: string(v.Scope), State: string(memory.Active), Source: string(v.Source), Origin: memory.OriginEvent,
		Confirmation: memory.VerifiedConfirmation(a.t.At, a.t.Actor, a.t.Through),
	}, memory.GateContext{Mode: memory.ModeManualWithDrafts, Now: a.t.At})
	return verdict.Refusal(string(a.t.Op), v.ID())
}

func (a *applying) activate(v row, taken []row) (outcome, error) {
	done := outcome{target: v.ID()}
	var err error
	if done.replaced, err = a.supersede(taken); err != nil {
		return outcome{}, err
	}
	if len(done.replaced) > 0 {
		done.detail = fmt.Sprintf("replaced %v", done.replaced)
	}
	if err := a.move(v, memory.Active); err != nil {
		return outcome{}, err
	}
	c := a.confirmation()
	err = a.exec(`UPDATE versions SET confirmed_by_id = ?, confirmed_by_login = ?, confirmed_at = ?, confirmed_kind = ?, confirmed_event = ?,
  confirmed_url = ?, approved = ? WHERE repository_id = ? AND id = ?`,
		c.by.ID, c.by.Login, c.at, c.through.Kind, c.through.ID, c.through.URL, string(c.approved), a.id.RepositoryID, v.id)
	if err != nil {
		return outcome{}, err
	}
	return done, a.index(v.id, v.Version)
}

// reject ends a pending version; its text stays for those who look.
func (a *applying) reject() (outcome, error) {
	v, refused, err := a.pending()
	if refused != nil || err != nil {
		return a.refused(refused, v.DocumentID), err
	}
	to, refused := memory.ApplyMove(memory.OpReject, v.Version, "")
	if refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	return outcome{target: v.ID()}, a.move(v, to)
}

// pending returns the version that an approval or rejection means: the one
// that was named; without a number, the latest that waits; of two that share
// a number after a merge, the one whose text the digest names.
func (a *applying) pending() (row, *memory.Refusal, error) {
	doc, number, refused, err := a.touched()
	if refused != nil || err != nil {
		return row{Version: memory.Version{DocumentID: documentOf(doc)}}, refused, err
	}
	var found *row
	for i, v := range doc {
		if number != 0 && v.Number != number {
			continue
		}
		better := found == nil || v.State.Pending() || !found.State.Pending()
		if found != nil && found.Number == v.Number && memory.TextDigest(found.Text) == a.t.Digest {
			better = false
		}
		if better {
			found = &doc[i]
		}
	}
	if found == nil {
		return row{}, &memory.Refusal{Reason: memory.ReasonUnknownID, Detail: noVersion(doc, number)}, nil
	}
	return *found, nil, nil
}

func noVersion(doc []row, number int) string {
	return fmt.Sprintf("%s has no version %d; show lists those there are. Nothing was changed.", doc[0].DocumentID, number)
}
