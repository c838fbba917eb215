package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/runtime"
)

type localFlags struct {
	last            int
	lastGiven       bool
	base, head      string
	worktree        bool
	markdown        bool
	noMemory        bool
	trust, reviewer string
	command         string
	commandGiven    bool
	covers          []string
	model, endpoint string
	timeout         time.Duration
	failOn          string
	minSeverity     string
	quiet           bool
	sarif           string
}

func localCommand(env Env, common *commonFlags) *cobra.Command {
	var f localFlags
	cmd := &cobra.Command{
		Use:   "local",
		Short: "Review changes of this clone",
		Long: `Reviews the last commit, the last N merges or commits, a range, or what is not
committed yet, and prints what the status comment would say.

It needs no key and no network, and runs nothing that the clone names: no hook,
no filter, no command of its configuration. With --runtime models it asks the
endpoint that you name, with the key in FAMILIAR_MODEL_KEY.`,
		Example: `  familiar local                     the last commit
  familiar local --last 20           what it would have said on the last 20
  familiar local --worktree          what is not committed yet
  familiar local --base main         this branch against main`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.lastGiven, f.commandGiven = cmd.Flags().Changed("last"), cmd.Flags().Changed("exec-command")
			return runLocal(cmd.Context(), env, common, f)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.last, "last", 0, "review the last `N` commits of HEAD, a merge as one")
	flags.StringVar(&f.base, "base", "", "review from where the head left this `revision` (default branch if only --head is given)")
	flags.StringVar(&f.head, "head", "", "review up to this `revision` (HEAD if only --base is given)")
	flags.BoolVar(&f.worktree, "worktree", false, "review what is not committed yet")
	flags.BoolVar(&f.markdown, "markdown", false, "print the Markdown of the status comment")
	flags.BoolVar(&f.noMemory, "no-memory", false, "review without memory")
	flags.StringVar(&f.trust, "trust", "", "review as a change of this trust `scope` would be: maintainer, collaborator, external, fork_pr")
	flags.StringVar(&f.reviewer, "runtime", "", "`who` reviews: rules, models or exec (default: rules, or exec with --exec-command)")
	flags.StringVar(&f.reviewer, "reviewer", "", "the same as --runtime")
	_ = flags.MarkHidden("reviewer") // the flag is there, so this cannot fail
	flags.StringVar(&f.endpoint, "model-endpoint", "", "the `URL` of the models reviewer's endpoint, such as https://models.example.com/v1 (else FAMILIAR_MODEL_ENDPOINT)")
	flags.StringVar(&f.model, "model", "", "the `name` of the model at that endpoint (else FAMILIAR_MODEL)")
	flags.StringVar(&f.command, "exec-command", "", "the `command` of the exec reviewer; words are separated by spaces")
	flags.StringArrayVar(&f.covers, "exec-covers", nil, "the exec reviewer looks at the files of this `GLOB`, where its SARIF does not say so (may be repeated)")
	flags.DurationVar(&f.timeout, "exec-timeout", runtime.DefaultDeadline, "how long the exec reviewer may take")
	flags.StringVar(&f.minSeverity, "min-severity", "", "show findings from this `severity` on: info, low, ... (default: as configured, else low)")
	flags.StringVar(&f.failOn, "fail-on", "none", "exit with 3 when there is a finding of this `severity` or above: info, low, medium, high, critical")
	flags.StringVar(&f.sarif, "sarif", "", "write the findings to this `file` too, as SARIF 2.1.0")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return cmd
}

// request checks the flags against each other.
func (f localFlags) request() (app.LocalRequest, error) {
	r := app.LocalRequest{
		Last: f.last, Base: f.base, Head: f.head, Worktree: f.worktree,
		Trust: contract.TrustScope(f.trust), MinSeverity: contract.Severity(f.minSeverity), Reviewer: runtime.Kind(f.reviewer), Command: strings.Fields(f.command), Covers: f.covers, Timeout: f.timeout,
	}
	chosen := 0
	for _, set := range []bool{f.last != 0, f.base != "" || f.head != "", f.worktree} {
		if set {
			chosen++
		}
	}
	if problem := unusable(f.covers); problem != "" {
		return r, usage("--exec-covers takes a glob such as **/*.go: %s", problem)
	}
	switch {
	case chosen > 1:
		return r, usage("--last, --base/--head and --worktree exclude each other; give one")
	case f.lastGiven && f.last < 1:
		return r, usage("--last takes a number above 0, but got %d", f.last)
	case f.trust != "" && !localScope(r.Trust):
		return r, usage("--trust takes maintainer, collaborator, external or fork_pr, but got %q", f.trust)
	case f.minSeverity != "" && r.MinSeverity.Rank() == 0:
		return r, usage("--min-severity takes info, low, medium, high or critical, but got %q", f.minSeverity)
	case f.commandGiven && len(r.Command) == 0:
		return r, usage("--exec-command is blank; give a program and its arguments")
	case r.Reviewer == "" && len(r.Command) > 0:
		r.Reviewer = runtime.Exec
	case r.Reviewer == runtime.Exec && len(r.Command) == 0:
		return r, usage("--runtime exec needs --exec-command, such as --exec-command ./my-reviewer")
	case r.Reviewer != "" && !slices.Contains(runtimes, f.reviewer):
		return r, usage("--runtime takes %s, but got %q", listed(runtimes), f.reviewer)
	case len(f.covers) > 0 && r.Reviewer != runtime.Exec:
		return r, usage("--exec-covers is for the exec reviewer; add --exec-command, or leave it out")
	case f.timeout <= 0:
		return r, usage("--exec-timeout takes a time above 0, but got %s", f.timeout)
	}
	return r, nil
}

