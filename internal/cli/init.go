package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
)

type initFlags struct {
	public, private, yes bool
	app, appSaid         bool // appSaid: the flag was given
	trigger              string
}

func initCommand(env Env, common *commonFlags) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write the workflows of the action and its configuration",
		Long: `Writes the workflow files of the action and .github/familiar.toml into this
clone, and prints what is to be done once: the environment and its key.

A public repository gets a pair of workflows, since GitHub blocks
pull_request_target there; a private one gets one workflow. Both get the daily
sweep. With --app the action acts as a GitHub App of your own, which gives its
answers a name and a check run. What a file that is there would lose is shown,
and overwritten only with --yes. A configuration that is there stays as it is.`,
		Example: `  familiar init --private
  familiar init --public
  familiar init --private --app
  familiar init --dry-run --public     only show it`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.appSaid = cmd.Flags().Changed("app")
			return runInit(cmd.Context(), env, common, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.public, "public", false, "the repository is public")
	flags.BoolVar(&f.private, "private", false, "the repository is private or internal")
	flags.StringVar(&f.trigger, "trigger", "", "which `event` starts a review: workflow_run or pull_request_target (default: by --public or --private)")
	flags.BoolVar(&f.app, "app", false, "act as a GitHub App of your own (--app=false: as the workflow's token again)")
	flags.BoolVar(&f.yes, "yes", false, "overwrite workflow files that say something else")
	return cmd
}

// chosen is the trigger that the flags ask for; "" leaves it to an earlier
// set-up.
func (f initFlags) chosen() (app.SetupTrigger, error) {
	switch {
	case f.public && f.private:
		return "", usage("--public and --private exclude each other; give one")
	case f.trigger != "":
		t, ok := app.ParseSetupTrigger(f.trigger)
		if !ok {
			return "", usage("--trigger takes workflow_run or pull_request_target, but got %q", f.trigger)
		}
		return t, nil
	case f.public:
		return app.TriggerWorkflowRun, nil
	case f.private:
		return app.TriggerPullRequestTarget, nil
	}
	return "", nil
}

// auth is as whom the flags have the action act; "" leaves it to an earlier
// set-up.
func (f initFlags) auth() app.SetupAuth {
	switch {
	case f.app:
		return app.AuthApp
	case f.appSaid:
		return app.AuthToken
	}
	return ""
}

