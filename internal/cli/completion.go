package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// complete tells the shell what may stand where, for a whole tree of
// commands: ids of lessons where a command takes ids, the words of a closed
// set where an option takes one of them, files and folders where those are
// taken, and nothing where nothing is.
func complete(env Env, common *commonFlags, root *cobra.Command) {
	for _, cmd := range append(root.Commands(), root) {
		if cmd != root {
			complete(env, common, cmd)
		}
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = argumentsOf(env, common, cmd.Use)
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { completeFlag(cmd, f) })
	}
}

// argumentsOf completes the arguments of a command by what its usage says
// that it takes.
func argumentsOf(env Env, common *commonFlags, use string) cobra.CompletionFunc {
	_, takes, _ := strings.Cut(use, " ")
	switch {
	case strings.Contains(takes, "m-ID"):
		return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return lessonIDs(cmd, env, common, args, prefix), cobra.ShellCompDirectiveNoFileComp
		}
	case strings.Contains(takes, ".json"), strings.Contains(takes, "FILE"), strings.Contains(takes, "GLOB"), strings.Contains(takes, "PATH"):
		return nil // files, as shells do by themselves
	case strings.Contains(takes, "FOLDER"):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	}
	return cobra.NoFileCompletions
}

// lessonIDs are the ids that begin with prefix and were not given yet, each
// with what its lesson says. A store that does not open has none: a shell
// that completes is no place for errors.
func lessonIDs(cmd *cobra.Command, env Env, common *commonFlags, given []string, prefix string) []string {
	clone, stores, err := env.open(cmd.Context(), common.dir, common.store)
	if err != nil {
		return nil
	}
	defer func() { _ = clone.Close() }() // git processes that only read
	lessons, err := app.List(cmd.Context(), app.ListRequest{Stores: stores})
	if err != nil {
		return nil
	}
	taken := map[string]bool{}
	for _, id := range given {
		taken[id] = true
	}
	var out []string
	for _, l := range lessons {
		if !taken[l.DocumentID] && strings.HasPrefix(l.DocumentID, prefix) {
			out = append(out, l.DocumentID+"\t"+firstLine(render.Plain(l.Text)))
		}
	}
	return out
}

// firstLine is as much of a text as a menu of a shell shows.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

// severityWords are the severities, the least first.
var severityWords = []string{
	string(contract.SeverityInfo), string(contract.SeverityLow), string(contract.SeverityMedium),
	string(contract.SeverityHigh), string(contract.SeverityCritical),
}

// closedSets are the options that take one word of a set.
var closedSets = map[string][]string{
	"severity": severityWords, "min-severity": severityWords, "fail-on": append([]string{"none"}, severityWords...),
	"class": wordsOf(memory.Classes()), "state": wordsOf(memory.States()),
	"trust": {
		string(contract.TrustMaintainer), string(contract.TrustCollaborator), string(contract.TrustScheduled),
		string(contract.TrustForkPR), string(contract.TrustExternal),
	},
	"runtime": {"rules", "models", "exec"},
	"trigger": {"workflow_run", "pull_request_target"},
}

func wordsOf[T ~string](set []T) []string {
	out := make([]string, len(set))
	for i, w := range set {
		out[i] = string(w)
	}
	return out
}

// completeFlag completes the value of an option by its name, or by what its
// usage calls it.
func completeFlag(cmd *cobra.Command, f *pflag.Flag) {
	placeholder, _ := pflag.UnquoteUsage(f)
	placeholder = strings.ToUpper(placeholder)
	complete := cobra.NoFileCompletions
	switch set, closed := closedSets[f.Name]; {
	case closed:
		complete = cobra.FixedCompletions(set, cobra.ShellCompDirectiveNoFileComp)
	case strings.Contains(placeholder, "FOLDER"):
		complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case strings.Contains(placeholder, "FILE"), strings.Contains(placeholder, "GLOB"), strings.Contains(placeholder, "COMMAND"):
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // fails only where the command completes it itself
}
