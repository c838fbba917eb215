package event

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// edit returns a payload with one change of its text, which must apply once
// or more.
func edit(t *testing.T, file, from, to string) (string, []byte) {
	t.Helper()
	name, payload := payloadOf(t, file)
	if !strings.Contains(string(payload), from) {
		t.Fatalf("%s has no %q", file, from)
	}
	return name, []byte(strings.Replace(string(payload), from, to, 1))
}

// at returns a payload with the value at path replaced; without a value the
// key is taken out.
func at(t *testing.T, file, path string, value ...any) (string, []byte) {
	t.Helper()
	name, payload := payloadOf(t, file)
	var root map[string]any
	dec := json.NewDecoder(strings.NewReader(string(payload)))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		t.Fatal(err)
	}
	keys := strings.Split(path, ".")
	node := root
	for _, k := range keys[:len(keys)-1] {
		node = node[k].(map[string]any)
	}
	last := keys[len(keys)-1]
	if _, ok := node[last]; !ok {
		t.Fatalf("%s has no %s", file, path)
	}
	if len(value) == 0 {
		delete(node, last)
	} else {
		node[last] = value[0]
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return name, out
}

func wantDecodeError(t *testing.T, name string, payload []byte, field, reason string) {
	t.Helper()
	got, err := Decode(name, payload)
	var broken *DecodeError
	if !errors.As(err, &broken) {
		t.Fatalf("want a *DecodeError about %s, got trigger %+v and error %v", field, got, err)
	}
	if broken.Event != name || broken.Field != field || broken.Reason != reason {
		t.Errorf("got event %q, field %q, reason %q\nwant event %q, field %q, reason %q",
			broken.Event, broken.Field, broken.Reason, name, field, reason)
	}
	if got.Kind != Unknown || got.Pull != nil || got.Comment != nil {
		t.Errorf("a broken payload left a trigger behind: %+v", got)
	}
}

func TestAMissingOrNullFieldIsNamed(t *testing.T) {
	for _, c := range []struct{ file, path string }{
		{"pull_request.opened", "action"},
		{"pull_request.opened", "repository"},
		{"pull_request.opened", "repository.id"},
		{"pull_request.opened", "repository.name"},
		{"pull_request.opened", "repository.owner"},
		{"pull_request.opened", "repository.owner.id"},
		{"pull_request.opened", "repository.owner.login"},
		{"pull_request.opened", "sender.id"},
		{"pull_request.opened", "sender.login"},
		{"pull_request.opened", "installation.id"},
		{"pull_request.opened", "pull_request"},
		{"pull_request.opened", "pull_request.number"},
		{"pull_request.opened", "pull_request.title"},
		{"pull_request.opened", "pull_request.state"},
		{"pull_request.opened", "pull_request.base"},
		{"pull_request.opened", "pull_request.base.ref"},
		{"pull_request.opened", "pull_request.base.sha"},
		{"pull_request.opened", "pull_request.base.repo"},
		{"pull_request.opened", "pull_request.base.repo.id"},
		{"pull_request.opened", "pull_request.head"},
		{"pull_request.opened", "pull_request.head.ref"},
		{"pull_request_target.opened.fork", "pull_request.head.sha"},
		{"pull_request.labeled", "label.name"},
		{"issues.opened", "issue"},
		{"issues.opened", "issue.number"},
		{"issues.labeled", "label.name"},
		{"issue_comment.created.pull", "action"},
		{"issue_comment.created.pull", "issue"},
		{"issue_comment.created.pull", "comment"},
		{"issue_comment.created.pull", "comment.id"},
		{"issue_comment.created.pull", "comment.body"},
		{"issue_comment.created.pull", "comment.created_at"},
		{"issue_comment.created.pull", "comment.updated_at"},
		{"workflow_run.completed", "workflow_run"},
		{"workflow_run.completed", "workflow_run.id"},
		{"workflow_run.completed", "workflow_run.event"},
		{"workflow_run.completed", "workflow_run.head_sha"},
		{"workflow_dispatch.inputs", "repository"},
		{"schedule", "schedule"},
	} {
		t.Run(c.file+" without "+c.path, func(t *testing.T) {
			name, payload := at(t, c.file, c.path)
			wantDecodeError(t, name, payload, c.path, "is missing")
			name, payload = at(t, c.file, c.path, nil)
			wantDecodeError(t, name, payload, c.path, "is null")
		})
	}
}

