package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

type replayFlags struct{ event, repository, actor string }

func replayCommand(env Env, common *commonFlags) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay EVENT.json",
		Short: "Show what the action would do for an event, and do nothing",
		Long: `Runs the action for the payload of an event as a dry run: it asks GitHub what is
so now, and prints the trust and its reasons, the policy, the lessons read, what
would be written, and the comment. Nothing is written.

The token is GITHUB_TOKEN, the address of the API GITHUB_API_URL (default: that
of github.com). Memory is read where FAMILIAR_MEMORY_KEY holds the key.`,
		Example: `  export GITHUB_TOKEN=$(gh auth token)
  familiar replay event.json --event issue_comment --repo acme/shop`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("familiar replay takes the file of one event, but got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), env, common, f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.event, "event", "", "the `NAME` of the event, such as issue_comment (default: GITHUB_EVENT_NAME)")
	flags.StringVar(&f.repository, "repo", "", "the `OWNER/NAME` of the repository (default: GITHUB_REPOSITORY)")
	flags.StringVar(&f.actor, "actor", "", "the `LOGIN` of who started the run (default: GITHUB_ACTOR, else the sender of the event)")
	return cmd
}

// stepEnv is the environment in which the event is replayed: that of this
// process, with what the flags say. What the runner alone has is left out, so
// that a replay inside a job cannot reach what the job can.
func (f replayFlags) stepEnv(env Env, file string, sender *event.Actor) Env {
	over := map[string]string{
		"GITHUB_EVENT_PATH": file, "ACTIONS_RESULTS_URL": "", "ACTIONS_RUNTIME_TOKEN": "", "GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": "",
		"GITHUB_RUN_ID": "", "RUNNER_TEMP": "",
	}
	for name, value := range map[string]string{"GITHUB_EVENT_NAME": f.event, "GITHUB_REPOSITORY": f.repository, "GITHUB_ACTOR": f.actor} {
		if value != "" {
			over[name] = value
		}
	}
	out := env
	out.Stdout = io.Discard // no word to a runner that is not there
	out.Getenv = func(name string) string {
		if v, ok := over[name]; ok {
			return v
		}
		return env.Getenv(name)
	}
	if out.Getenv("GITHUB_ACTOR") == "" && sender != nil {
		over["GITHUB_ACTOR"] = sender.Login
	}
	if f.actor != "" || out.Getenv("GITHUB_TRIGGERING_ACTOR") == "" {
		over["GITHUB_TRIGGERING_ACTOR"] = out.Getenv("GITHUB_ACTOR")
	}
	return out
}

