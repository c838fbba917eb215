package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand(env Env, common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write the manual pages of these commands",
		Long: `Writes one page for each command into FOLDER, which is made if it is not there.
Pages of earlier versions are overwritten.`,
		Example: `  familiar man ~/.local/share/man/man1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage("man takes one folder, such as ~/.local/share/man/man1")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(env.Dir, dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			pages := manPages(cmd.Root())
			for name, page := range pages {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
					return err
				}
			}
			if common.json {
				return env.printJSON(json.MarshalIndent(map[string]any{"folder": args[0], "pages": slices.Sorted(maps.Keys(pages))}, "", "  "))
			}
			return env.print(fmt.Sprintf("Wrote %d pages to %s\n", len(pages), args[0]))
		},
	}
}

// manPages are the manual pages of a tree of commands, by file name. They are
// the same for every build of one version: they name no day.
func manPages(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		pages[manName(cmd)+".1"] = manPage(cmd)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
	}
	walk(root)
	return pages
}

// manName is what man finds a command's page by: familiar-memory-list.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage is the page of one command, as man(7) wants it.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := manName(cmd)
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s %s\n", quoted(strings.ToUpper(name)), quoted("familiar "+releaseVersion()), quoted("familiar manual"))
	b.WriteString(".nh\n.ad l\n") // a name that is broken at a hyphen cannot be copied
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	b.WriteString(".SH SYNOPSIS\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, ".nf\n.B %s\n.fi\n", roff(cmd.UseLine()))
	}
	b.WriteString(".SH DESCRIPTION\n" + manText(describing(cmd)))
	if subs := manCommands(cmd); subs != "" {
		b.WriteString(".SH COMMANDS\n" + subs)
	}
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.TrimRight(cmd.Example, "\n")))
	}
	b.WriteString(".SH EXIT STATUS\n" + manList(exitStatuses))
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(cmd.Parent())))
		return b.String()
	}
	b.WriteString(".SH ENVIRONMENT\n" + manList(environment))
	b.WriteString(".SH FILES\n" + manList(usedFiles))
	return b.String()
}

// describing is what a command says of itself at length.
func describing(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

func manCommands(cmd *cobra.Command) string {
	var rows [][2]string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			rows = append(rows, [2]string{sub.CommandPath(), sub.Short + ". See " + manName(sub) + "(1)."})
		}
	}
	return manList(rows)
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		placeholder, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		rows = append(rows, [2]string{strings.TrimSpace(name + " " + placeholder), usage})
	})
	if len(rows) > 0 {
		fmt.Fprintf(b, ".SH %s\n%s", title, manList(rows))
	}
}

// manList is a list of terms in bold, with what each means.
func manList(rows [][2]string) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(r[0]), roff(r[1]))
	}
	return b.String()
}

// manText is prose: paragraphs filled, lines that are indented as they are.
func manText(s string) string {
	var b strings.Builder
	for para := range strings.SplitSeq(strings.Trim(s, "\n"), "\n\n") {
		if strings.HasPrefix(para, " ") || strings.HasPrefix(para, "\t") {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(para))
			continue
		}
		fmt.Fprintf(&b, ".PP\n%s\n", roff(para))
	}
	return b.String()
}

// roffEscapes are the characters that troff would take for its own, or print
// as something that nobody can copy.
var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\t", "    ")

// roff is the one door from a text to a manual page: no line of it is taken
// for a request.
func roff(s string) string {
	lines := strings.Split(roffEscapes.Replace(s), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.TrimSpace(l) == "" {
			lines[i] = `\&` + strings.TrimSpace(l)
		}
	}
	return strings.Join(lines, "\n")
}

// quoted is one argument of a request.
func quoted(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }

var exitStatuses = [][2]string{
	{"0", "Done."},
	{"1", "Something failed, or was refused; what is said on standard error."},
	{"2", "Wrong arguments or configuration."},
	{"3", "A finding of the severity that --fail-on names."},
}

// environment are the variables that the command line reads.
var environment = [][2]string{
	{"FAMILIAR_MEMORY_KEY", "The key of a repository's memory: age identities, one a line."},
	{"FAMILIAR_MODEL, FAMILIAR_MODEL_ENDPOINT, FAMILIAR_MODEL_KEY", "Name, address and key for --runtime models, where no option gives them."},
	{"GITHUB_TOKEN, GH_TOKEN", "The token for what is asked of GitHub."},
	{"GITHUB_API_URL", "The address of GitHub's API."},
	{"NO_COLOR", "No colour, whatever its value."},
	{"XDG_STATE_HOME, HOME", "Where the stores of your clones lie."},
}

var usedFiles = [][2]string{
	{"$XDG_STATE_HOME/familiar/, else ~/.local/state/familiar/", "One store for each repository."},
	{".github/familiar.toml", "The configuration of a repository."},
	{".github/familiar/rules.toml", "The rules of a repository."},
	{".github/familiar/profile.yaml", "What its maintainers currently care about."},
}