func TestAFieldThatMayBeAbsentMayAlsoBeNull(t *testing.T) {
	for _, c := range []struct{ file, path string }{
		{"pull_request.opened", "sender"},
		{"pull_request.opened", "sender.type"},
		{"pull_request.opened", "installation"},
		{"pull_request.opened", "repository.default_branch"},
		{"pull_request.opened", "repository.visibility"},
		{"pull_request.opened", "repository.private"},
		{"pull_request.opened", "pull_request.user"},
		{"pull_request.opened", "pull_request.body"},
		{"pull_request.opened", "pull_request.draft"},
		{"pull_request.opened", "pull_request.merged"},
		{"pull_request.opened", "pull_request.labels"},
		{"pull_request.opened", "pull_request.head.repo"},
		{"pull_request.opened", "pull_request.head.repo.id"},
		{"pull_request.labeled", "label"},
		{"issue_comment.created.pull", "comment.user"},
		{"issue_comment.created.pull", "comment.html_url"},
		{"issue_comment.created.pull", "issue.user"},
		{"issue_comment.created.pull", "issue.pull_request"},
		{"issue_comment.created.via-app", "comment.performed_via_github_app"},
		{"workflow_run.completed", "workflow"},
		{"workflow_run.completed", "workflow_run.path"},
		{"workflow_run.completed", "workflow_run.run_attempt"},
		{"workflow_run.completed", "workflow_run.conclusion"},
		{"workflow_run.completed", "workflow_run.head_branch"},
		{"workflow_run.completed", "workflow_run.head_repository"},
		{"workflow_run.completed", "workflow_run.actor"},
		{"workflow_run.completed", "workflow_run.triggering_actor"},
		{"workflow_dispatch.inputs", "inputs"},
		{"merge_group.checks_requested", "action"},
		{"merge_group.checks_requested", "repository"},
		{"schedule.with-repository", "repository"},
	} {
		t.Run(c.file+" without "+c.path, func(t *testing.T) {
			name, absent := at(t, c.file, c.path)
			_, null := at(t, c.file, c.path, nil)
			a, errA := Decode(name, absent)
			n, errN := Decode(name, null)
			if errA != nil || errN != nil {
				t.Fatalf("absent: %v; null: %v", errA, errN)
			}
			if string(asJSON(t, a)) != string(asJSON(t, n)) {
				t.Errorf("absent gives %s\nnull gives %s", asJSON(t, a), asJSON(t, n))
			}
			if string(asJSON(t, a)) == string(asJSON(t, golden[c.file])) && !hasNoEffect[c.path] {
				t.Errorf("%s is not read: the trigger is the same without it", c.path)
			}
		})
	}
}

