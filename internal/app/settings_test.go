package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
)

const strictSettings = "[memory]\napproval_required = true\n[review]\nmin_severity = \"low\"\n"

func TestA106MemoryIsConfiguredByTheDefaultBranchAloneAndTheReviewByTheBase(t *testing.T) {
	dir := newRepository(t, "")
	old := commit(t, dir, map[string]string{ConfigPath: "[memory]\napproval_required = false\n[review]\nmin_severity = \"high\"\n"}, "Permissive")
	commit(t, dir, map[string]string{ConfigPath: strictSettings}, "Strict")
	s, err := newSettingsReader(openClone(t, dir)).at(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Memory.ApprovalRequired {
		t.Error("an old base switched approval off")
	}
	if s.Review.MinSeverity != contract.SeverityHigh {
		t.Errorf("min_severity %q is not the base's", s.Review.MinSeverity)
	}
}

func TestA106TheRemotesDefaultBranchOutranksALocalOneOfItsName(t *testing.T) {
	dir := newRepository(t, "")
	strict := commit(t, dir, map[string]string{ConfigPath: strictSettings}, "Strict")
	git(t, dir, "update-ref", "refs/remotes/origin/main", strict)
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	local := commit(t, dir, map[string]string{ConfigPath: "[memory]\napproval_required = false\n"}, "Only here")
	s, err := newSettingsReader(openClone(t, dir)).at(t.Context(), local)
	if err != nil || !s.Memory.ApprovalRequired {
		t.Errorf("a local commit switched approval off (%v)", err)
	}
}

func TestABrokenFileCountsWhereItDecides(t *testing.T) {
	broken := map[string]string{ConfigPath: "[review]\nmin_severty = \"high\"\n"}
	for _, c := range []struct {
		name        string
		base, head  map[string]string
		memoryOff   bool
		diagnostics int
	}{
		{"neither", map[string]string{ConfigPath: strictSettings}, map[string]string{ConfigPath: strictSettings + "\n"}, false, 0},
		{"at the base: memory stays, the review has defaults", broken, map[string]string{ConfigPath: strictSettings}, false, 1},
		{"on the default branch: memory is off", map[string]string{ConfigPath: strictSettings}, broken, true, 1},
		{"the same in both is said once", broken, map[string]string{"other": "x"}, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := newRepository(t, "")
			base := commit(t, dir, c.base, "Base")
			commit(t, dir, c.head, "Default branch")
			s, err := newSettingsReader(openClone(t, dir)).at(t.Context(), base)
			if err != nil {
				t.Fatal(err)
			}
			if s.broken != c.memoryOff || len(s.diagnostics) != c.diagnostics {
				t.Errorf("broken %v, diagnostics %v", s.broken, s.diagnostics)
			}
			if s.Review.MinSeverity != contract.SeverityLow {
				t.Errorf("min_severity %q", s.Review.MinSeverity)
			}
			notes := strings.Join(s.notes(), "\n")
			if c.diagnostics > 0 && !strings.Contains(notes, ".github/familiar.toml:2:1") {
				t.Errorf("the notes do not name the place: %s", notes)
			}
			if said := strings.Contains(notes, "memory is off"); said != c.memoryOff {
				t.Errorf("notes: %s", notes)
			}
		})
	}
}

func TestRulesComeFromTheBase(t *testing.T) {
	dir := newRepository(t, "")
	base := commit(t, dir, map[string]string{RulesPath: "[[rule]]\nid = \"no-sleep\"\nnever = \"time.Sleep\"\nin = [\"**\"]\n"}, "Base")
	commit(t, dir, map[string]string{RulesPath: "[[rule]]\nid = \"other\"\nnever = \"x\"\nin = [\"**\"]\n"}, "Later")
	s, err := newSettingsReader(openClone(t, dir)).at(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range s.rules {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(ids, []string{"no-sleep"}) {
		t.Errorf("rules %v (%v)", ids, s.diagnostics)
	}
}
