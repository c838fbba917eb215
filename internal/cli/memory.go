package cli

import (
	"github.com/spf13/cobra"
)

// memoryCommand is everything that a person may do with a memory: in a store
// file, in a container, or in the artifact of a repository (page 6.6).
func memoryCommand(env Env, common *commonFlags) *cobra.Command {
	f := &memoryFlags{commonFlags: common}
	cmd := &cobra.Command{
		Use: "memory", Short: "Look after a memory: of a clone, a container, or a repository",
		Long: `Lists, shows, moves and erases what was taught. The memory is

  that of the clone you are in (-C FOLDER for another),
  that in the store or container FILE that --store names, or
  that of the repository on GitHub that --repo OWNER/NAME names.

A container needs its key: --key-file FILE, or FAMILIAR_MEMORY_KEY. With --repo,
GITHUB_TOKEN or GH_TOKEN holds the token, and GITHUB_API_URL the address of the
API; what only looks downloads the container and opens it here; what changes
starts the workflow on the default branch and waits for its answer: there your
permission is looked up, and no key is needed here.`,
		Args: noSuchMemoryCommand, SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.remote, "repo", "", "the repository `OWNER/NAME` on GitHub")
	flags.StringVar(&f.keyFile, "key-file", "", "the `FILE` with the memory key, instead of FAMILIAR_MEMORY_KEY")
	flags.StringVar(&f.workflow, "workflow", "familiar.yml", "the workflow `FILE` that --repo starts for a change")
	flags.BoolVarP(&f.yes, "yes", "y", false, yesHelp)
	cmd.AddCommand(memoryReading(env, f)...)
	cmd.AddCommand(memoryDeciding(env, f)...)
	cmd.AddCommand(memoryMoving(env, f)...)
	return cmd
}

func noSuchMemoryCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if sub, _, err := cmd.Root().Find(args[:1]); err == nil && sub != cmd.Root() {
		return usage("familiar memory has no command %q; it is familiar %s", args[0], args[0])
	}
	if near := nearestCommand(cmd, args[0]); near != "" {
		return usage("there is no command %q; did you mean familiar memory %s?", args[0], near)
	}
	return usage("there is no command %q; run familiar memory --help for the list", args[0])
}
