package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// verbHelp is what each verb on lessons does, whether it can be undone, and
// what it asks before it does it.
type verbHelp struct {
	verb, use, short string
	asks             string // "": it does not ask
	past             string
}

// verbs are the verbs of page 4.2, in the order of `familiar memory --help`.
var verbs = []verbHelp{
	{"approve", "approve m-ID... | approve all", "Approve proposals exactly as they are shown", "", "Approved"},
	{"reject", "reject m-ID... | reject all", "Reject proposals", "", "Rejected"},
	{"edit", "edit m-ID TEXT...", "Give your lesson new words, as a new version", "", "Edited"},
	{"keep", "keep m-ID...", "Renew lessons, or change how long they are kept", "", "Kept"},
	{"retire", "retire m-ID...", "Take outdated lessons out of use; their text is kept", "", "Retired"},
	{"forget", "forget m-ID...", "Forget lessons: their text is overwritten and cannot come back", "Overwrite the text of %s, in every version?", "Forgotten"},
	{"redact", "redact m-ID...", "Forget lessons whose owner is gone", "Overwrite the text of %s, whosever it is?", "Redacted"},
	{"purge", "purge m-ID...", "Erase your lessons with all that is known of them", "Erase %s with all that is known of it?", "Purged"},
	{"revoke", "revoke KEY | m-ID", "Deny a key, or all keys below it, from now on", "", "Revoked"},
	{"unrevoke", "unrevoke KEY | m-ID", "Lift a denial", "", "Lifted the denial of"},
}

// helpOf is the row of a verb.
func helpOf(verb string) verbHelp {
	return verbs[slices.IndexFunc(verbs, func(h verbHelp) bool { return h.verb == verb })]
}

// yesHelp is what --yes of what cannot be undone does.
const yesHelp = "do not ask before what cannot be undone, a denial, or the approval of what was imported"

// memoryDeciding are the commands that change lessons that exist.
func memoryDeciding(env Env, f *memoryFlags) []*cobra.Command {
	var out []*cobra.Command
	for _, h := range verbs {
		out = append(out, memoryVerb(env, f, h))
	}
	return out
}

func memoryVerb(env Env, f *memoryFlags, h verbHelp) *cobra.Command {
	options := map[string]*string{}
	var as string
	cmd := &cobra.Command{
		Use: h.use, Short: h.short,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts := map[string]string{}
			for name, v := range options {
				if cmd.Flags().Changed(name) {
					opts[name] = *v
				}
			}
			in, err := intent.FromArgs(h.verb, inOtherWords(args, as), opts)
			if err != nil {
				return usage("%s", intent.ShellWords(err.Error()))
			}
			if f.remote == "" {
				return runMemoryVerb(cmd.Context(), env, f, h, in)
			}
			if err := f.confirmThere(env, h, in); err != nil {
				return err
			}
			return f.ask(cmd.Context(), env, "memory", asLines(in, opts))
		},
	}
	for _, row := range intent.Table() {
		if string(row.Verb) != h.verb {
			continue
		}
		for _, o := range row.Options {
			name := strings.TrimSuffix(o.Name, ":")
			options[name] = cmd.Flags().String(name, "", flagHelp[name])
		}
	}
	if h.verb == "approve" {
		cmd.Flags().StringVar(&as, "as", "", asHelp)
	}
	return cmd
}

func runMemoryVerb(ctx context.Context, env Env, f *memoryFlags, h verbHelp, in intent.Intent) error {
	o, err := f.open(ctx, env)
	if err != nil {
		return err
	}
	defer o.close()
	r := app.DecideRequest{Stores: o.memory, Intent: in, Operator: env.operator(), Now: env.Now, DryRun: f.dryRun}
	if (h.asks != "" || in.Verb == intent.VerbRevoke) && !f.yes && !f.dryRun {
		if err := f.confirmOf(ctx, env, h, r); err != nil {
			return err
		}
	}
	if in.Verb == intent.VerbApprove && !in.Reworded && !f.yes && !f.dryRun {
		if err := f.confirmUnread(ctx, env, r); err != nil {
			return err
		}
	}
	decided, err := app.Decide(ctx, r)
	if err != nil {
		return err
	}
	return env.printDecided(h.verb, decided, f.commonFlags)
}

