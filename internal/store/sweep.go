package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Due is one part of the sweep that is to be done: the transition, ready to
// be applied, and the version that it is about (the zero Version for the audit
// horizon).
type Due struct {
	Transition memory.Transition
	Version    memory.Version
}

// Sweepable returns what the sweep has to do at now (page 4.2). closed are the
// pull requests that were closed unmerged. Each cause is made from the state
// that the rows are in, so two sweeps of one store ask for the same, and
// Apply looks at the rows again.
func (s *Store) Sweepable(ctx context.Context, now time.Time, r memory.Retention, closed []int) ([]Due, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.queryVersions(s.query(ctx), "SELECT "+versionColumns+fromVersions+
		" AND "+mayBeDue+" ORDER BY v.document_id, v.number, v.uid", s.id.RepositoryID, endingBefore(now, r))
	if err != nil {
		return nil, err
	}
	var out []Due
	for _, v := range rows {
		facts := v.facts(now, r, slices.Contains(closed, v.Provenance.PullRequest) && v.Provenance.PullRequest > 0)
		for _, op := range memory.SweepOps() {
			if _, refused := memory.Sweep(op, v.Version, facts); refused == nil {
				out = append(out, Due{Transition: v.sweepBy(op, facts), Version: v.Version})
				break
			}
		}
	}
	horizon, err := s.horizonDue(ctx, now, r)
	if err != nil || horizon == nil {
		return out, err
	}
	return append(out, *horizon), nil
}

// mayBeDue leaves out what no part of the sweep can be about, so that a large
// store is not read whole: most of its lessons are active and years from
// their end. What is left is judged by memory.Sweep.
const mayBeDue = `(v.state IN ('draft', 'review_required') OR v.state = 'deprecated' AND v.state_op = 'age'
 OR v.state = 'active' AND (d.class = 'ephemeral' OR d.class = 'standard' AND max(coalesce(v.confirmed_at, v.created_at), coalesce(d.renewed_at, 0)) <= ?))`

// endingBefore is the time in milliseconds that somebody must have stood by a
// standard lesson after, so that nothing about it can be due; 0 if no
// retention ends any. A day is added to be on the safe side.
func endingBefore(now time.Time, r memory.Retention) int64 {
	const maxDays = 36_500
	days := maxDays + 1
	if r.MaxAgeDays > 0 {
		days = min(days, max(r.MaxAgeDays-memory.NoticeDays, 0))
	}
	if r.MaxUnusedDays > 0 {
		days = min(days, r.MaxUnusedDays)
	}
	if r.MaxAgeDays <= 0 && r.MaxUnusedDays <= 0 {
		return 0
	}
	return max(now.AddDate(0, 0, 1-min(days, maxDays)).UnixMilli(), 0)
}

// horizonDue is the transition that moves the audit horizon, nil if nothing
// lies before it.
func (s *Store) horizonDue(ctx context.Context, now time.Time, r memory.Retention) (*Due, error) {
	horizon, ok := memory.AuditHorizon(r, now)
	if !ok {
		return nil, nil
	}
	found := false
	for _, table := range agedTables {
		var n int
		err := s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&n) },
			"SELECT count(*) FROM "+table.name+" WHERE repository_id = ? AND "+table.column+" < ?", table.bound(millis(horizon)))
		if err != nil {
			return nil, err
		}
		found = found || n > 0
	}
	if !found {
		return nil, nil
	}
	return &Due{Transition: memory.Transition{Op: memory.OpHorizon, At: now, Retention: r,
		Cause: memory.NewCause("sweep", fmt.Sprint(s.id.RepositoryID), string(memory.OpHorizon), fmt.Sprint(millis(horizon)))}}, nil
}

// facts are what the sweep regards besides the version.
func (v row) facts(now time.Time, r memory.Retention, closed bool) memory.SweepFacts {
	return memory.SweepFacts{Now: now, Retention: r, PullClosed: closed, StateAt: fromMillis(v.stateAt), StateOp: v.stateOp}
}

func (v row) sweepBy(op memory.Op, f memory.SweepFacts) memory.Transition {
	return memory.Transition{
		Op: op, At: f.Now, Target: v.ID(), Retention: f.Retention, PullClosed: f.PullClosed, Through: memory.Through{Kind: "sweep"},
		Cause: memory.NewCause("sweep", v.uid, string(op), fmt.Sprint(v.stateAt), fmt.Sprint(millis(memory.Renewed(v.Version)))),
	}
}

