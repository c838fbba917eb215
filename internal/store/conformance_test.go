package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// eachCase runs the shared cases of an area on real stores. Stricter and
// differs, in a case, say why our answer is another than the source system's.
func eachCase[In, Want any](t *testing.T, area string, least int, run func(*testing.T, In, Want)) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		var c struct {
			Name  string
			Input In
			Want  Want
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s line %d: %v", area, n+1, err)
		}
		n++
		t.Run(area+"/"+c.Name, func(t *testing.T) { run(t, c.Input, c.Want) })
	}
	if n < least {
		t.Errorf("%s has %d cases, want %d", area, n, least)
	}
}

const elsewhere = 7002 // another repository's id

// copyElsewhere plants a copy of every lesson of this store under another
// repository's id: rows that no statement of ours may see.
func (f *fixture) copyElsewhere() {
	f.t.Helper()
	for _, table := range []string{"documents", "versions"} {
		rows, err := f.c.conn.QueryContext(f.t.Context(), "SELECT * FROM "+table+" LIMIT 0")
		if err != nil {
			f.t.Fatal(err)
		}
		columns, _ := rows.Columns()
		rows.Close()
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "id" })
		from := strings.Replace(strings.Join(columns, ", "), "repository_id", fmt.Sprint(elsewhere), 1)
		f.sql("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") SELECT " + from + " FROM " + table)
	}
}

func (f *fixture) sql(query string, args ...any) {
	f.t.Helper()
	if _, err := f.c.conn.ExecContext(f.t.Context(), query, args...); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) number(query string, args ...any) int {
	f.t.Helper()
	var n int
	if err := f.c.conn.QueryRowContext(f.t.Context(), query, args...).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	return n
}

// dropOurs removes the lessons of this store's own repository.
func (f *fixture) dropOurs() {
	f.sql("DELETE FROM places")
	f.sql("DELETE FROM versions WHERE repository_id = ?", ledger.RepositoryID)
	f.sql("DELETE FROM documents WHERE repository_id = ?", ledger.RepositoryID)
}

func TestConformanceOfOwnership(t *testing.T) {
	type input struct {
		Versions      [][2]int
		Who           int64
		Elsewhere     bool
		AlsoElsewhere bool `json:"also_elsewhere"`
	}
	type want struct {
		Exists, Owns bool
		Owner        int64
		Versions     int
	}
	eachCase(t, "ownership", 9, func(t *testing.T, in input, w want) {
		f := newFixture(t)
		id := "m-00000000"
		if len(in.Versions) > 0 {
			v := f.must(f.remember(ada, lesson("Amounts are in cents")))
			f.must(f.edit(ada, v.ID(), "Amounts are in mills"))
			id = v.DocumentID
			f.sql("DELETE FROM places")
			f.sql("UPDATE versions SET number = number + 100")
			for i, row := range in.Versions {
				f.sql("UPDATE versions SET number = ?, creator_id = ? WHERE number = ?", row[0], row[1], 101+i)
			}
			f.sql("DELETE FROM versions WHERE number > 100")
		}
		if in.Elsewhere || in.AlsoElsewhere {
			f.copyElsewhere()
		}
		if in.Elsewhere {
			f.dropOurs()
		}
		doc, refused, err := f.Get(t.Context(), id)
		if err != nil || (refused == nil) != w.Exists {
			t.Fatalf("%+v, %v", refused, err)
		}
		who := memory.Principal{ID: in.Who, Login: "ada"}
		if owner := memory.Owner(doc); owner.ID != w.Owner || memory.Owns(who, doc) != w.Owns {
			t.Errorf("it belongs to %+v, and %d owns it: %v", owner, in.Who, memory.Owns(who, doc))
		}
		if w.Versions > 0 && len(doc) != w.Versions {
			t.Errorf("%d versions", len(doc))
		}
		forget := f.on(memory.OpForget, who, id)
		if a := f.apply(forget); (a.Refused == nil) != w.Owns {
			t.Errorf("forget: %+v", a.Refused)
		}
		if left := f.number("SELECT count(*) FROM versions WHERE repository_id = ? AND redacted = 1", elsewhere); left != 0 {
			t.Errorf("%d lessons of another repository were forgotten", left)
		}
	})
}

