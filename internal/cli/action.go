package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/home/artifact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

// RunAction is the container's entry: it reads what the runner gives a step,
// and returns its exit status.
func RunAction(ctx context.Context, env Env, environ []string) int {
	env, flush := actionLog(env)
	defer flush()
	files := stepFiles{env: env}
	err := runAction(ctx, env, environ, &files)
	if err == nil {
		return ExitOK
	}
	var exit exitError
	code := ExitFailed
	if errors.As(err, &exit) {
		code = exit.code
	}
	if wrong := (*app.InputError)(nil); errors.As(err, &wrong) {
		code = ExitUsage
	}
	annotate(env.Stdout, "error", err.Error())
	return code
}

func runAction(ctx context.Context, env Env, environ []string, files *stepFiles) error {
	files.mask(secretInputs(env.Getenv)...) // before anything can be said of them
	in, err := readInputs(env.Getenv, environ)
	if err != nil {
		return err
	}
	if !in.operation.Available() {
		return usage("the operation %s is not there yet in this version; leave the input operation out to act by the event", in.operation)
	}
	trigger, err := readEvent(env)
	if err != nil {
		return err
	}
	r, cleanup, err := actionRequest(ctx, env, in, trigger, files)
	if err != nil {
		return err
	}
	defer cleanup()
	report, failure := app.RunAction(ctx, r)
	if failure != nil {
		report = app.FailedReport(report, failure)
	}
	if err := errors.Join(failure, files.write(report)); err != nil {
		return err
	}
	switch {
	case report.Failed():
		return exitError{code: ExitFailed, err: errors.New("not everything was done: see the job summary")}
	case in.failOn != "" && report.AnyFinding(in.failOn):
		return exitError{code: ExitFailOn, err: fmt.Errorf("there is a finding of severity %s or above", in.failOn)}
	}
	return nil
}

// actionRequest wires the client, the memory and the run's facts.
func actionRequest(ctx context.Context, env Env, in inputs, trigger event.Trigger, files *stepFiles) (app.ActionRequest, func(), error) {
	none := func() {}
	owner, name, ok := strings.Cut(env.Getenv("GITHUB_REPOSITORY"), "/")
	if !ok {
		return app.ActionRequest{}, none, usage("GITHUB_REPOSITORY is %q; the runner sets it to owner/name", env.Getenv("GITHUB_REPOSITORY"))
	}
	o := github.Options{Owner: owner, Name: name, BaseURL: env.Getenv("GITHUB_API_URL"), Token: in.token, TokenFrom: in.tokenFrom, UserAgent: "familiar/" + Version}
	author := "github-actions[bot]"
	if in.appID != 0 {
		o.App, o.Token = &github.App{ID: in.appID, PrivateKey: []byte(in.appKey), Minted: func(token string) { files.mask(token) }}, ""
	}
	client, err := github.New(o)
	if err != nil {
		return app.ActionRequest{}, none, exitError{ExitUsage, err}
	}
	if trigger.Repository, err = whereabouts(ctx, client, trigger); err != nil {
		return app.ActionRequest{}, none, err
	}
	r := app.ActionRequest{
		Client: client, Author: author, AppAuth: in.appID != 0, Trigger: trigger,
		Actor: env.Getenv("GITHUB_ACTOR"), TriggeringActor: env.Getenv("GITHUB_TRIGGERING_ACTOR"),
		InputInstallation: in.installation, RunURL: runURL(env), Now: env.Now,
		TempDir: env.Getenv("RUNNER_TEMP"), Secrets: append(env.live(), env.Getenv("ACTIONS_RUNTIME_TOKEN")),
	}
	r.RunID, r.Attempt = runNumbers(env)
	r.Version = Version
	r.JobSecret, r.Locate = env.Getenv("ACTIONS_RUNTIME_TOKEN"), located(env)
	if r.JobSecret == "" {
		r.JobSecret = in.token
	}
	in.into(&r)
	cleanup, err := withVault(env, in, client, files, &r)
	return r, cleanup, err
}

// whereabouts is the repository that the run is about. The payload of a
// schedule may hold none, or not all of it; GitHub is asked then, since whose
// containers count depends on it.
func whereabouts(ctx context.Context, client *github.Client, t event.Trigger) (event.Repository, error) {
	if t.Kind != event.Schedule || t.Repository.ID != 0 && t.Repository.OwnerID != 0 && t.Repository.DefaultBranch != "" {
		return t.Repository, nil
	}
	return client.Repository(ctx)
}

