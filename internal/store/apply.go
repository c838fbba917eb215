package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// This file is the one door for changes (page 4.2): every transition is one
// SQL transaction, applied once by its cause, and leaves one audit row that
// never holds a text or a key.

// applying is one transition on its way through the door.
type applying struct {
	*Store
	ctx context.Context
	tx  *sql.Tx
	t   memory.Transition

	former     memory.Version       // the first version that was superseded, as it stood
	statements map[string]*sql.Stmt // compiled once; they end with the transaction
}

// outcome is what an operation did, or why it did nothing. An operation that
// refuses has written nothing.
type outcome struct {
	refused  *memory.Refusal
	target   string // version or document id, for the cause and audit rows
	replaced []string
	detail   string // for the audit row: ids and counts, never a text or a key
}

// Apply performs one transition, or refuses it, by the actor's standing and
// ownership (page 4.3) and by the state of the rows; it is the caller's part to
// have looked the standing up. A cause that is known does nothing again:
// Already is set, and Version is how the lesson stands now. A refusal is final
// and recorded, but for a proposal that found no room and a sweep whose time
// has not come: those may come back.
func (s *Store) Apply(ctx context.Context, t memory.Transition) (memory.Applied, error) {
	return s.apply(ctx, t, func(tx *sql.Tx) error {
		if err := tx.Commit(); err != nil {
			return err
		}
		s.changed = true
		return nil
	})
}

// Rehearse says what Apply would do, and leaves the store as it is.
func (s *Store) Rehearse(ctx context.Context, t memory.Transition) (memory.Applied, error) {
	return s.apply(ctx, t, (*sql.Tx).Rollback)
}

// apply performs a transition and ends its transaction.
func (s *Store) apply(ctx context.Context, t memory.Transition, end func(*sql.Tx) error) (memory.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refusal := malformed(t); refusal != nil {
		return memory.Applied{Refused: refusal}, nil
	}
	tx, err := s.c.conn.BeginTx(ctx, nil)
	if err != nil {
		return memory.Applied{}, s.failed(err)
	}
	defer tx.Rollback()
	a := &applying{Store: s, ctx: context.WithoutCancel(ctx), tx: tx, t: t} // the transaction ends with ctx
	if known, applied, err := a.known(); known || err != nil {
		return applied, err
	}
	done, err := a.perform()
	if err != nil {
		return memory.Applied{}, s.failed(err)
	}
	if done.refused != nil && memory.Sweeps(t.Op) {
		return memory.Applied{Refused: done.refused}, nil
	}
	if err := a.settle(done); err != nil {
		return memory.Applied{}, s.failed(err)
	}
	applied := memory.Applied{Refused: done.refused, Replaced: done.replaced, Former: a.former}
	if done.refused == nil {
		if applied.Version, err = a.versionNamed(done.target); err != nil {
			return memory.Applied{}, s.failed(err)
		}
	}
	if err := end(tx); err != nil {
		return memory.Applied{}, s.failed(err)
	}
	return applied, nil
}

// malformed refuses what could not even be recorded.
func malformed(t memory.Transition) *memory.Refusal {
	refuse := func(reason memory.Reason, detail string) *memory.Refusal {
		return &memory.Refusal{Op: string(t.Op), Target: t.Target, Reason: reason, Detail: detail}
	}
	if _, err := hex.DecodeString(t.Cause); err != nil || len(t.Cause) != 64 || t.Cause != strings.ToLower(t.Cause) {
		return refuse(memory.ReasonProvenanceForged, "A change needs the digest of what caused it; without one nothing is changed.")
	}
	if !datable(t.At) {
		return refuse(memory.ReasonProvenanceForged, "A change needs the time of its event; without one nothing is changed.")
	}
	if operation(t.Op) != nil {
		return nil
	}
	return refuse(memory.ReasonUnknownOp, fmt.Sprintf("This store does not know the operation %.40q; nothing was changed.", string(t.Op)))
}

// operation returns what Apply does for op, nil for what it does not know.
func operation(op memory.Op) func(*applying) (outcome, error) {
	switch op {
	case memory.OpRemember:
		return (*applying).remember
	case memory.OpPropose:
		return (*applying).propose
	case memory.OpImport:
		return (*applying).importEntry
	case memory.OpApprove:
		return (*applying).approve
	case memory.OpReject:
		return (*applying).reject
	case memory.OpEdit:
		return (*applying).edit
	case memory.OpRetire:
		return (*applying).retire
	case memory.OpKeep:
		return (*applying).keep
	case memory.OpForget, memory.OpRedact:
		return (*applying).forget
	case memory.OpPurge:
		return (*applying).purge
	case memory.OpUninstall:
		return (*applying).uninstall
	case memory.OpRevoke:
		return (*applying).revoke
	case memory.OpUnrevoke:
		return (*applying).unrevoke
	case memory.OpAccept, memory.OpDismiss, memory.OpCorrect:
		return (*applying).dispose
	case memory.OpHorizon:
		return (*applying).horizon
	}
	if memory.Sweeps(op) {
		return (*applying).sweep
	}
	return nil
}

// perform asks the capability before anything is looked up, so that who may
// not do something learns nothing by asking for it. A runtime's proposal and
// the sweep are nobody's acts and need none.
func (a *applying) perform() (outcome, error) {
	if a.t.Op != memory.OpPropose && !memory.Sweeps(a.t.Op) {
		if refused := memory.May(a.t.Standing, a.t.Op); refused != nil {
			return a.refused(refused, ""), nil
		}
	}
	return operation(a.t.Op)(a)
}

