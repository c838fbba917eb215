package health

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/memory"
)

// SettingsFacts is what the checks of the configuration regard.
type SettingsFacts struct {
	File        string // of the configuration, for people
	Config      config.Config
	Diagnostics []config.Diagnostic // of the configuration, the rules and the profile
	// Pending says how the work tree's configuration stands to the default
	// branch's, which decides; "" where both mean the same.
	Pending    Pending
	Visibility string // "": not known
	Workflows  []Workflow
}

// Pending is how a configuration that is not pushed stands to the one that
// decides, as what a sentence says of the file.
type Pending string

// The closed set beside "", for a file that changes nothing.
const (
	PendingNew   Pending = "is not on the default branch yet"
	PendingOther Pending = "differs from the one on the default branch"
	PendingGone  Pending = "is gone, and still on the default branch"
)

// Settings returns what is wrong with the configuration, or unwise.
func Settings(f SettingsFacts) []Finding {
	var out []Finding
	for _, d := range f.Diagnostics {
		out = append(out, diagnosed(d))
	}
	if f.Pending != "" {
		out = append(out, Finding{
			Check: CheckConfig, Severity: Note, File: f.File,
			Message: fmt.Sprintf("The file here %s.", f.Pending),
			Reason:  "What decides is the default branch's, as origin has it.",
			Fix:     "Push what is here when it is meant; familiar config show says what holds until then.",
		})
	}
	out = append(out, Gate(f.File, f.Config)...)
	out = append(out, ages(f.File, "memory.", f.Config.Memory.MemorySettings)...)
	for _, repo := range sortedKeys(f.Config.Memory.Repos) {
		if m := f.Config.Memory.Repos[repo]; m.MaxAgeDays != f.Config.Memory.MaxAgeDays || m.MaxUnusedDays != f.Config.Memory.MaxUnusedDays {
			out = append(out, ages(f.File, fmt.Sprintf("memory.repos.%q.", repo), m)...)
		}
	}
	out = append(out, reviewer(f)...)
	Sort(out)
	return out
}

func diagnosed(d config.Diagnostic) Finding {
	f := Finding{
		Check: CheckConfig, Severity: Error, File: d.File, Line: d.Line, Column: d.Column,
		Message: sentence(d.Message), Fix: sentence(d.Fix),
		Reason: "Until it is mended, reviews use the defaults, and memory is off where it is the default branch's file.",
	}
	if d.Severity == config.Warning {
		f.Severity = Warning
	}
	switch {
	case strings.HasSuffix(d.File, "/rules.toml"):
		f.Reason = "This rule is left out of every review."
	case strings.HasSuffix(d.File, config.ProfilePath):
		f.Check, f.Reason = CheckProfile, "The reviewer is told nothing of what you care about."
	}
	return f
}

// sentence makes one of a diagnostic's part.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	if first, _, _ := strings.Cut(s, " "); !strings.ContainsAny(first, "._") { // not the name of a key
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// ages: a lesson lives long enough to be useful and not longer than anybody
// remembers. What no reading makes sense of, the parser refuses.
func ages(file, prefix string, m config.MemorySettings) []Finding {
	if !m.Enabled || m.Mode == memory.ModeOff {
		return nil
	}
	add := func(out []Finding, s Severity, field, message, reason, fix string) []Finding {
		return append(out, Finding{Check: CheckAges, Severity: s, File: file, Field: prefix + field, Message: message, Reason: reason, Fix: fix})
	}
	const years = 5
	var out []Finding
	switch {
	case m.MaxAgeDays < 1:
		out = add(out, Error, "max_age_days", fmt.Sprintf("%smax_age_days is %d.", prefix, m.MaxAgeDays), "Every lesson would be over on the day it is taught.", "Give a number of days, such as 365.")
	case m.MaxAgeDays <= memory.NoticeDays:
		out = add(out, Warning, "max_age_days", fmt.Sprintf("Lessons end after %s.", many(m.MaxAgeDays, "day")),
			fmt.Sprintf("The end of a lesson is told %d days ahead, so each is announced on its first day.", memory.NoticeDays), "Give a number of days well above 30, such as 365.")
	case m.MaxAgeDays > years*365:
		out = add(out, Note, "max_age_days", fmt.Sprintf("Lessons live for %s without anybody looking at them.", many(m.MaxAgeDays/365, "year")),
			"What nobody stands by any more still shapes reviews.", "Give at most a few years; keep renews what holds.")
	}
	switch {
	case m.MaxUnusedDays < 0:
		out = add(out, Error, "max_unused_days", fmt.Sprintf("%smax_unused_days is %d.", prefix, m.MaxUnusedDays), "No number of days without use is below zero.", "Give 0 to turn it off, or a number of days.")
	case m.MaxUnusedDays > 0 && m.MaxUnusedDays < 14:
		out = add(out, Warning, "max_unused_days", fmt.Sprintf("Lessons end after %s without use.", many(m.MaxUnusedDays, "day")),
			"A fortnight without a change in one corner forgets everything about it.", "Give some months, or 0 to turn it off.")
	case m.MaxUnusedDays > 0 && m.MaxUnusedDays >= m.MaxAgeDays:
		out = add(out, Note, "max_unused_days", fmt.Sprintf("%smax_unused_days does nothing: age ends a lesson before.", prefix),
			fmt.Sprintf("It is %d, and max_age_days is %d.", m.MaxUnusedDays, m.MaxAgeDays), "Give fewer days than max_age_days, or 0 to turn it off.")
	}
	return out
}

