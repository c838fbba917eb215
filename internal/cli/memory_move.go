package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// memoryMoving are the commands that take a memory elsewhere and bring it
// back.
func memoryMoving(env Env, f *memoryFlags) []*cobra.Command {
	return []*cobra.Command{
		memoryExport(env, f), memoryImport(env, f), memorySnapshot(env, f), memoryRestore(env, f), memoryRecover(env, f), memoryReport(env, f),
	}
}

func memoryExport(env Env, f *memoryFlags) *cobra.Command {
	var format, output string
	var all bool
	cmd := &cobra.Command{
		Use: "export", Short: "Write the lessons as JSON Lines or Markdown",
		Long: `Writes the lessons in use and those that wait, in full: as JSON Lines, which
familiar memory import reads back, or as Markdown for people. The file is not
sealed: whoever has it can read it.`,
		Example: `  familiar memory export -o lessons.jsonl
  familiar memory export --format markdown`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format == "" && strings.HasSuffix(output, ".md") {
				format = "markdown"
			}
			if format != "" && format != "jsonl" && format != "markdown" {
				return usage("--format takes jsonl or markdown, not %q", format)
			}
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			data, n, err := exported(cmd.Context(), o, format, all)
			if err != nil {
				return err
			}
			if output == "" {
				return env.print(string(data))
			}
			if !f.dryRun {
				if err := writeFresh(f.path(env, output), data); err != nil {
					return err
				}
			}
			switch {
			case f.json:
				return env.printFile(output, len(data), n, f.dryRun)
			case f.dryRun:
				return env.print(fmt.Sprintf("Would write %s to %s, not sealed (dry run).\n", render.Count(n, "version"), render.Plain(output)))
			}
			return env.print(fmt.Sprintf("Wrote %s to %s, which is not sealed.\n", render.Count(n, "version"), render.Plain(output)))
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "jsonl (the default) or markdown")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `FILE` to write, which must not be there; without one, standard output")
	cmd.Flags().BoolVar(&all, "all", false, "also what is no longer used")
	return cmd
}

// exported is the export of a memory and how many versions are in it.
func exported(ctx context.Context, o *opened, format string, all bool) ([]byte, int, error) {
	i, err := app.Inspect(ctx, o.memory)
	if err != nil {
		return nil, 0, err
	}
	s := memory.Selection{States: []memory.State{memory.Active, memory.ReviewRequired, memory.Draft}}
	if all {
		s.States = nil
	}
	chosen := s.Select(i.Versions)
	header := memory.ExportHeader{Repository: o.name, RepositoryID: o.identity.RepositoryID, StoreID: i.Info.StoreID, Generation: i.Info.Generation}
	n := 0
	for _, v := range chosen {
		if !v.State.Erased() {
			n++
		}
	}
	if format == "markdown" {
		return []byte(render.ExportMarkdown(header, chosen)), n, nil
	}
	data, err := memory.Export(header, chosen)
	return render.Visible(data), n, err
}

// writeFresh writes a file of mode 0600 where nothing lies yet.
func writeFresh(path string, data []byte) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return fmt.Errorf("%s is there already, and nothing is overwritten; name another file", path)
	case err != nil:
		return unwritable(path, err)
	}
	_, err = out.Write(data)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a file is none
	}
	return nil
}

// unwritable says why a file cannot be written, and which one can.
func unwritable(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s cannot be written, since its folder is not there; name a file in a folder that exists", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be written, since you may not write there; name another file", path)
	}
	return err
}

func memoryImport(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Bring in the lessons of an export, to be approved",
		Long: `Reads an export of JSON Lines. Every lesson that is in use or waits there waits
here, whatever it was there: nothing is in use before somebody approves it. Each
passes the same checks as one that is taught here; what is here already, was
rejected or was forgotten is refused by its line.`,
		Args: oneFile("import"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.remote != "" {
				return usage("a file cannot be handed to a repository's workflow; import it into a store or container file, or teach its lessons there by comment")
			}
			data, err := readUpTo(f.path(env, args[0]), memory.MaxExportBytes)
			if err != nil {
				return err
			}
			exported, err := memory.ReadExport(data)
			if err != nil {
				return exitError{ExitUsage, fmt.Errorf("%s: %w%s", args[0], err, notJSONLines(args[0]))}
			}
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			done, err := app.Import(cmd.Context(), app.ImportRequest{Stores: o.memory, Exported: exported, Operator: env.operator(), Now: env.Now, DryRun: f.dryRun})
			if err != nil {
				return err
			}
			return env.printImported(args[0], done, f)
		},
	}
}

