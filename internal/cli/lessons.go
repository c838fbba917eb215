package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// teachShort says what each teaching command is for.
var teachShort = map[string]string{
	"remember": "Teach a lesson in words",
	"never":    "Teach that a pattern must not be added",
	"prefer":   "Teach which of two forms to use",
	"with":     "Teach which files change together",
}

// teachUse are the forms of the commands; those of a comment, with options
// as flags.
var teachUse = map[string]string{
	"remember": "remember TEXT...",
	"never":    "never PATTERN in GLOB",
	"prefer":   "prefer X over Y in GLOB",
	"with":     "with GLOB --paths GLOB",
}

// teachCommand makes one of remember, never, prefer and with. Its flags are
// the option lines of the same command in a comment (page 6.1).
func teachCommand(env Env, common *commonFlags, verb string) *cobra.Command {
	values := map[string]*[]string{}
	flags := map[string]*bool{}
	cmd := &cobra.Command{
		Use: teachUse[verb], Short: teachShort[verb],
		RunE: func(cmd *cobra.Command, args []string) error {
			opts := map[string]string{}
			for name, v := range values {
				if len(*v) > 0 {
					opts[name] = strings.Join(*v, "\n")
				}
			}
			for name, on := range flags {
				if *on {
					opts[name] = "yes"
				}
			}
			in, err := intent.FromArgs(verb, args, opts)
			if err != nil {
				return usage("%s", intent.ShellWords(err.Error()))
			}
			for _, name := range []string{"severity", "because"} {
				if in.Check == nil && opts[name] != "" {
					return usage("--%s belongs to a lesson that checks itself; with never, prefer, with or --with it has an effect, here put it into the words", name)
				}
			}
			return runTeach(cmd.Context(), env, common, in)
		},
	}
	help := teachHelp[verb]
	cmd.Long, cmd.Example = help.long+globHelp, help.example
	for _, row := range intent.Table() {
		if string(row.Verb) != verb {
			continue
		}
		for _, o := range row.Options {
			name := strings.TrimSuffix(o.Name, ":")
			if strings.HasPrefix(o.Value, "yes") {
				flags[name] = cmd.Flags().Bool(name, false, flagHelp[name])
				continue
			}
			values[name] = cmd.Flags().StringArray(name, nil, flagHelp[name])
		}
	}
	return cmd
}