// hasNoEffect are fields whose absence a fallback or an equal value makes up for.
var hasNoEffect = map[string]bool{
	"repository.visibility": true, "repository.private": true, "workflow": true, "workflow_run.path": true,
	"pull_request.draft": true, "pull_request.merged": true,
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAWrongValueIsNamedAndNeverRepeated(t *testing.T) {
	const secret = "s3cr3t-in-a-field"
	for _, c := range []struct {
		name, file, path string
		value            any
		field, reason    string
	}{
		{"an id as a string", "pull_request.opened", "repository.id", "186853002", "repository.id", "is a string where a whole number is expected"},
		{"an id as a fraction", "pull_request.opened", "sender.id", 1.5, "sender.id", "is a number with a fraction or an exponent where a whole number is expected"},
		{"an id as true", "pull_request.opened", "pull_request.head.repo.id", true, "pull_request.head.repo.id", "is true or false where a whole number is expected"},
		{"an id of zero", "pull_request.opened", "sender.id", 0, "sender.id", "is not between 1 and 9223372036854775807"},
		{"a negative id", "pull_request.opened", "installation.id", -1, "installation.id", "is not between 1 and 9223372036854775807"},
		{"an id above 2^63", "pull_request.opened", "sender.id", json.Number("9223372036854775808"), "sender.id", "is not between 1 and 9223372036854775807"},
		{"a number above 2^31", "pull_request.opened", "pull_request.number", 1 << 31, "pull_request.number", "is not between 1 and 2147483647"},
		{"a base that is another repository", "pull_request.opened", "pull_request.base.repo.id", 77, "pull_request.base.repo.id", "is not repository.id"},
		{"a pull request that is a list", "pull_request.opened", "pull_request", []int{1}, "pull_request", "is a list where an object is expected"},
		{"a sender that is a string", "pull_request.opened", "sender", secret, "sender", "is a string where an object is expected"},
		{"a title that is a number", "pull_request.opened", "pull_request.title", 7, "pull_request.title", "is a number where a string is expected"},
		{"a body that is an object", "pull_request.opened", "pull_request.body", map[string]any{"a": secret}, "pull_request.body", "is an object where a string is expected"},
		{"a draft flag that is a string", "pull_request.opened", "pull_request.draft", "false", "pull_request.draft", "is a string where true or false is expected"},
		{"labels that are a string", "pull_request.opened", "pull_request.labels", secret, "pull_request.labels", "is a string where a list is expected"},
		{"a label that is a string", "pull_request.opened", "pull_request.labels", []any{map[string]any{"name": "ok"}, secret}, "pull_request.labels[1]", "is a string where an object is expected"},
		{"a label without a name", "issues.opened", "issue.labels", []any{map[string]any{"id": 1}}, "issue.labels[0].name", "is missing"},
		{"an empty action", "issues.opened", "action", "", "action", "is empty"},
		{"a commit that is a branch", "pull_request.opened", "pull_request.head.sha", "--upload-pack=" + secret, "pull_request.head.sha", "is not a commit id of 40 or 64 hexadecimal digits"},
		{"a commit in upper case", "workflow_run.completed", "workflow_run.head_sha", strings.Repeat("A", 40), "workflow_run.head_sha", "is not a commit id of 40 or 64 hexadecimal digits"},
		{"a repository name with a slash", "pull_request.opened", "repository.name", "../" + secret, "repository.name", "has not the form of a GitHub name"},
		{"a repository named by two dots", "pull_request.opened", "repository.name", "..", "repository.name", "has not the form of a GitHub name"},
		{"an owner that is too long", "pull_request.opened", "repository.owner.login", strings.Repeat("a", 101), "repository.owner.login", "has not the form of a GitHub name"},
		{"a login with a slash", "issue_comment.created.pull", "comment.user.login", "octocat/" + secret, "comment.user.login", "has not the form of a GitHub login"},
		{"a login that is only a bot's end", "issue_comment.created.pull", "comment.user.login", "[bot]", "comment.user.login", "has not the form of a GitHub login"},
		{"a login with a bot's end in its middle", "issue_comment.created.pull", "comment.user.login", "x[bot]y", "comment.user.login", "has not the form of a GitHub login"},
		{"a login of dots", "issue_comment.created.pull", "comment.user.login", "..", "comment.user.login", "has not the form of a GitHub login"},
		{"a time in words", "issue_comment.created.pull", "comment.created_at", "yesterday " + secret, "comment.created_at", "is not a timestamp such as 2006-01-02T15:04:05Z"},
		{"inputs that are a list", "workflow_dispatch.inputs", "inputs", []string{secret}, "inputs", "is a list where an object is expected"},
		{"a broken repository in a merge group", "merge_group.checks_requested", "repository", 5, "repository", "is a number where an object is expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, payload := at(t, c.file, c.path, c.value)
			wantDecodeError(t, name, payload, c.field, c.reason)
			_, err := Decode(name, payload)
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the message repeats the payload: %v", err)
			}
		})
	}
}

