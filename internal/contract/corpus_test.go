package contract

import (
	"pgregory.net/rapid"
)

// Generators of messages that obey the contract.

func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "src/app.go", "Zeile\n2", "\x00", "<b>&\u2028", "😀", `"\`}),
		rapid.StringN(0, 12, -1),
	)
}

func member[T any](set []T) *rapid.Generator[T] { return rapid.SampledFrom(set) }

func maybe[T any](g *rapid.Generator[T]) *rapid.Generator[*T] {
	return rapid.Custom(func(t *rapid.T) *T {
		if rapid.Bool().Draw(t, "absent") {
			return nil
		}
		v := g.Draw(t, "value")
		return &v
	})
}

func few[T any](g *rapid.Generator[T]) *rapid.Generator[[]T] {
	return rapid.SliceOfN(g, 0, 3)
}

var results = rapid.Custom(func(t *rapid.T) Result {
	r := Result{
		ContractVersion: Version,
		Status:          member(statuses).Draw(t, "status"),
		Branch:          maybe(text()).Draw(t, "branch"),
		Commits: few(rapid.Custom(func(t *rapid.T) Commit {
			return Commit{SHA: text().Draw(t, "sha"), Message: text().Draw(t, "message")}
		})).Draw(t, "commits"),
		FilesChanged: few(text()).Draw(t, "files_changed"),
		Summary:      text().Draw(t, "summary"),
		PRBody:       text().Draw(t, "pr_body"),
		Review:       reviews.Draw(t, "review"),
		ExitReason:   maybe(member(exitReasons)).Draw(t, "exit_reason"),
		MemoryUsed:   maybe(reports).Draw(t, "memory_used"),
	}
	switch r.Status {
	case StatusSuccess:
		r.ExitReason = nil
	case StatusFailure, StatusNeedsInput:
		reason := member(exitReasons).Draw(t, "required exit_reason")
		r.ExitReason = &reason
	}
	return r
})

var reviews = rapid.Custom(func(t *rapid.T) Review {
	v := Review{
		Mode:             member(reviewModes).Draw(t, "mode"),
		EvidenceStatus:   EvidenceNotApplicable,
		ReviewedFiles:    few(text()).Draw(t, "reviewed_files"),
		SupportingFiles:  few(text()).Draw(t, "supporting_files"),
		Findings:         few(findings).Draw(t, "findings"),
		TestsRun:         few(testRuns).Draw(t, "tests_run"),
		NoFindingsReason: maybe(text()).Draw(t, "no_findings_reason"),
		Limitations:      few(text()).Draw(t, "limitations"),
	}
	if v.Mode != ModeNone {
		v.EvidenceStatus = member(evidence[1:]).Draw(t, "evidence_status")
		if v.EvidenceStatus != EvidenceMissing {
			v.ReviewedFiles = append(v.ReviewedFiles, "src/app.go")
		}
	}
	return v
})

var findings = rapid.Custom(func(t *rapid.T) Finding {
	return Finding{
		Severity:       member(severities).Draw(t, "severity"),
		File:           text().Draw(t, "file"),
		Line:           maybe(rapid.IntRange(1, 1<<31-1)).Draw(t, "line"),
		Title:          text().Draw(t, "title"),
		Body:           text().Draw(t, "body"),
		Recommendation: maybe(text()).Draw(t, "recommendation"),
	}
})

var testRuns = rapid.Custom(func(t *rapid.T) TestRun {
	return TestRun{
		Command:       text().Draw(t, "command"),
		Status:        member(testStatuses).Draw(t, "status"),
		OutputSummary: maybe(text()).Draw(t, "output_summary"),
	}
})

var reports = rapid.Custom(func(t *rapid.T) MemoryUsed {
	return MemoryUsed{
		Enabled: rapid.Bool().Draw(t, "enabled"),
		Read: few(rapid.Custom(func(t *rapid.T) MemoryRead {
			return MemoryRead{ID: text().Draw(t, "id"), Scope: text().Draw(t, "scope")}
		})).Draw(t, "read"),
		Proposed: few(rapid.Custom(func(t *rapid.T) MemoryWrite {
			return MemoryWrite{
				Key: text().Draw(t, "key"), Summary: text().Draw(t, "summary"),
				Scope: text().Draw(t, "scope"), Approval: member(approvals).Draw(t, "approval"),
			}
		})).Draw(t, "proposed"),
		Rejected: few(rapid.Custom(func(t *rapid.T) MemoryDecline {
			return MemoryDecline{
				Summary: text().Draw(t, "summary"), Scope: text().Draw(t, "scope"), Reason: member(declines).Draw(t, "reason"),
			}
		})).Draw(t, "rejected"),
	}
})

var briefs = rapid.Custom(func(t *rapid.T) Brief {
	b := Brief{
		ContractVersion: Version,
		Trigger:         member(briefTriggers).Draw(t, "trigger"),
		Repo: BriefRepo{
			Owner: text().Draw(t, "owner"), Name: text().Draw(t, "name"),
			CloneURL:      member([]string{"https://github.com/octocat/hello.git", "http://127.0.0.1:8080/a/b", "file:///srv/git/hello%40x"}).Draw(t, "clone_url"),
			DefaultBranch: text().Draw(t, "default_branch"),
		},
		Familiar: BriefFamiliar{
			ID: text().Draw(t, "id"), DisplayName: text().Draw(t, "display_name"),
			Model: maybe(text()).Draw(t, "model"), Skills: few(text()).Draw(t, "skills"),
		},
		Workspace:        Workspace{Root: text().Draw(t, "root")},
		AuditInstruction: maybe(text()).Draw(t, "audit_instruction"),
		ReviewContext: maybe(rapid.Custom(func(t *rapid.T) ReviewContext {
			return ReviewContext{
				Kind: member([]ReviewContextKind{"", ContextPullRequest}).Draw(t, "kind"),
				Files: few(rapid.Custom(func(t *rapid.T) ContextFile {
					return ContextFile{Filename: text().Draw(t, "filename")}
				})).Draw(t, "files"),
			}
		})).Draw(t, "review_context"),
		MemoryPolicy: maybe(policies).Draw(t, "memory_policy"),
	}
	b.Task = taskFor(t, pairs[b.Trigger])
	return b
})

func taskFor(t *rapid.T, kind TaskKind) Task {
	number := rapid.IntRange(0, 1<<31-1).Draw(t, "number")
	switch kind {
	case TaskFixIssue:
		return Task{Kind: kind, IssueNumber: number, IssueTitle: text().Draw(t, "title"), IssueBody: text().Draw(t, "body")}
	case TaskAddressReviewComment:
		return Task{Kind: kind, PRNumber: number, CommentBody: text().Draw(t, "comment"), DiffHunk: maybe(text()).Draw(t, "hunk")}
	}
	return Task{Kind: kind, IssueNumber: number, CommentBody: text().Draw(t, "comment")}
}

var policies = rapid.Custom(func(t *rapid.T) MemoryPolicy {
	p := MemoryPolicy{
		Enabled: rapid.Bool().Draw(t, "enabled"),
		TenantScope: maybe(rapid.Custom(func(t *rapid.T) TenantScope {
			return TenantScope{
				InstallationID: rapid.Int64Min(1).Draw(t, "installation_id"),
				AccountID:      rapid.Int64Min(0).Draw(t, "account_id"), AccountLogin: text().Draw(t, "account_login"),
			}
		})).Draw(t, "tenant_scope"),
		RepoScope: maybe(rapid.Custom(func(t *rapid.T) RepoScope {
			return RepoScope{
				RepoID: rapid.Int64Min(1).Draw(t, "repo_id"), Owner: "octocat", Name: "hello",
				Visibility: text().Draw(t, "visibility"), DefaultBranch: text().Draw(t, "default_branch"),
			}
		})).Draw(t, "repo_scope"),
		BranchScope: maybe(rapid.Custom(func(t *rapid.T) BranchScope {
			return BranchScope{
				BaseRef: text().Draw(t, "base_ref"), HeadRef: text().Draw(t, "head_ref"), SameRepo: rapid.Bool().Draw(t, "same_repo"),
			}
		})).Draw(t, "branch_scope"),
		TrustScope:       member(trustScopes).Draw(t, "trust_scope"),
		ApprovalRequired: rapid.Bool().Draw(t, "approval_required"),
		Retention: Retention{
			MaxAgeDays:        rapid.IntRange(0, 36500).Draw(t, "max_age_days"),
			DeleteOnUninstall: rapid.Bool().Draw(t, "delete_on_uninstall"), RedactSecrets: rapid.Bool().Draw(t, "redact_secrets"),
		},
		Denied: few(text()).Draw(t, "denied"),
	}
	if !p.Enabled {
		return p
	}
	if p.TenantScope == nil {
		p.TenantScope = &TenantScope{InstallationID: 42}
	}
	if p.RepoScope == nil {
		p.RepoScope = &RepoScope{RepoID: 555, Owner: "octocat", Name: "hello"}
	}
	p.ReadScopes = few(member(memoryScopes)).Draw(t, "read_scopes")
	if p.TrustScope != TrustForkPR && p.TrustScope != TrustExternal {
		p.WriteScopes = few(member(memoryScopes)).Draw(t, "write_scopes")
	}
	return p
})
