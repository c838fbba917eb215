package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

func memoryShow(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show m-ID...", Short: "Show lessons with everything that happened to them",
		Long: `Shows each lesson with all its versions, where it came from, who approved it,
and what was done to it since. --json prints one object for each.`,
		Args: idsOf("familiar memory list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			return env.eachOf(args, f.json, func(id string) (string, []byte, *memory.Refusal, error) {
				h, refusal, err := app.ShowHistory(cmd.Context(), o.memory, id)
				if err != nil || refusal != nil {
					return "", nil, refusal, err
				}
				events := eventsOf(h)
				if f.json {
					data, err := render.LessonJSON(h.Versions, events)
					return "", data, nil, err
				}
				return render.LessonDetail(h.Versions, f.view(env)) + render.EventList(events, f.view(env)), nil, nil, nil
			})
		},
	}
}

// idsOf takes ids of lessons, at least one.
func idsOf(lister string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for _, id := range args {
			if !isLessonID(id) {
				return usage("show takes ids such as m-7f3k2q8a, not %q; %s has them", id, lister)
			}
		}
		if len(args) == 0 {
			return usage("show takes the id of a lesson, such as m-7f3k2q8a; %s has them", lister)
		}
		return nil
	}
}

// eachOf shows lessons one after the other, an empty line between two. One
// that is refused does not keep the others back, and makes the exit status 1.
func (e Env) eachOf(ids []string, asJSON bool, show func(id string) (string, []byte, *memory.Refusal, error)) error {
	failed, shown := false, 0
	for _, id := range ids {
		words, data, refusal, err := show(id)
		switch {
		case err != nil:
			return err
		case refusal != nil:
			failed = true
			e.tell(refused("show", *refusal).Error())
			continue
		case asJSON:
			err = e.printJSON(data, nil)
		case shown > 0:
			err = e.print("\n" + words)
		default:
			err = e.print(words)
		}
		if err != nil {
			return err
		}
		shown++
	}
	if failed {
		return exitError{code: ExitFailed}
	}
	return nil
}

// eventsOf are the rows of a history, uses after what was done.
func eventsOf(h app.History) []render.Event {
	out := auditEvents(h.Audit)
	for _, u := range h.Uses {
		day, _ := time.Parse(time.DateOnly, u.Day) // the store takes nothing else
		detail := "finding " + u.Finding
		if u.PullRequest > 0 {
			detail += fmt.Sprintf(" in pull request %d", u.PullRequest)
		}
		out = append(out, render.Event{At: day, Op: "shaped a finding", Target: u.Version, Detail: detail})
	}
	return out
}

func auditEvents(rows []store.AuditRow) []render.Event {
	var out []render.Event
	for _, r := range rows {
		out = append(out, render.Event{At: r.At, Op: r.Op, Reason: r.Reason, Target: r.Target, Actor: r.Actor, Detail: r.Detail})
	}
	return out
}