func TestTheMessageNamesEventFieldReasonAndNextStep(t *testing.T) {
	name, payload := at(t, "pull_request.opened", "pull_request.base.sha")
	_, err := Decode(name, payload)
	want := "pull_request event: pull_request.base.sha is missing; GitHub sends no such payload for this event: " +
		"check what wrote the event file, then run the job again"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestAPayloadThatIsNotOneJSONObjectIsRefused(t *testing.T) {
	name, good := payloadOf(t, "pull_request.opened")
	for _, c := range []struct{ name, payload, reason string }{
		{"nothing", "", "is empty"},
		{"white space", " \n", "is not one JSON value"},
		{"half of it", string(good[:len(good)/2]), "is not one JSON value"},
		{"two values", string(good) + "{}", "is not one JSON value"},
		{"a byte order mark", "\ufeff" + string(good), "is not one JSON value"},
		{"another encoding", "{\"action\":\"\xff\"}", "is not UTF-8"},
		{"null", "null", "is null where an object is expected"},
		{"a list", "[]", "is a list where an object is expected"},
		{"endless nesting", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "is not one JSON value"},
		{"more than GitHub sends", "{" + strings.Repeat(" ", MaxPayload) + "}", "has 26214402 bytes, more than the 26214400 that GitHub allows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantDecodeError(t, name, []byte(c.payload), "payload", c.reason)
		})
	}
}

func TestAnObjectOrListBeyondItsBoundIsRefused(t *testing.T) {
	many := make(map[string]any, maxMembers+1)
	for i := range maxMembers + 1 {
		many[strings.Repeat("x", i%7)+string(rune('a'+i%26))+json.Number(string(asJSON(t, i))).String()] = 1
	}
	name, payload := at(t, "workflow_dispatch.inputs", "inputs", many)
	wantDecodeError(t, name, payload, "inputs", "has more than 10000 fields")
	name, payload = at(t, "issues.opened", "issue.labels", make([]int, maxMembers+1))
	wantDecodeError(t, name, payload, "issue.labels", "has more than 10000 items")
}

// Keys of encoding/json match in any case and the last of two equal ones
// wins; a payload must not be able to use either.
func TestKeysCountOnlyInTheirExactSpelling(t *testing.T) {
	for _, c := range []struct{ file, from, to string }{
		{"pull_request.opened.fork", `"sender": {`, `"Sender": {"login": "octocat", "id": 1, "type": "User"}, "sender": {`},
		{"pull_request.opened.fork", `"sender": {`, `"ſender": {"login": "octocat", "id": 1}, "sender": {`},
		{"pull_request.opened.fork", `"action": "opened",`, `"action": "opened", "ACTION": "closed",`},
		{"pull_request.opened.fork", `"head": {`, `"Head": null, "head": {`},
		{"pull_request.opened.fork", `"sha": "ec26`, `"SHA": "0000000000000000000000000000000000000000", "sha": "ec26`},
		{"issue_comment.created.pull", `"body": "@fam`, `"Body": "@familiar approve all", "body": "@fam`},
		{"issue_comment.created.issue", `"issue": {`, `"issue": {"Pull_Request": {}, `},
	} {
		t.Run(c.to, func(t *testing.T) {
			name, payload := edit(t, c.file, c.from, c.to)
			got, err := Decode(name, payload)
			if err != nil {
				t.Fatal(err)
			}
			if string(asJSON(t, got)) != string(asJSON(t, golden[c.file])) {
				t.Errorf("another spelling was read: %s", asJSON(t, got))
			}
		})
	}
	name, payload := edit(t, "pull_request.opened", `"sender": {`, `"Sender": {`)
	got, err := Decode(name, payload)
	if err != nil || got.Sender != nil {
		t.Errorf("a sender in another case alone: got %+v, %v", got.Sender, err)
	}
}

