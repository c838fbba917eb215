package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/render"
)

type configFlags struct {
	worktree, changed, schema bool
	base, repository          string
}

// configCommand is `familiar config`, which does the one thing that it can do
// without being told.
func configCommand(env Env, common *commonFlags) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration that holds, and where each value comes from"}
	var f configFlags
	show := &cobra.Command{
		Use:   "show [KEY...]",
		Short: "Print every value that holds, and the file and line that it comes from",
		Long: `Prints the values that hold for the next review: [review] from the base,
everything else from the head of the default branch, as origin has it. An input
of the workflow's step beats the file.`,
		Example: `  familiar config show
  familiar config show memory.mode review
  familiar config show --worktree      what the file here would say, once pushed
  familiar config show --schema        the JSON Schema, for editors`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigShow(cmd.Context(), env, common, f, args)
		},
	}
	for _, c := range []*cobra.Command{cmd, show} {
		c.Flags().BoolVar(&f.worktree, "worktree", false, "the file of the work tree for both parts")
		c.Flags().StringVar(&f.base, "base", "", "the `revision` whose [review] counts (default: the head of the default branch)")
		c.Flags().StringVar(&f.repository, "repo", "", "the `OWNER/NAME` whose overrides count (default: that of origin)")
		c.Flags().BoolVar(&f.changed, "changed", false, "only what is not the default")
		c.Flags().BoolVar(&f.schema, "schema", false, "print the JSON Schema of the file instead")
	}
	cmd.AddCommand(show)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case nearestCommand(cmd, args[0]) != "":
			return usage("there is no command %q; did you mean familiar config show?", args[0])
		}
		return usage("there is no command %q; one value is shown by familiar config show KEY", args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return runConfigShow(cmd.Context(), env, common, f, nil)
	}
	return cmd
}

func runConfigShow(ctx context.Context, env Env, common *commonFlags, f configFlags, keys []string) error {
	if f.schema {
		data, err := config.JSONSchema()
		if err != nil {
			return err
		}
		return env.print(string(data))
	}
	if f.worktree && f.base != "" {
		return usage("--worktree and --base exclude each other; give one")
	}
	clone, _, err := env.open(ctx, common.dir, common.store)
	if err != nil {
		return err
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	r := app.ConfigRequest{Clone: clone, Worktree: f.worktree, Base: f.base, Owner: clone.Identity.Owner, Name: clone.Identity.Name}
	if f.repository != "" {
		if r.Owner, r.Name, err = repository(f.repository); err != nil {
			return err
		}
	}
	report, err := app.ShowConfig(ctx, r)
	if err != nil {
		return err
	}
	if report.Values, err = chosenValues(report.Values, keys); err != nil {
		return err
	}
	if f.changed {
		report.Values = slices.DeleteFunc(report.Values, func(v config.Value) bool { return v.From == config.FromDefault })
	}
	if common.json {
		err = env.printJSON(json.MarshalIndent(report, "", "  "))
	} else {
		err = env.print(configText(report, env.view()))
	}
	if err == nil && config.HasErrors(report.Diagnostics) {
		return exitError{code: ExitFailed}
	}
	return err
}

// chosenValues are those that keys name, each a key or a section.
func chosenValues(values []config.Value, keys []string) ([]config.Value, error) {
	if len(keys) == 0 {
		return values, nil
	}
	var names []string
	for _, v := range values {
		names = append(names, v.Key)
	}
	var out []config.Value
	for _, k := range keys {
		found := false
		for _, v := range values {
			if v.Key == k || strings.HasPrefix(v.Key, k+".") {
				found = true
				out = append(out, v)
			}
		}
		if near := config.Nearest(k, names); !found && near != "" {
			return nil, usage("there is no key %q; did you mean %s?", k, near)
		}
		if !found {
			return nil, usage("there is no key %q; familiar config show lists all", k)
		}
	}
	return out, nil
}

func configText(r app.ConfigReport, view render.TerminalOptions) string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		b.WriteString(render.Paragraph(render.Plain(d.String()), "", "  "))
	}
	for _, n := range r.Notes {
		b.WriteString(render.Paragraph(render.Plain(n), "", ""))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	var rows []render.Setting
	for _, v := range r.Values {
		rows = append(rows, render.Setting{Key: v.Key, Value: config.Literal(v.Value), From: origin(v), Changed: v.From != config.FromDefault})
	}
	if len(rows) == 0 {
		return b.String() + "Everything is the default.\n"
	}
	return b.String() + render.Settings(rows, view)
}

// origin says in words where a value comes from.
func origin(v config.Value) string {
	place := v.File
	if v.Line > 0 {
		place = fmt.Sprintf("%s:%d", v.File, v.Line)
	}
	switch v.From {
	case config.FromFile, config.FromStep:
		return place
	case config.FromOverride:
		return place + ", of this repository"
	case config.FromBroken:
		return v.File + " is broken"
	}
	return "default"
}
