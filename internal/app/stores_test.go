package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/store"
)

func rememberAction(s Stores, words string) plan.Action {
	key, _ := memory.NewRepoKey(s.Identity.Coordinates(), "lessons/"+strings.ReplaceAll(words, " ", "-"))
	t := memory.Transition{
		Op: memory.OpRemember, At: flowNow, Actor: mara, Standing: memory.StandingMaintainer, Cause: memory.NewCause("test", words), Through: memory.Through{Kind: "local_command"},
		Lesson: &memory.NewLesson{
			Key: key, Scope: contract.ScopeRepo, Text: words, Source: memory.UserAuthored, State: memory.Active,
			Class: memory.Standard, Approved: memory.ApprovedConfirmed, Provenance: memory.Provenance{RepositoryID: s.Identity.RepositoryID},
		},
	}
	return plan.Action{Kind: plan.Transition, Key: t.Cause, Payload: &TransitionTask{Transition: t}}
}

var saveAction = plan.Action{Kind: plan.Save, Key: "save", Summary: "save the store"}

func storesAt(path string) Stores {
	return Stores{Home: file.New(path), Now: flowNow, Identity: store.Identity{RepositoryID: 5, Owner: "acme", Name: "shop"}}
}

func lessonsIn(t *testing.T, s Stores) int {
	n := 0
	if err := s.View(t.Context(), func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		versions, err := st.List(ctx, store.Filter{})
		n = len(versions)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestExecuteDoesAllOrSaysThatNothingWasDone(t *testing.T) {
	s := storesAt(filepath.Join(t.TempDir(), "memory.db"))
	actions := []plan.Action{rememberAction(s, "one thing"), saveAction}
	for i, o := range s.Execute(t.Context(), actions, nil) {
		if !o.Done || o.Err != nil {
			t.Errorf("action %d: %+v", i, o)
		}
	}
	again := s.Execute(t.Context(), actions, nil)
	if again[0].Skipped != plan.AlreadyApplied {
		t.Errorf("the same cause twice: %+v", again[0])
	}
	if n := lessonsIn(t, s); n != 1 {
		t.Errorf("%d lessons", n)
	}
}

func TestASaveThatFailsMeansThatNothingCountsAsDone(t *testing.T) {
	parent := t.TempDir()
	notAFolder := filepath.Join(parent, "file")
	overwrite(t, notAFolder, "x")
	s := storesAt(filepath.Join(notAFolder, "memory.db"))
	outcomes := s.Execute(t.Context(), []plan.Action{rememberAction(s, "one thing"), saveAction}, nil)
	if len(outcomes) != 2 {
		t.Fatalf("%d outcomes", len(outcomes))
	}
	for i, o := range outcomes {
		if o.Done || o.Err == nil {
			t.Errorf("action %d counts as done: %+v", i, o)
		}
	}
}

func TestUnsavedTakesBackWhatWasDoneAndKeepsTheRest(t *testing.T) {
	full, first := errors.New("the disk is full"), errors.New("bad action")
	actions := []plan.Action{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	got := unsaved(actions, []plan.Outcome{{Action: actions[0], Done: true}, {Action: actions[1], Skipped: "x"}, {Action: actions[2], Err: first}}, full)
	if got[0].Done || got[0].Err != full || got[1].Skipped != "x" || got[2].Err != first {
		t.Errorf("%+v", got)
	}
	none := unsaved(actions, nil, full)
	if len(none) != 3 || none[0].Err != full || none[2].Err != full {
		t.Errorf("a session that did not begin: %+v", none)
	}
}

func TestInAReadOnlyFolderTeachingFailsAndSaysWhere(t *testing.T) {
	dir := newRepository(t, "")
	commit(t, dir, map[string]string{"a": "1\n"}, "First")
	clone := openClone(t, dir)
	folder := filepath.Join(t.TempDir(), "state")
	if os.Getuid() == 0 { // root writes into any folder, so a file stands in its place
		overwrite(t, folder, "x")
	} else if err := os.Mkdir(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "memory.db")
	s := Stores{Home: file.New(path), Identity: clone.Identity, Now: flowNow}
	in := intent.Parse("/familiar remember one thing", intent.Options{})[0]
	taught, refused, err := Teach(t.Context(), TeachRequest{Clone: clone, Stores: s, Intent: in, Operator: mara, Now: flowNow})
	if err == nil || refused != nil || taught.Version.Text != "" {
		t.Fatalf("%+v %+v %v", taught, refused, err)
	}
	if !strings.Contains(err.Error(), folder) {
		t.Errorf("the error does not say where: %v", err)
	}
}

func TestAnActionWithoutItsPayloadFails(t *testing.T) {
	s := storesAt(filepath.Join(t.TempDir(), "memory.db"))
	outcomes := s.Execute(t.Context(), []plan.Action{{Kind: plan.Transition, Key: "t"}, {Kind: plan.MarkUsed, Key: "u"}, {Kind: "post", Key: "p"}}, nil)
	for i, want := range []string{"carries no transition", "carries no lessons", "no handler"} {
		if outcomes[i].Err == nil || !strings.Contains(outcomes[i].Err.Error(), want) {
			t.Errorf("%+v, want %q", outcomes[i], want)
		}
	}
}

func TestTryCheckCountsLinesOfTheTreeAndOfTheLastCommits(t *testing.T) {
	dir := newRepository(t, "")
	commit(t, dir, map[string]string{"a.go": "x\n", "web/b.js": "sleep\n"}, "First")
	var heads []string
	for i := range 5 {
		heads = append(heads, commit(t, dir, map[string]string{"a.go": strings.Repeat("sleep\n", i+1)}, fmt.Sprint("Change ", i)))
	}
	overwrite(t, filepath.Join(dir, "a.go"), strings.Repeat("sleep\n", 7))
	check := &memory.Check{Kind: memory.CheckNever, Pattern: "sleep", In: []string{"*.go"}}
	got, doubt, err := tryCheck(t.Context(), openClone(t, dir), check)
	if err != nil || len(got) != 2 || doubt != nil {
		t.Fatalf("%+v %q %v", got, doubt, err)
	}
	if got[0].Where != "" || got[0].Lines != 2 || !got[0].Checked {
		t.Errorf("the working tree: %+v", got[0])
	}
	if got[1].Lines != 5 || len(got[1].Places) != maxPlaces || !strings.HasPrefix(got[1].Where, "the last ") {
		t.Errorf("the last commits: %+v", got[1])
	}
	for i, p := range got[1].Places { // the latest commit first, each of which added one line
		if n := len(heads) - 1 - i; p.Commit != heads[n] || p.At != fmt.Sprintf("a.go:%d", n+1) {
			t.Errorf("place %d is %+v, want line %d of commit %s", i, p, n+1, heads[n])
		}
	}
	if got[0].Places[0].Commit != "" {
		t.Errorf("the working tree is no commit: %+v", got[0].Places)
	}
	if none, doubt, err := tryCheck(t.Context(), openClone(t, dir), nil); none != nil || doubt != nil || err != nil {
		t.Errorf("a lesson without a check: %+v %q %v", none, doubt, err)
	}
	check.In = []string{"nosuch/**"}
	if _, doubt, err := tryCheck(t.Context(), openClone(t, dir), check); err != nil || len(doubt) != 1 || !strings.HasPrefix(doubt[0], "No file of these changes lies in nosuch/**.") {
		t.Errorf("a glob that no file lies in: %q %v", doubt, err)
	}
}
