package config

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// Config is the whole of `.github/familiar.toml` (page 6.5). Which parts may
// come from which commit is decided by type: see Split.
type Config struct {
	Familiar Familiar
	Memory   Memory
	Trust    Trust
	Review   Review
	Runtime  Runtime
	// External is `review.external`. It stands outside Review because it
	// decides about trust, so a base commit has no say in it (page 3.1).
	External External
}

// Familiar is the section of names and comments.
type Familiar struct {
	Handle  string
	Comment Comment
	// Dashboard says where an issue lists what is remembered (page 6.4).
	Dashboard Dashboard
	Labels    Labels
}

// Labels are the names of the labels that command (page 6.2).
type Labels struct {
	Approve, Reject, Review, NoMemory, Skip string
}

// Memory is the section of memory, with the overrides for single
// repositories.
type Memory struct {
	MemorySettings
	// Repos holds complete settings by "owner/name" in lower case; ask
	// ForRepo.
	Repos map[string]MemorySettings
}

// MemorySettings are the settings of memory for one repository. Numbers are
// days, lessons or bytes, as their names say.
type MemorySettings struct {
	Enabled          bool // false turns memory off whatever the step was given
	Mode             memory.Mode
	ApprovalRequired bool
	MaxAgeDays       int
	MaxUnusedDays    int // 0: off
	ProposalsPerRun  int
	PendingPerPull   int
	PendingPerRepo   int
	ActivePerRepo    int
	RecallBytes      int
	RecallLessons    int
	// Workflows are workflow files beside the shipped ones whose containers
	// count (page 5.3).
	Workflows []string
}

// Trust is the section of trust.
type Trust struct {
	Bots []string // exact logins that count as collaborator at most
	// CollaboratorsMayReview lets a collaborator ask for a review of a
	// same-repository head (page 6.1).
	CollaboratorsMayReview bool
}

// Review is the part of the section of reviews that the base commit decides.
type Review struct {
	Paths        []string // globs of what is reviewed
	Ignore       []string // globs of what is not
	MinSeverity  contract.Severity
	MaxComments  int
	SkipAuthors  []string
	SkipLabels   []string
	BaseBranches []string // globs
	Drafts       bool
	DisableRules []string // ids of built-in rules
}

// Runtime is the section of the reviewer.
type Runtime struct {
	Kind         RuntimeKind
	TokensPerRun int
	TokensPerDay int
	PolicyShape  contract.PolicyShape
}

// Comment says when the status comment is posted.
type Comment string

// The closed set of comment policies.
const (
	CommentWhenNeeded Comment = "when_needed"
	CommentAlways     Comment = "always"
	CommentNever      Comment = "never"
)

// Dashboard says in which repositories there is a dashboard issue.
type Dashboard string

// The closed set of dashboard policies.
const (
	DashboardPrivate Dashboard = "private" // in those that are not public
	DashboardAlways  Dashboard = "always"
	DashboardNever   Dashboard = "never"
)

// On says whether a repository of a visibility, in GitHub's words, has a
// dashboard. One whose visibility is not known may be public.
func (d Dashboard) On(visibility string) bool {
	return d == DashboardAlways || d == DashboardPrivate && (visibility == "private" || visibility == "internal")
}

// External says when a paid reviewer looks at a stranger's or a fork's
// change.
type External string

// The closed set of external policies.
const (
	ExternalLabel  External = "label"
	ExternalAlways External = "always"
	ExternalNever  External = "never"
)

// RuntimeKind names a reviewer (page 7.2).
type RuntimeKind string

// The closed set of reviewers.
const (
	RuntimeRules  RuntimeKind = "rules"
	RuntimeModels RuntimeKind = "models"
	RuntimeExec   RuntimeKind = "exec"
)

// Defaults returns what holds where the file says nothing.
func Defaults() Config {
	return Config{
		Familiar: Familiar{
			Handle:    "familiar",
			Comment:   CommentWhenNeeded,
			Dashboard: DashboardPrivate,
			Labels: Labels{
				Approve: "familiar:approve", Reject: "familiar:reject", Review: "familiar:review",
				NoMemory: "familiar:no-memory", Skip: "familiar:skip",
			},
		},
		Memory: Memory{MemorySettings: MemorySettings{
			Enabled: true, Mode: memory.ModeManualWithDrafts, ApprovalRequired: true,
			MaxAgeDays: 365, MaxUnusedDays: 0,
			ProposalsPerRun: 20, PendingPerPull: 20, PendingPerRepo: 200, ActivePerRepo: 2000,
			RecallBytes: 24 << 10, RecallLessons: 40,
		}},
		Review: Review{
			Paths: []string{"**"}, Ignore: []string{"vendor/**", "**/*.lock"},
			MinSeverity: contract.SeverityLow, MaxComments: 10, BaseBranches: []string{"**"},
		},
		Runtime:  Runtime{Kind: RuntimeRules, TokensPerRun: 200_000, TokensPerDay: 2_000_000, PolicyShape: contract.ShapeNested},
		External: ExternalLabel,
	}
}

// broken is what a file with errors amounts to: defaults with memory off.
func broken() Config {
	c := Defaults()
	c.Memory.Enabled = false
	c.Memory.Mode = memory.ModeOff
	return c
}

// ForRepo returns the configuration as it holds for one repository. Owner and
// name are compared without regard to case, as GitHub does.
func (c Config) ForRepo(owner, name string) Config {
	if s, ok := c.Memory.Repos[strings.ToLower(owner+"/"+name)]; ok {
		c.Memory.MemorySettings = s
	}
	return c
}

// Trusted is the part of a configuration that only the live head of the
// default branch decides (page 3.1, end).
type Trusted struct {
	Familiar Familiar
	Memory   Memory
	Trust    Trust
	Runtime  Runtime
	External External
}

// Split separates what the default branch decides from what the base commit
// of a pull request decides.
func (c Config) Split() (Trusted, Review) {
	return Trusted{Familiar: c.Familiar, Memory: c.Memory, Trust: c.Trust, Runtime: c.Runtime, External: c.External}, c.Review
}

// Combine puts the trusted sections of the default branch and the review
// section of a base commit together. No other way leads from a base commit's
// file to a Config in use, so an old branch decides nothing but how its own
// change is looked at.
func Combine(defaultBranch Trusted, base Review) Config {
	return Config{
		Familiar: defaultBranch.Familiar, Memory: defaultBranch.Memory, Trust: defaultBranch.Trust,
		Runtime: defaultBranch.Runtime, External: defaultBranch.External, Review: base,
	}
}
