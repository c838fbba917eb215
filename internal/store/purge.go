package store

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/familiarhq/familiar/internal/memory"
)

// purge removes a document with all that is known of it. Copies of its texts
// in other documents are overwritten, since what was purged for the law's
// sake may stand nowhere; where one is somebody else's, nothing is purged
// before an admin redacted it. A marker stays, so that no merge brings it back
// (page 4.2).
func (a *applying) purge() (outcome, error) {
	doc, _, refused, err := a.touched()
	if refused != nil || err != nil {
		return a.refused(refused, documentOf(doc)), err
	}
	id := doc[0].DocumentID
	if refused := memory.MayPurge(a.t.Actor, a.t.Standing, versionsOf(doc)); refused != nil {
		return a.refused(refused, id), nil
	}
	copies, refused, err := a.eraseTexts(withText(doc))
	if refused != nil || err != nil {
		return a.refused(refused, id), err
	}
	if err := a.removeDocument(id, doc); err != nil {
		return outcome{}, err
	}
	return outcome{target: id, detail: howMany(len(doc), "version", "versions") + " gone, " + howMany(copies, "copy", "copies") + " overwritten"}, nil
}

// uninstall removes every document of this repository, whosever it is: what
// an admin asks for when the product goes. Causes stay, so that no old
// command is done again, and markers, so that an old container brings nothing
// back.
func (a *applying) uninstall() (outcome, error) {
	ids, err := a.allDocuments()
	if err != nil {
		return outcome{}, err
	}
	for _, id := range ids {
		doc, err := a.document(id)
		if err != nil {
			return outcome{}, err
		}
		if err := a.removeDocument(id, doc); err != nil {
			return outcome{}, err
		}
	}
	return outcome{detail: howMany(len(ids), "document", "documents") + " gone"}, nil
}

func (a *applying) allDocuments() ([]string, error) {
	rows, err := a.tx.QueryContext(a.ctx, "SELECT document_id FROM documents WHERE repository_id = ? ORDER BY document_id", a.id.RepositoryID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// removeDocument deletes the rows of a document and leaves the marker.
func (a *applying) removeDocument(id string, doc []row) error {
	for _, v := range doc {
		if err := a.unindex(v.id); err != nil {
			return err
		}
	}
	for _, table := range []string{"uses", "versions", "documents"} {
		if err := a.exec("DELETE FROM "+table+" WHERE repository_id = ? AND document_id = ?", a.id.RepositoryID, id); err != nil {
			return err
		}
	}
	return a.exec("INSERT OR IGNORE INTO purges VALUES (?, ?, ?, ?)", a.id.RepositoryID, a.secretID, purgeMark(a.secret, id), millis(a.t.At))
}

// purgeMark is the keyed digest that stands for a purged document. It is made
// from the id, by which the document is known in every replica: its key may
// have been overwritten before, and other documents may have had the same.
func purgeMark(secret []byte, document string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("purged document\n" + document))
	return mac.Sum(nil)
}

func withText(doc []row) []row {
	var out []row
	for _, v := range doc {
		if !v.State.Erased() {
			out = append(out, v)
		}
	}
	return out
}