func TestConformanceOfPurge(t *testing.T) {
	type want struct {
		Reason memory.Reason
		Says   string
	}
	eachCase(t, "purge", 5, func(t *testing.T, in struct{ Versions [][2]string }, w want) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		doc := []memory.Version{}
		for i, row := range in.Versions {
			doc = append(doc, memory.Version{DocumentID: v.DocumentID, Number: i + 1, Class: memory.Class(row[0]), State: memory.State(row[1])})
		}
		refused := memory.Purge(doc)
		if (refused == nil) != (w.Reason == "") || refused != nil && (refused.Reason != w.Reason || !strings.Contains(refused.Detail, w.Says)) {
			t.Errorf("%+v", refused)
		}
		if len(in.Versions) > 1 {
			return // a class is the document's, so a store has no such rows
		}
		f.sql("UPDATE documents SET class = ?", in.Versions[0][0])
		f.sql("UPDATE versions SET state = ?", in.Versions[0][1])
		if a := f.apply(f.on(memory.OpPurge, ada, v.DocumentID)); (a.Refused == nil) != (w.Reason == "") || a.Refused != nil && a.Refused.Reason != w.Reason {
			t.Errorf("the store: %+v", a.Refused)
		}
	})
}

func TestConformanceOfTheSweep(t *testing.T) {
	type input struct {
		Class, State, Until, Age string
		Elsewhere, Operations    bool
	}
	type want struct {
		State      memory.State
		Operations []memory.Op
	}
	eachCase(t, "sweep", 7, func(t *testing.T, in input, w want) {
		if in.Operations {
			ops := append(memory.SweepOps(), memory.OpHorizon)
			if !slices.Equal(ops, w.Operations) {
				t.Errorf("the sweep does %v", ops)
			}
			for _, op := range ops {
				if memory.May(memory.StandingAdmin, op) == nil {
					t.Errorf("a person may do %s", op)
				}
			}
			return
		}
		f := newFixture(t)
		now := noon.AddDate(1, 0, 0)
		n := lesson("Amounts are in cents")
		n.Class = memory.Class(in.Class)
		if in.Until != "" {
			n.ValidUntil = now.Add(duration(t, in.Until))
		}
		tr := f.remember(ada, n)
		tr.At = now.Add(-duration(t, in.Age))
		f.must(tr)
		f.sql("UPDATE versions SET state = ?", in.State)
		if in.Elsewhere {
			f.copyElsewhere()
			f.dropOurs()
		}
		f.sweepAt(now, memory.Retention{})
		if got := f.number("SELECT count(*) FROM versions WHERE state = ?", string(w.State)); got != 1 {
			t.Errorf("%s", dump(t, f.Store, "versions"))
		}
	})
}

