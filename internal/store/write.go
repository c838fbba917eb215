package store

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// autoTrust stands in for the trust of a run whose policy allowed automatic
// approval (page 3.7): the policy decided that, not the store.
const autoTrust = contract.TrustMaintainer

// add writes a new version: of the document that it replaces, else of a new
// one with the given id.
func (a *applying) add(n admitted, id string, replaced []row) (outcome, error) {
	if len(replaced) > 0 {
		if err := a.reclass(n.NewLesson, replaced[0]); err != nil {
			return outcome{}, err
		}
		return a.succeed(n, replaced[0].DocumentID, replaced)
	}
	existing, err := a.document(id)
	if err != nil {
		return outcome{}, err
	}
	if len(existing) > 0 {
		return a.refuse(memory.ReasonDuplicate, id, "Another lesson has the id %s already; say it in another line or other words.", id), nil
	}
	if err := a.newDocument(n, id); err != nil {
		return outcome{}, err
	}
	return a.succeed(n, id, nil)
}

// succeed writes the next version of a document and supersedes the versions
// that it replaces.
func (a *applying) succeed(n admitted, id string, replaced []row) (outcome, error) {
	var number int
	err := a.tx.QueryRowContext(a.ctx, "SELECT coalesce(max(number), 0) + 1 FROM versions WHERE repository_id = ? AND document_id = ?",
		a.id.RepositoryID, id).Scan(&number)
	if err != nil {
		return outcome{}, err
	}
	rowid, err := a.insert(n, id, number)
	if err != nil {
		return outcome{}, err
	}
	done := outcome{target: memory.VersionID(id, number)}
	if done.replaced, err = a.supersede(replaced); err != nil {
		return outcome{}, err
	}
	if len(done.replaced) > 0 {
		done.detail = fmt.Sprintf("replaced %v", done.replaced)
	}
	if n.State == memory.Active {
		err = a.index(rowid, memory.Version{Key: n.Key, Text: n.Text, Paths: n.Paths, About: n.About, Check: n.Check})
	}
	return done, err
}

// supersede moves versions that another one takes the place of, and returns
// their ids.
func (a *applying) supersede(old []row) ([]string, error) {
	var ids []string
	for _, r := range old {
		if err := a.move(r, memory.Superseded); err != nil {
			return nil, err
		}
		if a.former.DocumentID == "" {
			a.former = r.Version
		}
		ids = append(ids, r.ID())
	}
	return ids, nil
}

func (a *applying) newDocument(n admitted, id string) error {
	at := millis(a.t.At)
	return a.exec(`INSERT INTO documents (repository_id, document_id, scope, key, forgotten, class, class_at, class_cause,
  valid_until, valid_until_at, valid_until_cause, renewed_at, renewed_cause, announced_at, announced_cause, last_used)
 VALUES (?, ?, ?, ?, 0, ?, ?, x'', ?, ?, x'', NULL, x'', NULL, x'', '')`,
		a.id.RepositoryID, id, string(n.Scope), storedKey(n.Key), string(n.Class), at, nullMillis(n.ValidUntil), at)
}

// reclass sets class and end of a document that its owner teaches anew. A
// durable one stays durable: to lower it takes what purge takes (page 4.2).
// The registers move only to a later event.
func (a *applying) reclass(n *memory.NewLesson, old row) error {
	class := n.Class
	if old.Class == memory.Durable {
		class = memory.Durable
	}
	if err := a.setClass(old.DocumentID, class); err != nil {
		return err
	}
	return a.setEnd(old.DocumentID, nullMillis(n.ValidUntil))
}

func (a *applying) insert(n admitted, id string, number int) (int64, error) {
	lists, err := encodeLists(n.NewLesson)
	if err != nil {
		return 0, err
	}
	confirmed := confirmation{}
	if n.State == memory.Active {
		confirmed = a.confirmation()
		if n.Approved == memory.ApprovedAuto {
			confirmed.approved = memory.ApprovedAuto
		}
	}
	result, err := a.result(`INSERT INTO versions (repository_id, document_id, uid, number, redacted, text, paths, about, rule, citations,
  fingerprint, source, creator_id, creator_login, created_at, origin_repository_id, pull_request, base, merge_base, head, finding,
  state, state_at, state_cause, state_op, confirmed_by_id, confirmed_by_login, confirmed_at, confirmed_kind, confirmed_event, confirmed_url, approved)
 VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.id.RepositoryID, id, digest(memory.NewCause("version", fmt.Sprint(a.id.RepositoryID), a.t.Cause, fmt.Sprint(n.Line), id)), number,
		n.Text, lists.paths, lists.about, lists.rule, lists.citations, a.fingerprint(sameAs(n.Text, n.Check)), string(n.Source),
		max(a.t.Actor.ID, 0), clip(a.t.Actor.Login, 100), millis(a.t.At), n.Provenance.RepositoryID, max(n.Provenance.PullRequest, 0),
		clip(n.Provenance.Base, 64), clip(n.Provenance.MergeBase, 64), clip(n.Provenance.Head, 64), clip(n.Provenance.Finding, 100),
		string(n.State), millis(a.t.At), digest(""), string(a.t.Op),
		confirmed.by.ID, confirmed.by.Login, confirmed.at, confirmed.through.Kind, confirmed.through.ID, confirmed.through.URL, string(confirmed.approved))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// confirmation is a person's word as it is stored.
type confirmation struct {
	by       memory.Principal
	at       any // milliseconds, or nil
	through  memory.Through
	approved memory.ApprovedBy
}

func (a *applying) confirmation() confirmation {
	return confirmation{
		by:       memory.Principal{ID: max(a.t.Actor.ID, 0), Login: clip(a.t.Actor.Login, 100)},
		at:       millis(a.t.At),
		through:  memory.Through{Kind: clip(a.t.Through.Kind, 40), ID: clip(a.t.Through.ID, 100), URL: clip(a.t.Through.URL, 500)},
		approved: memory.ApprovedConfirmed,
	}
}

// move sets the state of one version, takes it out of recall, and never moves
// to the left.
func (a *applying) move(r row, to memory.State) error {
	if to != memory.Active {
		if err := a.unindex(r.id); err != nil {
			return err
		}
	}
	return a.exec("UPDATE versions SET state = ?, state_at = ?, state_cause = ?, state_op = ? WHERE repository_id = ? AND id = ?",
		string(to), millis(a.t.At), digest(a.t.Cause), string(a.t.Op), a.id.RepositoryID, r.id)
}

// sameAs is what makes two lessons the same one. Words are the same but for
// case, spaces and punctuation; in a pattern those are all that matters, so a
// check adds its patterns in a spelling that folding leaves alone. Without
// it, a rule about a single quote would be one about a backtick.
func sameAs(text string, c *memory.Check) string {
	if c == nil {
		return text
	}
	return fmt.Sprintf("%s %s %x %x %x %t", text, c.Kind, c.Pattern, c.Prefer, strings.Join(append(slices.Clone(c.In), c.With...), "\n"), c.Regex)
}

// fingerprint is the keyed digest of a text as it is stored, nil if there is
// nothing to digest.
func (s *Store) fingerprint(text string) []byte {
	mac, err := hex.DecodeString(memory.Fingerprint(s.secret, text))
	if err != nil || len(mac) == 0 {
		return nil
	}
	return mac
}
