package health

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// duplicates finds lessons that say the same: texts that fold alike, or one
// rule twice for files that both are about. Proposals that wait count, since
// that is the time to notice.
func duplicates(versions []memory.Version, code *Code, now time.Time) []Finding {
	groups := map[string][]memory.Version{}
	var order []string
	for _, v := range versions {
		said := sense(v)
		if said == "" || !says(v, now) {
			continue
		}
		if groups[said] == nil {
			order = append(order, said)
		}
		groups[said] = append(groups[said], v)
	}
	var out []Finding
	for _, said := range order {
		out = append(out, duplicatesIn(groups[said], code)...)
	}
	return out
}

// says tells whether a lesson says anything to a review, or is to: of one that
// was revoked, that has ended or that is kept for the audit alone, no other is
// the second.
func says(v memory.Version, now time.Time) bool {
	ended := !v.ValidUntil.IsZero() && v.ValidUntil.Before(now)
	return (v.State == memory.Active || v.State.Pending()) && v.Denied == "" && v.Class != memory.SourceOnly && !ended
}

// sense is what a lesson says and to whom, as a key that two that say the same
// share: what one scope reads, another may not.
func sense(v memory.Version) string {
	said := senseOf(v)
	if said == "" {
		return ""
	}
	scope := v.Scope
	if scope == "" { // of a preview, which is for the repository
		scope = contract.ScopeRepo
	}
	return string(scope) + "\x00" + said
}

func senseOf(v memory.Version) string {
	if c := v.Check; c != nil {
		with := slices.Clone(c.With)
		slices.Sort(with)
		return strings.Join(append([]string{"check", string(c.Kind), c.Pattern, c.Prefer, strconv.FormatBool(c.Regex)}, with...), "\x00")
	}
	if folded := text.Fold(v.Text); folded != "" {
		return "text\x00" + folded
	}
	if v.Text == "" {
		return ""
	}
	return "text\x00" + v.Text
}

// duplicatesIn reports lessons of one sense: those for the same files, of which
// one is enough, and those for other files that the oldest is about too.
func duplicatesIn(group []memory.Version, code *Code) []Finding {
	slices.SortStableFunc(group, func(a, b memory.Version) int {
		if n := a.CreatedAt.Compare(b.CreatedAt); n != 0 {
			return n
		}
		return strings.Compare(a.DocumentID, b.DocumentID)
	})
	var out []Finding
	var firsts []memory.Version // the oldest for each set of files
	for rest := group; len(rest) > 0; {
		first := rest[0]
		var same, others []memory.Version
		for _, v := range rest[1:] {
			if slices.Equal(files(v), files(first)) {
				same = append(same, v)
			} else {
				others = append(others, v)
			}
		}
		if ids := documentsBeside(first, same); len(ids) > 0 {
			out = append(out, duplicate(first, ids, "%s %s the same as %s.", "Each takes a place in what a review reads, and forgetting one leaves the other.",
				fmt.Sprintf("Keep one and retire the rest: retire %s.", strings.Join(ids, " "))))
		}
		firsts, rest = append(firsts, first), others
	}
	first := firsts[0]
	apart := slices.DeleteFunc(firsts[1:], func(v memory.Version) bool { return !meet(first, v, code) })
	if ids := documentsBeside(first, apart); len(ids) > 0 {
		out = append(out, duplicate(first, ids, "%s %s for other paths what %s says.", "Where the paths meet, a review reads it twice, and forgetting one leaves the other.",
			fmt.Sprintf("If it holds for all of these paths, teach it once for them and retire these: retire %s %s. Else leave them.", first.DocumentID, strings.Join(ids, " "))))
	}
	return out
}

func duplicate(first memory.Version, ids []string, message, reason, fix string) Finding {
	return Finding{
		Check: CheckDuplicate, Severity: Note, Field: first.DocumentID, Lessons: append([]string{first.DocumentID}, ids...),
		Message: fmt.Sprintf(message, and(ids), sayOrSays(len(ids)), first.DocumentID), Reason: reason, Fix: fix,
	}
}

// documentsBeside are the documents of versions, but for that of the first.
func documentsBeside(first memory.Version, versions []memory.Version) []string {
	var ids []string
	for _, v := range versions {
		if v.DocumentID != first.DocumentID && !slices.Contains(ids, v.DocumentID) {
			ids = append(ids, v.DocumentID)
		}
	}
	return ids
}

// files are the globs of what a lesson is about, in one order.
func files(v memory.Version) []string {
	globs := slices.Clone(v.Paths)
	if v.Check != nil {
		globs = slices.Clone(v.Check.In)
	}
	slices.Sort(globs)
	return slices.Compact(globs)
}

// meet says whether two lessons are about the same files. A text without a
// check says the same wherever it is for.
func meet(a, b memory.Version, code *Code) bool {
	if a.Check == nil || b.Check == nil {
		return true
	}
	return overlap(a.Check.In, b.Check.In, code)
}

func sayOrSays(n int) string {
	if n == 1 {
		return "says"
	}
	return "say"
}