// confirmThere asks before the workflow of a repository is started: what stands
// there is not known here, so a denial asks whatever it covers. Nobody is asked
// about what cannot be begun.
func (f *memoryFlags) confirmThere(env Env, h verbHelp, in intent.Intent) error {
	if err := f.oneMemory(); err != nil {
		return err
	}
	if _, err := f.client(env); err != nil {
		return err
	}
	named := strings.Join(in.IDs, ", ")
	switch {
	case in.Verb == intent.VerbRevoke:
		if named == "" {
			named = in.Target + " and all below it"
		}
		return f.agreed(env, fmt.Sprintf("Revoke %s in %s?", named, f.remote), noneRead)
	case h.asks != "":
		return f.confirm(env, fmt.Sprintf(h.asks, named))
	}
	return nil
}

// noneRead is what hangs on a denial.
const noneRead = "Nothing that it covers is read until the denial is lifted,"

// confirmOf looks at the lessons first: the question shows what they say, and
// nobody is asked about what would be refused.
func (f *memoryFlags) confirmOf(ctx context.Context, env Env, h verbHelp, r app.DecideRequest) error {
	r.DryRun = true
	looked, err := app.Decide(ctx, r)
	if err != nil {
		return err
	}
	var ids []string
	for _, d := range looked {
		if d.Refused != nil {
			continue
		}
		if d.Denial != nil {
			if n := len(d.Denial.Lessons); n > 1 && env.InTerminal { // one word that turns off a namespace
				return f.agreed(env, fmt.Sprintf("Revoke %s, and with it %s?", d.Denial.Named, render.Count(n, "lesson")), noneRead)
			}
			continue
		}
		ids = append(ids, d.ID)
		if env.InTerminal {
			fmt.Fprint(env.Stderr, render.Paragraph(render.Plain(d.ID+"  "+d.Version.Text), "", "            "))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return f.confirm(env, fmt.Sprintf(h.asks, strings.Join(ids, ", ")))
}

// confirmUnread shows what is to be approved and came from elsewhere, whole: a
// review shows what it proposes, and an import shows nothing (attack A74).
func (f *memoryFlags) confirmUnread(ctx context.Context, env Env, r app.DecideRequest) error {
	r.DryRun = true
	looked, err := app.Decide(ctx, r)
	if err != nil {
		return err
	}
	var ids []string
	for _, d := range looked {
		v := d.Version
		if d.Refused != nil || !v.State.Pending() || v.Provenance.Head != "" {
			continue
		}
		ids = append(ids, v.ID())
		fmt.Fprint(env.Stderr, render.LessonDetail([]memory.Version{v}, render.TerminalOptions{})+"\n")
	}
	if len(ids) == 0 {
		return nil
	}
	return f.agreed(env, fmt.Sprintf("Approve %s, exactly as it stands above?", strings.Join(ids, ", ")), "What came from elsewhere is approved as it was read,")
}

// asLines are the arguments of a command as a step takes them: the verb, then
// one value a line, options behind as lines of a comment (page 6.7).
func asLines(in intent.Intent, opts map[string]string) []string {
	out := []string{string(in.Verb)}
	out = append(out, in.IDs...)
	switch {
	case in.All:
		out = append(out, "all")
	case in.Target != "":
		out = append(out, in.Target)
	case in.Reworded:
		out = append(out, "as: "+oneLine(in.Text))
	case in.Text != "":
		out = append(out, oneLine(in.Text))
	}
	for _, o := range []string{"paths", "about", "class", "until"} {
		if v := opts[o]; v != "" {
			out = append(out, o+": "+oneLine(v))
		}
	}
	return out
}

// oneLine keeps a value on the line that it has.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
