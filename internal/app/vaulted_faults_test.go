package app

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// ops are the calls of a run that loads, saves and deletes: the steps at
// which it can die.
var ops = []string{"list", "load", "save", "saved", "delete"}

var errKilled = errors.New("the process was killed")

// killedAt ends a run at its nth call of the home: from then on nothing more
// of it happens. "save" dies before the upload, "saved" after it, when the
// answer is lost.
func killedAt(n int) func(*Vaulted, *cloudHome) {
	return failing(func(string) error {
		if n--; n <= 0 {
			return errKilled
		}
		return nil
	})
}

// stepsOf counts the calls of a run that nothing disturbs.
func stepsOf(t *testing.T, c *cloud, actions ...plan.Action) (n int, asked []string) {
	t.Helper()
	v := c.run(t, failing(func(op string) error { asked = append(asked, op); return nil }))
	does(t, v, actions...)
	return len(asked), asked
}

// history is a repository with enough containers that a save also prunes.
func history(t *testing.T) *cloud {
	c := newCloud()
	for i := range 11 {
		does(t, c.run(t), teach(lessonNumber(i), c.now))
		c.pass(2 * time.Hour)
	}
	return c
}

func TestARunKilledAtEveryStepOfASaveIsRepeatedOnceAndForAll(t *testing.T) {
	base := history(t)
	copied := func() *cloud { return &cloud{now: base.now, next: base.next, kept: slices.Clone(base.kept)} }
	var want []string
	for i := range 11 {
		want = append(want, lessonNumber(i))
	}
	want = append(want, "taught through it all")
	steps, asked := stepsOf(t, copied(), teach("taught through it all", base.now))
	if steps < 5 || !slices.Contains(asked, "delete") {
		t.Fatalf("a save takes the steps %v, want all of %v in it", asked, ops)
	}
	for n := 1; n <= steps; n++ {
		t.Run(fmt.Sprintf("at step %d, %s", n, asked[n-1]), func(t *testing.T) {
			c := copied()
			_ = did(t, c.run(t, killedAt(n)), teach("taught through it all", c.now))
			does(t, c.run(t), teach("taught through it all", c.now))
			v := c.run(t)
			wantTexts(t, v, want...)
			if got := strings.Count(strings.Join(audited(t, v), " "), "remember"); got != len(want) {
				t.Errorf("%d commands were applied, want each of %d once", got, len(want))
			}
		})
	}
}

func TestAForgetKilledAtEveryStepLeavesNoContainerWithTheText(t *testing.T) {
	base := history(t)
	v := base.run(t)
	id := idOf(t, v, lessonNumber(4))
	copied := func() *cloud { return &cloud{now: base.now, next: base.next, kept: slices.Clone(base.kept)} }
	steps, asked := stepsOf(t, copied(), touching(memory.OpForget, id, base.now))
	for n := 1; n <= steps; n++ {
		c := copied()
		_ = did(t, c.run(t, killedAt(n)), touching(memory.OpForget, id, c.now))
		does(t, c.run(t), touching(memory.OpForget, id, c.now))
		c.pass(time.Minute)
		sweep := c.run(t)
		if _, err := sweep.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(inState(t, sweep, memory.Active), lessonNumber(4)) {
			t.Errorf("killed at step %d, %s: it is still there", n, asked[n-1])
		}
		for _, old := range base.kept {
			if slices.ContainsFunc(c.kept, func(e cloudEntry) bool { return e.ID == old.ID }) {
				t.Errorf("killed at step %d, %s: container %s with the text is left", n, asked[n-1], old.ID)
			}
		}
	}
}

// TestRunsThatDieAtRandomLoseNothingAndDoubleNothing lets runs die anywhere,
// listings be late and downloads fail, repeats each until it was
// acknowledged, and compares the store with what was acknowledged.
func TestRunsThatDieAtRandomLoseNothingAndDoubleNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	c := newCloud()
	var acknowledged []string
	for i := range 30 {
		words := lessonNumber(i)
		for try := 0; ; try++ {
			if try == 40 {
				t.Fatalf("%s was never acknowledged", words)
			}
			v := c.run(t, failing(func(op string) error {
				switch f := rng.Float64(); {
				case f < 0.05:
					return errKilled
				case f < 0.07 && op == "load":
					return &home.Error{Kind: home.Gone, Detail: "pruned meanwhile"}
				}
				return nil
			}))
			c.lag = rng.IntN(20) / 19
			err := did(t, v, teach(words, c.now))
			_ = v.Close() // as the end of the process does
			c.pass(time.Duration(rng.IntN(40)) * time.Minute)
			if err == nil {
				break
			}
		}
		acknowledged = append(acknowledged, words)
	}
	v := c.run(t)
	wantTexts(t, v, acknowledged...)
	if got := strings.Count(strings.Join(audited(t, v), " "), "remember"); got != len(acknowledged) {
		t.Errorf("%d commands were applied, want %d", got, len(acknowledged))
	}
}

func TestAFullDiskSavesNothingAndSaysSo(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	v := c.run(t)
	wantTexts(t, v, "one")
	v.Dir = v.Dir + "/gone" // nothing can be written there
	err := did(t, v, teach("two", c.now))
	if WhyUnavailable(err) != Unsaved || len(c.kept) != 1 {
		t.Errorf("%v, %d containers", err, len(c.kept))
	}
	does(t, c.run(t), teach("two", c.now))
	wantTexts(t, c.run(t), "one", "two")
	w := c.run(t, func(v *Vaulted, _ *cloudHome) { v.Dir += "/gone" })
	wantOff(t, w, Unreadable, "cannot be unpacked here")
	if len(w.Quarantine) != 0 {
		t.Errorf("quarantine %+v: the container is not to blame", w.Quarantine)
	}
}

