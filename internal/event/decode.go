package event

import (
	"fmt"
	"maps"
	"slices"
)

// Decode turns the payload of the event called name into a Trigger. A name
// outside the closed set gives a Trigger of kind Unknown whatever the payload
// is, even if there is none; the kind Local never comes from here. Ids are
// exact up to 2^63-1. The error, for kinds that are known, is a *DecodeError
// with the first field that is missing or broken; the Trigger is then of kind
// Unknown. Unknown fields and irrelevant actions are no errors.
func Decode(name string, payload []byte) (Trigger, error) {
	kind, _ := ParseKind(name)
	if kind == Unknown || kind == Local {
		return Trigger{Kind: Unknown, Name: name}, nil
	}
	r := &reader{event: name}
	t := Trigger{Kind: kind, Name: name}
	t.read(r.open(payload))
	if r.err != nil {
		return Trigger{Kind: Unknown, Name: name}, r.err
	}
	return t, nil
}

func (t *Trigger) read(root object) {
	t.Sender = root.actor("sender")
	if in, ok := root.maybe("installation"); ok {
		t.InstallationID = in.id("id")
	}
	switch t.Kind {
	case Schedule:
		t.Repository = root.maybeRepository()
		t.Cron = root.word("schedule")
		return
	case MergeGroup: // no work is done: a merge queue never waits for a field
		t.Repository = root.maybeRepository()
		t.Action = root.maybeText("action")
		return
	}
	t.Repository = root.child("repository").repository()
	switch t.Kind {
	case PullRequest, PullRequestTarget:
		t.Action, t.Label = root.word("action"), root.label()
		t.Pull = root.child("pull_request").pull(t.Repository.ID)
	case Issues:
		t.Action, t.Label = root.word("action"), root.label()
		t.Issue = root.child("issue").issue()
		if t.Action == "edited" {
			t.Edit = root.edit()
		}
	case IssueComment:
		t.Action = root.word("action")
		t.Issue = root.child("issue").issue()
		t.Comment = root.child("comment").comment()
	case WorkflowRun:
		t.Action = root.word("action")
		t.WorkflowRun = root.run()
	case WorkflowDispatch:
		t.Inputs, t.Ref = root.inputs(), root.maybeText("ref")
	}
}

// edit reads how the body of an issue was changed; nil where it was not.
func (o object) edit() *Edit {
	changes, ok := o.maybe("changes")
	if !ok {
		return nil
	}
	body, ok := changes.maybe("body")
	if !ok {
		return nil
	}
	issue := o.child("issue")
	return &Edit{Before: body.maybeText("from"), After: issue.maybeText("body"), At: issue.time("updated_at")}
}

// actor reads an optional account; null is a deleted one.
func (o object) actor(key string) *Actor {
	a, ok := o.maybe(key)
	if !ok {
		return nil
	}
	return &Actor{ID: a.id("id"), Login: a.login("login"), Type: a.maybeText("type")}
}

func (o object) maybeRepository() Repository {
	repo, ok := o.maybe("repository")
	if !ok {
		return Repository{}
	}
	return repo.repository()
}

func (o object) repository() Repository {
	owner := o.child("owner")
	repo := Repository{
		ID:            o.id("id"),
		Owner:         owner.repoName("login"),
		OwnerID:       owner.id("id"),
		Name:          o.repoName("name"),
		DefaultBranch: o.maybeText("default_branch"),
	}
	private, told := o.maybeBool("private")
	repo.Private = private
	repo.Visibility = visibility(o.maybeText("visibility"), private, told)
	return repo
}

// visibility settles the two fields that say who sees a repository.
func visibility(word string, private, told bool) string {
	switch {
	case word == "" && told && private:
		return "private"
	case word == "" && told:
		return "public"
	case word == "":
		return ""
	case word != "private" && word != "internal", told && !private:
		return "public"
	}
	return word
}

func (o object) pull(repoID int64) *Pull {
	p := &Pull{
		Number: o.number("number"),
		Title:  o.text("title"),
		Body:   o.maybeText("body"),
		State:  o.word("state"),
		Author: o.actor("user"),
		Labels: o.labels(),
	}
	p.Draft, _ = o.maybeBool("draft")
	p.Merged, _ = o.maybeBool("merged")
	base := o.child("base")
	p.Base = Ref{Name: base.word("ref"), SHA: base.commit("sha"), RepoID: base.child("repo").id("id")}
	if p.Base.RepoID != repoID {
		o.r.fail(base.at("repo.id"), "is not repository.id")
	}
	head := o.child("head")
	p.Head = Ref{Name: head.word("ref"), SHA: head.commit("sha"), RepoID: head.repoID("repo")}
	return p
}

// repoID reads the id of a repository that may be null or without one.
func (o object) repoID(key string) int64 {
	repo, ok := o.maybe(key)
	if !ok {
		return 0
	}
	return repo.maybeID("id")
}

func (o object) issue() *Issue {
	_, isPull := o.maybe("pull_request")
	return &Issue{
		Number: o.number("number"),
		Title:  o.text("title"),
		State:  o.word("state"),
		IsPull: isPull,
		Author: o.actor("user"),
		Labels: o.labels(),
	}
}

func (o object) comment() *Comment {
	_, viaApp := o.maybe("performed_via_github_app")
	return &Comment{
		ID:        o.id("id"),
		Body:      o.text("body"),
		URL:       o.maybeText("html_url"),
		Author:    o.actor("user"),
		CreatedAt: o.time("created_at"),
		UpdatedAt: o.time("updated_at"),
		ViaApp:    viaApp,
	}
}

func (o object) labels() []string {
	var names []string
	for i, raw := range o.list("labels") {
		names = append(names, o.r.object(raw, fmt.Sprintf("%s[%d]", o.at("labels"), i)).word("name"))
	}
	return names
}

// label is the label that was put on or taken off. It is absent for other
// actions and where the label itself was deleted.
func (o object) label() string {
	label, ok := o.maybe("label")
	if !ok {
		return ""
	}
	return label.word("name")
}

func (o object) run() *Run {
	run := o.child("workflow_run")
	path := run.maybeText("path")
	if workflow, ok := o.maybe("workflow"); ok && path == "" {
		path = workflow.maybeText("path")
	}
	return &Run{
		ID:         run.id("id"),
		Attempt:    int(run.maybeID("run_attempt")),
		Event:      run.word("event"),
		Path:       path,
		Conclusion: run.maybeText("conclusion"),
		HeadBranch: run.maybeText("head_branch"),
		HeadSHA:    run.commit("head_sha"),
		HeadRepoID: run.repoID("head_repository"),
		Actor:      run.actor("actor"),
		Triggering: run.actor("triggering_actor"),
	}
}

// inputs reads what somebody typed into the form of a workflow_dispatch.
// Booleans and numbers become the text they were written as, null becomes "".
func (o object) inputs() map[string]string {
	in, ok := o.maybe("inputs")
	if !ok {
		return nil
	}
	out := make(map[string]string, len(in.fields))
	for _, key := range slices.Sorted(maps.Keys(in.fields)) {
		raw, ok := in.optional(key)
		switch {
		case !ok:
			out[key] = ""
		case typeOf(raw) == "a string":
			out[key] = in.decodeText(key, raw)
		default:
			out[key] = string(raw)
		}
	}
	return out
}