func runInit(ctx context.Context, env Env, common *commonFlags, f initFlags) error {
	trigger, err := f.chosen()
	if err != nil {
		return err
	}
	clone, _, err := env.open(ctx, common.dir, common.store)
	if err != nil {
		return err
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	if clone.Repo.IsBare() {
		return usage("%s has no work tree, so there is nowhere to write; run familiar init in a clone of it", render.Plain(clone.Repo.Root()))
	}
	report, err := app.SetUp(ctx, app.SetupRequest{Dir: clone.Repo.Root(), Trigger: trigger, Auth: f.auth(), Yes: f.yes, DryRun: common.dryRun})
	if errors.Is(err, app.ErrNoTrigger) {
		return usage("whether %s is public cannot be seen from here; give --public or --private", render.Plain(clone.Name()))
	}
	if err != nil {
		return err
	}
	next := setupSteps{branch: clone.DefaultBranch, policy: report.Trigger == app.TriggerPullRequestTarget && !f.private, app: report.Auth == app.AuthApp, dryRun: common.dryRun}
	if common.json {
		err = env.printJSON(json.MarshalIndent(next.document(report), "", "  "))
	} else {
		err = env.print(setupText(report, common.dryRun) + next.text(report))
	}
	if err == nil && report.Blocked && common.json {
		return errors.New("nothing was written, since a file that is there says something else; its diff is in the JSON, and --yes overwrites it")
	}
	if err == nil && report.Blocked {
		return errors.New("nothing was written, since a file that is there says something else; look at the lines above and give --yes to overwrite it")
	}
	return err
}

// setupText says what became of each file.
func setupText(r app.SetupReport, dryRun bool) string {
	var b strings.Builder
	for _, f := range r.Files {
		b.WriteString(setupVerb(f.State, dryRun || r.Blocked) + " " + f.Path + "\n")
		for line := range strings.Lines(f.Diff) {
			b.WriteString("  " + shown(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	return b.String()
}

// shown keeps a line's indentation and lets nothing in it command a terminal.
func shown(line string) string {
	body := strings.TrimLeft(line, " \t+-")
	return strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    ") + render.Plain(body)
}

func setupVerb(s app.SetupState, would bool) string {
	switch {
	case s == app.SetupSame:
		return "Unchanged"
	case s == app.SetupKept:
		return "Yours, kept"
	case s == app.SetupStale:
		return "Not needed any more, delete it:"
	case s == app.SetupDiffers && would:
		return "Would overwrite"
	case s == app.SetupDiffers:
		return "Overwrote"
	case would:
		return "Would write"
	}
	return "Wrote"
}

// setupSteps says what only a person can do.
type setupSteps struct {
	branch         string // the default branch, as far as the clone knows
	policy, dryRun bool
	app            bool
}

// setupStep is one thing to do once.
type setupStep struct {
	Do  string   `json:"do"`
	Run []string `json:"run,omitempty"` // commands to copy
}

const actionsPolicy = "Allow pull_request_target for .github/workflows/familiar.yml. From 2 December 2026 GitHub blocks that event in public repositories; " +
	"an admin allows it in the Actions policies of the repository or organization, for this one workflow file and no other. " +
	"Until then no pull request is reviewed."

// appStep makes the App: a repository secret for its key would be read by
// whoever can push a workflow, as that of the memory.
var appStep = setupStep{"Make the App under https://github.com/settings/apps/new, or under your organization's settings: no webhook; of the repository permissions " +
	"Contents: read, and Pull requests, Issues, Actions and Checks: write. Install it on this repository alone, make a private key for it, " +
	"and store its id and that key; then delete the downloaded file.", []string{
	"gh variable set " + app.AppIDVariable + " --body APP-ID",
	"gh secret set " + app.AppKeySecret + " --env familiar < APP.private-key.pem",
}}

func (s setupSteps) steps() []setupStep {
	branch := s.branch
	if branch == "" {
		branch = "main"
	}
	out := []setupStep{
		{"Make the environment that holds the key, for " + render.Plain(branch) + " alone: anyone with write access can push a workflow that reads a plain repository secret. (On GitHub's Free plan a private repository has no environments; there the key is such a secret.)", []string{
			"gh api -X PUT 'repos/{owner}/{repo}/environments/familiar' -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'",
			"gh api -X POST 'repos/{owner}/{repo}/environments/familiar/deployment-branch-policies' -f name=" + shellWord(branch),
		}},
		{"Make the key. GitHub never shows a secret again, and nobody opens the memory without it: once it is set, move the file ../familiar.key to where you keep such things.", []string{
			"(umask 077; familiar keygen > ../familiar.key)",
			"gh secret set FAMILIAR_MEMORY_KEY --env familiar < ../familiar.key",
		}},
	}
	if s.app {
		out = append(out, appStep)
	}
	out = append(out, setupStep{"Commit the files and push them to " + render.Plain(branch) + ".", nil})
	if s.policy {
		out = append(out, setupStep{actionsPolicy, nil})
	}
	return append(out, setupStep{"Comment on any issue or pull request: /familiar remember TEXT", nil})
}

func (s setupSteps) text(r app.SetupReport) string {
	if r.Blocked {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nTo do once:\n")
	for i, step := range s.steps() {
		b.WriteString(render.Paragraph(step.Do, fmt.Sprintf("  %d. ", i+1), "     "))
		for _, c := range step.Run {
			b.WriteString(folded(c))
		}
	}
	b.WriteString("\nLabels on a pull request (the first run makes them):\n")
	for _, l := range setupLabels() {
		fmt.Fprintf(&b, "  %-20s %s\n", l.Name, l.Does)
	}
	return b.String()
}

// folded breaks a command to copy before its options and its first quoted
// word, so that it fits a terminal.
func folded(command string) string {
	const indent = "       "
	if len(indent+command) > render.DefaultWidth {
		command = strings.NewReplacer(" '", " \\\n"+indent+"'", " -F '", " \\\n"+indent+"-F '", " -f ", " \\\n"+indent+"-f ").Replace(command)
	}
	return indent + command + "\n"
}

// setupLabel is one label and what it does.
type setupLabel struct {
	Name string `json:"name"`
	Does string `json:"does"`
}

func setupLabels() []setupLabel {
	n := intent.DefaultLabelNames()
	return []setupLabel{
		{n.Approve, "approves the proposals that are shown"},
		{n.Reject, "rejects them"},
		{n.Review, "asks for a review"},
		{n.NoMemory, "keeps memory out of it"},
		{n.Skip, "keeps familiar out of it"},
	}
}

// document is the same for machines.
func (s setupSteps) document(r app.SetupReport) any {
	return struct {
		Trigger app.SetupTrigger `json:"trigger"`
		Auth    app.SetupAuth    `json:"auth"`
		Files   []app.SetupFile  `json:"files"`
		Written bool             `json:"written"`
		Steps   []setupStep      `json:"steps"`
		Labels  []setupLabel     `json:"labels"`
	}{r.Trigger, r.Auth, r.Files, !r.Blocked && !s.dryRun, s.steps(), setupLabels()}
}

var plainShellWord = text.Lazy(`^[A-Za-z0-9._/-]+$`)

// shellWord quotes a name for a command that is to be copied.
func shellWord(s string) string {
	if s = render.Plain(s); plainShellWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
