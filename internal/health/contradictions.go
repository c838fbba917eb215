package health

import (
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// maxRules bounds how many rules are compared with each other, the latest
// ones first: the work grows with its square.
const maxRules = 3000

// contradictions finds what cannot be obeyed: a key with two current texts, a
// rule that tells people to write what another rule reports, and two rules on
// one pattern that ask for different things.
func contradictions(live []memory.Version, code *Code) []Finding {
	return append(twoCurrent(live), rulesAgainst(live, code)...)
}

// twoCurrent finds keys with more than one current version (page 4.4): two
// runs changed one lesson at the same time, and both stayed.
func twoCurrent(live []memory.Version) []Finding {
	byKey := map[memory.Key][]memory.Version{}
	var order []memory.Key
	for _, v := range live {
		if byKey[v.Key] == nil {
			order = append(order, v.Key)
		}
		byKey[v.Key] = append(byKey[v.Key], v)
	}
	var out []Finding
	for _, key := range order {
		group := byKey[key]
		if len(group) < 2 || key == "" {
			continue
		}
		slices.SortStableFunc(group, func(a, b memory.Version) int {
			return b.ConfirmedAt.Compare(a.ConfirmedAt)
		})
		var names, ids []string
		for _, v := range group {
			names = append(names, v.ID())
			if !slices.Contains(ids, v.DocumentID) {
				ids = append(ids, v.DocumentID)
			}
		}
		out = append(out, Finding{
			Check: CheckContradictory, Severity: Warning, Field: string(key), Lessons: ids,
			Message: fmt.Sprintf("%s are all current for the key %s.", and(names), key),
			Reason:  fmt.Sprintf("Two changes of one lesson crossed and both stayed; reviews take %s, which was confirmed last.", names[0]),
			Fix:     fmt.Sprintf("Say once more what holds: edit %s TEXT.", ids[0]),
		})
	}
	return out
}

// rule is a current lesson with a check that can be run.
type rule struct {
	memory.Version
	compiled *memory.CompiledCheck
}

func rulesOf(live []memory.Version) []rule {
	var out []rule
	for _, v := range live {
		if v.Check == nil || v.Check.Kind == memory.CheckWith {
			continue
		}
		if compiled, problem := memory.CompileCheck(*v.Check); problem == nil {
			out = append(out, rule{v, compiled})
		}
	}
	slices.SortStableFunc(out, func(a, b rule) int { return b.ConfirmedAt.Compare(a.ConfirmedAt) })
	return out[:min(len(out), maxRules)]
}

func rulesAgainst(live []memory.Version, code *Code) []Finding {
	rules := rulesOf(live)
	var advice strings.Builder // what rules tell people to write, as one text: most rules find nothing in it
	for _, r := range rules {
		advice.WriteString(r.Check.Prefer + "\n" + r.Check.Pattern + "\n")
	}
	all := advice.String()
	told := map[[2]string]bool{}
	var out []Finding
	for i := range rules {
		a := &rules[i]
		if !a.Check.Regex && strings.Count(all, a.Check.Pattern) < 2 {
			continue // it stands nowhere but in itself
		}
		for k := range rules {
			b := &rules[k]
			f, against := against(a, b)
			if !against || !overlap(a.Check.In, b.Check.In, code) {
				continue
			}
			pair := [2]string{min(a.DocumentID, b.DocumentID), max(a.DocumentID, b.DocumentID)}
			if told[pair] {
				continue
			}
			told[pair] = true
			out = append(out, f)
		}
	}
	return out
}

// against says whether rule a reports what rule b asks for, or asks for
// something else in place of the same pattern.
func against(a, b *rule) (Finding, bool) {
	if a.DocumentID == b.DocumentID || b.Check.Kind != memory.CheckPrefer ||
		!a.Check.Regex && a.Check.Pattern != b.Check.Pattern && !strings.Contains(b.Check.Prefer, a.Check.Pattern) {
		return Finding{}, false
	}
	f := Finding{
		Check: CheckContradictory, Severity: Warning, Field: a.DocumentID, Lessons: []string{a.DocumentID, b.DocumentID},
		Fix: fmt.Sprintf("Decide which holds and retire the other: retire %s, or retire %s.", a.DocumentID, b.DocumentID),
	}
	if _, _, found := a.compiled.MatchLine(b.Check.Prefer); found {
		f.Message = fmt.Sprintf("%s reports what %s asks for: %s.", a.DocumentID, b.DocumentID, quoted(b.Check.Prefer))
		f.Reason = "Whoever follows the one breaks the other, so the reviews of a change that is right still have a finding."
		return f, true
	}
	if a.Check.Pattern != b.Check.Pattern || a.Check.Regex != b.Check.Regex || a.Check.Prefer == b.Check.Prefer {
		return Finding{}, false
	}
	f.Reason = "A line that has it gets two findings, and they ask for different things."
	if a.Check.Kind == memory.CheckNever {
		f.Severity = Note
		f.Message = fmt.Sprintf("%s forbids %s, and %s says what to write in its place.", a.DocumentID, quoted(a.Check.Pattern), b.DocumentID)
		f.Reason = "A line that has it gets two findings where one says enough."
		f.Fix = fmt.Sprintf("Keep the one that tells more: retire %s.", a.DocumentID)
		return f, true
	}
	f.Message = fmt.Sprintf("%s and %s ask for different things in place of %s.", a.DocumentID, b.DocumentID, quoted(a.Check.Pattern))
	return f, true
}
