package event

import (
	"strings"
	"testing"
)

// author_association is in the payloads and must not be in the result: a
// private member shows as CONTRIBUTOR, and an old payload keeps an old word.
func TestA23_TheAssociationInAPayloadIsNotRead(t *testing.T) {
	name, payload := payloadOf(t, "pull_request.opened.private-without-visibility")
	if !strings.Contains(string(payload), `"CONTRIBUTOR"`) {
		t.Fatal("the payload has no association to ignore")
	}
	before, err := Decode(name, payload)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Decode(name, []byte(strings.ReplaceAll(string(payload), `"CONTRIBUTOR"`, `"OWNER"`)))
	if err != nil || string(asJSON(t, before)) != string(asJSON(t, after)) {
		t.Errorf("the association changed the trigger: %v", err)
	}
	if strings.Contains(string(asJSON(t, before)), "CONTRIBUTOR") {
		t.Error("the association is in the trigger")
	}
}

func TestA37_AnActorNamedInAnInputStaysAnInput(t *testing.T) {
	got := decodeFile(t, "workflow_dispatch.inputs")
	name, payload := at(t, "workflow_dispatch.inputs", "inputs.actor", "hubot")
	other, err := Decode(name, payload)
	if err != nil {
		t.Fatal(err)
	}
	if got.Inputs["actor"] != "octocat" || other.Inputs["actor"] != "hubot" {
		t.Errorf("inputs are %v and %v", got.Inputs, other.Inputs)
	}
	if *got.Sender != *other.Sender || got.Sender.Login != "octocat" {
		t.Errorf("the input changed the sender: %+v, %+v", got.Sender, other.Sender)
	}
}

func TestA38_ADeletedForkIsARepositoryWithoutID(t *testing.T) {
	got := decodeFile(t, "pull_request.synchronize.head-repo-null")
	if got.Pull.Head.RepoID != 0 || got.Pull.Base.RepoID == 0 || got.Pull.Head.SHA == "" {
		t.Errorf("head is %+v, base is %+v", got.Pull.Head, got.Pull.Base)
	}
}

func TestA39_AGhostIsNobodyAndNoCrash(t *testing.T) {
	got := decodeFile(t, "issue_comment.created.users-null")
	if got.Comment.Author != nil || got.Issue.Author != nil || got.Comment.Author.IsBot() {
		t.Errorf("authors are %+v and %+v", got.Comment.Author, got.Issue.Author)
	}
	if pull := decodeFile(t, "pull_request.opened.author-null"); pull.Pull.Author != nil || pull.Pull.Number != 2 {
		t.Errorf("pull request is %+v", pull.Pull)
	}
}

func TestA42_AMergeGroupHasNoPullRequestAndNeedsNoField(t *testing.T) {
	if got := decodeFile(t, "merge_group.checks_requested"); got.Kind != MergeGroup || got.Pull != nil || got.PullNumber() != 0 {
		t.Errorf("got %+v", got)
	}
	if got, err := Decode("merge_group", []byte("{}")); err != nil || got.Kind != MergeGroup {
		t.Errorf("an empty merge group: %+v, %v", got, err)
	}
}

func TestA43_AScheduleNeedsOnlyItsCronLine(t *testing.T) {
	got := decodeFile(t, "schedule")
	if got.Kind != Schedule || got.Cron != "17 3 * * 1" || got.Sender != nil {
		t.Errorf("got %+v", got)
	}
}

func TestA44_ACommentOnAPlainIssueIsAboutNoPullRequest(t *testing.T) {
	plain, pull := decodeFile(t, "issue_comment.created.issue"), decodeFile(t, "issue_comment.created.pull")
	if plain.Issue.IsPull || plain.PullNumber() != 0 || plain.Issue.Number != 1 {
		t.Errorf("a plain issue counts as a pull request: %+v", plain.Issue)
	}
	if !pull.Issue.IsPull || pull.PullNumber() != 1 || pull.Pull != nil {
		t.Errorf("a pull request's comment: %+v, %+v", pull.Issue, pull.Pull)
	}
}
