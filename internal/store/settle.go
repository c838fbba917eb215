package store

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// What a denial means for rows that another replica had beside it is settled
// here, after the rows were united (page 4.4): a purge takes the document, a
// forget takes every version of its document and every earlier copy of its
// text, the audit horizon takes what is older. It depends on the united rows
// alone, so the order of merges does not matter.

// settle applies the denials and the horizon to united contents.
func (c *contents) settle() error {
	secrets, err := c.secrets()
	if err != nil {
		return err
	}
	if err := c.settlePurges(secrets); err != nil {
		return err
	}
	if err := c.settleFingerprints(secrets); err != nil {
		return err
	}
	if err := c.settleForgets(); err != nil {
		return err
	}
	if err := c.settleDocuments(); err != nil {
		return err
	}
	return c.settleHorizon()
}

// secretKey is one of the random keys of the store; the first by id is the
// one that new digests are made with.
type secretKey struct {
	id  string
	key []byte
}

func (c *contents) secrets() ([]secretKey, error) {
	var out []secretKey
	for _, id := range sortedKeys(c.rows["secrets"]) {
		f, err := c.rows["secrets"][id].columns()
		if err != nil {
			return nil, err
		}
		out = append(out, secretKey{id: id, key: []byte(f[1].s)})
	}
	return out, nil
}

// settlePurges removes documents that have a purge marker, with their
// versions and uses: a merge never brings back what was purged.
func (c *contents) settlePurges(secrets []secretKey) error {
	if len(c.rows["purges"]) > 0 {
		for id := range c.rows["documents"] {
			if c.marked(secrets, id) {
				c.remove("documents", id)
			}
		}
	}
	return c.removeWhere("versions", verDocument+1, func(f []field) bool { return c.gone("documents", f[verDocument].s) })
}

func (c *contents) marked(secrets []secretKey, document string) bool {
	for _, s := range secrets {
		if !c.gone("purges", s.id+"\x00"+string(purgeMark(s.key, document))+"\x00") {
			return true
		}
	}
	return false
}

func (c *contents) removeWhere(table string, columns int, going func([]field) bool) error {
	for id, r := range c.rows[table] {
		f, err := c.view(r, columns)
		if err != nil {
			return err
		}
		if going(f) {
			c.remove(table, id)
		}
	}
	return nil
}

// settleFingerprints erases what says the same as a text that was forgotten
// later. A lesson that was taught again after that stays.
func (c *contents) settleFingerprints(secrets []secretKey) error {
	if len(secrets) > 1 {
		if err := c.refingerprint(secrets[0]); err != nil {
			return err
		}
	}
	if len(c.rows["fingerprints"]) == 0 {
		return nil
	}
	for uid, r := range c.rows["versions"] {
		f, err := c.view(r, verApproved+1)
		if err != nil {
			return err
		}
		if f[verRedacted].i == 1 {
			continue
		}
		at, err := c.forgottenAt(secrets, f)
		if err != nil {
			return err
		}
		if at > f[verCreatedAt].i {
			c.settleErased(uid, f)
		}
	}
	return nil
}

// forgottenAt returns when a text like this version's was forgotten, 0 if it
// was not.
func (c *contents) forgottenAt(secrets []secretKey, f []field) (int64, error) {
	var at int64
	for i, s := range secrets {
		mac := f[verFingerprint].s
		if i > 0 {
			var err error
			if mac, err = macOf(s.key, f); err != nil {
				return 0, err
			}
		}
		if r, known := c.rows["fingerprints"][s.id+"\x00"+mac+"\x00"]; known {
			left, err := r.columns()
			if err != nil {
				return 0, err
			}
			at = max(at, left[3].i)
		}
	}
	return at, nil
}

// refingerprint makes the fingerprints of all versions with one key, once
// two stores of different keys became one.
func (c *contents) refingerprint(s secretKey) error {
	for uid, r := range c.rows["versions"] {
		f, err := c.view(r, verApproved+1)
		if err != nil {
			return err
		}
		if f[verRedacted].i == 1 {
			continue
		}
		mac, err := macOf(s.key, f)
		if err != nil {
			return err
		}
		if mac != f[verFingerprint].s {
			next := append([]field(nil), f...)
			next[verFingerprint] = field{kind: isBlob, s: mac}
			c.set("versions", uid, rowOf{fields: next, rowid: r.rowid})
		}
	}
	return nil
}

