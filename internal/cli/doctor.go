package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

type doctorFlags struct {
	repository           string
	pushed, fix, offline bool
	only                 []string
}

func doctorCommand(env Env, common *commonFlags) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong with the set-up and with the memory, and what to do",
		Long: `Looks at the workflow files, the configuration, the rules, the profile, the key
in FAMILIAR_MEMORY_KEY and the lessons of this clone, and says of each thing
that is wrong or unwise how bad it is, why it matters and what to do.

With a token in GITHUB_TOKEN or GH_TOKEN it asks GitHub too: environments and
secrets (their names), labels, the Actions policy, whether the workflows are
turned on, how long the memory lives; with the key as well, it opens the memory
there. What the token may not see is told. Nothing is changed on GitHub; the
token needs to read only.

Exit status: 0 if there is no error (warnings and notes may be there), 1 if
there is one, 2 for wrong arguments.`,
		Example: `  familiar doctor
  GITHUB_TOKEN=$(gh auth token) familiar doctor
  familiar doctor --fix --dry-run      what would be mended
  familiar doctor --fix                mend what is safe to mend`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env, common, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.repository, "repo", "", "the `OWNER/NAME` on GitHub (default: that of origin)")
	flags.BoolVar(&f.pushed, "pushed", false, "look at the files of the default branch, not at those of the work tree")
	flags.BoolVar(&f.offline, "offline", false, "do not ask GitHub, also where there is a token")
	flags.BoolVar(&f.fix, "fix", false, "mend what is safe to mend in the files here, and show it")
	flags.StringSliceVar(&f.only, "check", nil, "only these `checks`, such as permissions,queue")
	return cmd
}

func (f doctorFlags) checks() ([]health.Check, error) {
	var out []health.Check
	for _, name := range f.only {
		c, err := health.ParseCheck(strings.TrimSpace(name))
		if err != nil {
			return nil, usage("--check: %w", err)
		}
		out = append(out, c)
	}
	return out, nil
}

func runDoctor(ctx context.Context, env Env, common *commonFlags, f doctorFlags) error {
	only, err := f.checks()
	switch {
	case err != nil:
		return err
	case f.fix && f.pushed:
		return usage("--fix mends the files here, and --pushed looks at others; give one")
	}
	clone, stores, err := env.open(ctx, common.dir, common.store)
	if err != nil {
		return err
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	r := app.DoctorRequest{Clone: clone, Pushed: f.pushed, Memory: stores, Key: env.Getenv("FAMILIAR_MEMORY_KEY"), Inputs: inputNames(), Now: env.Now}
	if r.Client, err = f.client(env, clone); err != nil {
		return err
	}
	close, err := f.sealed(ctx, env, common, &r)
	if err != nil {
		return err
	}
	defer close()
	report, err := app.Doctor(ctx, r)
	if err != nil {
		return err
	}
	var fixed []app.FixedFile
	if f.fix && !clone.Repo.IsBare() {
		if fixed, err = app.FixesOf(r, chosen(report.Findings, only)); err != nil {
			return err
		}
	}
	if len(fixed) > 0 && !common.dryRun {
		if err := app.Fix(ctx, r, fixed); err != nil {
			return err
		}
		if report, err = app.Doctor(ctx, r); err != nil { // what is left
			return err
		}
	}
	report.Findings = chosen(report.Findings, only)
	return env.printDoctor(report, fixed, common, f)
}

// chosen are the findings of some checks; of none named, all.
func chosen(list []health.Finding, only []health.Check) []health.Finding {
	if len(only) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(x health.Finding) bool { return !slices.Contains(only, x.Check) })
}

// sealed looks at the memory of the repository on GitHub in place of the
// clone's, where there is a token and the key. The clone's own is not the one
// that a sweep goes over.
func (f doctorFlags) sealed(ctx context.Context, env Env, common *commonFlags, r *app.DoctorRequest) (func(), error) {
	none := func() {}
	if _, err := vault.ParseKeys(r.Key); err != nil || r.Client == nil || common.store != "" {
		return none, nil
	}
	remote := f.repository
	if remote == "" {
		remote = r.Clone.Name()
	}
	memory := memoryFlags{commonFlags: &commonFlags{}, remote: remote}
	o, err := memory.open(ctx, env)
	if err != nil {
		return none, nil // the look at the repository says why
	}
	r.Memory, r.Swept = o.memory, true
	return o.close, nil
}

