package trust

// The codes of reasons. They are stable: outputs and audit rows carry them.
const (
	// Of the event.
	CodeSchedule      = "schedule"        // rule 1
	CodeNoMemoryWork  = "no_memory_work"  // merge_group, unknown events
	CodeRunUnresolved = "run_unresolved"  // a workflow_run without exactly one pull request
	CodeNoPullRequest = "no_pull_request" // an issue: nothing to review
	CodeNoActor       = "no_actor"        // nobody who acts is known
	CodeLocalOperator = "local_operator"  // the person at the command line
	CodeCapped        = "capped"          // lowered by Facts.Cap
	CodeCapUnknown    = "cap_unknown"     // Facts.Cap is no trust scope
	// Of the pull request's head (rule 2).
	CodeHeadIsFork      = "head_is_fork"
	CodeHeadRepoMissing = "head_repo_missing"
	CodeBaseRepoMissing = "base_repo_missing"
	CodePullUnknown     = "pull_unknown" // the event concerns a pull request whose facts are missing
	// Of somebody who shaped the work (rules 3 to 5).
	CodePermissionAdmin = "permission_admin"
	CodePermissionWrite = "permission_write"
	CodeRoleTriage      = "role_triage"
	CodeReadPrivate     = "read_private"
	CodeCollaborator    = "collaborator_confirmed"
	CodeReadAlone       = "read_alone"
	CodePermissionNone  = "permission_none"
	CodePermissionOdd   = "permission_unknown"
	CodeLookupFailed    = "lookup_failed"
	CodeLookupMissing   = "lookup_missing"
	CodeGhost           = "ghost"
	CodeBotAuthor       = "bot_author"
	CodeBotNotListed    = "bot_not_listed"
	CodeBotListed       = "bot_listed"
	CodeListedUser      = "listed_user"
)
