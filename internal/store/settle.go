package store

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// What a denial means for rows that another replica had beside it is settled
// here, after the rows were united (page 4.4): a purge takes the document, a
// forget takes every version of its document and every earlier copy of its
// text, the audit horizon takes what is older. It depends on the united rows
// alone, so the order of merges does not matter.

// settle applies the denials and the horizon to united contents. What was
// settled before need not be looked at again, unless a denial is new.
func (c *contents) settle() error {
	secrets, err := c.secrets()
	if err != nil {
		return err
	}
	if len(c.before["secrets"]) > 0 {
		c.settled = false
	}
	for _, part := range []func([]secretKey) error{
		c.settlePurges, c.settleFingerprints, c.settleForgets, c.settleDocuments, c.settleHorizon,
	} {
		if err := part(secrets); err != nil {
			c.settled = false
			return err
		}
	}
	c.settled = true
	return nil
}

// unsettled are the rows of a table to which a denial may apply: those that
// came or changed since the last settling, or all of them, if denials did.
func (c *contents) unsettled(table string, denials ...string) map[string]rowOf {
	all := !c.settled || slices.ContainsFunc(denials, func(name string) bool { return len(c.before[name]) > 0 })
	if all {
		return c.rows[table]
	}
	out := map[string]rowOf{}
	for id := range c.before[table] {
		if r, there := c.rows[table][id]; there {
			out[id] = r
		}
	}
	return out
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
		for id := range c.unsettled("documents", "purges") {
			if c.marked(secrets, id) {
				c.remove("documents", id)
			}
		}
	}
	orphans := c.unsettled("versions")
	if c.lost("documents") {
		orphans = c.rows["versions"]
	}
	return c.removeWhere("versions", orphans, verDocument+1, func(f []field) bool { return c.gone("documents", f[verDocument].s) })
}

// changed says whether any row of a table that was there is another now, or gone.
func (c *contents) changed(table string) bool {
	for _, old := range c.before[table] {
		if !old.none() {
			return true
		}
	}
	return false
}

// lost says whether any row of a table was removed.
func (c *contents) lost(table string) bool {
	for id, old := range c.before[table] {
		if !old.none() && c.gone(table, id) {
			return true
		}
	}
	return false
}

func (c *contents) marked(secrets []secretKey, document string) bool {
	for _, s := range secrets {
		if !c.gone("purges", s.id+"\x00"+string(purgeMark(s.key, document))+"\x00") {
			return true
		}
	}
	return false
}