func runTeach(ctx context.Context, env Env, common *commonFlags, in intent.Intent) error {
	if until := in.Options.Until; !until.IsZero() && !until.After(env.Now) {
		return usage("--until %s is past, so no review would read the lesson; name a later day, or leave it out", until.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	clone, stores, err := env.open(ctx, common.dir, common.store)
	if err != nil {
		return err
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	taught, refusal, err := app.Teach(ctx, app.TeachRequest{
		Clone: clone, Stores: stores, Intent: in, Operator: env.operator(), Now: env.Now, DryRun: common.dryRun,
	})
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return refused(string(in.Verb), *refusal)
	case common.json:
		return env.printJSON(render.LessonsJSON([]memory.Version{taught.Version}))
	case common.dryRun:
		taught.Version.DocumentID = ""
		return env.print(render.Remembered(taught, env.view()))
	}
	return env.print(render.Remembered(taught, env.view()))
}

// refused says a refusal of a command: what, why, and the next step.
func refused(verb string, r memory.Refusal) error {
	what := verb
	if r.Target != "" {
		what += " " + r.Target
	}
	if r.Detail == "" {
		return fmt.Errorf("%s: refused (%s)", what, r.Reason)
	}
	detail := intent.ShellWords(r.Detail)
	switch r.Reason {
	case memory.ReasonDuplicate: // there is no edit here
		detail = strings.TrimSuffix(detail, " To change it, use edit.")
	case memory.ReasonUnknownID:
		detail = strings.Replace(detail, ". list shows all", ". familiar list shows all", 1)
	}
	return fmt.Errorf("%s: %s (%s)", what, detail, r.Reason)
}

func listCommand(env Env, common *commonFlags) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list [pending | PATH | WORDS...]", Short: "List what was taught",
		Long: `Lists the lessons in use and the proposals that wait for approval: all of them,
the pending ones, those that apply to a path, or those with all the words given.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			clone, stores, err := env.open(cmd.Context(), common.dir, common.store)
			if err != nil {
				return err
			}
			defer func() { _ = clone.Close() }() // git processes that only read
			query := strings.Join(args, " ")
			r := app.ListRequest{Stores: stores, Query: query, All: all}
			if query == "pending" {
				r.Query, r.Pending = "", true
			}
			lessons, err := app.List(cmd.Context(), r)
			if err != nil {
				return err
			}
			if common.json {
				return env.printJSON(render.LessonsJSON(lessons))
			}
			if len(lessons) == 0 {
				if err := env.hintOthers(clone, stores); err != nil {
					return err
				}
			}
			if len(lessons) == 0 && query != "" {
				return env.print(noneListed(query))
			}
			return env.print(render.LessonList(lessons, env.view()))
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what is no longer used, but for what was forgotten")
	return cmd
}

// noneListed says that a question to list found nothing, which is not to say
// that nothing was taught.
func noneListed(query string) string {
	if query == "pending" {
		return "Nothing waits for approval.\n"
	}
	return render.Paragraph(fmt.Sprintf("No lesson is for a path %q or has all of these words; `familiar list` shows all.", render.Plain(query)), "", "")
}

func showCommand(env Env, common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show m-ID...", Short: "Show lessons with their history",
		Args: idsOf("familiar list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			clone, stores, err := env.open(cmd.Context(), common.dir, common.store)
			if err != nil {
				return err
			}
			defer func() { _ = clone.Close() }() // git processes that only read
			return env.eachOf(args, common.json, func(id string) (string, []byte, *memory.Refusal, error) {
				versions, refusal, err := app.Show(cmd.Context(), stores, id)
				if err != nil || refusal != nil {
					return "", nil, refusal, err
				}
				if common.json {
					data, err := render.LessonsJSON(versions)
					return "", data, nil, err
				}
				trace, err := app.TraceOf(cmd.Context(), stores, id, env.Now)
				return render.LessonDetail(versions, env.view()) + render.LessonTrace(trace, env.view()), nil, nil, err
			})
		},
	}
}

// isLessonID tells an id, with or without a version, from other words.
func isLessonID(s string) bool {
	_, _, ok := memory.ParseID(s)
	return ok
}

// decidePast is what a verb did, said of an id.
func decidePast(verb string) string { return helpOf(verb).past }

// decideCommand is a verb of `familiar memory` that is there without that word
// too, for the store of a clone.
func decideCommand(env Env, common *commonFlags, verb string) *cobra.Command {
	f, h := &memoryFlags{commonFlags: common}, helpOf(verb)
	cmd := memoryVerb(env, f, h)
	if h.asks != "" || verb == string(intent.VerbApprove) {
		cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, yesHelp)
	}
	return cmd
}

// asHelp is what --as of approve does.
const asHelp = "approve it in these other `WORDS`, which are then yours"

// inOtherWords are the arguments of approve with what --as says, as a comment
// would have it.
func inOtherWords(args []string, as string) []string {
	if as == "" {
		return args
	}
	return append(slices.Clone(args), "as:", as)
}

// printDecided says what became of each id. Any refusal makes the exit
// status 1, after all answers were given.
func (e Env) printDecided(verb string, decided []app.Decided, common *commonFlags) error {
	if common.json {
		return e.printDecidedJSON(decided)
	}
	if len(decided) == 0 {
		return e.print("Nothing waits for approval.\n")
	}
	failed := false
	for _, d := range decided {
		if d.Refused != nil {
			failed = true
			e.tell(refused(verb, *d.Refused).Error())
			continue
		}
		line := render.TouchedHere(memory.Op(verb), decidePast(verb), d.ID, memory.Applied{Version: d.Version, Already: d.Already}, common.dryRun)
		if d.Denial != nil {
			line = render.DeniedHere(*d.Denial, common.dryRun)
		}
		if len(d.Replaced) > 0 && verb != "edit" {
			line += " " + render.Replacing(d.Replaced, d.Former, d.Version, common.dryRun)
		}
		if err := e.print(render.Paragraph(line, "", "  ")); err != nil {
			return err
		}
	}
	if failed {
		return exitError{code: ExitFailed}
	}
	return nil
}

func (e Env) printDecidedJSON(decided []app.Decided) error {
	type answer struct {
		ID     string `json:"id"`
		State  string `json:"state,omitempty"`
		Reason string `json:"reason,omitempty"`
		Detail string `json:"detail,omitempty"`
	}
	out := []answer{}
	failed := false
	for _, d := range decided {
		a := answer{ID: d.ID, State: string(d.Version.State)}
		if d.Refused != nil {
			failed = true
			a.Reason, a.Detail = string(d.Refused.Reason), d.Refused.Detail
		}
		out = append(out, a)
	}
	if err := e.printJSON(json.MarshalIndent(out, "", "  ")); err != nil {
		return err
	}
	if failed {
		return exitError{code: ExitFailed}
	}
	return nil
}
