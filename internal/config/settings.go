package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	expr "github.com/familiarhq/familiar/internal/text"
)

// kind is the type of a key's value.
type kind string

const (
	text    kind = "a string"
	boolean kind = "true or false"
	integer kind = "a whole number"
	list    kind = "an array of strings"
)

// setting is one key that the file may hold. The table of settings is the
// only list of keys: parsing, messages, the JSON Schema, `familiar config
// show` and the documentation follow it.
type setting struct {
	section, key string
	kind         kind
	about        string   // what it decides, without a full stop
	allowed      []string // of text: the closed set; none: free
	least, most  int64    // of integer
	why          string   // of integer: what a value out of range would do
	form         *form    // of text and of each entry of a list; nil: any name
	// at returns a pointer to the value in a configuration; m holds memory's
	// own settings, or those of one repository.
	at func(c *Config, m *MemorySettings) any
}

func (s setting) name() string { return s.section + "." + s.key }

// perRepo says whether [memory.repos."owner/name"] may hold the key.
func (s setting) perRepo() bool { return s.section == "memory" }

// put stores a value that was checked.
func (s setting) put(c *Config, m *MemorySettings, v any) {
	to := reflect.ValueOf(s.at(c, m)).Elem()
	switch v := v.(type) {
	case bool:
		to.SetBool(v)
	case int64:
		to.SetInt(v)
	case string:
		to.SetString(v)
	case []string:
		to.Set(reflect.ValueOf(v))
	}
}

// get returns the value as a bool, an int, a string or a list of strings that
// is not nil.
func (s setting) get(c *Config, m *MemorySettings) any {
	from := reflect.ValueOf(s.at(c, m)).Elem()
	switch s.kind {
	case boolean:
		return from.Bool()
	case integer:
		return int(from.Int())
	case text:
		return from.String()
	}
	return append([]string{}, from.Interface().([]string)...)
}

// form is what a text has to look like, beside being visible and short.
type form struct {
	pattern *expr.Regexp // nil: see problem
	takes   string       // what it takes, after the key's name
	fix     string       // what to write
	problem func(s string) string
	most    int // characters; 0: see maxTextBytes
}

var (
	handleForm = &form{
		pattern: expr.Lazy(`^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$`),
		takes:   "takes letters, digits and dashes, without the @", fix: `write handle = "familiar"`,
	}
	labelForm    = &form{most: 50}
	globForm     = &form{problem: memory.GlobProblem}
	workflowForm = &form{
		pattern: expr.Lazy(`^\.github/workflows/[A-Za-z0-9._-]+\.ya?ml$`),
		takes:   "takes paths of workflow files", fix: `write workflows = [".github/workflows/name.yml"]`,
	}
)

const day0 = "0 would forget every lesson on the day it is taught"

var settings = slices.Concat(familiarSettings, memorySettings, reviewSettings, runtimeSettings)

var familiarSettings = []setting{
	{section: "familiar", key: "handle", kind: text, form: handleForm, about: "what a comment says to give a command, after an @ or a slash",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Handle }},
	{section: "familiar", key: "comment", kind: text, allowed: words(CommentWhenNeeded, CommentAlways, CommentNever), about: "when the status comment is posted; `never` leaves the job summary alone",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Comment }},
	{section: "familiar", key: "dashboard", kind: text, allowed: words(DashboardPrivate, DashboardAlways, DashboardNever), about: "where an issue lists what is remembered; `private`: in repositories that are not public",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Dashboard }},
	{section: "familiar.labels", key: "approve", kind: text, form: labelForm, about: "the label that approves the proposals shown",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Labels.Approve }},
	{section: "familiar.labels", key: "reject", kind: text, form: labelForm, about: "the label that rejects them",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Labels.Reject }},
	{section: "familiar.labels", key: "review", kind: text, form: labelForm, about: "the label that asks for a review",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Labels.Review }},
	{section: "familiar.labels", key: "no_memory", kind: text, form: labelForm, about: "the label that keeps memory out of a pull request",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Labels.NoMemory }},
	{section: "familiar.labels", key: "skip", kind: text, form: labelForm, about: "the label that keeps familiar out of it",
		at: func(c *Config, _ *MemorySettings) any { return &c.Familiar.Labels.Skip }},
	{section: "trust", key: "bots", kind: list, about: "logins of bots that count as collaborators at most; none of them commands or approves",
		at: func(c *Config, _ *MemorySettings) any { return &c.Trust.Bots }},
	{section: "trust", key: "collaborators_may_review", kind: boolean, about: "collaborators may ask for a review of a branch of this repository",
		at: func(c *Config, _ *MemorySettings) any { return &c.Trust.CollaboratorsMayReview }},
}

