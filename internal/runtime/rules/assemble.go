package rules

import (
	"slices"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/runtime"
)

// FilePrefix stands before the ids of rules from the rules file.
const FilePrefix = "rules.toml/"

// Assemble lists the rules of a job in their order: the built-in ones but for
// those that are switched off, the rules file's, and the checks of the
// snapshot's lessons (page 7.2).
func Assemble(disabled []string, file []config.Rule, snapshot memory.Snapshot) []runtime.Rule {
	var out []runtime.Rule
	for _, b := range BuiltIns() {
		if !slices.Contains(disabled, b.ID) {
			out = append(out, runtime.Rule{ID: b.ID, Origin: runtime.BuiltIn})
		}
	}
	for _, r := range file {
		if !slices.Contains(disabled, FilePrefix+r.ID) {
			out = append(out, runtime.Rule{ID: FilePrefix + r.ID, Origin: runtime.RulesFile, Check: r.Check})
		}
	}
	for _, v := range snapshot.Lessons {
		if v.Check != nil {
			out = append(out, runtime.Rule{ID: v.ID(), Origin: runtime.Remembered, Check: *v.Check, Lesson: v.ID()})
		}
	}
	return out
}

// UnknownRules lists the ids among disabled that name nothing, each with the
// nearest id that does, or "".
func UnknownRules(disabled []string, file []config.Rule) map[string]string {
	var known []string
	for _, b := range BuiltIns() {
		known = append(known, b.ID)
	}
	for _, r := range file {
		known = append(known, FilePrefix+r.ID)
	}
	out := map[string]string{}
	for _, id := range disabled {
		if !slices.Contains(known, id) {
			out[id] = config.Nearest(id, known)
		}
	}
	return out
}