// notJSONLines is the next step where a file's name says that it is another
// form of an export.
func notJSONLines(name string) string {
	if strings.HasSuffix(name, ".md") {
		return "; an export in Markdown is for people, so export once more as JSON Lines: familiar memory export -o lessons.jsonl"
	}
	return "; import takes the JSON Lines that familiar memory export writes"
}

// errNotThere says of a file that is named what to do about it.
var errNotThere = errors.New("there is no such file; check the path")

// readUpTo reads a regular file of at most so many bytes.
func readUpTo(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, errNotThere)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err = errors.Join(err, in.Close()); err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, err
}

// printImported says what became of each line; one that was refused makes
// the exit status 1.
func (e Env) printImported(file string, done []app.Imported, f *memoryFlags) error {
	type line struct {
		Line   int    `json:"line"`
		ID     string `json:"id"`
		Reason string `json:"refused"`
		Detail string `json:"detail"`
	}
	out := []line{}
	waiting, refused := 0, 0
	var b strings.Builder
	for _, d := range done {
		l := line{Line: d.Line, ID: d.Version.DocumentID}
		if d.Refused != nil {
			refused++
			l.ID, l.Reason, l.Detail = "", string(d.Refused.Reason), d.Refused.Detail
			detail := d.Refused.Detail
			if d.Refused.Reason == memory.ReasonSuppressed {
				detail = "The same text was forgotten before; to have it back all the same, teach it with familiar remember and --again."
			}
			b.WriteString(render.Paragraph(render.Plain(fmt.Sprintf("line %d: %s (%s)", d.Line, detail, d.Refused.Reason)), "", "  "))
		} else {
			waiting++
		}
		out = append(out, l)
	}
	var err error
	if f.json {
		err = e.printJSON(json.MarshalIndent(map[string]any{"waiting": waiting, "refused": refused, "lines": out}, "", "  "))
	} else {
		verb := "wait for approval now"
		if f.dryRun {
			verb = "would wait for approval (dry run)"
		}
		fmt.Fprintf(&b, "%d of %s of %s %s.\n", waiting, render.Count(len(done), "lesson"), render.Plain(filepath.Base(file)), verb)
		if waiting > 0 && !f.dryRun {
			b.WriteString("Look at them with `familiar memory list pending`, then approve or reject each.\n")
		}
		err = e.print(b.String())
	}
	if err == nil && refused > 0 {
		return exitError{code: ExitFailed}
	}
	return err
}

func oneFile(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
			return usage("%s takes one file, but got %d arguments", verb, len(args))
		}
		return nil
	}
}

func memorySnapshot(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "snapshot FILE", Short: "Write a sealed copy of the memory to a file",
		Long: `Writes the memory as a sealed container, the same that lies in a repository's
artifact, to a file that must not be there yet. The key is needed: --key-file
FILE, or FAMILIAR_MEMORY_KEY. The file opens with age and zstd too
(docs/format.md).`,
		Args: oneFile("snapshot"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.keyFile == "" && strings.TrimSpace(env.Getenv("FAMILIAR_MEMORY_KEY")) == "" {
				return usage("a snapshot is sealed, and there is no key to seal it with: make one with (umask 077; familiar keygen > FILE), then give --key-file FILE, or set FAMILIAR_MEMORY_KEY")
			}
			keys, err := f.keys(env)
			if err != nil {
				return err
			}
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			if f.dryRun {
				return env.printWouldSnapshot(cmd.Context(), o, args[0], f.json)
			}
			m, err := app.SnapshotTo(cmd.Context(), app.SnapshotRequest{
				Memory: o.memory, Identity: o.identity, Keys: keys, Path: f.path(env, args[0]), Dir: o.dir, Now: env.Now, Tool: "familiar/" + Version,
			})
			if err != nil {
				return err
			}
			if f.json {
				return env.printJSON(json.MarshalIndent(m, "", "  "))
			}
			return env.print(render.Paragraph(fmt.Sprintf("Wrote generation %d of %s to %s: %d in use, %d waiting, sealed under key %s.",
				m.Generation, render.Plain(m.Repository), render.Plain(args[0]), m.Lessons.Active, m.Lessons.Pending, m.KeyID), "", ""))
		},
	}
}

// printWouldSnapshot says what a snapshot would hold.
func (e Env) printWouldSnapshot(ctx context.Context, o *opened, file string, asJSON bool) error {
	i, err := app.Inspect(ctx, o.memory)
	if err != nil {
		return err
	}
	n := i.Info.Counts
	if asJSON {
		return e.printJSON(json.MarshalIndent(map[string]any{
			"file": file, "repository": o.name, "generation": i.Info.Generation, "lessons": map[string]int{"active": n.Active, "pending": n.Pending}, "written": false,
		}, "", "  "))
	}
	return e.print(render.Paragraph(fmt.Sprintf("Would write generation %d of %s to %s: %d in use, %d waiting, sealed (dry run).",
		i.Info.Generation, render.Plain(o.name), render.Plain(file), n.Active, n.Pending), "", ""))
}