// client asks GitHub where there is a token.
func (f doctorFlags) client(env Env, clone *app.Clone) (*github.Client, error) {
	token, from := env.token()
	if token == "" || f.offline {
		if f.repository != "" && token == "" {
			return nil, usage("--repo needs a token in GITHUB_TOKEN, for example the output of gh auth token")
		}
		return nil, nil
	}
	owner, name := clone.Identity.Owner, clone.Identity.Name
	if f.repository != "" {
		var err error
		if owner, name, err = repository(f.repository); err != nil {
			return nil, err
		}
	}
	c, err := github.New(github.Options{Owner: owner, Name: name, BaseURL: env.Getenv("GITHUB_API_URL"), Token: token, TokenFrom: from, UserAgent: "familiar/" + Version})
	if err != nil {
		return nil, exitError{ExitUsage, err}
	}
	return c, nil
}

func (e Env) printDoctor(r app.DoctorReport, fixed []app.FixedFile, common *commonFlags, f doctorFlags) error {
	var err error
	if common.json {
		err = e.printJSON(json.MarshalIndent(doctorDocument(r, fixed, common.dryRun), "", "  "))
	} else {
		err = e.print(doctorText(r, fixed, common.dryRun, f, e.view()))
	}
	if err == nil && health.Worst(r.Findings) == health.Error {
		return exitError{code: ExitFailed}
	}
	return err
}

func doctorText(r app.DoctorReport, fixed []app.FixedFile, dryRun bool, f doctorFlags, view render.TerminalOptions) string {
	var b strings.Builder
	looked := "Looked at " + r.Files + " of " + render.Plain(r.Repository)
	switch {
	case r.Online:
		looked += ", and asked GitHub."
	case f.offline:
		looked += "."
	default:
		looked += "; with a token in GITHUB_TOKEN, GitHub is asked too."
	}
	b.WriteString(render.Paragraph(looked, "", "") + "\n")
	for _, file := range fixed {
		verb := "Mended "
		if dryRun {
			verb = "Would mend "
		}
		b.WriteString(verb + file.Path + "\n")
		for line := range strings.Lines(file.Diff) {
			b.WriteString("  " + shown(strings.TrimRight(line, "\n")) + "\n")
		}
		b.WriteString("\n")
	}
	if len(fixed) > 0 && !dryRun {
		b.WriteString("What is left:\n\n")
	}
	b.WriteString(render.Advices(advice(r.Findings), view))
	if f.fix && len(fixed) == 0 && len(r.Findings) > 0 {
		b.WriteString("\nThere is nothing that is safe to mend without you.\n")
	}
	return b.String()
}

func advice(list []health.Finding) []render.Advice {
	out := make([]render.Advice, 0, len(list))
	for _, f := range list {
		out = append(out, render.Advice{Level: string(f.Severity), Place: f.Place(), Message: f.Message, Reason: f.Reason, Fix: f.Fix})
	}
	return out
}

// doctorJSON is the report for machines.
type doctorJSON struct {
	Repository string           `json:"repository"`
	Files      string           `json:"files"`
	Online     bool             `json:"online"`
	Errors     int              `json:"errors"`
	Warnings   int              `json:"warnings"`
	Notes      int              `json:"notes"`
	Findings   []health.Finding `json:"findings"`
	Mended     []app.FixedFile  `json:"mended"`
	Written    bool             `json:"written"` // what Mended says was done
}

func doctorDocument(r app.DoctorReport, fixed []app.FixedFile, dryRun bool) doctorJSON {
	d := doctorJSON{
		Repository: r.Repository, Files: r.Files, Online: r.Online,
		Findings: append([]health.Finding{}, r.Findings...), Mended: append([]app.FixedFile{}, fixed...), Written: len(fixed) > 0 && !dryRun,
	}
	for _, f := range r.Findings {
		switch f.Severity {
		case health.Error:
			d.Errors++
		case health.Warning:
			d.Warnings++
		default:
			d.Notes++
		}
	}
	return d
}