func TestAKeyThatIsReadAndThereTwiceIsRefused(t *testing.T) {
	for _, c := range []struct{ file, from, to, field string }{
		{"pull_request.opened.fork", `"action": "opened",`, `"action": "opened", "action": "closed",`, "action"},
		{"pull_request.opened.fork", `"sender": {`, `"sender": null, "sender": {`, "sender"},
		{"pull_request.opened.fork", `"sender": {`, `"\u0073ender": null, "sender": {`, "sender"},
		{"pull_request.opened.fork", `"head": {`, `"head": null, "head": {`, "pull_request.head"},
		{"pull_request.opened.fork", `"id": 512340077,`, `"id": 512340077, "id": 186853002,`, "pull_request.head.repo.id"},
		{"issue_comment.created.pull", `"body": "@fam`, `"body": "x", "body": "@fam`, "comment.body"},
		{"workflow_dispatch.inputs", `"full": true`, `"full": true, "full": false`, "inputs.full"},
	} {
		t.Run(c.to, func(t *testing.T) {
			name, payload := edit(t, c.file, c.from, c.to)
			wantDecodeError(t, name, payload, c.field, "is there twice")
		})
	}
	name, payload := edit(t, "pull_request.opened", `"action": "opened",`, `"action": "opened", "x": 1, "x": 2,`)
	if _, err := Decode(name, payload); err != nil {
		t.Errorf("a key that nobody reads may be there twice: %v", err)
	}
}

func TestVisibilityOpensTheLeastThatThePayloadSays(t *testing.T) {
	for _, c := range []struct {
		visibility, private any
		want                string
	}{
		{"public", false, "public"},
		{"private", true, "private"},
		{"internal", true, "internal"},
		{nil, true, "private"},
		{nil, false, "public"},
		{nil, nil, ""},
		{"private", nil, "private"},
		{"private", false, "public"},
		{"internal", false, "public"},
		{"public", true, "public"},
		{"secret", true, "public"},
		{"Private", true, "public"},
	} {
		name, payload := at(t, "pull_request.opened", "repository.visibility", c.visibility)
		var root map[string]any
		dec := json.NewDecoder(strings.NewReader(string(payload)))
		dec.UseNumber()
		if err := dec.Decode(&root); err != nil {
			t.Fatal(err)
		}
		root["repository"].(map[string]any)["private"] = c.private
		got, err := Decode(name, asJSON(t, root))
		if err != nil || got.Repository.Visibility != c.want {
			t.Errorf("visibility %v, private %v: got %q, %v; want %q", c.visibility, c.private, got.Repository.Visibility, err, c.want)
		}
	}
}

func TestAnUnknownEventIsNoErrorWhateverItsPayload(t *testing.T) {
	_, push := payloadOf(t, "push")
	for _, name := range []string{"push", "pull_request_review", "registry_package", "", "Pull_Request", "pull_request ", "local", "unknown", "\x00"} {
		for _, payload := range [][]byte{nil, {}, []byte("{"), []byte("\xff"), []byte("[1]"), push} {
			got, err := Decode(name, payload)
			if err != nil || got.Kind != Unknown || got.Name != name {
				t.Errorf("event %q with %d bytes: got %+v, %v", name, len(payload), got, err)
			}
		}
	}
}

func TestAnIrrelevantActionDecodesAllTheSame(t *testing.T) {
	for _, file := range []string{"pull_request.opened", "issues.opened", "issue_comment.created.pull", "workflow_run.completed"} {
		name, payload := at(t, file, "action", "invented_later")
		got, err := Decode(name, payload)
		if err != nil || got.Action != "invented_later" {
			t.Errorf("%s: got action %q, %v", file, got.Action, err)
		}
	}
}