func memoryRestore(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Merge a sealed copy into the memory",
		Long: `Checks a snapshot whole and merges it: what was forgotten, purged or revoked
since stays so. A snapshot of another repository or store is refused. On any
failure the memory is as it was.

With --repo, FILE is the number of an artifact of that repository that holds a
container, since a file cannot be handed to a workflow.`,
		Args: oneFile("restore"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.remote == "" {
				if err := isSnapshot(f.path(env, args[0])); err != nil {
					return err
				}
			}
			if err := f.confirm(env, "Merge "+args[0]+" into the memory?"); err != nil {
				return err
			}
			if f.remote != "" {
				if strings.Trim(args[0], "0123456789") != "" {
					return usage("with --repo, restore takes the number of an artifact of the repository, not a file: a command line cannot upload")
				}
				return f.ask(cmd.Context(), env, "memory", []string{"restore", args[0]})
			}
			return runRestore(cmd.Context(), env, f, args[0])
		},
	}
}

// isSnapshot looks before anybody is asked whether it is meant.
func isSnapshot(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: %w", path, errNotThere)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || !isContainer(path):
		return fmt.Errorf("%s is no snapshot, which is what familiar memory snapshot writes; nothing was changed", path)
	}
	return nil
}

func runRestore(ctx context.Context, env Env, f *memoryFlags, file string) error {
	keys, err := f.keys(env)
	if err != nil {
		return err
	}
	o, err := f.open(ctx, env)
	if err != nil {
		return err
	}
	defer o.close()
	if f.dryRun {
		return usage("restore has no dry run; familiar memory diff shows what a snapshot differs in")
	}
	report, err := app.RestoreFrom(ctx, app.RestoreRequest{
		Memory: o.memory, Identity: o.identity, Keys: keys, Path: f.path(env, file), Dir: o.dir, Actor: env.operator(),
		Cause: memory.NewCause("local_command", fmt.Sprint(env.operator().ID), env.Now.UTC().Format(nanos), "restore"), At: env.Now, Now: env.Now,
	})
	if err != nil {
		return err
	}
	if f.json {
		return env.printJSON(json.MarshalIndent(map[string]any{
			"generation": report.Manifest.Generation, "added": report.Merged.Added, "changed": report.Merged.Changed, "refused": report.Merged.Refused,
		}, "", "  "))
	}
	return env.print(render.Paragraph(fmt.Sprintf("Merged generation %d of %s: %s added, %d moved on, %d refused. What was forgotten or denied since stays so.",
		report.Manifest.Generation, render.Plain(file), render.Count(report.Merged.Added, "row"), report.Merged.Changed, report.Merged.Refused), "", ""))
}

// nanos is a moment as part of a cause.
const nanos = "2006-01-02T15:04:05.999999999Z07:00"

func memoryRecover(env Env, f *memoryFlags) *cobra.Command {
	var accept []string
	var empty bool
	var stateDir string
	cmd := &cobra.Command{
		Use: "recover", Short: "Clear away what stands in the way of a memory",
		Long: `With --repo, starts the workflow's operation recover: it says which containers
do not open and why, and merges those that --accept names by digest;
--accept-empty begins anew where a memory is lost. With --state-dir, clears the
marker of a run that died, once its processes are proven gone.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.remote == "" && stateDir == "":
				return usage("recover needs --repo OWNER/NAME or --state-dir FOLDER; a store file is checked with familiar memory verify and brought back with restore")
			case f.remote == "":
				report, err := app.Recover(cmd.Context(), app.RecoverRequest{StateDir: f.path(env, stateDir), At: env.Now})
				if err != nil {
					return err
				}
				if report.Marker == "" {
					report.Marker = "No run left a marker there."
				}
				return env.print(render.Plain(report.Marker) + "\n")
			}
			var lines []string
			for _, digest := range accept {
				lines = append(lines, "--accept", digest)
			}
			if empty {
				lines = append(lines, "--accept-empty")
			}
			if len(lines) > 0 {
				if err := f.confirm(env, "Take what "+strings.Join(lines, " ")+" names as the memory?"); err != nil {
					return err
				}
			}
			return f.ask(cmd.Context(), env, "recover", lines)
		},
	}
	cmd.Flags().StringArrayVar(&accept, "accept", nil, "merge the container of this `DIGEST`, whatever stands against it")
	cmd.Flags().BoolVar(&empty, "accept-empty", false, "begin an empty memory where one is lost")
	cmd.Flags().StringVar(&stateDir, "state-dir", "", "the `FOLDER` where a run left its marker")
	return cmd
}
