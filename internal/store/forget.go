package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
)

// redacted stands where a text was.
const redacted = memory.Redacted

// forget overwrites the text of a document: in every version, in every other
// version of this file that has the same text, in the key that was made from
// it, and in the full-text index; and leaves a keyed fingerprint of each text
// (page 4.2). There is no way back, so it is refused whole where it would
// reach somebody else's words (page 4.3, decision 0016). redact does the same
// for an admin, to a lesson whose owner is gone, and to all that say the same.
func (a *applying) forget() (outcome, error) {
	// The caller looked up the actor's standing; whose lesson it is, is
	// decided here, on the rows themselves.
	doc, number, refused, err := a.touched()
	if refused != nil || err != nil {
		return a.refused(refused, documentOf(doc)), err
	}
	if number > 0 && !slices.ContainsFunc(doc, func(v row) bool { return v.Number == number }) {
		return a.refuse(memory.ReasonUnknownID, "", "%s", noVersion(doc, number)), nil
	}
	var going []row
	for _, v := range doc {
		to, r := memory.ApplyMove(a.t.Op, v.Version, "")
		if r != nil {
			refused = r
			continue
		}
		if to == memory.Tombstoned {
			going = append(going, v)
		}
	}
	if len(going) == 0 {
		return a.refused(refused, doc[0].DocumentID), nil
	}
	copies, refused, err := a.eraseTexts(going)
	if refused != nil || err != nil {
		return a.refused(refused, doc[0].DocumentID), err
	}
	if err := a.leaveFingerprints(a.macs(going)); err != nil {
		return outcome{}, err
	}
	return outcome{target: doc[len(doc)-1].ID(), detail: howMany(len(going), "version", "versions") + " and " + howMany(copies, "copy", "copies")}, nil
}

func howMany(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// eraseTexts overwrites versions and every other version of this file that
// holds one of their texts, and returns how many of those there were; nothing
// is overwritten where one of them may not be.
func (a *applying) eraseTexts(going []row) (int, *memory.Refusal, error) {
	copies, err := a.copies(going)
	if err != nil {
		return 0, nil, err
	}
	if refused, err := a.reaches(copies); refused != nil || err != nil {
		return 0, refused, err
	}
	for _, v := range append(slices.Clone(going), copies...) {
		if err := a.erase(v); err != nil {
			return 0, nil, err
		}
	}
	return len(copies), nil, nil
}

// reaches refuses an erasure that would take copies which the actor may not
// erase.
func (a *applying) reaches(copies []row) (*memory.Refusal, error) {
	var docs [][]memory.Version
	seen := map[string]bool{}
	for _, v := range copies {
		if seen[v.DocumentID] {
			continue
		}
		seen[v.DocumentID] = true
		doc, err := a.document(v.DocumentID)
		if err != nil {
			return nil, err
		}
		docs = append(docs, versionsOf(doc))
	}
	return memory.MayReach(a.t.Op, a.t.Actor, versionsOf(copies), docs), nil
}

// copies returns versions of other documents that hold one of the texts.
func (a *applying) copies(going []row) ([]row, error) {
	var out []row
	seen := map[int64]bool{}
	for _, v := range going {
		seen[v.id] = true
	}
	for _, mac := range a.macs(going) {
		same, err := a.versions("v.fingerprint = ? AND v.state <> 'tombstoned' ORDER BY v.uid", mac)
		if err != nil {
			return nil, err
		}
		for _, w := range same {
			if !seen[w.id] {
				seen[w.id] = true
				out = append(out, w)
			}
		}
	}
	return out, nil
}

// macs are the fingerprints under which a lesson would come back: as the
// check that it was, and as its words alone.
func (a *applying) macs(going []row) [][]byte {
	var out [][]byte
	for _, v := range going {
		for _, s := range []string{sameAs(v.Text, v.Check), v.Text} {
			if mac := a.fingerprint(s); mac != nil && !slices.ContainsFunc(out, func(m []byte) bool { return bytes.Equal(m, mac) }) {
				out = append(out, mac)
			}
		}
	}
	return out
}

// leaveFingerprints notes what was forgotten, and by whose right, so that a
// merge takes no more than was allowed here.
func (a *applying) leaveFingerprints(macs [][]byte) error {
	whose := a.t.Actor.ID
	if a.t.Op == memory.OpRedact {
		whose = anybody
	}
	for _, mac := range slices.Clone(macs) {
		macs = append(macs, scopedMAC(a.secret, string(mac), whose))
	}
	for _, mac := range macs {
		err := a.exec("INSERT INTO fingerprints VALUES (?, ?, ?, ?) ON CONFLICT (repository_id, secret_id, mac) DO UPDATE SET at = max(at, excluded.at)", a.id.RepositoryID, a.secretID, mac, millis(a.t.At))
		if err != nil {
			return err
		}
	}
	return nil
}

// anybody stands in the place of a creator where an admin redacted a text,
// whoever said it.
const anybody = 0

// scopedMAC is the keyed digest by which a fingerprint says whose words went
// with it. It is made from the fingerprint itself and equals that of no text.
func scopedMAC(secret []byte, mac string, whose int64) []byte {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "forgotten words of\n%d\n%s", whose, mac)
	return h.Sum(nil)
}

// erase overwrites one version, and the key of its document once no version
// of it has a text.
func (a *applying) erase(v row) error {
	if err := a.unindex(v.id); err != nil {
		return err
	}
	err := a.exec(`UPDATE versions SET redacted = 1, text = ?, paths = '[]', about = '[]', rule = NULL, citations = '[]', fingerprint = NULL,
  state = 'tombstoned', state_at = ?, state_cause = ?, state_op = ? WHERE repository_id = ? AND id = ?`,
		redacted, millis(a.t.At), digest(a.t.Cause), string(a.t.Op), a.id.RepositoryID, v.id)
	if err != nil {
		return err
	}
	return a.exec(`UPDATE documents SET forgotten = 1, key = ? WHERE repository_id = ? AND document_id = ?
  AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.repository_id = documents.repository_id AND v.document_id = documents.document_id AND v.redacted = 0)`,
		"redacted/"+v.DocumentID, a.id.RepositoryID, v.DocumentID)
}

// suppressed says whether a text was forgotten, in whatever case, spacing or
// punctuation (attack A104).
func (a *applying) suppressed(text string) (bool, error) {
	return a.Store.suppressed(a.ctx, a.tx, text)
}
