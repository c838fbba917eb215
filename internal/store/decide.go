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
		return a.refused(refused, ""), err
	}
	if _, refused := memory.ApplyMove(memory.OpApprove, v.Version, a.t.Digest); refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	if refused := a.confirmable(v.Version); refused != nil {
		return a.refused(refused, v.ID()), nil
	}
	n := &memory.NewLesson{Key: v.Key, Scope: v.Scope, Text: v.Text, Check: v.Check}
	same, err := a.sameText(n, memory.Active)
	if err != nil {
		return outcome{}, err
	}
	if len(same) > 0 {
		return a.refuse(memory.ReasonDuplicate, v.ID(), "The same text is remembered already, as %s; reject this one.", same[0].ID()), nil
	}
	if known, err := a.suppressed(sameAs(v.Text, v.Check)); err != nil || known {
		return a.refuse(memory.ReasonSuppressed, v.ID(), "The same text was forgotten before; reject this one, or remember it with the line `again: yes`."), err
	}
	taken, err := a.activeWithKey(n)
	if err != nil {
		return outcome{}, err
	}
	if refused, err := a.keyTaken(taken); refused != nil || err != nil {
		return a.refused(refused, v.ID()), err
	}
	if refused, err := a.room(len(taken)); refused != nil || err != nil {
		return a.refused(refused, v.ID()), err
	}
	return a.activate(v, taken)
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
	for _, old := range taken {
		if err := a.move(old, memory.Superseded); err != nil {
			return outcome{}, err
		}
		done.replaced = append(done.replaced, old.ID())
	}
	if len(done.replaced) > 0 {
		done.detail = fmt.Sprintf("replaced %v", done.replaced)
	}
	if err := a.move(v, memory.Active); err != nil {
		return outcome{}, err
	}
	c := a.confirmation()
	err := a.exec(`UPDATE versions SET confirmed_by_id = ?, confirmed_by_login = ?, confirmed_at = ?, confirmed_kind = ?, confirmed_event = ?,
  confirmed_url = ?, approved = ? WHERE repository_id = ? AND id = ?`,
		c.by.ID, c.by.Login, c.at, c.through.Kind, c.through.ID, c.through.URL, string(c.approved), a.id.RepositoryID, v.id)
	if err != nil {
		return outcome{}, err
	}
	return done, a.index(v.id, v.Key, v.Text, v.About, v.Check)
}

// reject ends a pending version; its text stays for those who look.
func (a *applying) reject() (outcome, error) {
	v, refused, err := a.pending()
	if refused != nil || err != nil {
		return a.refused(refused, ""), err
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
	id, number, refused, err := a.resolve(a.txQuery(), a.t.Target)
	if refused != nil || err != nil {
		return row{}, refused, err
	}
	doc, err := a.document(id)
	if err != nil {
		return row{}, nil, err
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
		return row{}, &memory.Refusal{Reason: memory.ReasonUnknownID, Detail: fmt.Sprintf("%s has no version %d; show lists those there are. Nothing was changed.", id, number)}, nil
	}
	return *found, nil, nil
}