// reviewer: the configured reviewer has what it needs from the step, and does
// not cost what strangers like.
func reviewer(f SettingsFacts) []Finding {
	var out []Finding
	needs := map[config.RuntimeKind][]string{config.RuntimeModels: {"model", "model-endpoint", "model-api-key"}, config.RuntimeExec: {"exec-command"}}
	paid := f.Config.Runtime.Kind != config.RuntimeRules && f.Config.Runtime.Kind != ""
	for _, w := range f.Workflows {
		for _, j := range w.Jobs {
			s, ours := j.familiar()
			if !ours || s.With["operation"].Value != "" && s.With["operation"].Value != "auto" {
				continue
			}
			kind := f.Config.Runtime.Kind
			if given := s.With["runtime"].Value; given != "" {
				kind = config.RuntimeKind(given)
			}
			paid = paid || kind == config.RuntimeModels || kind == config.RuntimeExec
			for _, input := range needs[kind] {
				if s.With[input].Value != "" {
					continue
				}
				out = append(out, Finding{
					Check: CheckConfig, Severity: Error, File: w.Path, Line: s.Line, Field: input,
					Message: fmt.Sprintf("The reviewer %s needs the input %s, and the step does not give it.", quoted(string(kind)), quoted(input)),
					Reason:  "The run ends before it reviews anything.",
					Fix:     fmt.Sprintf("Add %s to the step, or set runtime.kind = \"rules\".", input),
				})
			}
		}
	}
	if paid && f.Config.External == config.ExternalAlways {
		finding := Finding{
			Check: CheckConfig, Severity: Note, File: f.File, Field: "review.external",
			Message: "A paid reviewer looks at every stranger's change.",
			Reason:  "Whoever opens pull requests spends your tokens, up to runtime.tokens_per_day.",
			Fix:     "Set external = \"label\": a maintainer's familiar:review then lets one through.",
		}
		if f.Visibility == "public" {
			finding.Severity = Warning
		}
		out = append(out, finding)
	}
	return out
}

// Applied says which input of a step beats the configuration: the reviewer, by
// file and line; "" where none does.
func Applied(workflows []Workflow) (kind, file string, line int) {
	for _, w := range workflows {
		for _, j := range w.Jobs {
			if s, ours := j.familiar(); ours && s.With["runtime"].Value != "" {
				return s.With["runtime"].Value, w.Path, s.With["runtime"].Line
			}
		}
	}
	return "", "", 0
}

// ConfigPath is the configuration that the steps name, "" for the usual one.
func ConfigPath(workflows []Workflow) string {
	for _, w := range workflows {
		for _, j := range w.Jobs {
			if s, ours := j.familiar(); ours && s.With["config"].Value != "" {
				return s.With["config"].Value
			}
		}
	}
	return ""
}
