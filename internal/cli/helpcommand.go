package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/config"
)

// helpCommand shows the help of a command. A word that names none is a wrong
// argument like any other: it is answered with the nearest name and exit
// status 2, where cobra's own would print the help of everything and succeed.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return usage("%w", err)
			case len(rest) > 0 && target.HasSubCommands() && target.Args != nil:
				return target.Args(target, rest)
			case len(rest) > 0:
				return usage("%s has no commands of its own; familiar help %s shows its help", target.CommandPath(), pathOf(target))
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []string
			for _, sub := range target.Commands() {
				if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), prefix) {
					out = append(out, sub.Name()+"\t"+sub.Short)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// nearestCommand is the command below cmd that a wrong name was meant for; ""
// where none is near.
func nearestCommand(cmd *cobra.Command, wrong string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := config.Nearest(wrong, names); near != "" {
		return near
	}
	for _, near := range cmd.SuggestionsFor(wrong) { // one that it begins
		return near
	}
	return ""
}

// pathOf is the path of a command below familiar.
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
