package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// pauseByComment stops automatic reviews of a pull request, or starts them
// again: a register that the last word sets, by GitHub's time of it.
func pauseByComment(_ ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	if f.pull == nil {
		return refusedBecause("Nothing is reviewed on an issue; `" + string(in.Verb) + "` works on a pull request.")
	}
	value := ""
	if in.Verb == intent.VerbPause {
		value = s.Author.Login
	}
	cause := commandCause(f, s.ID, in.Line, "")
	return decision{
		acts: []plan.Action{{
			Kind: plan.SetRegister, Key: cause, Summary: fmt.Sprintf("%s reviews of #%d", in.Verb, f.number),
			Payload: store.Register{Name: pausedName(f.number), Value: value, At: s.CreatedAt, Cause: cause},
		}},
		after: func() string { return render.Paused(in.Verb == intent.VerbPause) },
	}
}

func pausedName(number int) string { return fmt.Sprintf("paused/%d", number) }

// pausedBy is who paused the reviews of a pull request, "" if nobody did.
func pausedBy(ctx context.Context, m Memory, number int) (login string, err error) {
	if m == nil {
		return "", nil
	}
	err = m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		reg, _, err := st.Register(ctx, pausedName(number))
		login = reg.Value
		return err
	})
	return login, err
}
