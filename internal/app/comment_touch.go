package app

import (
	"context"
	"slices"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// touchByComment forgets, retires, keeps, purges or redacts the lessons that
// a command names. Each id is a cause of its own, so that one that is refused
// keeps no other from being done, and a second look at the comment does none
// twice. Who may, and whose it is, the store asks; its refusals are final.
func touchByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	op := operations[in.Verb]
	d := decision{saidOf: touched(op)}
	for _, id := range in.IDs {
		t := transition(f, s, in, op, id)
		if o := in.Options; op == memory.OpKeep && (o.Class != "" || !o.Until.IsZero()) {
			t.Keep = &memory.Keeping{Class: o.Class, Until: o.Until, SetUntil: !o.Until.IsZero()}
		}
		d.tasks = append(d.tasks, &TransitionTask{Transition: t})
	}
	if d.erases = erasedBy(in); len(d.erases) > 0 {
		left, err := remains(ctx, r, f, in.IDs)
		if err != nil {
			return cannotRead(err)
		}
		d.after = func() string {
			left.Containers = r.Memory.Cleared.Words()
			return render.Erased(left)
		}
	}
	return d
}

// erasedBy are the documents whose texts are gone once a command is done.
func erasedBy(in intent.Intent) []string {
	if !slices.Contains([]intent.Verb{intent.VerbForget, intent.VerbPurge, intent.VerbRedact}, in.Verb) {
		return nil
	}
	return documentsOf(in.IDs)
}

// editByComment gives a lesson new words.
func editByComment(r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	words, refusal := otherWords(DecideRequest{Stores: r.Memory, Intent: in})
	if refusal != nil {
		return refusedBecause(refusal.Detail)
	}
	t := transition(f, s, in, memory.OpEdit, in.IDs[0])
	t.Lesson = words
	return decision{tasks: []*TransitionTask{{Transition: t}}, saidOf: touched(memory.OpEdit)}
}

// denyByComment revokes a key, or lifts that.
func denyByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	op := operations[in.Verb]
	target := ""
	if len(in.IDs) > 0 {
		target = in.IDs[0]
	}
	t := transition(f, s, in, op, target)
	if target == "" {
		t.Prefix = fullPrefix(in.Target, r.Memory.Coordinates())
	}
	met, refusal, err := denialOf(ctx, r.Memory, in)
	switch {
	case err != nil:
		return cannotRead(err)
	case refusal != nil:
		return refusedBecause(refusal.Detail)
	}
	return decision{
		tasks: []*TransitionTask{{Transition: t}},
		said: func(t TransitionTask) string {
			met.Already = t.Applied.Already
			return render.Denied(met)
		},
	}
}
