package store

import "github.com/familiarhq/familiar/internal/memory"

// retire takes a lesson out of use and keeps its text: the version that was
// named, else every version of the document that is or was in use.
func (a *applying) retire() (outcome, error) {
	doc, number, refused, err := a.touched()
	if refused != nil || err != nil {
		return a.refused(refused, documentOf(doc)), err
	}
	refused = &memory.Refusal{Reason: memory.ReasonUnknownID, Detail: noVersion(doc, number)}
	var done outcome
	retired := 0
	for _, v := range doc {
		if number != 0 && v.Number != number {
			continue
		}
		to, r := memory.ApplyMove(memory.OpRetire, v.Version, "")
		if r != nil {
			refused = r
			continue
		}
		if err := a.move(v, to); err != nil {
			return outcome{}, err
		}
		retired++
		done.target = v.ID()
	}
	if retired == 0 {
		return a.refused(refused, doc[0].DocumentID), nil
	}
	done.detail = howMany(retired, "version", "versions")
	return done, nil
}

// keep renews a document, which any maintainer may, and changes its class and
// end, which its owner may. Nothing of it is done unless all of it may be.
func (a *applying) keep() (outcome, error) {
	doc, _, refused, err := a.touched()
	if refused != nil || err != nil {
		return a.refused(refused, documentOf(doc)), err
	}
	versions, change := versionsOf(doc), a.t.Keep
	refused = memory.MayKeep(a.t.Actor, a.t.Standing, versions)
	if refused == nil && change != nil && change.Class != "" {
		refused = memory.MayReclass(a.t.Actor, a.t.Standing, versions, change.Class)
	}
	if refused == nil && change != nil && change.SetUntil {
		refused = memory.MayEnd(a.t.Actor, a.t.Standing, versions, change.Until, a.t.At)
	}
	id := doc[0].DocumentID
	if refused != nil {
		return a.refused(refused, id), nil
	}
	if err := a.renew(id); err != nil {
		return outcome{}, err
	}
	done := outcome{target: doc[len(doc)-1].ID(), detail: "renewed"}
	if change != nil && change.Class != "" {
		done.detail += ", class " + string(change.Class)
		if err := a.setClass(id, change.Class); err != nil {
			return outcome{}, err
		}
	}
	if change != nil && change.SetUntil {
		done.detail += ", new end"
		err = a.setEnd(id, nullMillis(change.Until))
	}
	return done, err
}

// The registers of a document move only to a later (time, cause), so that
// every replica comes to the same value (page 4.4).

func (a *applying) renew(document string) error {
	at := millis(a.t.At)
	return a.exec(`UPDATE documents SET renewed_at = ?, renewed_cause = ?
 WHERE repository_id = ? AND document_id = ? AND (coalesce(renewed_at, 0), renewed_cause) < (?, ?)`,
		at, digest(a.t.Cause), a.id.RepositoryID, document, at, digest(a.t.Cause))
}

func (a *applying) setClass(document string, class memory.Class) error {
	at := millis(a.t.At)
	return a.exec(`UPDATE documents SET class = ?, class_at = ?, class_cause = ?
 WHERE repository_id = ? AND document_id = ? AND (class_at, class_cause) < (?, ?)`,
		string(class), at, digest(a.t.Cause), a.id.RepositoryID, document, at, digest(a.t.Cause))
}

func (a *applying) setEnd(document string, until any) error {
	at := millis(a.t.At)
	return a.exec(`UPDATE documents SET valid_until = ?, valid_until_at = ?, valid_until_cause = ?
 WHERE repository_id = ? AND document_id = ? AND (valid_until_at, valid_until_cause) < (?, ?)`,
		until, at, digest(a.t.Cause), a.id.RepositoryID, document, at, digest(a.t.Cause))
}