// unusable says what is wrong with the first glob that is none, or "".
func unusable(globs []string) string {
	for _, g := range globs {
		if problem := memory.GlobProblem(g); problem != "" {
			return problem
		}
	}
	return ""
}

func localScope(s contract.TrustScope) bool {
	_, ok := contract.ParseTrustScope(string(s))
	return ok && s != contract.TrustScheduled
}

func runLocal(ctx context.Context, env Env, common *commonFlags, f localFlags) error {
	r, err := f.request()
	if err != nil {
		return err
	}
	failOn, ok := contract.ParseSeverity(f.failOn)
	if !ok && f.failOn != "none" {
		return usage("--fail-on takes none, info, low, medium, high or critical, but got %q", f.failOn)
	}
	if common.json && f.markdown {
		return usage("--json and --markdown exclude each other; give one")
	}
	r.Command = env.program(r.Command)
	if err := env.model(&r, f); err != nil {
		return err
	}
	clone, stores, err := env.open(ctx, common.dir, common.store)
	if err != nil {
		return err
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	r.Clone, r.DryRun, r.Now, r.Operator = clone, common.dryRun, env.Now, env.operator()
	if !f.noMemory {
		r.Stores = &stores
	}
	progress := newProgress(env, f.quiet)
	r.Progress = progress.step
	report, err := app.ReviewLocal(ctx, r)
	progress.end()
	if err != nil {
		return err
	}
	if err := env.printReport(report, common.json, f.markdown); err != nil {
		return err
	}
	if err := env.writeSARIF(report, f.sarif); err != nil {
		return err
	}
	switch {
	case report.Failed():
		return exitError{code: ExitFailed}
	case ok && report.AnyFinding(failOn):
		return exitError{code: ExitFailOn}
	}
	return nil
}

// model takes whom to ask from the flags and the environment of the person at
// the keyboard, never from the clone (attack A114). The key has no flag: others
// on the machine can read those.
func (e Env) model(r *app.LocalRequest, f localFlags) error {
	r.Secrets = []string{e.Getenv("GITHUB_TOKEN"), e.Getenv("GH_TOKEN"), e.Getenv("FAMILIAR_MEMORY_KEY")}
	if r.Reviewer != runtime.Models {
		if f.endpoint != "" || f.model != "" {
			return usage("--model and --model-endpoint are for --runtime models; add that, or leave them out")
		}
		return nil
	}
	r.Model = app.Model{Name: cmp.Or(f.model, e.Getenv("FAMILIAR_MODEL")), Endpoint: cmp.Or(f.endpoint, e.Getenv("FAMILIAR_MODEL_ENDPOINT")), Key: e.Getenv("FAMILIAR_MODEL_KEY")}
	if r.Model.Name == "" || r.Model.Endpoint == "" || r.Model.Key == "" {
		return usage("--runtime models needs --model and --model-endpoint (or FAMILIAR_MODEL and FAMILIAR_MODEL_ENDPOINT), and the endpoint's key in FAMILIAR_MODEL_KEY")
	}
	if err := app.CheckModel(r.Model, r.Secrets); err != nil {
		return exitError{ExitUsage, err}
	}
	return nil
}

// program makes a program that is named by a path absolute: the reviewer runs
// in a folder of its own, and the path was meant from here.
func (e Env) program(command []string) []string {
	if len(command) == 0 || !strings.ContainsRune(command[0], filepath.Separator) || filepath.IsAbs(command[0]) {
		return command
	}
	return append([]string{filepath.Join(e.Dir, command[0])}, command[1:]...)
}

func (e Env) printReport(r app.LocalReport, asJSON, asMarkdown bool) error {
	if r.Note != "" {
		e.tell(r.Note)
	}
	if r.Hint != "" {
		defer e.tell(r.Hint) // below what was printed
	}
	switch {
	case asJSON && r.History:
		return e.printJSON(render.HistoryJSON(r.Items))
	case asJSON:
		return e.printJSON(render.JSON(r.Items[0].Status))
	case asMarkdown:
		var parts []string
		for _, i := range r.Items {
			parts = append(parts, render.Markdown(i.Status).String())
		}
		return e.print(strings.Join(parts, "\n---\n\n"))
	case r.History:
		return e.print(render.TerminalHistory(r.Items, e.view()))
	}
	return e.print(render.Terminal(r.Items[0].Status, e.view()))
}

func (e Env) printJSON(data []byte, err error) error {
	if err != nil {
		return err
	}
	return e.print(strings.TrimRight(string(data), "\n") + "\n")
}
