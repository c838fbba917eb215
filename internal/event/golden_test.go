package event

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const eventsDir = "../../testdata/events"

func payloadOf(t testing.TB, file string) (name string, payload []byte) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(eventsDir, file+".json"))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ = strings.Cut(file, ".")
	return name, payload
}

func decodeFile(t *testing.T, file string) Trigger {
	t.Helper()
	name, payload := payloadOf(t, file)
	got, err := Decode(name, payload)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return got
}

// The accounts, repositories and parts that the payloads share.
var (
	codertocat = &Actor{ID: 21031067, Login: "Codertocat", Type: "User"}
	hubot      = &Actor{ID: 480938, Login: "hubot", Type: "User"}
	octocat    = &Actor{ID: 25328754, Login: "octocat", Type: "User"}
	orgMember  = &Actor{ID: 15669918, Login: "Codertocat", Type: "User"}
	dependabot = &Actor{ID: 49699333, Login: "dependabot[bot]", Type: "Bot"}

	hello = Repository{ID: 186853002, Owner: "Codertocat", OwnerID: 21031067, Name: "Hello-World", DefaultBranch: "master", Visibility: "public"}
	octo  = Repository{ID: 300029405, Owner: "octo-org", OwnerID: 41548062, Name: "octo-repo", DefaultBranch: "master", Visibility: "public"}
	form  = Repository{ID: 6811672, Owner: "octo-org", OwnerID: 79927191, Name: "octo-repo", DefaultBranch: "main", Visibility: "public"}
)

const forkID = 512340077

