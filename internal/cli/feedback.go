package cli

import (
	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/render"
)

// disposeShort says what each word on a finding does.
var disposeShort = map[string]string{
	"accept":  "Say that a finding of the last review is right",
	"dismiss": "Say that a finding is wrong, and why: it is not shown again",
	"correct": "Say what a finding should have been",
}

var disposeUse = map[string]string{
	"accept": "accept F2 [LESSON...]", "dismiss": "dismiss F2 LESSON...", "correct": "correct F2 LESSON...",
}

// disposeCommand makes one of accept, dismiss and correct. Their numbers are
// those of the last `familiar local` of one change.
func disposeCommand(env Env, common *commonFlags, verb string) *cobra.Command {
	return &cobra.Command{
		Use: disposeUse[verb], Short: disposeShort[verb],
		Long: disposeShort[verb] + `.

The number is that of the last review of one change by familiar local. The
lesson is remembered in your words, with where it came from, and nothing of the
reviewer's; a dismissed finding stays away as long as that lesson lives, or
until you accept or correct it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := intent.FromArgs(verb, args, nil)
			if err != nil {
				return usage("%s", intent.ShellWords(err.Error()))
			}
			clone, stores, err := env.open(cmd.Context(), common.dir, common.store)
			if err != nil {
				return err
			}
			defer func() { _ = clone.Close() }() // git processes that only read
			done, refusal, err := app.Dispose(cmd.Context(), app.DisposeRequest{
				Stores: stores, Intent: in, Operator: env.operator(), Now: env.Now, DryRun: common.dryRun,
			})
			switch {
			case err != nil:
				return err
			case refusal != nil:
				return refused(verb, *refusal)
			case common.json:
				return env.printJSON(render.DisposedJSON(done))
			case common.dryRun:
				return env.print("Would " + verb + " " + in.Finding + " (dry run).\n")
			}
			return env.print(render.DisposedTerminal(done, env.view()))
		},
	}
}

// whyCommand says what a lesson did, or why a finding was raised.
func whyCommand(env Env, common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use: "why m-ID | why F2", Short: "Say what a lesson did, or why a finding of the last review was raised",
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := intent.FromArgs("why", args, nil)
			if err != nil {
				return usage("%s", intent.ShellWords(err.Error()))
			}
			clone, stores, err := env.open(cmd.Context(), common.dir, common.store)
			if err != nil {
				return err
			}
			defer func() { _ = clone.Close() }() // git processes that only read
			if in.Finding != "" {
				f, refusal, err := app.WhyLocal(cmd.Context(), stores, in.Finding, env.Now)
				switch {
				case err != nil:
					return err
				case refusal != nil:
					return refused("why", *refusal)
				case common.json:
					return env.printJSON(render.WhyFindingJSON(f))
				}
				return env.print(render.FindingTrace(f, env.view()))
			}
			versions, refusal, err := app.Show(cmd.Context(), stores, in.IDs[0])
			switch {
			case err != nil:
				return err
			case refusal != nil:
				return refused("why", *refusal)
			}
			trace, err := app.TraceOf(cmd.Context(), stores, in.IDs[0], env.Now)
			switch {
			case err != nil:
				return err
			case common.json:
				return env.printJSON(render.TraceJSON(in.IDs[0], trace))
			}
			return env.print(render.LessonTrace(trace, env.view()) + "\n" + render.LessonDetail(versions, env.view()))
		},
	}
}
