// Package workflowtest evaluates the `if:` filters of the shipped workflow
// files over real payloads with act's evaluator, and counts the jobs that
// start. It is a module of its own, so that act never reaches the product's
// go.mod. It never runs a job.
package workflowtest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nektos/act/pkg/exprparser"
	"github.com/nektos/act/pkg/model"
	"gopkg.in/yaml.v3"
)

const root = "../.."

// file is what decides whether a workflow's jobs start.
type file struct {
	On   map[string]trigger `yaml:"on"`
	Jobs map[string]struct {
		If          string `yaml:"if"`
		Concurrency struct {
			Group  string `yaml:"group"`
			Cancel bool   `yaml:"cancel-in-progress"`
			Queue  string `yaml:"queue"`
		} `yaml:"concurrency"`
		Environment environment       `yaml:"environment"`
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
	Name        string            `yaml:"name"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency any               `yaml:"concurrency"`
}

type environment struct {
	Name       string `yaml:"name"`
	Deployment *bool  `yaml:"deployment"`
}

// UnmarshalYAML takes the short form, a name alone.
func (e *environment) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&e.Name)
	}
	type plain environment
	return node.Decode((*plain)(e))
}

type trigger struct {
	Types     []string `yaml:"types"`
	Workflows []string `yaml:"workflows"`
}

// UnmarshalYAML takes `schedule:`, which is a list, for a trigger without
// types.
func (t *trigger) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	type plain trigger
	return node.Decode((*plain)(t))
}

// shape is the set of workflow files of one folder, by file name.
type shape map[string]file

func readShape(t *testing.T, dir string) shape {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, dir, "*.yml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no workflow files (%v)", dir, err)
	}
	out := shape{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f file
		if err := yaml.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[filepath.Base(name)] = f
	}
	return out
}

// payload reads a payload of testdata/events. The event's name is the file's
// up to the first dot.
func payload(t *testing.T, name string) (string, map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "testdata", "events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var event map[string]any
	if err := json.Unmarshal(data, &event); err != nil {
		t.Fatal(err)
	}
	kind, _, _ := strings.Cut(name, ".")
	return kind, event
}

// set changes one field of a payload: "pull_request.draft".
func set(event map[string]any, path string, value any) {
	keys := strings.Split(path, ".")
	for _, k := range keys[:len(keys)-1] {
		next, ok := event[k].(map[string]any)
		if !ok {
			next = map[string]any{}
			event[k] = next
		}
		event = next
	}
	event[keys[len(keys)-1]] = value
}

// started lists the jobs that one event starts, as "file/job".
func (s shape) started(t *testing.T, kind string, event map[string]any) []string {
	t.Helper()
	var out []string
	for name, f := range s {
		on, ok := f.On[kind]
		action, _ := event["action"].(string)
		if !ok || (len(on.Types) > 0 && !slices.Contains(on.Types, action)) || !listens(on, event) {
			continue
		}
		for job, j := range f.Jobs {
			if condition(t, j.If, kind, event) {
				out = append(out, name+"/"+job)
			}
		}
	}
	slices.Sort(out)
	return out
}

// listens says whether a workflow_run event is about a workflow that the file
// names.
func listens(on trigger, event map[string]any) bool {
	run, ok := event["workflow_run"].(map[string]any)
	return !ok || len(on.Workflows) == 0 || slices.ContainsFunc(on.Workflows, func(w string) bool { return w == run["name"] })
}

func condition(t *testing.T, expr, kind string, event map[string]any) bool {
	t.Helper()
	env := &exprparser.EvaluationEnvironment{
		Github: &model.GithubContext{EventName: kind, Event: event}, Job: &model.JobContext{Status: "success"},
	}
	got, err := exprparser.NewInterpeter(env, exprparser.Config{Run: &model.Run{JobID: "x", Workflow: &model.Workflow{Jobs: map[string]*model.Job{"x": {}}}}, Context: "job"}).
		Evaluate(expr, exprparser.DefaultStatusCheckSuccess)
	if err != nil {
		t.Fatalf("%q: %v", expr, err)
	}
	return exprparser.IsTruthy(got)
}

// dashboardBody begins as the dashboard does.
const dashboardBody = "<!-- familiar:dashboard v1 octo-org/octo-repo tag -->\n**1 lesson in use**"

type change struct {
	path  string
	value any
}

// TestJobsThatStart: which jobs each event starts, in both shapes. In a
// public repository a pull request's event starts the request, and the end of
// that the review.
func TestJobsThatStart(t *testing.T) {
	private, public := readShape(t, "examples/private"), readShape(t, "examples/public")
	for _, c := range []struct {
		name            string
		payload         string
		changes         []change
		private, public []string
	}{
		{"a pull request is opened", "pull_request_target.opened.fork", nil, []string{"familiar.yml/review"}, nil},
		{"a pull request is opened, public", "pull_request.opened", nil, nil, []string{"familiar-request.yml/request"}},
		{"a fork's pull request, public", "pull_request.opened.fork", nil, nil, []string{"familiar-request.yml/request"}},
		{"a push", "pull_request_target.opened.fork", []change{{"action", "synchronize"}}, []string{"familiar.yml/review"}, nil},
		{"a push to a draft: the configuration decides about drafts", "pull_request_target.opened.fork",
			[]change{{"action", "synchronize"}, {"pull_request.draft", true}}, []string{"familiar.yml/review"}, nil},
		{"a draft becomes ready", "pull_request_target.opened.fork", []change{{"action", "ready_for_review"}}, []string{"familiar.yml/review"}, nil},
		{"a pull request is closed", "pull_request_target.opened.fork", []change{{"action", "closed"}}, nil, nil},
		{"a pull request is closed, public", "pull_request.closed", nil, nil, nil},
		{"a review is requested of somebody, public", "pull_request.review_requested", nil, nil, nil},
		{"familiar's label is put on", "pull_request_target.opened.fork", []change{{"action", "labeled"}, {"label.name", "familiar:approve"}}, []string{"familiar.yml/review"}, nil},
		{"familiar's label is taken off", "pull_request_target.opened.fork", []change{{"action", "unlabeled"}, {"label.name", "familiar:no-memory"}}, []string{"familiar.yml/review"}, nil},
		{"an App takes familiar's label off, as familiar does", "pull_request_target.opened.fork", []change{{"action", "unlabeled"}, {"label.name", "familiar:approve"}, {"sender.type", "Bot"}}, nil, nil},
		{"an App takes familiar's label off, public", "pull_request.labeled", []change{{"action", "unlabeled"}, {"label.name", "familiar:approve"}, {"sender.type", "Bot"}}, nil, nil},
		{"an App puts familiar's label on, which is refused aloud", "pull_request_target.opened.fork", []change{{"action", "labeled"}, {"label.name", "familiar:approve"}, {"sender.type", "Bot"}}, []string{"familiar.yml/review"}, nil},
		{"another label", "pull_request_target.opened.fork", []change{{"action", "labeled"}, {"label.name", "bug"}}, nil, nil},
		{"another label is taken off", "pull_request_target.opened.fork", []change{{"action", "unlabeled"}, {"label.name", "not familiar:approve"}}, nil, nil},
		{"a label that was deleted meanwhile", "pull_request_target.opened.fork", []change{{"action", "unlabeled"}}, nil, nil},
		{"another label, public", "pull_request.labeled", []change{{"label.name", "bug"}}, nil, nil},
		{"familiar's label, public", "pull_request.labeled", []change{{"label.name", "familiar:review"}}, nil, []string{"familiar-request.yml/request"}},
		{"a new title", "pull_request_target.opened.fork", []change{{"action", "edited"}, {"changes.title.from", "Old"}}, nil, nil},
		{"a new base branch", "pull_request_target.opened.fork", []change{{"action", "edited"}, {"changes.base.ref.from", "main"}}, []string{"familiar.yml/review"}, nil},
		{"a new title, public", "pull_request.opened", []change{{"action", "edited"}, {"changes.title.from", "Old"}}, nil, nil},
		{"a new base branch, public", "pull_request.opened", []change{{"action", "edited"}, {"changes.base.ref.from", "main"}}, nil, []string{"familiar-request.yml/request"}},
		{"the request ended", "workflow_run.completed.fork", []change{{"workflow_run.name", "familiar-request"}}, nil, []string{"familiar.yml/review"}},
		{"a request that the pull request made fail", "workflow_run.completed", []change{{"workflow_run.name", "familiar-request"}, {"workflow_run.event", "pull_request"}, {"workflow_run.conclusion", "failure"}},
			nil, []string{"familiar.yml/review"}},
		{"a request that was filtered out", "workflow_run.completed.fork", []change{{"workflow_run.name", "familiar-request"}, {"workflow_run.conclusion", "skipped"}}, nil, nil},
		{"a request that a push to a branch started", "workflow_run.completed.fork", []change{{"workflow_run.name", "familiar-request"}, {"workflow_run.event", "push"}}, nil, nil},
		{"another workflow ended", "workflow_run.completed.fork", []change{{"workflow_run.name", "ci"}}, nil, nil},
		{"the request began", "workflow_run.requested", []change{{"workflow_run.name", "familiar-request"}}, nil, nil},
		{"a command on an issue", "issue_comment.created.issue", []change{{"comment.body", "@familiar list"}}, []string{"familiar.yml/commands"}, []string{"familiar.yml/commands"}},
		{"a command on a stranger's pull request", "issue_comment.created.pull-of-stranger", []change{{"comment.body", "/familiar review"}}, []string{"familiar.yml/commands"}, []string{"familiar.yml/commands"}},
		{"a bot's command", "issue_comment.created.pull", []change{{"comment.body", "@familiar list"}, {"comment.user.type", "Bot"}}, nil, nil},
		{"an edited comment", "issue_comment.edited.issue", []change{{"comment.body", "@familiar list"}}, nil, nil},
		{"a deleted comment", "issue_comment.deleted.issue", []change{{"comment.body", "@familiar list"}}, nil, nil},
		{"a merge queue", "merge_group.checks_requested", nil, nil, nil},
		{"a push to a branch", "push", nil, nil, nil},
		{"an issue is opened", "issues.opened", nil, nil, nil},
		{"an issue is edited", "issues.edited.body", nil, nil, nil},
		{"a box of the dashboard is ticked", "issues.edited.body", []change{{"issue.body", dashboardBody}}, []string{"familiar.yml/commands"}, []string{"familiar.yml/commands"}},
		{"a bot edits the dashboard", "issues.edited.body", []change{{"issue.body", dashboardBody}, {"sender.type", "Bot"}}, nil, nil},
		{"an issue that quotes the dashboard is edited", "issues.edited.body", []change{{"issue.body", "> " + dashboardBody}}, nil, nil},
		{"the daily schedule", "schedule", nil, []string{"familiar-sweep.yml/sweep"}, []string{"familiar-sweep.yml/sweep"}},
		{"started by hand: what is started is one of the two files", "workflow_dispatch.inputs-null", nil,
			[]string{"familiar-sweep.yml/sweep", "familiar.yml/operations"}, []string{"familiar-sweep.yml/sweep", "familiar.yml/operations"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, event := payload(t, c.payload)
			for _, ch := range c.changes {
				set(event, ch.path, ch.value)
			}
			if got := private.started(t, kind, event); !slices.Equal(got, c.private) {
				t.Errorf("private: %v start, want %v", got, c.private)
			}
			if got := public.started(t, kind, event); !slices.Equal(got, c.public) {
				t.Errorf("public: %v start, want %v", got, c.public)
			}
		})
	}
}

// TestCommentsThatStartJobs: testdata/workflows says of each comment how many
// commands it holds, which internal/intent is held to, and how many jobs it
// starts.
func TestCommentsThatStartJobs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "testdata", "workflows", "comments.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Body string
		Jobs       int
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 20 {
		t.Fatalf("%d comments (%v), want at least 20", len(cases), err)
	}
	shapes := map[string]shape{"private": readShape(t, "examples/private"), "public": readShape(t, "examples/public"), "this repository": readShape(t, ".github/workflows")}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, on := range []string{"issue_comment.created.issue", "issue_comment.created.pull", "issue_comment.created.users-null"} {
				kind, event := payload(t, on)
				set(event, "comment.body", c.Body)
				for name, s := range shapes {
					if got := s.started(t, kind, event); len(got) != c.Jobs {
						t.Errorf("%s, %s: %v start, want %d", name, on, got, c.Jobs)
					}
				}
			}
		})
	}
}

// TestOurOwnCommentsStartNothing: everything that the gallery shows, which is
// full of commands to copy, posted as a comment by a bot, and by a person's
// token.
func TestOurOwnCommentsStartNothing(t *testing.T) {
	comments, err := filepath.Glob(filepath.Join(root, "internal", "render", "testdata", "*.md"))
	if err != nil || len(comments) < 10 {
		t.Fatalf("%d rendered comments (%v), want at least 10", len(comments), err)
	}
	shapes := []shape{readShape(t, "examples/private"), readShape(t, "examples/public"), readShape(t, ".github/workflows")}
	for _, name := range comments {
		t.Run("A48: "+filepath.Base(name), func(t *testing.T) {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, author := range []string{"Bot", "User"} {
				kind, event := payload(t, "issue_comment.created.pull")
				set(event, "comment.body", string(body))
				set(event, "comment.user.type", author)
				for _, s := range shapes {
					if got := s.started(t, kind, event); len(got) != 0 {
						t.Errorf("as a %s's, %v start", author, got)
					}
				}
			}
		})
	}
}

// TestShapesAreSafe: what page 6.4 asks of the shipped files, and of this
// repository's own.
func TestShapesAreSafe(t *testing.T) {
	for dir, pinned := range map[string]bool{"examples/private": true, "examples/public": true, ".github/workflows": false} {
		for name, f := range readShape(t, dir) {
			if !strings.HasPrefix(name, "familiar") {
				continue
			}
			t.Run(dir+"/"+name, func(t *testing.T) {
				if f.Permissions == nil || len(f.Permissions) != 0 {
					t.Errorf("permissions of the file: %v, want none", f.Permissions)
				}
				if f.Concurrency != nil {
					t.Error("concurrency stands on the file: it is claimed before if:, so a casual comment could cancel a review")
				}
				events := slices.Sorted(maps.Keys(f.On))
				for job, j := range f.Jobs {
					secret := j.Environment.Name != ""
					if slices.Contains(events, "pull_request") && (secret || len(j.Permissions) > 0) {
						t.Errorf("%s: a file that a pull request can edit has an environment or permissions", job)
					}
					if secret != slices.ContainsFunc(j.Steps, func(s struct {
						Uses string `yaml:"uses"`
						Run  string `yaml:"run"`
					}) bool {
						return strings.HasPrefix(s.Uses, "familiarhq/familiar@") || s.Uses == "./"
					}) {
						t.Errorf("%s: the environment and the action go together", job)
					}
					if !secret {
						continue
					}
					if j.Environment.Name != "familiar" || j.Environment.Deployment == nil || *j.Environment.Deployment {
						t.Errorf("%s: environment %+v", job, j.Environment)
					}
					want := map[string]string{"contents": "read", "pull-requests": "write", "issues": "write", "actions": "read"}
					if deletes := name == "familiar-sweep.yml" || job == "operations"; deletes {
						want["actions"] = "write"
						if name == "familiar.yml" && j.If != "github.event_name == 'workflow_dispatch'" || name != "familiar.yml" && !slices.Equal(events, []string{"schedule", "workflow_dispatch"}) {
							t.Errorf("%s may delete artifacts and starts on %v, if %q: only the clock and a person's button start such a job", job, events, j.If)
						}
					}
					if !reflect.DeepEqual(j.Permissions, want) {
						t.Errorf("%s: permissions %v, want %v", job, j.Permissions, want)
					}
					review := strings.Contains(j.Concurrency.Group, "familiar-review-")
					if review != j.Concurrency.Cancel || review == (j.Concurrency.Queue == "max") {
						t.Errorf("%s: concurrency %+v; reviews cancel, commands queue", job, j.Concurrency)
					}
					for _, s := range j.Steps {
						if pinned && strings.Contains(s.Uses, "checkout") {
							t.Errorf("%s: %s: the action never checks out", job, s.Uses)
						}
					}
				}
			})
		}
	}
}
