package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/familiarhq/familiar/internal/render"
)

// exitError carries an exit status beside what is said.
type exitError struct {
	code int
	err  error // nil: everything was said already
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// usage is an error in the arguments.
func usage(format string, args ...any) error {
	return exitError{ExitUsage, fmt.Errorf(format, args...)}
}

// Run executes the command line and returns its exit status.
func Run(ctx context.Context, env Env, args []string) int {
	env, flush := inLog(env)
	defer flush()
	root := asked(env, args)
	root.SetArgs(args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	code := ExitFailed
	var exit exitError
	if errors.As(err, &exit) {
		code = exit.code
		if exit.err == nil {
			return code
		}
	}
	env.tell(strings.TrimPrefix(render.Plain(err.Error()), "familiar "))
	return code
}

// asked is as much of the tree of commands as the arguments need: a process
// that says its version needs no other command, and only a shell that asks
// what may stand where needs to be told.
func asked(env Env, args []string) *cobra.Command {
	root, common := bareRoot(env)
	if len(args) == 1 && args[0] == "version" {
		root.AddCommand(versionCommand(env, common))
		return root
	}
	addCommands(env, common, root)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		complete(env, common, root)
	}
	return root
}

// newRoot is the whole tree of commands, with all that a shell may ask.
func newRoot(env Env) *cobra.Command {
	root, common := bareRoot(env)
	addCommands(env, common, root)
	complete(env, common, root)
	return root
}

// bareRoot is the command without those under it, and the flags that all of
// them share.
func bareRoot(env Env) (*cobra.Command, *commonFlags) {
	root := &cobra.Command{
		Use:   "familiar",
		Short: "A reviewer that learns your conventions and cannot be poisoned",
		Long: `familiar reviews a change with built-in rules, the repository's own, and what
you taught it. Every finding cites the lesson that shaped it.`,
		SilenceUsage: true, SilenceErrors: true, SuggestionsMinimumDistance: 2,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if sub, _, err := cmd.Find([]string{"memory", args[0]}); err == nil && sub.Name() == args[0] && args[0] != "memory" {
				return usage("there is no command %q; it is familiar memory %s", args[0], args[0])
			}
			if near := nearestCommand(cmd, args[0]); near != "" {
				return usage("there is no command %q; did you mean familiar %s?", args[0], near)
			}
			return usage("there is no command %q; run familiar --help for the list", args[0])
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if step := instead(cmd, unknownFlag(err)); step != "" {
			return usage("%w; %s", err, step)
		}
		var wrong *pflag.InvalidValueError
		if errors.As(err, &wrong) {
			return usage("--%s takes %s, but got %q", wrong.GetFlag().Name, flagValue(wrong.GetFlag()), wrong.GetValue())
		}
		return usage("%w; run %s --help for the options", err, cmd.CommandPath())
	})
	root.SetUsageFunc(showUsage)
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			_, err := fmt.Fprintln(env.Stdout, buildInfo().String())
			return err
		}
		return cmd.Help()
	}
	common := &commonFlags{}
	root.PersistentFlags().StringVarP(&common.dir, "dir", "C", "", "the clone in `FOLDER`, instead of the current one")
	root.PersistentFlags().StringVar(&common.store, "store", "", "the store `FILE`, instead of the one in your state folder")
	root.PersistentFlags().BoolVar(&common.json, "json", false, "print JSON")
	root.PersistentFlags().BoolVar(&common.dryRun, "dry-run", false, "show what would be stored, store nothing")
	return root, common
}

func addCommands(env Env, common *commonFlags, root *cobra.Command) {
	root.AddCommand(
		localCommand(env, common),
		teachCommand(env, common, "remember"), teachCommand(env, common, "never"), teachCommand(env, common, "prefer"), teachCommand(env, common, "with"),
		listCommand(env, common), showCommand(env, common),
		decideCommand(env, common, "forget"), decideCommand(env, common, "approve"), decideCommand(env, common, "reject"),
		disposeCommand(env, common, "accept"), disposeCommand(env, common, "dismiss"), disposeCommand(env, common, "correct"), whyCommand(env, common),
		memoryCommand(env, common),
		doctorCommand(env, common), configCommand(env, common),
		initCommand(env, common), replayCommand(env, common), keygenCommand(env, common), versionCommand(env, common),
	)
	root.AddCommand(manCommand(env, common))
	root.SetHelpCommand(helpCommand())
}

// flagValue is what the value of a flag must be, for people.
func flagValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 20m"
	}
	return "another value"
}

// unknownFlag is the name of the flag that a command does not have; "" if that
// is not what is wrong.
func unknownFlag(err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return ""
	}
	return missing.GetSpecifiedName()
}

// instead says what serves in place of a flag that a command does not have:
// the name that it has now, or the command that has it. "": nothing is known.
func instead(cmd *cobra.Command, flag string) string {
	inMemory := takesFlag(cmd, flag)
	switch {
	case flag == "clone":
		return "a clone is named by its folder, with -C FOLDER"
	case flag == "repository":
		return "a repository on GitHub is named with --repo OWNER/NAME"
	case flag == "repo" && inMemory:
		return "a clone is named with -C FOLDER; for a repository on GitHub, familiar memory " + cmd.Name() + " takes --repo OWNER/NAME"
	case flag == "repo":
		return "a clone is named with -C FOLDER"
	case inMemory:
		return "familiar memory " + cmd.Name() + " takes it"
	}
	return ""
}

// takesFlag says whether the command of the same name under `familiar memory`
// has the flag that this one lacks.
func takesFlag(cmd *cobra.Command, flag string) bool {
	sub, _, err := cmd.Root().Find([]string{"memory", cmd.Name()})
	return err == nil && flag != "" && sub != cmd && sub.Name() == cmd.Name() && (sub.Flags().Lookup(flag) != nil || sub.InheritedFlags().Lookup(flag) != nil)
}

// repository splits what --repo names.
func repository(value string) (owner, name string, err error) {
	owner, name, ok := strings.Cut(value, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return "", "", usage("--repo takes the OWNER/NAME of a repository on GitHub, not %q; a clone is named by its folder, with -C FOLDER", value)
	}
	return owner, name, nil
}

// commonFlags are the flags of every command.
type commonFlags struct {
	dir, store   string
	json, dryRun bool
}

// noArgs refuses arguments with a sentence.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument, but got %q", cmd.CommandPath(), strings.Join(args, " "))
	}
	return nil
}