func duration(t *testing.T, s string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

type stateCase struct {
	State      memory.State
	Operations []memory.Op
}

type stateWant struct {
	State  memory.State
	Reason memory.Reason
	Says   string
}

// moveCase brings a lesson into a state and does one operation to it. A state
// that no row can have is asked of the rule alone.
func moveCase(op memory.Op) func(*testing.T, stateCase, stateWant) {
	return func(t *testing.T, in stateCase, w stateWant) {
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		for _, unknown := range in.Operations {
			f.refused(f.on(unknown, ada, v.ID()), w.Reason)
		}
		if len(in.Operations) > 0 {
			return
		}
		if in.State.Rank() == 0 {
			v.State = in.State
			if _, refused := memory.ApplyMove(op, v, ""); refused == nil || refused.Reason != w.Reason {
				t.Errorf("%+v", refused)
			}
			return
		}
		f.sql("UPDATE versions SET state = ?", string(in.State))
		if w.Reason != "" {
			f.refused(f.on(op, ada, v.ID()), w.Reason, w.Says)
		} else if got := f.must(f.on(op, ada, v.ID())); got.State != w.State {
			t.Errorf("%s becomes %s", in.State, got.State)
		}
	}
}

func TestConformanceOfTombstones(t *testing.T) {
	eachCase(t, "tombstone", 4, moveCase(memory.OpForget))
}

func TestConformanceOfDeprecation(t *testing.T) {
	eachCase(t, "deprecate", 3, moveCase(memory.OpRetire))
}

func TestConformanceOfRetention(t *testing.T) {
	type input struct {
		AuditDays int    `json:"audit_days"`
		RowAge    string `json:"row_age"`
	}
	type want struct {
		Due             bool
		Removed, Denied int
	}
	eachCase(t, "retention", 3, func(t *testing.T, in input, w want) {
		f := newFixture(t)
		tr := f.revoke("repo/octocat/ledger/x")
		f.must(tr)
		rows := f.number("SELECT count(*) FROM audit")
		due, err := f.Sweepable(t.Context(), tr.At.Add(duration(t, in.RowAge)), memory.Retention{AuditDays: in.AuditDays}, nil)
		if err != nil || len(due) > 0 != w.Due {
			t.Fatalf("due %+v, %v", due, err)
		}
		for _, d := range due {
			f.must(d.Transition)
		}
		if left := f.number("SELECT count(*) FROM audit WHERE op = 'revoke'"); !w.Due && left != rows-w.Removed {
			t.Errorf("%d of %d rows are left", left, rows)
		}
		if got := len(f.denials()); w.Denied > 0 && got != w.Denied {
			t.Errorf("%d denials stand", got)
		}
	})
}

func TestConformanceOfVisibility(t *testing.T) {
	type input struct {
		Ask    string
		States []memory.State
	}
	eachCase(t, "visibility", 3, func(t *testing.T, in input, w struct{ States []memory.State }) {
		f := newFixture(t)
		for i, state := range memory.States() {
			if state == memory.Purged {
				continue // has no row
			}
			n := keyed("amounts/k"+fmt.Sprint(i), "Amounts number "+fmt.Sprint(i)+" are in cents")
			n.Paths = []string{"billing/**"}
			v := f.must(f.remember(ada, n))
			f.sql("UPDATE versions SET state = ? WHERE document_id = ?", string(state), v.DocumentID)
		}
		var got []memory.State
		versions := f.recalled("amounts cents number", "billing/money.go")
		if in.Ask == "list" {
			var err error
			if versions, err = f.List(t.Context(), Filter{States: in.States}); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range versions {
			got = append(got, v.State)
		}
		slices.Sort(got)
		if !slices.Equal(got, w.States) {
			t.Errorf("%v, want %v", got, w.States)
		}
	})
}

func TestConformanceOfGrants(t *testing.T) {
	type input struct {
		List, Surface string
		Op            memory.Op
		Standing      memory.Standing
		Owner         bool
	}
	eachCase(t, "grants", 4, func(t *testing.T, in input, raw json.RawMessage) {
		var want struct {
			Reason       memory.Reason
			Capabilities []memory.Op
			Applies      memory.Op
		}
		if in.List != "" {
			var list []memory.Standing
			if err := json.Unmarshal(raw, &list); err != nil || !slices.Equal(memory.Standings(), list) {
				t.Errorf("%v, want %v (%v)", memory.Standings(), list, err)
			}
			return
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		f := newFixture(t)
		v := f.must(f.remember(ada, lesson("Amounts are in cents")))
		if in.Op != "" {
			tr := f.on(in.Op, mara, v.ID())
			tr.Standing = in.Standing
			f.refused(tr, want.Reason)
			return
		}
		got := []memory.Op{}
		for _, op := range everyOp() {
			if memory.May(in.Standing, op) == nil {
				got = append(got, op)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want.Capabilities) {
			t.Errorf("%s may do %v", in.Surface, got)
		}
		if want.Applies == "" {
			return
		}
		for _, op := range everyOp() {
			tr := f.propose(3, keyed("a/"+string(op)+"x", "Words about "+string(op)))
			tr.Op, tr.Target, tr.Prefix, tr.Finding, tr.Standing = op, v.ID(), "repo/octocat/ledger/a", "f", in.Standing
			if a := f.apply(tr); (a.Refused == nil) != (op == want.Applies) {
				t.Errorf("%s: %+v", op, a.Refused)
			}
		}
	})
}

// everyOp are all operations that there are.
func everyOp() []memory.Op {
	return append([]memory.Op{
		memory.OpRemember, memory.OpPropose, memory.OpApprove, memory.OpReject, memory.OpForget, memory.OpEdit, memory.OpRetire, memory.OpKeep,
		memory.OpRedact, memory.OpPurge, memory.OpRevoke, memory.OpUnrevoke, memory.OpImport, memory.OpAccept, memory.OpDismiss, memory.OpCorrect,
		memory.OpRead, memory.OpFeedback, memory.OpExport, memory.OpSnapshot, memory.OpRestore, memory.OpRecover, memory.OpUninstall, memory.OpHorizon,
	}, memory.SweepOps()...)
}

func TestConformanceOfUninstall(t *testing.T) {
	type want struct {
		Left          int
		LeftElsewhere int `json:"left_elsewhere"`
	}
	eachCase(t, "uninstall", 1, func(t *testing.T, in struct{ Lessons, Elsewhere int }, w want) {
		f := newFixture(t)
		var owners = []memory.Principal{ada, mara}
		command := f.remember(ada, lesson("Amount number 0 is in cents"))
		command.Lesson.Class = memory.Durable
		first := f.must(command)
		for i := 1; i < in.Lessons; i++ {
			f.must(f.remember(owners[i%2], lesson("Amount number "+fmt.Sprint(i)+" is in cents")))
		}
		f.copyElsewhere()
		tr := f.event(memory.OpUninstall, mara)
		tr.Standing = memory.StandingMaintainer
		f.refused(tr, memory.ReasonNotAllowed, "an admin")
		if a := f.apply(f.event(memory.OpUninstall, mara)); a.Refused != nil {
			t.Fatalf("%+v", a.Refused)
		}
		count := "SELECT count(*) FROM versions WHERE repository_id = ?"
		if got := f.number(count, ledger.RepositoryID); got != w.Left {
			t.Errorf("%d lessons are left", got)
		}
		if got := f.number(count, elsewhere); got != w.LeftElsewhere {
			t.Errorf("%d lessons of another repository are left", got)
		}
		if got := f.recall("amount number cents"); len(got) != 0 {
			t.Errorf("recalled %v", got)
		}
		if a := f.apply(command); !a.Already || a.Version.DocumentID != "" {
			t.Errorf("an old command brought back %+v", a.Version)
		}
		if marks := f.number("SELECT count(*) FROM purges"); marks != in.Lessons {
			t.Errorf("%d markers: an old container would bring %s back", marks, first.DocumentID)
		}
	})
}

func TestConformanceOfAuditRows(t *testing.T) {
	type input struct {
		Do        []string
		Elsewhere bool
		Read      int
	}
	type want struct {
		Rows [][2]string
		Used int
	}
	eachCase(t, "audit-rows", 4, func(t *testing.T, in input, w want) {
		f := newFixture(t)
		var taught memory.Version
		for _, do := range in.Do {
			switch do {
			case "remember":
				taught = f.must(f.remember(ada, lesson("Amounts are in cents")))
			case "propose":
				f.must(f.propose(4, lesson("Times are in UTC")))
			case "propose again":
				f.refused(f.propose(4, lesson("times are in UTC")), memory.ReasonDuplicate)
			case "refused entry":
				err := f.RecordRefusals(t.Context(), memory.NewCause("work"), noon.Add(2*time.Minute+time.Second), bot,
					[]memory.Refusal{{Op: "propose", Target: "repo/octocat/ledger/a/b", Reason: memory.ReasonSecret, Detail: "It holds a secret."}})
				if err != nil {
					t.Fatal(err)
				}
			case "retire":
				f.must(f.on(memory.OpRetire, mara, taught.ID()))
			case "forget by another":
				f.refused(f.on(memory.OpForget, mara, taught.ID()), memory.ReasonNotYours)
			default:
				t.Fatalf("unknown step %q", do)
			}
		}
		if in.Elsewhere {
			f.sql("INSERT INTO audit VALUES (?, ?, ?, 'purge', '', '', 1, 'someone', '')", elsewhere, digest(memory.NewCause("theirs")), millis(noon.AddDate(0, 1, 0)))
		}
		if in.Read > 0 {
			if err := f.MarkUsed(t.Context(), []string{taught.ID()}, "2026-11-30"); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := f.Audit(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var got [][2]string
		for _, r := range rows {
			got = append(got, [2]string{r.Op, string(r.Reason)})
		}
		if w.Used > 0 { // by their order in time the last proposal was refused after the entry
			slices.SortFunc(got, func(a, b [2]string) int { return strings.Compare(strings.Join(a[:], " "), strings.Join(b[:], " ")) })
			slices.SortFunc(w.Rows, func(a, b [2]string) int { return strings.Compare(strings.Join(a[:], " "), strings.Join(b[:], " ")) })
		}
		if !slices.Equal(got, w.Rows) {
			t.Errorf("rows %v, want %v", got, w.Rows)
		}
		if used := f.number("SELECT count(*) FROM documents WHERE last_used = '2026-11-30'"); used != w.Used {
			t.Errorf("%d lessons were used", used)
		}
	})
}