func TestAnInputOfAnyTypeBecomesAString(t *testing.T) {
	name, payload := at(t, "workflow_dispatch.inputs", "inputs", json.RawMessage(
		`{"text":"a\nb","yes":true,"big":9007199254740993,"float":1e3,"list":[1,"x"],"none":null,"empty":""}`))
	got, err := Decode(name, payload)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"text": "a\nb", "yes": "true", "big": "9007199254740993", "float": "1e3", "list": `[1,"x"]`, "none": "", "empty": "",
	} {
		if v, ok := got.Inputs[key]; !ok || v != want {
			t.Errorf("input %s is %q (there: %v), want %q", key, v, ok, want)
		}
	}
}

func TestAForkRunListsNoPullRequestAndNamesItsHeadRepository(t *testing.T) {
	got := decodeFile(t, "workflow_run.completed.fork")
	if got.PullNumber() != 0 || got.Pull != nil {
		t.Errorf("a workflow_run names no pull request of its own, got %d", got.PullNumber())
	}
	if got.WorkflowRun.HeadRepoID != forkID || got.WorkflowRun.HeadRepoID == got.Repository.ID {
		t.Errorf("head repository id is %d", got.WorkflowRun.HeadRepoID)
	}
}

func TestTheRunPathFallsBackToTheWorkflowThatIsNamed(t *testing.T) {
	name, payload := at(t, "workflow_run.completed", "workflow.path", ".github/workflows/other.yml")
	got, err := Decode(name, payload)
	if err != nil || got.WorkflowRun.Path != ".github/workflows/test.yml" {
		t.Errorf("the run's own path must win: got %q, %v", got.WorkflowRun.Path, err)
	}
}

func TestPullNumberIsThatOfThePullRequestAndOfNothingElse(t *testing.T) {
	for file, want := range map[string]int{
		"pull_request.opened": 2, "pull_request_target.opened.fork": 2, "issue_comment.created.pull": 1,
		"issue_comment.created.issue": 0, "issues.opened": 0, "workflow_run.completed": 0,
		"workflow_dispatch.inputs": 0, "schedule": 0, "merge_group.checks_requested": 0, "push": 0,
	} {
		if got := decodeFile(t, file).PullNumber(); got != want {
			t.Errorf("%s: pull request %d, want %d", file, got, want)
		}
	}
}

func TestTheKindsAreAClosedSet(t *testing.T) {
	for _, k := range kinds {
		if got, ok := ParseKind(string(k)); !ok || got != k || !k.Known() {
			t.Errorf("ParseKind(%q) = %q, %v", k, got, ok)
		}
	}
	for _, s := range []string{"", "push", "PULL_REQUEST", " schedule", "pull-request"} {
		if got, ok := ParseKind(s); ok || got != Unknown || Kind(s).Known() {
			t.Errorf("ParseKind(%q) = %q, %v; want unknown and false", s, got, ok)
		}
	}
	if slices.Contains(kinds, Kind("")) {
		t.Error("the zero value is a member")
	}
}

func TestOnlyTheTypeMakesABot(t *testing.T) {
	for _, c := range []struct {
		actor *Actor
		want  bool
	}{
		{&Actor{Login: "dependabot[bot]", Type: "Bot"}, true},
		{&Actor{Login: "Copilot", Type: "Bot"}, true},
		{&Actor{Login: "evil[bot]", Type: "User"}, false},
		{&Actor{Login: "octo-org", Type: "Organization"}, false},
		{&Actor{Login: "octocat", Type: "bot"}, false},
		{&Actor{Login: "octocat"}, false},
		{nil, false},
	} {
		if got := c.actor.IsBot(); got != c.want {
			t.Errorf("%+v: bot %v, want %v", c.actor, got, c.want)
		}
	}
}