func runURL(env Env) string {
	if env.Getenv("GITHUB_SERVER_URL") == "" || env.Getenv("GITHUB_RUN_ID") == "" {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%s", env.Getenv("GITHUB_SERVER_URL"), env.Getenv("GITHUB_REPOSITORY"), env.Getenv("GITHUB_RUN_ID"))
}

// runNumbers are the id and the attempt of the run; 0 away from a runner.
func runNumbers(env Env) (id int64, attempt int) {
	id, _ = strconv.ParseInt(env.Getenv("GITHUB_RUN_ID"), 10, 64)
	attempt, _ = strconv.Atoi(env.Getenv("GITHUB_RUN_ATTEMPT"))
	return id, attempt
}

// withVault gives the run its memory, or the reason why there is none. A
// plain pull_request run gets none: its workflow file can be edited by the
// pull request (page 6.4).
func withVault(env Env, in inputs, client *github.Client, files *stepFiles, r *app.ActionRequest) (func(), error) {
	none := func() {}
	switch {
	case in.memoryKey == "":
		r.MemoryOff = "the step has no memory-key; `familiar keygen` makes one"
		return none, nil
	case r.Trigger.Kind == event.PullRequest:
		r.MemoryOff = "a pull_request run has no memory, since the pull request can edit its workflow"
		return none, nil
	}
	keys, err := vault.ParseKeys(in.memoryKey)
	if err != nil {
		return none, exitError{ExitUsage, fmt.Errorf("the input memory-key: %w", err)}
	}
	r.Keys = keys
	dir, err := os.MkdirTemp(env.Getenv("RUNNER_TEMP"), "familiar-memory-")
	if err != nil {
		return none, fmt.Errorf("no private folder for the store: %w", err)
	}
	service, err := resultsService(env, in, files, client)
	if err != nil {
		return none, err
	}
	home := artifactHome(env, in, client, service, r.Trigger)
	if service != nil {
		r.Uploads = service
	}
	r.Records = recordsOf(home, service)
	r.Memory = &app.Vaulted{
		Home: home, Keys: keys, Dir: dir, Now: env.Now, Clock: func() time.Time { return client.DateOr(env.Now) }, Tool: "familiar/" + Version,
		Live: r.Live,
		Run:  app.RunFacts{WorkflowPath: workflowPath(env), Event: env.Getenv("GITHUB_EVENT_NAME"), ID: r.RunID, Attempt: r.Attempt},
	}
	return func() {
		_ = r.Memory.Close()  // a private copy
		_ = os.RemoveAll(dir) // emptied with the job anyway
	}, nil
}

// workflowPath is the path of this workflow's file, from GITHUB_WORKFLOW_REF
// ("owner/name/.github/workflows/x.yml@ref").
func workflowPath(env Env) string {
	ref := strings.TrimPrefix(env.Getenv("GITHUB_WORKFLOW_REF"), env.Getenv("GITHUB_REPOSITORY")+"/")
	path, _, _ := strings.Cut(ref, "@")
	return path
}

// startedOn is the branch whose workflow file runs. The clock always takes the
// default branch.
func startedOn(env Env, t event.Trigger) string {
	ref := env.Getenv("GITHUB_REF")
	switch {
	case t.Kind == event.Schedule:
		return t.Repository.DefaultBranch
	case ref == "":
		ref = t.Ref
	}
	branch, _ := strings.CutPrefix(ref, "refs/heads/")
	return branch
}

// resultsService uploads artifacts; nil away from a running job.
func resultsService(env Env, in inputs, files *stepFiles, client *github.Client) (*artifact.Service, error) {
	if env.Getenv("ACTIONS_RESULTS_URL") == "" {
		return nil, nil
	}
	days, _ := strconv.Atoi(env.Getenv("GITHUB_RETENTION_DAYS")) // 0: not known
	return artifact.NewService(artifact.ServiceOptions{
		URL: env.Getenv("ACTIONS_RESULTS_URL"), Token: env.Getenv("ACTIONS_RUNTIME_TOKEN"),
		Days: in.days, MaxDays: days, Mask: func(s string) { files.mask(s) }, Now: func() time.Time { return client.DateOr(env.Now) },
	})
}

func artifactHome(env Env, in inputs, client *github.Client, service *artifact.Service, t event.Trigger) *artifact.Home {
	o := artifact.Options{
		Client: restArtifacts{client},
		Rules: artifact.Rules{
			RepositoryID: t.Repository.ID, Workflows: ourWorkflows(env), DefaultBranch: t.Repository.DefaultBranch,
		},
		More: configuredWorkflows(client, in.config),
		Own:  artifact.Run{RepositoryID: t.Repository.ID, Path: workflowPath(env), Event: env.Getenv("GITHUB_EVENT_NAME")},
	}
	o.Own.ID, _ = runNumbers(env)
	o.Own.HeadBranch = startedOn(env, t)
	if service != nil {
		o.Uploader = service
	}
	return artifact.New(o)
}

// stepFiles writes what a step says to the runner: masks, outputs, summary.
type stepFiles struct{ env Env }

// mask keeps values out of the log.
func (s *stepFiles) mask(values ...string) {
	for _, v := range values {
		for line := range strings.SplitSeq(v, "\n") {
			if line = strings.TrimSpace(line); len(line) >= 4 {
				command(s.env.Stdout, maskCommand, line)
			}
		}
	}
}

// write hands outputs and summary to the runner and says the outcome.
func (s *stepFiles) write(r app.ActionReport) error {
	for _, o := range app.Outputs(r) {
		if err := s.output(o.Name, o.Value); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.env.Stdout, "familiar: "+render.Log(strings.TrimPrefix(string(r.Outcome)+detail(r.Detail), ": ")))
	for _, line := range r.Said {
		fmt.Fprintln(s.env.Stdout, "familiar: "+render.Log(strings.ReplaceAll(line, "`", "")))
	}
	for _, warning := range append(r.AllLacks(), r.Warnings...) {
		annotate(s.env.Stdout, "warning", warning)
	}
	for _, one := range append([]app.ActionReport{r}, r.Others...) {
		for _, a := range one.Annotations {
			annotateLine(s.env.Stdout, a.Path, a.Line, a.Title)
		}
	}
	path := s.env.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	return appendFile(path, app.Summary(r).String())
}

func detail(d string) string {
	if d == "" {
		return ""
	}
	return ": " + d
}

// output writes one output with a delimiter that no value can know.
func (s *stepFiles) output(name, value string) error {
	path := s.env.Getenv("GITHUB_OUTPUT")
	if path == "" {
		return nil
	}
	entry, err := heredoc(name, value)
	if err != nil {
		return err
	}
	return appendFile(path, entry)
}

func appendFile(path, text string) error {
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the step's file cannot be written: %w", err)
	}
	if _, err := f.WriteString(text); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
