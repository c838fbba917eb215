package policy

import (
	"strconv"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// refusals collects what is recorded and shown, bounded and scrubbed.
type refusals struct {
	finder redact.Finder
	single []memory.Refusal
	order  []refusalKind
	more   map[refusalKind]int
}

type refusalKind struct {
	op     string
	reason memory.Reason
}

// maxTarget bounds how much of a runtime's own key or id is repeated, in
// characters.
const maxTarget = 256

// add records one refusal; no reason is none. A target that holds something
// sensitive is scrubbed, and where that is not enough only its position is
// named.
func (r *refusals) add(op string, position int, reason memory.Reason, target, detail string) {
	if reason == "" {
		return
	}
	if len(r.single) < maxRefusals {
		r.single = append(r.single, memory.Refusal{
			Op: op, Target: r.safeTarget(op, position, target), Reason: reason, Detail: detail,
		})
		return
	}
	kind := refusalKind{op, reason}
	if r.more == nil {
		r.more = map[refusalKind]int{}
	}
	if r.more[kind] == 0 {
		r.order = append(r.order, kind)
	}
	r.more[kind]++
}

func (r *refusals) list() []memory.Refusal {
	all := r.single
	for _, kind := range r.order {
		all = append(all, memory.Refusal{
			Op: kind.op, Target: strconv.Itoa(r.more[kind]) + " more", Reason: kind.reason,
			Detail: "As many more entries were refused for the same reason; they are counted and not listed.",
		})
	}
	return all
}

func (r *refusals) safeTarget(op string, position int, target string) string {
	safe := scrubbed(r.finder, target, maxTarget)
	if safe == "" {
		return op + " entry " + strconv.Itoa(position+1)
	}
	return safe
}

// declined keeps what the runtime itself refused: its reason, and its text
// scrubbed.
func declined(finder redact.Finder, rejected []contract.MemoryDecline) (kept []Declined, more int) {
	for _, d := range rejected {
		if len(kept) == maxDeclined {
			return kept, len(rejected) - maxDeclined
		}
		kept = append(kept, Declined{
			Text:   scrubbed(finder, d.Summary, text.MaxRunes),
			Scope:  scrubbed(finder, d.Scope, maxTarget),
			Reason: d.Reason,
		})
	}
	return kept, 0
}