func (c *contents) removeWhere(table string, among map[string]rowOf, columns int, going func([]field) bool) error {
	for id, r := range among {
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
// later: a runtime's words, and a person's if that person or an admin took
// them away (decision 0016). A lesson that was taught again after that stays.
func (c *contents) settleFingerprints(secrets []secretKey) error {
	if len(secrets) > 1 {
		if err := c.refingerprint(secrets[0]); err != nil {
			return err
		}
	}
	if len(c.rows["fingerprints"]) == 0 {
		return nil
	}
	for uid, r := range c.unsettled("versions", "fingerprints") {
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

// forgottenAt returns when a text like this version's was forgotten by
// somebody who may have forgotten this one, 0 if it was not. It goes by the
// source and the creator, which are the same in every replica; who approved a
// proposal is not, so a runtime's words go whoever forgot them.
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
		left, err := c.leftAt(s, mac)
		if err != nil {
			return 0, err
		}
		if left > 0 && f[verSource].s != string(memory.ChatExtracted) {
			left = 0
			for _, whose := range []int64{f[verCreatorID].i, anybody} {
				scoped, err := c.leftAt(s, string(scopedMAC(s.key, mac, whose)))
				if err != nil {
					return 0, err
				}
				left = max(left, scoped)
			}
		}
		at = max(at, left)
	}
	return at, nil
}

// leftAt is the time of a fingerprint, 0 if there is none.
func (c *contents) leftAt(s secretKey, mac string) (int64, error) {
	r, known := c.rows["fingerprints"][s.id+"\x00"+mac+"\x00"]
	if !known {
		return 0, nil
	}
	f, err := r.columns()
	if err != nil {
		return 0, err
	}
	return f[3].i, nil
}

// refingerprint makes the fingerprints of all versions with one key, once
// two stores of different keys became one.
func (c *contents) refingerprint(s secretKey) error {
	for uid, r := range c.unsettled("versions") {
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
func (c *contents) settleForgets([]secretKey) error {
	among := c.unsettled("versions")
	more, err := c.readForgotten()
	if err != nil || len(c.forgotten) == 0 {
		return err
	}
	if more {
		among = c.rows["versions"]
	}
	for uid, r := range among {
		f, err := c.view(r, verApproved+1)
		if err != nil {
			return err
		}
		if c.forgotten[f[verDocument].s] && f[verRedacted].i == 0 {
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

// readForgotten finds the documents that a cause forgot or redacted, and says
// whether there are more of them than at the last settling.
func (c *contents) readForgotten() (more bool, err error) {
	among := c.unsettled("causes")
	if !c.settled || c.changed("causes") {
		c.forgotten, among = map[string]bool{}, c.rows["causes"]
	}
	for _, r := range among {
		f, err := c.view(r, causeTarget+1)
		if err != nil {
			return false, err
		}
		op := memory.Op(f[causeOp].s)
		document, _, _ := strings.Cut(f[causeTarget].s, "@")
		if f[causeReason].s == "" && (op == memory.OpForget || op == memory.OpRedact) && !c.forgotten[document] {
			c.forgotten[strings.Clone(document)] = true
			more = true
		}
	}
	return more, nil
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
func (c *contents) settleDocuments([]secretKey) error {
	silent, err := c.perhapsSilent()
	if err != nil {
		return err
	}
	for _, among := range []map[string]rowOf{c.unsettled("versions"), c.rows["versions"]} {
		if len(silent) == 0 {
			return nil
		}
		for _, r := range among {
			f, err := c.view(r, verRedacted+1)
			if err != nil {
				return err
			}
			if f[verRedacted].i == 0 {
				delete(silent, f[verDocument].s)
			}
		}
	}
	for id, r := range silent {
		f, err := c.view(r, docLastUsed+1)
		if err != nil {
			return err
		}
		next := append([]field(nil), f...)
		next[docForgotten], next[docKey] = field{kind: isInt, i: 1}, field{kind: isText, s: "redacted/" + id}
		c.set("documents", id, rowOf{fields: next})
	}
	return nil
}

// perhapsSilent are the documents with a key that can be read whose versions
// may have lost their text since the last settling.
func (c *contents) perhapsSilent() (map[string]rowOf, error) {
	out := map[string]rowOf{}
	add := func(id string) error {
		r, there := c.rows["documents"][id]
		if !there {
			return nil
		}
		f, err := c.view(r, docForgotten+1)
		if err == nil && f[docForgotten].i == 0 {
			out[id] = r
		}
		return err
	}
	for id := range c.unsettled("documents") {
		if err := add(id); err != nil {
			return nil, err
		}
	}
	if !c.settled {
		return out, nil
	}
	for uid, old := range c.before["versions"] {
		if r, there := c.rows["versions"][uid]; there {
			old = r
		}
		if old.none() {
			continue
		}
		f, err := c.view(old, verDocument+1)
		if err == nil {
			err = add(f[verDocument].s)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// settleHorizon drops audit rows and uses that are older than the horizon,
// and uses of documents that are gone.
func (c *contents) settleHorizon([]secretKey) error {
	day := ""
	if c.horizon > 0 {
		day = fromMillis(c.horizon).Format(time.DateOnly)
	}
	among := c.unsettled
	if c.horizon != c.cut {
		among = func(table string, _ ...string) map[string]rowOf { return c.rows[table] }
	}
	for _, t := range tables {
		if t.dated < 0 {
			continue
		}
		err := c.removeWhere(t.name, among(t.name), t.dated+1, func(f []field) bool {
			at := f[t.dated]
			return at.kind == isInt && at.i < c.horizon || at.kind == isText && at.s < day
		})
		if err != nil {
			return err
		}
	}
	c.cut = c.horizon
	uses := c.unsettled("uses")
	if c.lost("documents") {
		uses = c.rows["uses"]
	}
	return c.removeWhere("uses", uses, 3, func(f []field) bool { return c.gone("documents", f[2].s) })
}
