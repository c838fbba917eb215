package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// What SQL leaves out of the sweep is only what memory.Sweep would find not to
// be due: at every age, class and retention, a version that somebody kept and
// one that was used.
func TestTheSweepLeavesOutOnlyWhatIsNotDue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, class := range []memory.Class{memory.Durable, memory.Standard, memory.Ephemeral, memory.SourceOnly, memory.Standard, memory.Standard} {
		n := keyed(fmt.Sprintf("a/k%d", i), distractor(i))
		n.Class = class
		v := f.must(f.remember(ada, n))
		switch i {
		case 4:
			kept := f.on(memory.OpKeep, ada, v.DocumentID)
			kept.At = noon.AddDate(0, 0, 50)
			f.must(kept)
		case 5:
			if err := f.MarkUsed(t.Context(), []string{v.DocumentID}, "2027-01-10"); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.must(f.propose(4, keyed("b/waits", distractor(50))))
	seen := map[memory.Op]int{}
	for _, r := range []memory.Retention{{}, {MaxAgeDays: 1}, {MaxAgeDays: 90}, {MaxUnusedDays: 1}, {MaxUnusedDays: 60}, {MaxAgeDays: 90, MaxUnusedDays: 45}, {MaxAgeDays: 1 << 40}} {
		for day := range 200 {
			now := noon.AddDate(0, 0, day).Add(time.Duration(day%3) * time.Hour)
			all, err := f.queryVersions(f.query(t.Context()), "SELECT "+versionColumns+fromVersions+" ORDER BY v.document_id, v.number, v.uid", ledger.RepositoryID)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, v := range all {
				for _, op := range memory.SweepOps() {
					if _, refused := memory.Sweep(op, v.Version, v.facts(now, r, false)); refused == nil {
						want = append(want, string(op)+" "+v.ID())
						seen[op]++
						break
					}
				}
			}
			due, err := f.Sweepable(t.Context(), now, r, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range due {
				got = append(got, string(d.Transition.Op)+" "+d.Transition.Target)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("on day %d under %+v the sweep finds %v, want %v", day, r, got, want)
			}
		}
	}
	for _, op := range []memory.Op{memory.OpLapse, memory.OpExpire, memory.OpIdle, memory.OpAnnounce} {
		if seen[op] == 0 {
			t.Errorf("%s was never due", op)
		}
	}
}