func TestAClockThatIsWrongLosesNothing(t *testing.T) {
	for name, skew := range map[string]time.Duration{"a day behind": -24 * time.Hour, "a day ahead": 24 * time.Hour} {
		c := newCloud()
		does(t, c.run(t), teach("before", c.now))
		does(t, c.run(t, func(v *Vaulted, _ *cloudHome) { v.Now = v.Now.Add(skew) }), teach("under a wrong clock", c.now))
		does(t, c.run(t), teach("after", c.now))
		v := c.run(t)
		if got := inState(t, v, memory.Active); !slices.Equal(got, []string{"after", "before", "under a wrong clock"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestFirstRunsWhoseClocksAreDaysApartMakeOneStore(t *testing.T) {
	one, other := newCloud(), newCloud()
	other.next = 200
	skewed := func(by time.Duration) func(*Vaulted, *cloudHome) {
		return func(v *Vaulted, _ *cloudHome) { v.Now = v.Now.Add(by) }
	}
	does(t, one.run(t, skewed(26*time.Hour)), teach("by a clock that is ahead", one.now))
	does(t, other.run(t, skewed(-26*time.Hour)), teach("by one that is behind", other.now))
	one.kept = append(one.kept, other.kept...) // they had not seen each other
	v := one.run(t)
	wantTexts(t, v, "by a clock that is ahead", "by one that is behind")
	if len(v.Quarantine) != 0 || !v.genesis.Equal(one.now) {
		t.Errorf("quarantine %+v; it begins %s, want when GitHub says the commands were given", v.Quarantine, v.genesis)
	}
}

func TestADayOfUseIsNotWorthAFailedReview(t *testing.T) {
	c := newCloud()
	v := c.run(t)
	does(t, v, teach("one", c.now))
	used := plan.Action{Kind: plan.MarkUsed, Key: "used", Payload: usedOn{ids: []string{idOf(t, v, "one")}, day: "2026-11-30"}}
	w := c.run(t, failing(onCall("save", 1, errDown)))
	for _, o := range w.Execute(t.Context(), []plan.Action{used, saveAction}, nil) {
		if o.Err != nil || o.Done || !strings.Contains(o.Skipped, "not noted") {
			t.Errorf("outcome %+v", o)
		}
	}
	for _, o := range v.Execute(t.Context(), []plan.Action{used, saveAction}, nil) {
		if o.Skipped != "left to the next review: this run saved already" {
			t.Errorf("after a save of the same run: %+v", o)
		}
	}
	if len(c.kept) != 1 {
		t.Errorf("%d containers", len(c.kept))
	}
	does(t, c.run(t), used)
	if len(c.kept) != 2 {
		t.Errorf("%d containers, want the next review's too", len(c.kept))
	}
}

func TestTheMarkerOfAnUnfinishedRunKeepsTheMemoryOff(t *testing.T) {
	dir := private(t)
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	c := newCloud()
	does(t, c.run(t), teach("one", c.now))
	if err := unfinished(ActionRequest{StateDir: dir, Memory: c.run(t)}); err != nil {
		t.Errorf("an empty state folder: %v", err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	marker := fmt.Sprintf(`{"schema_version":1,"repository_id":5,"run_id":77,"attempt":1,"head":"","snapshot":"","policy":%q,"pid":%d,"start":"1","boot":%q,"leader":0}`,
		strings.Repeat("ab", 32), cmd.Process.Pid, strings.TrimSpace(string(boot)))
	if err := os.WriteFile(dir+"/familiar-run.json", []byte(marker), 0o600); err != nil {
		t.Fatal(err)
	}
	v := c.run(t)
	err = unfinished(ActionRequest{StateDir: dir, Memory: v})
	if WhyUnavailable(err) != Isolated {
		t.Fatalf("%v", err)
	}
	v.Refuse(err)
	wantOff(t, v, Isolated, "run 77", "recover")
	if err := did(t, v, teach("two", c.now)); WhyUnavailable(err) != Isolated || len(c.kept) != 1 {
		t.Errorf("a command: %v", err)
	}
	report, err := Recover(t.Context(), RecoverRequest{Memory: c.run(t), StateDir: dir, Actor: mara, Cause: memory.NewCause("x"), At: c.now})
	if err != nil || !strings.Contains(report.Marker, "run 77") || report.Problem != "" {
		t.Errorf("recover: %+v, %v", report, err)
	}
	if err := unfinished(ActionRequest{StateDir: dir, Memory: c.run(t)}); err != nil {
		t.Errorf("after it: %v", err)
	}
	if err := os.WriteFile(dir+"/familiar-run.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unfinished(ActionRequest{StateDir: dir, Memory: c.run(t)}); WhyUnavailable(err) != Isolated {
		t.Errorf("a damaged marker: %v", err)
	}
	if err := unfinished(ActionRequest{StateDir: dir, Memory: c.run(t), Operation: OperationRecover}); err != nil {
		t.Errorf("the operation recover itself: %v", err)
	}
}