// sweep does one part of the sweep to one version, if it is due on the rows as
// they are.
func (a *applying) sweep() (outcome, error) {
	doc, number, refused, err := a.sweptTarget()
	if refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	for _, v := range doc {
		if v.Number != number {
			continue
		}
		to, r := memory.Sweep(a.t.Op, v.Version, v.facts(a.t.At, a.t.Retention, a.t.PullClosed))
		if r != nil {
			refused = r
			continue
		}
		return a.swept(doc, v, to)
	}
	if refused == nil {
		refused = &memory.Refusal{Reason: memory.ReasonUnknownID, Detail: noVersion(doc, number)}
	}
	return a.refused(refused, ""), nil
}

func (a *applying) sweptTarget() ([]row, int, *memory.Refusal, error) {
	id, number, refused, err := a.resolve(a.txQuery(), a.t.Target)
	if refused != nil || err != nil {
		return nil, 0, refused, err
	}
	doc, err := a.document(id)
	return doc, number, nil, err
}

func (a *applying) swept(doc []row, v row, to memory.State) (outcome, error) {
	done := outcome{target: v.ID()}
	switch a.t.Op {
	case memory.OpAnnounce:
		at := millis(a.t.At)
		return done, a.exec(`UPDATE documents SET announced_at = ?, announced_cause = ?
 WHERE repository_id = ? AND document_id = ? AND (coalesce(announced_at, 0), announced_cause) < (?, ?)`,
			at, digest(a.t.Cause), a.id.RepositoryID, v.DocumentID, at, digest(a.t.Cause))
	case memory.OpFade:
		return a.fade(doc, done)
	}
	return done, a.move(v, to)
}

// fade overwrites the texts of a document that its age ended. It leaves no
// fingerprint: the lesson was outdated, not unwanted, and may be taught again.
func (a *applying) fade(doc []row, done outcome) (outcome, error) {
	if slices.ContainsFunc(doc, func(v row) bool { return v.State == memory.Active || v.State.Pending() }) {
		return a.refuse(memory.ReasonNotDue, "", "Another version of it is in use or waits."), nil
	}
	for _, v := range withText(doc) {
		if err := a.erase(v); err != nil {
			return outcome{}, err
		}
	}
	return done, nil
}

// agedTable is a table of which rows go when the audit horizon passes them.
type agedTable struct{ name, column string }

var agedTables = []agedTable{{"audit", "at"}, {"displays", "at"}, {"uses", "day"}}

// bound is the least value of the column that stays.
func (t agedTable) bound(horizon int64) any {
	if t.column == "day" {
		return fromMillis(horizon).Format(time.DateOnly)
	}
	return horizon
}

// horizon moves the audit horizon, which only grows, and drops what lies
// before it.
func (a *applying) horizon() (outcome, error) {
	at, ok := memory.AuditHorizon(a.t.Retention, a.t.At)
	if !ok {
		return a.refuse(memory.ReasonNotDue, "", "No retention of audit rows is set."), nil
	}
	err := a.exec("UPDATE store SET audit_horizon = max(audit_horizon, ?) WHERE repository_id = ?", millis(at), a.id.RepositoryID)
	if err != nil {
		return outcome{}, err
	}
	gone, err := a.dropAged(a.ctx, a.tx)
	return outcome{detail: howMany(int(gone), "row", "rows") + " gone"}, err
}

// dropAged removes the rows before the store's audit horizon, and returns how
// many.
func (s *Store) dropAged(ctx context.Context, q querier) (int64, error) {
	var horizon, gone int64
	if err := q.QueryRowContext(ctx, "SELECT audit_horizon FROM store WHERE repository_id = ?", s.id.RepositoryID).Scan(&horizon); err != nil {
		return 0, err
	}
	for _, table := range agedTables {
		result, err := q.ExecContext(ctx, "DELETE FROM "+table.name+" WHERE repository_id = ? AND "+table.column+" < ?", s.id.RepositoryID, table.bound(horizon))
		if err != nil {
			return 0, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		gone += n
	}
	return gone, nil
}