func helloPull(change func(*Trigger)) Trigger {
	t := Trigger{
		Kind: PullRequest, Name: "pull_request", Action: "opened",
		Repository: hello, Sender: codertocat, InstallationID: 1,
		Pull: &Pull{
			Number: 2, Title: "Update the README with new information.",
			Body:  "This is a pretty simple change that we need to pull into master.",
			State: "open", Author: codertocat, Labels: []string{"bug"},
			Base: Ref{Name: "master", SHA: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e", RepoID: hello.ID},
			Head: Ref{Name: "changes", SHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", RepoID: hello.ID},
		},
	}
	change(&t)
	return t
}

func helloIssue(change func(*Trigger)) Trigger {
	t := Trigger{
		Kind: Issues, Name: "issues", Action: "opened", Repository: hello, Sender: codertocat,
		Issue: &Issue{Number: 1, Title: "Spelling error in the README file", State: "open", Author: codertocat, Labels: []string{"bug"}},
	}
	change(&t)
	return t
}

func helloComment(change func(*Trigger)) Trigger {
	return helloIssue(func(t *Trigger) {
		t.Kind, t.Name, t.Action, t.InstallationID = IssueComment, "issue_comment", "created", 1
		at := time.Date(2019, 5, 15, 15, 20, 21, 0, time.UTC)
		t.Comment = &Comment{
			ID: 492700400, Body: "You are totally right! I'll get this fixed right away.",
			URL:    "https://github.com/Codertocat/Hello-World/issues/1#issuecomment-492700400",
			Author: codertocat, CreatedAt: at, UpdatedAt: at,
		}
		change(t)
	})
}

// onPull is what the derived comments on a pull request change.
func onPull(t *Trigger) {
	t.Issue.IsPull, t.Issue.Title = true, "Update the README with new information."
	t.Comment.Body = "@familiar remember Close every response body."
	t.Comment.URL = "https://github.com/Codertocat/Hello-World/pull/1#issuecomment-492700400"
}

func octoRun(change func(*Trigger)) Trigger {
	t := Trigger{
		Kind: WorkflowRun, Name: "workflow_run", Action: "completed", Repository: octo, Sender: orgMember,
		WorkflowRun: &Run{
			ID: 289782451, Attempt: 1, Event: "repository_dispatch", Path: ".github/workflows/test.yml",
			Conclusion: "success", HeadBranch: "master", HeadSHA: "3484a3fb816e0859fd6e1cea078d76385ff50625",
			HeadRepoID: octo.ID, Actor: orgMember, Triggering: orgMember,
		},
	}
	change(&t)
	return t
}

func requestRun(t *Trigger) {
	r := t.WorkflowRun
	r.Event, r.Path, r.HeadBranch = "pull_request", ".github/workflows/familiar-request.yml", "changes"
	r.HeadRepoID, r.Actor, r.Triggering = forkID, hubot, hubot
}

func dispatch(inputs map[string]string) Trigger {
	return Trigger{Kind: WorkflowDispatch, Name: "workflow_dispatch", Repository: form, Sender: octocat, Inputs: inputs, Ref: "refs/heads/main"}
}

func asItIs(*Trigger) {}

func fromFork(t *Trigger) {
	t.Sender, t.Pull.Author, t.Pull.Head.RepoID = hubot, hubot, forkID
}

// golden is every file of testdata/events and the Trigger it must give.
var golden = map[string]Trigger{
	"pull_request.opened": helloPull(asItIs),
	"pull_request.opened.old": helloPull(func(t *Trigger) {
		t.InstallationID, t.Pull.Labels = 0, nil
	}),
	"pull_request.synchronize": helloPull(func(t *Trigger) { t.Action = "synchronize" }),
	"pull_request.labeled":     helloPull(func(t *Trigger) { t.Action, t.Label = "labeled", "bug" }),
	"pull_request.unlabeled":   helloPull(func(t *Trigger) { t.Action, t.Label = "unlabeled", "bug" }),
	"pull_request.closed":      helloPull(func(t *Trigger) { t.Action, t.Pull.State = "closed", "closed" }),
	"pull_request.converted_to_draft": helloPull(func(t *Trigger) {
		t.Action, t.Pull.Draft, t.InstallationID = "converted_to_draft", true, 0
	}),
	"pull_request.review_requested":   helloPull(func(t *Trigger) { t.Action = "review_requested" }),
	"pull_request.opened.fork":        helloPull(fromFork),
	"pull_request_target.opened.fork": helloPull(func(t *Trigger) { fromFork(t); t.Kind, t.Name = PullRequestTarget, "pull_request_target" }),
	"pull_request.reopened.fork-by-maintainer": helloPull(func(t *Trigger) {
		fromFork(t)
		t.Action, t.Sender = "reopened", codertocat
	}),
	"pull_request.synchronize.head-repo-null": helloPull(func(t *Trigger) {
		fromFork(t)
		t.Action, t.Pull.Head.RepoID = "synchronize", 0
	}),
	"pull_request.opened.head-repo-without-id": helloPull(func(t *Trigger) { fromFork(t); t.Pull.Head.RepoID = 0 }),
	"pull_request.opened.author-null":          helloPull(func(t *Trigger) { t.Pull.Author = nil }),
	"pull_request.opened.sender-null":          helloPull(func(t *Trigger) { t.Sender = nil }),
	"pull_request.opened.sender-missing":       helloPull(func(t *Trigger) { t.Sender = nil }),
	"pull_request.opened.body-null":            helloPull(func(t *Trigger) { t.Pull.Body = "" }),
	"pull_request.opened.bot": helloPull(func(t *Trigger) {
		t.Sender, t.Pull.Author, t.Pull.Head.Name = dependabot, dependabot, "dependabot/npm_and_yarn/left-3.2.1"
	}),
	"pull_request.opened.private-without-visibility": helloPull(func(t *Trigger) {
		t.Repository.Private, t.Repository.Visibility = true, "private"
	}),
	"pull_request.opened.internal-org-fork": helloPull(func(t *Trigger) {
		fromFork(t)
		t.Repository.Owner, t.Repository.OwnerID = "octo-org", 79927191
		t.Repository.Private, t.Repository.Visibility = true, "internal"
	}),
	"pull_request.opened.ids-above-2-53": helloPull(func(t *Trigger) {
		t.Repository.ID, t.Repository.OwnerID, t.InstallationID = 9007199254740993, 9007199254740999, 9223372036854775807
		t.Pull.Base.RepoID, t.Pull.Head.RepoID = 9007199254740993, 9007199254740994
		t.Sender = &Actor{ID: 9007199254740995, Login: "Codertocat", Type: "User"}
		t.Pull.Author = &Actor{ID: 9007199254740997, Login: "Codertocat", Type: "User"}
	}),

	"issues.opened": helloIssue(asItIs),
	"issues.edited.body": helloIssue(func(t *Trigger) {
		t.Action = "edited"
		t.Edit = &Edit{Before: "- [ ] retire", After: "- [x] retire", At: time.Date(2019, 5, 15, 15, 20, 18, 0, time.UTC)}
	}),
	"issues.edited.title": helloIssue(func(t *Trigger) { t.Action = "edited" }),
	"issues.labeled":      helloIssue(func(t *Trigger) { t.Action, t.Label = "labeled", "bug" }),
	"issues.unlabeled":    helloIssue(func(t *Trigger) { t.Action, t.Label = "unlabeled", "bug" }),

	"issue_comment.created.issue": helloComment(asItIs),
	"issue_comment.edited.issue": helloComment(func(t *Trigger) {
		t.Action, t.InstallationID, t.Comment.Body = "edited", 0, "You are totally right! I'll get this fixed today."
		t.Comment.UpdatedAt = t.Comment.CreatedAt.Add(time.Second)
	}),
	"issue_comment.deleted.issue": helloComment(func(t *Trigger) {
		t.Action, t.InstallationID, t.Comment.Body = "deleted", 0, "You are totally right! I'll get this fixed today."
		t.Comment.UpdatedAt = t.Comment.CreatedAt.Add(time.Second)
	}),
	"issue_comment.created.pull":             helloComment(onPull),
	"issue_comment.created.pull-of-stranger": helloComment(func(t *Trigger) { onPull(t); t.Issue.Author = hubot }),
	"issue_comment.created.users-null": helloComment(func(t *Trigger) {
		onPull(t)
		t.Issue.Author, t.Comment.Author = nil, nil
	}),
	"issue_comment.created.via-app": helloComment(func(t *Trigger) { onPull(t); t.Comment.ViaApp = true }),
	"issue_comment.edited.by-another": helloComment(func(t *Trigger) {
		onPull(t)
		t.Action, t.Sender = "edited", hubot
		t.Comment.UpdatedAt = time.Date(2019, 5, 16, 9, 0, 0, 0, time.UTC)
	}),

	"workflow_run.completed": octoRun(asItIs),
	"workflow_run.requested": octoRun(func(t *Trigger) {
		t.Action, t.WorkflowRun.Conclusion = "requested", ""
	}),
	"workflow_run.completed.fork": octoRun(requestRun),
	"workflow_run.completed.nulls": octoRun(func(t *Trigger) {
		requestRun(t)
		r := t.WorkflowRun
		r.HeadBranch, r.HeadRepoID, r.Actor, r.Triggering = "", 0, nil, nil
	}),
	"workflow_run.completed.old": {
		Kind: WorkflowRun, Name: "workflow_run", Action: "completed",
		Repository: Repository{ID: 283462325, Owner: "Codertocat", OwnerID: 33435682, Name: "Hello-World", DefaultBranch: "main", Private: true, Visibility: "private"},
		Sender:     &Actor{ID: 54248166, Login: "Codertocat", Type: "User"},
		WorkflowRun: &Run{
			ID: 1589141559, Attempt: 1, Event: "workflow_dispatch", Path: ".github/workflows/syntax.yml",
			HeadBranch: "main", HeadSHA: "5779607b49aab1200488439f02372c57b4f75444", HeadRepoID: 396980812,
		},
	},

	"workflow_dispatch.inputs-empty": dispatch(map[string]string{}),
	"workflow_dispatch.inputs-null":  dispatch(nil),
	"workflow_dispatch.inputs": dispatch(map[string]string{
		"pull-request": "12", "full": "true", "depth": "3", "note": "", "actor": "octocat",
	}),

	"merge_group.checks_requested": {
		Kind: MergeGroup, Name: "merge_group", Action: "checks_requested", InstallationID: 1, Sender: codertocat,
		Repository: Repository{ID: 17273051, Owner: "octo-org", OwnerID: 6811672, Name: "octo-repo", DefaultBranch: "main", Private: true, Visibility: "private"},
	},
	"schedule":                 {Kind: Schedule, Name: "schedule", Cron: "17 3 * * 1"},
	"schedule.with-repository": {Kind: Schedule, Name: "schedule", Cron: "17 3 * * 1", Repository: form, Sender: octocat},
	"push":                     {Kind: Unknown, Name: "push"},
}

func TestEveryPayloadGivesItsTrigger(t *testing.T) {
	for file, want := range golden {
		t.Run(file, func(t *testing.T) {
			got := decodeFile(t, file)
			if !reflect.DeepEqual(got, want) {
				g, _ := json.MarshalIndent(got, "", " ")
				w, _ := json.MarshalIndent(want, "", " ")
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestEveryPayloadFileIsInTheTable(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(eventsDir, "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d payload files, error %v; expected at least 40", len(files), err)
	}
	for _, file := range files {
		if _, ok := golden[strings.TrimSuffix(filepath.Base(file), ".json")]; !ok {
			t.Errorf("%s is in no row of the golden table", file)
		}
	}
	if len(golden) != len(files) {
		t.Errorf("%d rows for %d files", len(golden), len(files))
	}
}

func TestEveryKindButUnknownAndLocalHasAPayload(t *testing.T) {
	seen := map[Kind]bool{Local: true}
	for _, want := range golden {
		seen[want.Kind] = true
	}
	for _, k := range kinds {
		if !seen[k] {
			t.Errorf("no payload of kind %s", k)
		}
	}
}