func macOf(key []byte, f []field) (string, error) {
	var rule *memory.Check
	if f[verRule].kind == isText {
		var err error
		if rule, err = decodeRule(f[verRule].s); err != nil {
			return "", err
		}
	}
	mac, err := hex.DecodeString(memory.Fingerprint(key, sameAs(f[verText].s, rule)))
	return string(mac), err
}

// settleForgets erases every version of a document that was forgotten or
// redacted by name: what was added elsewhere at the same time goes as well.
// The causes tell which those are, and they are never dropped.
func (c *contents) settleForgets() error {
	forgotten, err := c.forgotten()
	if err != nil || len(forgotten) == 0 {
		return err
	}
	for uid, r := range c.rows["versions"] {
		f, err := c.view(r, verApproved+1)
		if err != nil {
			return err
		}
		if forgotten[f[verDocument].s] && f[verRedacted].i == 0 {
			c.settleErased(uid, f)
		}
	}
	return nil
}

// Columns of causes.
const (
	causeOp     = 2
	causeReason = 3
	causeTarget = 4
)

// forgotten returns the documents that a cause forgot or redacted.
func (c *contents) forgotten() (map[string]bool, error) {
	out := map[string]bool{}
	for _, r := range c.rows["causes"] {
		f, err := c.view(r, causeTarget+1)
		if err != nil {
			return nil, err
		}
		op := memory.Op(f[causeOp].s)
		if f[causeReason].s == "" && (op == memory.OpForget || op == memory.OpRedact) {
			document, _, _ := strings.Cut(f[causeTarget].s, "@")
			out[document] = true
		}
	}
	return out, nil
}

// settleErased erases a version that no command of its own erased. Its state
// has the least time and no cause, so that every such command counts as the
// later one, in whatever order stores are merged.
func (c *contents) settleErased(uid string, f []field) {
	c.erase(uid, f, field{kind: isInt, i: 1}, field{kind: isBlob}, field{kind: isText, s: string(memory.OpForget)})
}

// erase overwrites what a version says, as forget does.
func (c *contents) erase(uid string, f []field, at, cause, op field) {
	next := append([]field(nil), f...)
	text := func(s string) field { return field{kind: isText, s: s} }
	next[verRedacted] = field{kind: isInt, i: 1}
	next[verText], next[verPaths], next[verAbout], next[verCitations] = text(redacted), text("[]"), text("[]"), text("[]")
	next[verRule], next[verFingerprint] = field{}, field{}
	next[verState], next[verStateAt], next[verStateCause], next[verStateOp] = text(string(memory.Tombstoned)), at, cause, op
	c.set("versions", uid, rowOf{fields: next, rowid: c.rows["versions"][uid].rowid})
}

// settleDocuments redacts the key of a document of which no version has a
// text.
func (c *contents) settleDocuments() error {
	says := make(map[string]bool, len(c.rows["documents"]))
	for _, r := range c.rows["versions"] {
		f, err := c.view(r, verRedacted+1)
		if err != nil {
			return err
		}
		if f[verRedacted].i == 0 {
			says[f[verDocument].s] = true
		}
	}
	for id, r := range c.rows["documents"] {
		if says[id] {
			continue
		}
		f, err := c.view(r, docLastUsed+1)
		if err != nil {
			return err
		}
		if f[docForgotten].i == 1 {
			continue
		}
		next := append([]field(nil), f...)
		next[docForgotten], next[docKey] = field{kind: isInt, i: 1}, field{kind: isText, s: "redacted/" + id}
		c.set("documents", id, rowOf{fields: next})
	}
	return nil
}

// settleHorizon drops audit rows and uses that are older than the horizon,
// and uses of documents that are gone.
func (c *contents) settleHorizon() error {
	day := ""
	if c.horizon > 0 {
		day = fromMillis(c.horizon).Format(time.DateOnly)
	}
	for _, t := range tables {
		if t.dated < 0 {
			continue
		}
		err := c.removeWhere(t.name, t.dated+1, func(f []field) bool {
			at := f[t.dated]
			return at.kind == isInt && at.i < c.horizon || at.kind == isText && at.s < day
		})
		if err != nil {
			return err
		}
	}
	return c.removeWhere("uses", 3, func(f []field) bool { return c.gone("documents", f[2].s) })
}
