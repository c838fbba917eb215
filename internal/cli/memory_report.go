package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/render/report"
)

func memoryReport(env Env, f *memoryFlags) *cobra.Command {
	output := "report.html"
	cmd := &cobra.Command{
		Use: "report", Short: "Write a page about the whole memory, as HTML",
		Long: `Writes one HTML file that stands alone and loads nothing: every lesson with
filters and search, where it came from, what was approved and forgotten when,
figures by week, generations, and health. The file is not sealed: whoever has it
can read it.`,
		Example: `  familiar memory report -o report.html
  familiar memory report --repo acme/shop -o shop.html`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			r, err := gatherReport(cmd.Context(), env, o)
			if err != nil {
				return err
			}
			page := report.HTML(r)
			if !f.dryRun {
				if err := writeWhole(f.path(env, output), page); err != nil {
					return err
				}
			}
			switch {
			case f.json:
				return env.printFile(output, len(page), len(r.Versions), f.dryRun)
			case f.dryRun:
				return env.print(fmt.Sprintf("Would write %s: %s, not sealed (dry run).\n", render.Plain(output), render.Count(len(r.Versions), "version")))
			}
			return env.print(fmt.Sprintf("Wrote %s: %s, generation %d. It is not sealed.\n", render.Plain(output), render.Count(len(r.Versions), "version"), r.Generation))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "the `FILE` to write")
	return cmd
}

// printFile says for machines which file was written, or would have been.
func (e Env) printFile(name string, bytes, versions int, dryRun bool) error {
	return e.printJSON(json.MarshalIndent(struct {
		File     string `json:"file"`
		Bytes    int    `json:"bytes"`
		Versions int    `json:"versions"`
		Written  bool   `json:"written"`
	}{name, bytes, versions, !dryRun}, "", "  "))
}

// gatherReport gathers what the page shows.
func gatherReport(ctx context.Context, env Env, o *opened) (report.Report, error) {
	i, err := app.Inspect(ctx, o.memory)
	if err != nil {
		return report.Report{}, err
	}
	found, err := app.LessonHealth(ctx, i, o.clone, env.Now, defaultRetention())
	if err != nil {
		return report.Report{}, err
	}
	containers, err := app.Containers(ctx, o.memory)
	if err != nil {
		return report.Report{}, err
	}
	r := report.Report{
		Repository: o.name, StoreID: i.Info.StoreID, Generation: i.Info.Generation, Made: env.Now, Tool: "familiar " + Version,
		Versions: i.Versions, Events: auditEvents(i.Audit), Uses: i.Uses, Days: i.Days, Denied: i.Denied,
	}
	for _, h := range found {
		r.Health = append(r.Health, report.Finding{Severity: string(h.Severity), Check: string(h.Check), Message: h.Message, Fix: h.Fix, Lessons: h.Lessons})
	}
	for _, c := range containers {
		m := c.Manifest
		r.Generations = append(r.Generations, report.Generation{
			Number: m.Generation, Where: "container " + c.ID, Made: m.CreatedAt, Expires: c.Expires,
			Lessons: m.Lessons.Total, Active: m.Lessons.Active, Pending: m.Lessons.Pending, By: m.ToolVersion, Digest: c.Digest,
		})
	}
	if len(containers) == 0 && i.Exists {
		n := i.Info.Counts
		r.Generations = []report.Generation{{Number: i.Info.Generation, Where: "a store file", Made: env.Now, Lessons: n.Documents, Active: n.Active, Pending: n.Pending, By: r.Tool}}
	}
	return r, nil
}
