package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/event"
)

// maxEvent bounds the event file: GitHub's own limit of a payload.
const maxEvent = 25 << 20

// readEvent reads what woke the step.
func readEvent(env Env) (event.Trigger, error) {
	path, name := env.Getenv("GITHUB_EVENT_PATH"), env.Getenv("GITHUB_EVENT_NAME")
	if path == "" || name == "" {
		return event.Trigger{}, usage("GITHUB_EVENT_PATH and GITHUB_EVENT_NAME are not set; this program runs as a step of a workflow, familiar local runs anywhere")
	}
	f, err := os.Open(path)
	if err != nil {
		return event.Trigger{}, fmt.Errorf("the event file cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	if err != nil {
		return event.Trigger{}, fmt.Errorf("the event file cannot be read: %w", err)
	}
	if len(data) > maxEvent {
		return event.Trigger{}, fmt.Errorf("the event file is larger than %d bytes, which GitHub never sends", maxEvent)
	}
	t, err := event.Decode(name, data)
	return withRepository(env, t), err
}

// withRepository names the repository of an event that names none, as that
// of a schedule may, by the runner's own variables.
func withRepository(env Env, t event.Trigger) event.Trigger {
	if t.Repository.ID != 0 {
		return t
	}
	id, err := strconv.ParseInt(env.Getenv("GITHUB_REPOSITORY_ID"), 10, 64)
	owner, name, ok := strings.Cut(env.Getenv("GITHUB_REPOSITORY"), "/")
	if err != nil || !ok {
		return t
	}
	ownerID, _ := strconv.ParseInt(env.Getenv("GITHUB_REPOSITORY_OWNER_ID"), 10, 64) // 0: not told
	t.Repository = event.Repository{ID: id, Owner: owner, OwnerID: ownerID, Name: name}
	return t
}
