package app

import (
	"context"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
)

// touchByComment forgets, approves or rejects the lessons that a command
// names. Each id is a cause of its own, so that one that is refused keeps no
// other from being done, and a second look at the comment does none twice.
func touchByComment(ctx context.Context, r ActionRequest, f commandFacts, in intent.Intent) decision {
	if len(in.IDs) == 0 {
		return refusedBecause("`" + string(in.Verb) + "` takes the ids of lessons, such as `m-7f3k2q8a`; `list pending` shows them.")
	}
	var d decision
	var refused []string
	op := operations[in.Verb]
	for _, id := range in.IDs {
		t, why := touch(ctx, r, f, in, op, id)
		if why != "" {
			refused = append(refused, why)
			continue
		}
		d.tasks = append(d.tasks, t)
	}
	d.text = strings.Join(refused, " ")
	d.said = func(t TransitionTask) string { return touched(op, t.Transition.Target, r.Memory.Cleared.Words()) }
	return d
}

// touch is the transition of one id, or why there is none.
func touch(ctx context.Context, r ActionRequest, f commandFacts, in intent.Intent, op memory.Op, id string) (*TransitionTask, string) {
	versions, refusal, err := Show(ctx, r.Memory, id)
	if err != nil {
		return nil, "The store cannot be read: " + err.Error() + "."
	}
	c := r.Trigger.Comment
	if refusal == nil {
		refusal = memory.MayTouch(op, memory.Principal{ID: c.Author.ID, Login: c.Author.Login}, f.standing, versions)
	}
	if refusal != nil {
		return nil, refusal.Detail
	}
	t := transition(r, f, in, op, id, nil)
	t.Digest = memory.TextDigest(versions[len(versions)-1].Text)
	return &TransitionTask{Transition: t}, ""
}

// touched says what was done. cleared is what became of the older containers
// that held a forgotten text.
func touched(op memory.Op, id, cleared string) string {
	switch op {
	case memory.OpForget:
		if cleared != "" {
			cleared = " " + cleared
		}
		return "Forgotten `" + id + "`. Its text is gone from the store." + cleared + " Where people quoted it, such as in this thread, it still stands."
	case memory.OpApprove:
		return "Approved `" + id + "`."
	}
	return "Rejected `" + id + "`."
}
