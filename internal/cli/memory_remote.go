package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/render"
)

// ask lets the workflow of a repository do something to its memory, and says
// what it answered. Who may do what is looked up there, of whoever the token
// belongs to.
func (f *memoryFlags) ask(ctx context.Context, env Env, operation app.Operation, arguments []string) error {
	if err := f.oneMemory(); err != nil {
		return err
	}
	client, err := f.client(env)
	if err != nil {
		return err
	}
	repo, err := client.Repository(ctx)
	if err != nil {
		return err
	}
	answer, err := app.Ask(ctx, app.AskRequest{
		Client: client, Workflow: f.workflow, Branch: repo.DefaultBranch, Operation: operation, Arguments: arguments, DryRun: f.dryRun,
		Sleep: pause,
		Progress: func(status string) {
			env.tell("the workflow is " + status)
		},
	})
	if err != nil {
		return err
	}
	return env.printAnswer(f, repo.Owner+"/"+repo.Name, answer)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// printAnswer says what a run answered. One that did not succeed makes the
// exit status 1.
func (e Env) printAnswer(f *memoryFlags, repository string, a app.Answer) error {
	lines := []string{}
	for _, l := range a.Lines {
		lines = append(lines, render.Plain(l))
	}
	server := e.Getenv("GITHUB_SERVER_URL")
	if server == "" {
		server = "https://github.com"
	}
	url := fmt.Sprintf("%s/%s/actions/runs/%d", strings.TrimSuffix(server, "/"), repository, a.RunID)
	var err error
	if f.json {
		err = e.printJSON(json.MarshalIndent(map[string]any{"run": a.RunID, "url": url, "conclusion": a.Conclusion, "answers": lines}, "", "  "))
	} else {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(render.Paragraph(l, "", "  "))
		}
		fmt.Fprintf(&b, "Run %d: %s. %s\n", a.RunID, render.Plain(a.Conclusion), url)
		err = e.print(b.String())
	}
	if err == nil && a.Conclusion != "success" {
		return exitError{ExitFailed, fmt.Errorf("the run did not succeed (%s)", render.Plain(a.Conclusion))}
	}
	return err
}

// writeWhole replaces a file of ours that is made again, such as a report.
func writeWhole(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; name another", path)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return unwritable(path, err)
	}
	return nil
}