func runReplay(ctx context.Context, env Env, common *commonFlags, f replayFlags, file string) error {
	if !filepath.IsAbs(file) {
		file = filepath.Join(env.Dir, file)
	}
	if err := isObject(file); err != nil {
		return exitError{ExitUsage, err}
	}
	step := f.stepEnv(env, file, nil)
	name := step.Getenv("GITHUB_EVENT_NAME")
	switch {
	case name == "":
		return usage("the payload does not say what event it is of; name it with --event, such as --event issue_comment")
	case f.event != "" && !slices.Contains(answeredEvents, name):
		return usage("familiar answers no event %q; --event takes %s", name, listed(answeredEvents))
	case strings.Count(step.Getenv("GITHUB_REPOSITORY"), "/") != 1:
		return usage("which repository is meant is not known; name it with --repo OWNER/NAME")
	case env.Getenv("GITHUB_TOKEN") == "":
		return usage("GITHUB_TOKEN is empty, and without a token GitHub says too little; set it, for example to the output of gh auth token")
	}
	if key := env.Getenv("FAMILIAR_MEMORY_KEY"); key != "" {
		if _, err := vault.ParseKeys(key); err != nil {
			return exitError{ExitUsage, fmt.Errorf("FAMILIAR_MEMORY_KEY: %w", err)}
		}
	}
	trigger, err := readEvent(step)
	if err != nil {
		return exitError{ExitUsage, fmt.Errorf("%s: %w", render.Plain(filepath.Base(file)), err)}
	}
	if r := trigger.Repository; r.Name != "" && !strings.EqualFold(r.Owner+"/"+r.Name, step.Getenv("GITHUB_REPOSITORY")) {
		return usage("the event is of %s, not of %s; give --repo %s", r.Owner+"/"+r.Name, step.Getenv("GITHUB_REPOSITORY"), r.Owner+"/"+r.Name)
	}
	step = f.stepEnv(env, file, trigger.Sender)
	temp, err := os.MkdirTemp("", "familiar-replay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // holds a copy of the store, which is sealed where it comes from
	in := inputs{
		token: env.Getenv("GITHUB_TOKEN"), tokenFrom: "GITHUB_TOKEN", memoryKey: env.Getenv("FAMILIAR_MEMORY_KEY"),
		config: app.ConfigPath, operation: app.OperationAuto, dryRun: true,
	}
	r, cleanup, err := actionRequest(ctx, step, in, trigger, &stepFiles{env: step})
	if err != nil {
		return err
	}
	defer cleanup()
	report, err := app.RunAction(ctx, r)
	if err != nil {
		return err
	}
	if common.json {
		return env.printJSON(json.MarshalIndent(replayDocument(trigger, report), "", "  "))
	}
	return env.print(replayText(trigger, report))
}

// isObject says what is wrong with a file that holds no payload.
func isObject(file string) error {
	data, err := readUpTo(file, maxEvent)
	if err != nil {
		return err
	}
	var payload map[string]json.RawMessage
	if err := json.Unmarshal(data, &payload); err != nil || payload == nil {
		return fmt.Errorf("%s: it holds no event, which is one JSON object, as a webhook delivers it", render.Plain(filepath.Base(file)))
	}
	return nil
}

// answeredEvents are the names that --event takes.
var answeredEvents = []string{
	string(event.PullRequest), string(event.PullRequestTarget), string(event.WorkflowRun), string(event.IssueComment),
	string(event.Issues), string(event.Schedule), string(event.WorkflowDispatch), string(event.MergeGroup),
}

// replayed is a replay for machines.
type replayed struct {
	Event   string                `json:"event"`
	Action  string                `json:"action,omitempty"`
	Outcome string                `json:"outcome"`
	Detail  string                `json:"detail,omitempty"`
	Trust   replayedTrust         `json:"trust"`
	Policy  contract.MemoryPolicy `json:"policy"`
	Reads   []string              `json:"reads"`
	Refused []string              `json:"refused"`
	Would   []plan.Action         `json:"would"`
	Comment string                `json:"comment"`
}

type replayedTrust struct {
	Scope   contract.TrustScope `json:"scope"`
	Reasons []string            `json:"reasons"`
}

func replayDocument(t event.Trigger, r app.ActionReport) replayed {
	d := replayed{
		Event: t.Name, Action: t.Action, Outcome: string(r.Outcome), Detail: r.Detail,
		Trust:  replayedTrust{Scope: r.Trust, Reasons: []string{}},
		Policy: r.Status.Policy, Reads: []string{}, Refused: []string{}, Would: []plan.Action{}, Comment: replayedComment(r),
	}
	for _, reason := range r.Status.Trust.Reasons {
		d.Trust.Reasons = append(d.Trust.Reasons, reason.Text)
	}
	for _, v := range r.Status.Lessons {
		d.Reads = append(d.Reads, v.DocumentID)
	}
	for _, x := range r.Status.Refusals {
		d.Refused = append(d.Refused, x.Op+" "+x.Target+": "+x.Detail)
	}
	for _, o := range r.Outcomes {
		d.Would = append(d.Would, o.Action)
	}
	return d
}

// replayedComment is the status comment as it would stand there; "" where
// nothing would be said.
func replayedComment(r app.ActionReport) string {
	for _, o := range r.Outcomes {
		if o.Action.Kind == plan.StatusComment {
			return render.StatusComment(r.Status).String()
		}
	}
	return ""
}

// replayText is the same for people.
func replayText(t event.Trigger, r app.ActionReport) string {
	var b strings.Builder
	say := func(name, value string) {
		if value != "" {
			b.WriteString(render.Paragraph(render.Plain(value), fmt.Sprintf("%-9s", name), strings.Repeat(" ", 9)))
		}
	}
	say("Event", strings.TrimSpace(t.Name+" "+t.Action))
	say("Outcome", string(r.Outcome)+detail(r.Detail))
	say("Trust", render.TrustLine(r.Status))
	say("Memory", render.MemoryLine(r.Status))
	for _, v := range r.Status.Lessons {
		say("Reads", v.DocumentID+": "+v.Text)
	}
	for _, x := range r.Status.Refusals {
		say("Refused", strings.TrimSpace(x.Op+" "+x.Target)+": "+x.Detail)
	}
	for _, o := range r.Outcomes {
		say("Would", o.Action.Summary)
	}
	if len(r.Outcomes) == 0 {
		say("Would", "write nothing")
	}
	if comment := replayedComment(r); comment != "" {
		b.WriteString("\nThe comment would say:\n\n")
		for line := range strings.Lines(comment) {
			b.WriteString("  " + shown(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	return b.String()
}