var memorySettings = []setting{
	{section: "memory", key: "enabled", kind: boolean, about: "`false` reviews without memory, whatever the step was given",
		at: func(_ *Config, m *MemorySettings) any { return &m.Enabled }},
	{section: "memory", key: "mode", kind: text, allowed: words(memory.ModeOff, memory.ModeManualOnly, memory.ModeManualWithDrafts), about: "whether a reviewer may propose lessons beside those that people teach",
		at: func(_ *Config, m *MemorySettings) any { return &m.Mode }},
	{section: "memory", key: "approval_required", kind: boolean, about: "a reviewer's proposal waits for a maintainer",
		at: func(_ *Config, m *MemorySettings) any { return &m.ApprovalRequired }},
	{section: "memory", key: "max_age_days", kind: integer, least: 1, most: 3650, why: day0, about: "days after which a lesson that nobody renewed is not used any more; told 30 days ahead",
		at: func(_ *Config, m *MemorySettings) any { return &m.MaxAgeDays }},
	{section: "memory", key: "max_unused_days", kind: integer, least: 0, most: 3650, why: "0 turns it off", about: "days without use after which it is not; 0: off",
		at: func(_ *Config, m *MemorySettings) any { return &m.MaxUnusedDays }},
	{section: "memory", key: "proposals_per_run", kind: integer, least: 1, most: 1000, about: "proposals that one review may add",
		at: func(_ *Config, m *MemorySettings) any { return &m.ProposalsPerRun }},
	{section: "memory", key: "pending_per_pull", kind: integer, least: 1, most: 1000, about: "proposals of one pull request that may wait",
		at: func(_ *Config, m *MemorySettings) any { return &m.PendingPerPull }},
	{section: "memory", key: "pending_per_repo", kind: integer, least: 1, most: 10_000, about: "proposals of the repository that may wait",
		at: func(_ *Config, m *MemorySettings) any { return &m.PendingPerRepo }},
	{section: "memory", key: "active_per_repo", kind: integer, least: 1, most: 100_000, about: "lessons that may be in use",
		at: func(_ *Config, m *MemorySettings) any { return &m.ActivePerRepo }},
	{section: "memory", key: "recall_bytes", kind: integer, least: 1024, most: 1 << 20, about: "bytes of lessons that one review reads at most",
		at: func(_ *Config, m *MemorySettings) any { return &m.RecallBytes }},
	{section: "memory", key: "recall_lessons", kind: integer, least: 1, most: 1000, about: "lessons that one review reads at most",
		at: func(_ *Config, m *MemorySettings) any { return &m.RecallLessons }},
	{section: "memory", key: "workflows", kind: list, form: workflowForm, about: "workflow files beside the shipped ones whose containers of memory count",
		at: func(_ *Config, m *MemorySettings) any { return &m.Workflows }},
}

var reviewSettings = []setting{
	{section: "review", key: "paths", kind: list, form: globForm, about: "globs of what is reviewed",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.Paths }},
	{section: "review", key: "ignore", kind: list, form: globForm, about: "globs of what is not",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.Ignore }},
	{section: "review", key: "min_severity", kind: text, allowed: severities(), about: "findings below it are not published",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.MinSeverity }},
	{section: "review", key: "max_comments", kind: integer, least: 0, most: 100, about: "comments on lines of a pull request",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.MaxComments }},
	{section: "review", key: "skip_authors", kind: list, about: "logins whose pull requests are not reviewed",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.SkipAuthors }},
	{section: "review", key: "skip_labels", kind: list, about: "labels of pull requests that are not reviewed",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.SkipLabels }},
	{section: "review", key: "base_branches", kind: list, form: globForm, about: "globs of the branches into which a pull request is reviewed",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.BaseBranches }},
	{section: "review", key: "drafts", kind: boolean, about: "draft pull requests too",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.Drafts }},
	{section: "review", key: "disable_rules", kind: list, about: "ids of [built-in rules](rules.md) to leave out",
		at: func(c *Config, _ *MemorySettings) any { return &c.Review.DisableRules }},
	{section: "review", key: "external", kind: text, allowed: words(ExternalLabel, ExternalAlways, ExternalNever), about: "when a paid reviewer looks at a stranger's change; read at the default branch, unlike the rest of this section",
		at: func(c *Config, _ *MemorySettings) any { return &c.External }},
}

var runtimeSettings = []setting{
	{section: "runtime", key: "kind", kind: text, allowed: words(RuntimeRules, RuntimeModels, RuntimeExec), about: "who reviews; the step's input `runtime` beats it",
		at: func(c *Config, _ *MemorySettings) any { return &c.Runtime.Kind }},
	{section: "runtime", key: "tokens_per_run", kind: integer, least: 1000, most: 100_000_000, about: "tokens that a model may use in one run",
		at: func(c *Config, _ *MemorySettings) any { return &c.Runtime.TokensPerRun }},
	{section: "runtime", key: "tokens_per_day", kind: integer, least: 1000, most: 1_000_000_000, about: "tokens that it may use in one day",
		at: func(c *Config, _ *MemorySettings) any { return &c.Runtime.TokensPerDay }},
	{section: "runtime", key: "policy_shape", kind: text, allowed: words(contract.ShapeNested, contract.ShapeFlat), about: "how the [brief](schemas/) holds its policy",
		at: func(c *Config, _ *MemorySettings) any { return &c.Runtime.PolicyShape }},
}

func words[T ~string](list ...T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

func severities() []string {
	return words(contract.SeverityInfo, contract.SeverityLow, contract.SeverityMedium, contract.SeverityHigh, contract.SeverityCritical)
}

// lookup returns the setting of a key in a section.
func lookup(section, key string) (setting, bool) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.section == section && s.key == key })
	if i < 0 {
		return setting{}, false
	}
	return settings[i], true
}

// keysOf lists the keys of a section, and the tables directly below it.
func keysOf(section string) []string {
	var out []string
	for _, s := range settings {
		if s.section == section {
			out = append(out, s.key)
		}
	}
	for _, s := range sections {
		if rest, ok := strings.CutPrefix(s, section+"."); ok {
			out = append(out, rest)
		}
	}
	return out
}

// sections lists every table but those below memory.repos.
var sections = []string{"familiar", "familiar.labels", "memory", "memory.repos", "trust", "review", "runtime"}
