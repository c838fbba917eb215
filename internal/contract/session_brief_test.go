package contract

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCloneURLsWithCredentialsAreRefusedInBothDirections(t *testing.T) {
	password := "x" + strings.Repeat("9", 11)
	for name, c := range map[string]struct {
		url string
		ok  bool
	}{
		"https":                          {"https://github.com/octocat/hello.git", true},
		"http of a server with a port":   {"http://ghe.example:8080/octocat/hello", true},
		"a local folder":                 {"file:///srv/git/hello.git", true},
		"an at sign, escaped":            {"file:///srv/git/%40hello", true},
		"user and password":              {"https://u:" + password + "@github.com/octocat/hello.git", false},
		"a token alone":                  {"https://" + password + "@github.com/octocat/hello.git", false},
		"an empty user":                  {"https://@github.com/octocat/hello.git", false},
		"a user behind a backslash":      {`https://github.com\` + password + "@evil.example/x", false},
		"an at sign in the path":         {"https://github.com/@octocat/hello.git", false},
		"a token in the query":           {"https://github.com/octocat/hello.git?access_token=" + password, false},
		"a token in the fragment":        {"https://github.com/octocat/hello.git#" + password, false},
		"ssh":                            {"git@github.com:octocat/hello.git", false},
		"ssh with a scheme":              {"ssh://github.com/octocat/hello.git", false},
		"a remote helper":                {"ext::sh -c id", false},
		"an option":                      {"--upload-pack=id", false},
		"another scheme":                 {"javascript://x", false},
		"capitals":                       {"HTTPS://github.com/x", false},
		"a space":                        {"https://github.com/octo cat", false},
		"a newline":                      {"https://github.com/octocat\n", false},
		"letters outside ASCII":          {"https://gıthub.com/octocat", false},
		"a scheme alone":                 {"https://", false},
		"nothing":                        {"", false},
		"a file URL with another host":   {"file://server/share", false},
		"a NUL":                          {"https://github.com/\x00", false},
		"user and password, in a folder": {"file:///u:" + password + "@host/x", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := reviewBrief(nil)
			b.Repo.CloneURL = c.url
			for shape, schema := range map[PolicyShape]SchemaName{ShapeNested: SessionBriefSchema, ShapeFlat: SessionBriefFlatSchema} {
				_, err := EncodeBrief(b, shape)
				if (err == nil) != c.ok {
					t.Errorf("%s: written is %v, want %v: %v", shape, err == nil, c.ok, err)
				}
				if err != nil && strings.Contains(err.Error(), password) {
					t.Errorf("the error repeats the password: %v", err)
				}
				agree(t, schema, must(encode(b, "")), c.ok)
			}
		})
	}
	b := reviewBrief(nil)
	b.Repo.CloneURL = "https://u@github.com/octocat/hello.git"
	_, err := EncodeBrief(b, ShapeNested)
	const want = "brief not written: $.repo.clone_url: bad_form: it must be an http, https or file URL in ASCII, without user, password, query and fragment"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestRulesBetweenTheFieldsOfAPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*MemoryPolicy)
		nested, flat string // the refusals, "" where it is accepted
	}{
		"as it is":                 {func(*MemoryPolicy) {}, "", ""},
		"without a branch":         {func(p *MemoryPolicy) { p.BranchScope = nil }, "", ""},
		"without a horizon":        {func(p *MemoryPolicy) { p.Retention.MaxAgeDays = 0 }, "", ""},
		"external without writing": {func(p *MemoryPolicy) { p.TrustScope, p.WriteScopes = TrustExternal, nil }, "", ""},
		"on without a tenant": {func(p *MemoryPolicy) { p.TenantScope = nil },
			`$.memory_policy.tenant_scope: contradiction: memory that is on needs a tenant scope`,
			`$.memory_policy.installation_id: contradiction: memory that is on needs an installation`},
		"on without a repository": {func(p *MemoryPolicy) { p.RepoScope = nil },
			`$.memory_policy.repo_scope: contradiction: memory that is on needs a repository scope`,
			`$.memory_policy.repo: bad_form: memory that is on needs a repository, as owner/name`},
		"a repository without an owner": {func(p *MemoryPolicy) { p.RepoScope.Owner = "" },
			`$.memory_policy.repo_scope.owner: bad_form: it must be neither empty nor contain a slash`,
			`$.memory_policy.repo: bad_form: memory that is on needs a repository, as owner/name`},
		"a repository name with a slash": {func(p *MemoryPolicy) { p.RepoScope.Name = "a/b" },
			`$.memory_policy.repo_scope.name: bad_form: it must be neither empty nor contain a slash`,
			`$.memory_policy.repo: bad_form: memory that is on needs a repository, as owner/name`},
		"no installation": {func(p *MemoryPolicy) { p.TenantScope.InstallationID = 0 },
			`$.memory_policy.tenant_scope.installation_id: out_of_range: the least is 1`,
			`$.memory_policy.installation_id: contradiction: memory that is on needs an installation`},
		"a negative installation": {func(p *MemoryPolicy) { p.TenantScope.InstallationID = -7 },
			`$.memory_policy.tenant_scope.installation_id: out_of_range: the least is 1`,
			`$.memory_policy.installation_id: out_of_range: the least is 0`},
		"a fork that may write": {func(p *MemoryPolicy) { p.TrustScope = TrustForkPR },
			`$.memory_policy.write_scopes: contradiction: trust "fork_pr" never grants writing`,
			`$.memory_policy.write_scopes: contradiction: trust "fork_pr" never grants writing`},
		"a stranger who may write": {func(p *MemoryPolicy) { p.TrustScope = TrustExternal },
			`$.memory_policy.write_scopes: contradiction: trust "external" never grants writing`,
			`$.memory_policy.write_scopes: contradiction: trust "external" never grants writing`},
		"off, but reading": {func(p *MemoryPolicy) { p.Enabled = false },
			`$.memory_policy.read_scopes: contradiction: memory that is off grants no reading`,
			`$.memory_policy.read_scopes: contradiction: memory that is off grants no reading`},
		"off, but writing": {func(p *MemoryPolicy) { p.Enabled, p.ReadScopes = false, nil },
			`$.memory_policy.write_scopes: contradiction: memory that is off grants no writing`,
			`$.memory_policy.write_scopes: contradiction: memory that is off grants no writing`},
		"no trust": {func(p *MemoryPolicy) { p.TrustScope = "" },
			`$.memory_policy.trust_scope: not_in_set: the word is not one of the allowed ones`,
			`$.memory_policy.trust_scope: not_in_set: the word is not one of the allowed ones`},
		"a scope nobody knows": {func(p *MemoryPolicy) { p.ReadScopes = []MemoryScope{ScopeRepo, "galaxy"} },
			`$.memory_policy.read_scopes[1]: not_in_set: the word is not one of the allowed ones`,
			`$.memory_policy.read_scopes[1]: not_in_set: the word is not one of the allowed ones`},
		"a horizon beyond a century": {func(p *MemoryPolicy) { p.Retention.MaxAgeDays = 36501 },
			`$.memory_policy.retention.max_age_days: out_of_range: the most is 36500`,
			`$.memory_policy.retention_days: out_of_range: the most is 36500`},
		"a negative horizon": {func(p *MemoryPolicy) { p.Retention.MaxAgeDays = -1 },
			`$.memory_policy.retention.max_age_days: out_of_range: the least is 0`,
			`$.memory_policy.retention_days: out_of_range: the least is 0`},
	} {
		t.Run(name, func(t *testing.T) {
			p := fullPolicy()
			c.change(p)
			b := reviewBrief(p)
			for _, s := range []struct {
				shape  PolicyShape
				schema SchemaName
				wire   any
				want   string
			}{
				{ShapeNested, SessionBriefSchema, canonicalBrief(b), c.nested},
				{ShapeFlat, SessionBriefFlatSchema, flattenBrief(b), c.flat},
			} {
				agree(t, s.schema, must(encode(s.wire, "")), s.want == "")
				data, err := EncodeBrief(b, s.shape)
				if got := errorText(err); got != s.want {
					t.Errorf("%s: got  %s\nwant %s", s.shape, got, s.want)
				}
				if (data == nil) != (s.want != "") {
					t.Errorf("%s: bytes and error: %s, %v", s.shape, data, err)
				}
			}
		})
	}
}

// errorText is the text of the *DecodeError inside err.
func errorText(err error) string {
	var refused *DecodeError
	if errors.As(err, &refused) {
		return refused.Error()
	}
	if err != nil {
		return "no DecodeError: " + err.Error()
	}
	return ""
}

func TestTheZeroPolicyIsOffAndGrantsNothing(t *testing.T) {
	flat := Flatten(MemoryPolicy{})
	want := FlatPolicy{ReadScopes: []MemoryScope{}, WriteScopes: []MemoryScope{}}
	if !reflect.DeepEqual(flat, want) {
		t.Errorf("got %+v, want %+v", flat, want)
	}
}

func TestFlattenKeepsWhatAFlatPolicyHasRoomFor(t *testing.T) {
	got := Flatten(*fullPolicy())
	want := FlatPolicy{
		Enabled: true, InstallationID: 42, Repo: "octo-org/billing", TrustScope: TrustMaintainer,
		ReadScopes: []MemoryScope{ScopeRepo, ScopeTenantShared}, WriteScopes: []MemoryScope{ScopeRepo},
		ApprovalRequired: true, RetentionDays: ptr(365), Denied: []string{"repo/octo-org/billing/lessons/old-tax-table"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestATriggerGoesWithOneKindOfTask(t *testing.T) {
	for trigger, kind := range pairs {
		for _, other := range taskKinds {
			b := reviewBrief(nil)
			b.Trigger, b.Task = trigger, Task{Kind: other}
			data, err := EncodeBrief(b, ShapeNested)
			if other == kind {
				if err != nil {
					t.Errorf("%s with %s: %v", trigger, other, err)
					continue
				}
				agree(t, SessionBriefSchema, data, true)
				continue
			}
			want := `$.task.kind: contradiction: trigger "` + string(trigger) + `" goes with task "` + string(kind) + `"`
			if got := errorText(err); got != want {
				t.Errorf("%s with %s: got %s, want %s", trigger, other, got, want)
			}
			agree(t, SessionBriefSchema, must(encode(canonicalBrief(b), "")), false)
		}
	}
}

func TestATaskWritesTheFieldsOfItsKindOnly(t *testing.T) {
	all := Task{IssueNumber: 1, IssueTitle: "<t>", IssueBody: "b", PRNumber: 2, CommentBody: "c", DiffHunk: ptr("h")}
	for kind, want := range map[TaskKind]string{
		TaskFixIssue:             `{"kind":"fix_issue","issue_number":1,"issue_title":"<t>","issue_body":"b"}`,
		TaskAddressReviewComment: `{"kind":"address_review_comment","pr_number":2,"comment_body":"c","diff_hunk":"h"}`,
		TaskRespondToMention:     `{"kind":"respond_to_mention","issue_number":1,"comment_body":"c"}`,
	} {
		all.Kind = kind
		got, err := all.MarshalJSON()
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	_, err := Task{}.MarshalJSON()
	if want := "a task needs one of the kinds [fix_issue address_review_comment respond_to_mention]"; err == nil || err.Error() != want {
		t.Errorf("a task without a kind: got %v, want %s", err, want)
	}
}

func TestATaskRefusesTheFieldsOfAnotherKind(t *testing.T) {
	const open = `{"contract_version":"2","trigger":"issue_mention","task":`
	for name, c := range map[string]struct{ task, want string }{
		"a title in a mention":    {`{"kind":"respond_to_mention","issue_number":1,"comment_body":"c","issue_title":"t"}`, `$.task: unknown_field: the key at line 1, column 123 is not one of: kind, issue_number, comment_body`},
		"the kind at the end":     {`{"issue_number":1,"comment_body":"c","pr_number":1,"kind":"respond_to_mention"}`, `$.task: unknown_field: the key at line 1, column 95 is not one of: kind, issue_number, comment_body`},
		"no kind":                 {`{"issue_number":1}`, `$.task.kind: missing_field: a string is required that says which fields belong here`},
		"a kind that is a number": {`{"kind":1}`, `$.task.kind: missing_field: a string is required that says which fields belong here`},
		"two kinds":               {`{"kind":"fix_issue","kind":"respond_to_mention"}`, `$.task: duplicate_key: the key at line 1, column 78 is there already`},
		"a kind in capitals":      {`{"Kind":"fix_issue","kind":"fix_issue"}`, `$.task: case_variant: the key at line 1, column 59 differs from "kind" only in case`},
		"another kind":            {`{"kind":"deploy"}`, `$.task.kind: not_in_set: the word is not one of the allowed ones`},
		"a lone surrogate":        {`{"kind":"\udead"}`, `$.task: lone_surrogate: half a character before line 1, column 73`},
		"no object":               {`"fix_issue"`, `$.task: wrong_type: the value must be an object`},
		"null":                    {`null`, `$.task: null: null is not allowed here, it must be an object`},
		"a missing number":        {`{"kind":"respond_to_mention","comment_body":"c"}`, `$.task.issue_number: missing_field: the field is required`},
		"a negative number":       {`{"kind":"respond_to_mention","comment_body":"c","issue_number":-1}`, `$.task.issue_number: out_of_range: the least is 0`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeBrief([]byte(open + c.task + `}`))
			if got := errorText(err); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestABriefNeedsAKnownShape(t *testing.T) {
	for _, shape := range []PolicyShape{"", "Nested", "round"} {
		data, err := EncodeBrief(reviewBrief(nil), shape)
		if want := "brief not written: the policy shape must be one of [nested flat]"; err == nil || err.Error() != want || data != nil {
			t.Errorf("%q: got %s, %v", shape, data, err)
		}
	}
}

func TestEachDecoderRefusesTheOtherShape(t *testing.T) {
	b := reviewBrief(fullPolicy())
	_, err := DecodeBrief(must(EncodeBrief(b, ShapeFlat)))
	wantReason(t, err, UnknownField)
	_, err = DecodeFlatBrief(must(EncodeBrief(b, ShapeNested)))
	wantReason(t, err, UnknownField)
}

func TestEncodingLeavesTheCallersBriefAlone(t *testing.T) {
	p := fullPolicy()
	p.ReadScopes, p.WriteScopes, p.Denied = nil, nil, []string{}
	context := &ReviewContext{Kind: ContextPullRequest}
	b := reviewBrief(p)
	b.ReviewContext = context
	b.Familiar.Skills = nil
	data, err := EncodeBrief(b, ShapeNested)
	if err != nil {
		t.Fatal(err)
	}
	if p.ReadScopes != nil || p.Denied == nil || context.Files != nil || b.Familiar.Skills != nil {
		t.Errorf("the caller's value changed: %+v %+v", p, context)
	}
	for _, want := range []string{`"read_scopes": []`, `"write_scopes": []`, `"files": []`, `"skills": []`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "denied") {
		t.Errorf("an empty denied is written:\n%s", data)
	}
}

func TestABriefWithoutWhatIsOptionalIsRead(t *testing.T) {
	for _, extra := range []string{``, `,"review_context":null,"audit_instruction":null,"memory_policy":null`} {
		data := `{"contract_version":"2","trigger":"issue_mention","repo":{"owner":"o","name":"n","clone_url":"https://x/y","default_branch":"main"},
			"task":{"kind":"respond_to_mention","issue_number":1,"comment_body":"c"},
			"familiar":{"id":"f","display_name":"F","skills":[]},"workspace":{"root":"/w"}` + extra + `}`
		got, err := DecodeBrief([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if got.MemoryPolicy != nil || got.ReviewContext != nil || got.AuditInstruction != nil || got.Familiar.Model != nil {
			t.Errorf("something came from nothing: %+v", got)
		}
		if want := (Task{Kind: TaskRespondToMention, IssueNumber: 1, CommentBody: "c"}); got.Task != want {
			t.Errorf("got task %+v, want %+v", got.Task, want)
		}
	}
}

func TestGeneratedBriefsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := canonicalBrief(briefs.Draw(t, "brief"))
		data, err := EncodeBrief(want, ShapeNested)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeBrief(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		flat, err := DecodeFlatBrief(must(EncodeBrief(want, ShapeFlat)))
		if err != nil || !reflect.DeepEqual(flat, flattenBrief(want)) {
			t.Fatalf("flat: got %+v, %v\nwant %+v", flat, err, flattenBrief(want))
		}
	})
}
