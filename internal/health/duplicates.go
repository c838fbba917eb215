package health

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// duplicates finds lessons that say the same: texts that fold alike, or one
// rule twice for files that both are about. Proposals that wait count, since
// that is the time to notice.
func duplicates(versions []memory.Version, code *Code) []Finding {
	groups := map[string][]memory.Version{}
	var order []string
	for _, v := range versions {
		said := sense(v)
		if said == "" || v.State != memory.Active && !v.State.Pending() {
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

// sense is what a lesson says, as a key that two that say the same share.
func sense(v memory.Version) string {
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

// duplicatesIn reports lessons of one sense: those of other documents that
// are about the same files as the oldest of them.
func duplicatesIn(group []memory.Version, code *Code) []Finding {
	slices.SortStableFunc(group, func(a, b memory.Version) int {
		if n := a.CreatedAt.Compare(b.CreatedAt); n != 0 {
			return n
		}
		return strings.Compare(a.DocumentID, b.DocumentID)
	})
	first := group[0]
	var ids []string
	for _, v := range group[1:] {
		if v.DocumentID != first.DocumentID && !slices.Contains(ids, v.DocumentID) && meet(first, v, code) {
			ids = append(ids, v.DocumentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []Finding{{
		Check: CheckDuplicate, Severity: Note, Field: first.DocumentID, Lessons: append([]string{first.DocumentID}, ids...),
		Message: fmt.Sprintf("%s %s the same as %s.", and(ids), says(len(ids)), first.DocumentID),
		Reason:  "Each takes a place in what a review reads, and forgetting one leaves the other.",
		Fix:     fmt.Sprintf("Keep one and retire the rest: retire %s.", strings.Join(ids, " ")),
	}}
}

// meet says whether two lessons are about the same files. A text without a
// check says the same wherever it is for.
func meet(a, b memory.Version, code *Code) bool {
	if a.Check == nil || b.Check == nil {
		return true
	}
	return overlap(a.Check.In, b.Check.In, code)
}

func says(n int) string {
	if n == 1 {
		return "says"
	}
	return "say"
}
