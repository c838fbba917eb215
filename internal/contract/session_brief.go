package contract

import (
	"fmt"
	"regexp"
)

// This file is the one door for session briefs, in both directions.

// DecodeBrief decodes a session brief of contract version 2 with a nested
// memory policy (pages 3.3 and 7.1), as strictly as DecodeResult decodes a
// result. Every error is a *DecodeError, and the Brief is then empty.
func DecodeBrief(data []byte) (Brief, error) {
	var b Brief
	if err := StrictJSON(data, &b, WireLimits()); err != nil {
		return Brief{}, err
	}
	err := checkBrief(b.Trigger, b.Task, b.Repo)
	if err == nil && b.MemoryPolicy != nil {
		err = checkPolicy(*b.MemoryPolicy)
	}
	if err != nil {
		return Brief{}, err
	}
	return canonicalBrief(b), nil
}

// DecodeFlatBrief decodes a session brief whose memory policy is flat.
func DecodeFlatBrief(data []byte) (FlatBrief, error) {
	var b FlatBrief
	if err := StrictJSON(data, &b, WireLimits()); err != nil {
		return FlatBrief{}, err
	}
	err := checkBrief(b.Trigger, b.Task, b.Repo)
	if err == nil && b.MemoryPolicy != nil {
		err = checkFlatPolicy(*b.MemoryPolicy)
	}
	if err != nil {
		return FlatBrief{}, err
	}
	b.Familiar.Skills = filled(b.Familiar.Skills)
	if b.MemoryPolicy != nil {
		b.MemoryPolicy.Denied = dropped(b.MemoryPolicy.Denied)
	}
	return b, nil
}

// EncodeBrief writes a brief with its memory policy in the given shape:
// fields in order, two spaces of indent, a final newline, arrays never null,
// an empty `denied` left out. It writes nothing that the decoder of that
// shape would refuse, so no clone URL with credentials; live tokens in free
// text are found by redact before a brief gets here. Bytes that are not UTF-8
// are written as U+FFFD.
func EncodeBrief(b Brief, shape PolicyShape) ([]byte, error) {
	if !shape.Known() {
		return nil, fmt.Errorf("brief not written: the policy shape must be one of %v", policyShapes)
	}
	var wire any = canonicalBrief(b)
	check := func(data []byte) error { _, err := DecodeBrief(data); return err }
	if shape == ShapeFlat {
		wire = flattenBrief(canonicalBrief(b))
		check = func(data []byte) error { _, err := DecodeFlatBrief(data); return err }
	}
	data, err := encode(wire, "  ")
	if err == nil {
		err = check(data)
	}
	if err != nil {
		return nil, fmt.Errorf("brief not written: %w", err)
	}
	return data, nil
}

// cloneURL is an http, https or file URL in printable ASCII without user
// information, query and fragment, which are where credentials travel.
var cloneURL = regexp.MustCompile(`^(https?://|file:///)[!-"$->A-\[\]-~]+$`)

// pairs says which task a trigger asks for.
var pairs = map[BriefTrigger]TaskKind{
	TriggerIssueAssigned:   TaskFixIssue,
	TriggerPRReviewComment: TaskAddressReviewComment,
	TriggerIssueMention:    TaskRespondToMention,
}

// checkBrief holds the rules between the fields of a brief of either shape.
func checkBrief(trigger BriefTrigger, task Task, repo BriefRepo) *DecodeError {
	if !cloneURL.MatchString(repo.CloneURL) {
		return refuse("$.repo.clone_url", BadForm,
			"it must be an http, https or file URL in ASCII, without user, password, query and fragment")
	}
	if pairs[trigger] != task.Kind {
		return refuse("$.task.kind", Contradiction, fmt.Sprintf("trigger %q goes with task %q", trigger, pairs[trigger]))
	}
	return nil
}

// checkPolicy holds the rules between the fields of a nested policy: memory
// that is on has both scopes, memory that is off grants nothing, and those
// who are never trusted to write are granted no write (page 3.2).
func checkPolicy(p MemoryPolicy) *DecodeError {
	const at = "$.memory_policy"
	switch {
	case p.Enabled && p.TenantScope == nil:
		return refuse(at+".tenant_scope", Contradiction, "memory that is on needs a tenant scope")
	case p.Enabled && p.RepoScope == nil:
		return refuse(at+".repo_scope", Contradiction, "memory that is on needs a repository scope")
	case p.RepoScope != nil && !namePart.MatchString(p.RepoScope.Owner):
		return refuse(at+".repo_scope.owner", BadForm, "it must be neither empty nor contain a slash")
	case p.RepoScope != nil && !namePart.MatchString(p.RepoScope.Name):
		return refuse(at+".repo_scope.name", BadForm, "it must be neither empty nor contain a slash")
	}
	return checkGrants(p.Enabled, p.TrustScope, p.ReadScopes, p.WriteScopes)
}

var (
	namePart     = regexp.MustCompile(`^[^/]+$`)
	ownerAndName = regexp.MustCompile(`^[^/]+/[^/]+$`)
)

// checkFlatPolicy holds the same rules for the flat shape.
func checkFlatPolicy(p FlatPolicy) *DecodeError {
	const at = "$.memory_policy"
	switch {
	case p.Enabled && p.InstallationID < 1:
		return refuse(at+".installation_id", Contradiction, "memory that is on needs an installation")
	case p.Enabled && !ownerAndName.MatchString(p.Repo):
		return refuse(at+".repo", BadForm, "memory that is on needs a repository, as owner/name")
	}
	return checkGrants(p.Enabled, p.TrustScope, p.ReadScopes, p.WriteScopes)
}

func checkGrants(enabled bool, trust TrustScope, read, write []MemoryScope) *DecodeError {
	const at = "$.memory_policy"
	switch {
	case !enabled && len(read) > 0:
		return refuse(at+".read_scopes", Contradiction, "memory that is off grants no reading")
	case !enabled && len(write) > 0:
		return refuse(at+".write_scopes", Contradiction, "memory that is off grants no writing")
	case (trust == TrustForkPR || trust == TrustExternal) && len(write) > 0:
		return refuse(at+".write_scopes", Contradiction, fmt.Sprintf("trust %q never grants writing", trust))
	}
	return nil
}

// canonicalBrief makes equal briefs equal in memory too, without touching
// what the caller's pointers point to.
func canonicalBrief(b Brief) Brief {
	b.Familiar.Skills = filled(b.Familiar.Skills)
	if b.ReviewContext != nil {
		context := *b.ReviewContext
		context.Files = filled(context.Files)
		b.ReviewContext = &context
	}
	if b.MemoryPolicy != nil {
		policy := *b.MemoryPolicy
		policy.ReadScopes, policy.WriteScopes = filled(policy.ReadScopes), filled(policy.WriteScopes)
		policy.Denied = dropped(policy.Denied)
		b.MemoryPolicy = &policy
	}
	return b
}