// touched resolves the target and says whether the actor may do the operation
// to it; a refusal comes with the document that was found. number is the version that was named, 0 for none.
func (a *applying) touched() (doc []row, number int, refused *memory.Refusal, err error) {
	id, number, refused, err := a.resolve(a.txQuery(), a.t.Target)
	if refused != nil || err != nil {
		return nil, 0, refused, err
	}
	if doc, err = a.document(id); err != nil {
		return nil, 0, nil, err
	}
	if refused := memory.MayTouch(a.t.Op, a.t.Actor, a.t.Standing, versionsOf(doc)); refused != nil {
		return doc, 0, refused, nil
	}
	return doc, number, nil, nil
}

// documentOf is the id of a document that was found, "" of one that was not.
func documentOf(doc []row) string {
	if len(doc) == 0 {
		return ""
	}
	return doc[0].DocumentID
}

// refuse builds the outcome of a refusal.
func (a *applying) refuse(reason memory.Reason, target, format string, args ...any) outcome {
	return a.refused(&memory.Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...)}, target)
}

func (a *applying) refused(r *memory.Refusal, target string) outcome {
	shown := target
	if shown == "" {
		shown = a.t.Target
	}
	return outcome{refused: r.For(string(a.t.Op), shown), target: target}
}

// known answers a cause that was dealt with before.
func (a *applying) known() (bool, memory.Applied, error) {
	var reason, target string
	err := a.tx.QueryRowContext(a.ctx, "SELECT reason, target FROM causes WHERE repository_id = ? AND id = ?",
		a.id.RepositoryID, digest(a.t.Cause)).Scan(&reason, &target)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, memory.Applied{}, nil
	case err != nil:
		return false, memory.Applied{}, a.failed(err)
	case reason != "":
		r := &memory.Refusal{Op: string(a.t.Op), Target: target, Reason: memory.Reason(reason),
			Detail: "This was asked and refused before, and a refusal is final; to try again, ask anew."}
		return true, memory.Applied{Already: true, Refused: r}, nil
	}
	v, err := a.versionNamed(target)
	return true, memory.Applied{Already: true, Version: v}, a.failed(err)
}

// versionNamed returns the version that an id of our own names, the zero
// Version if it is gone.
func (a *applying) versionNamed(id string) (memory.Version, error) {
	document, number, _ := memory.ParseID(id)
	rows, err := a.versions("v.document_id = ? AND (v.number = ? OR ? = 0) ORDER BY v.number DESC, v.uid LIMIT 1", document, number, number)
	if err != nil || len(rows) == 0 {
		return memory.Version{}, err
	}
	return rows[0].Version, nil
}

// versions reads versions of this repository inside the transaction.
func (a *applying) versions(where string, args ...any) ([]row, error) {
	return a.queryVersions(a.txQuery(), "SELECT "+versionColumns+fromVersions+" AND "+where, append([]any{a.id.RepositoryID}, args...)...)
}

func (a *applying) txQuery() queryFunc {
	return func(query string, args ...any) (*sql.Rows, error) {
		stmt, err := a.statement(query)
		if err != nil {
			return nil, err
		}
		return stmt.QueryContext(a.ctx, args...)
	}
}

// statement compiles a statement once in a transaction: to compile one takes
// longer than to run it.
func (a *applying) statement(query string) (*sql.Stmt, error) {
	if stmt := a.statements[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := a.tx.PrepareContext(a.ctx, query)
	if err != nil {
		return nil, err
	}
	if a.statements == nil {
		a.statements = map[string]*sql.Stmt{}
	}
	a.statements[query] = stmt
	return stmt, nil
}

func (a *applying) exec(query string, args ...any) error {
	_, err := a.result(query, args...)
	return err
}

func (a *applying) result(query string, args ...any) (sql.Result, error) {
	stmt, err := a.statement(query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(a.ctx, args...)
}

// scanner is one row of a query, or why there is none.
type scanner interface{ Scan(into ...any) error }

func (a *applying) row(query string, args ...any) scanner {
	stmt, err := a.statement(query)
	if err != nil {
		return failedScan{err}
	}
	return stmt.QueryRowContext(a.ctx, args...)
}

type failedScan struct{ err error }

func (f failedScan) Scan(...any) error { return f.err }

// settle writes the cause and the audit row. A proposal that found no room
// leaves no cause: when there is room, it may come back.
func (a *applying) settle(done outcome) error {
	reason := ""
	if done.refused != nil {
		reason = string(done.refused.Reason)
	}
	if err := a.touch(a.ctx, a.tx); err != nil {
		return err
	}
	noRoom := reason == string(memory.ReasonQuota) || reason == string(memory.ReasonStoreFull)
	if !(a.t.Op == memory.OpPropose && noRoom) {
		err := a.exec("INSERT INTO causes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", a.id.RepositoryID, digest(a.t.Cause), string(a.t.Op), reason, done.target,
			max(a.t.Number, 0), millis(a.t.At), clip(a.t.Through.Kind, 40), clip(a.t.Through.ID, 100))
		if err != nil {
			return err
		}
	}
	return a.exec("INSERT OR IGNORE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", a.id.RepositoryID, digest(memory.NewCause("audit", a.t.Cause, reason)),
		millis(a.t.At), string(a.t.Op), reason, done.target, max(a.t.Actor.ID, 0), clip(a.t.Actor.Login, 100), clip(done.detail, 1000))
}

// clip bounds a string that only informs, at a whole character, and writes out
// what is hidden in it, since a file with that is not opened.
func clip(s string, runes int) string {
	s = firstRunes(s, runes)
	for !plain(s) && text.Visible(s) != s { // a cut may part what was sound together
		s = firstRunes(text.Visible(s), runes)
	}
	return s
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
