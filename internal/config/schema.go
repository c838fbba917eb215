package config

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
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
// only list of keys: parsing, messages and the documentation follow it.
type setting struct {
	section, key string
	kind         kind
	allowed      []string // of text and list: the closed set, none: free
	least, most  int64    // of integer
	why          string   // of integer: what a value out of range would do
	globs        bool     // of list: entries are path globs
	set          func(c *Config, m *MemorySettings, v any)
}

func (s setting) name() string { return s.section + "." + s.key }

const day0 = "0 would forget every lesson on the day it is taught"

var settings = []setting{
	{section: "familiar", key: "handle", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Handle = v.(string) }},
	{section: "familiar", key: "comment", kind: text, allowed: words(CommentWhenNeeded, CommentAlways, CommentNever),
		set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Comment = Comment(v.(string)) }},
	{section: "familiar.labels", key: "approve", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Labels.Approve = v.(string) }},
	{section: "familiar.labels", key: "reject", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Labels.Reject = v.(string) }},
	{section: "familiar.labels", key: "review", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Labels.Review = v.(string) }},
	{section: "familiar.labels", key: "no_memory", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Labels.NoMemory = v.(string) }},
	{section: "familiar.labels", key: "skip", kind: text, set: func(c *Config, _ *MemorySettings, v any) { c.Familiar.Labels.Skip = v.(string) }},

	{section: "memory", key: "enabled", kind: boolean, set: func(_ *Config, m *MemorySettings, v any) { m.Enabled = v.(bool) }},
	{section: "memory", key: "mode", kind: text, allowed: words(memory.ModeOff, memory.ModeManualOnly, memory.ModeManualWithDrafts),
		set: func(_ *Config, m *MemorySettings, v any) { m.Mode = memory.Mode(v.(string)) }},
	{section: "memory", key: "approval_required", kind: boolean, set: func(_ *Config, m *MemorySettings, v any) { m.ApprovalRequired = v.(bool) }},
	{section: "memory", key: "max_age_days", kind: integer, least: 1, most: 3650, why: day0,
		set: func(_ *Config, m *MemorySettings, v any) { m.MaxAgeDays = number(v) }},
	{section: "memory", key: "max_unused_days", kind: integer, least: 0, most: 3650, why: "0 turns it off",
		set: func(_ *Config, m *MemorySettings, v any) { m.MaxUnusedDays = number(v) }},
	{section: "memory", key: "proposals_per_run", kind: integer, least: 1, most: 1000, set: func(_ *Config, m *MemorySettings, v any) { m.ProposalsPerRun = number(v) }},
	{section: "memory", key: "pending_per_pull", kind: integer, least: 1, most: 1000, set: func(_ *Config, m *MemorySettings, v any) { m.PendingPerPull = number(v) }},
	{section: "memory", key: "pending_per_repo", kind: integer, least: 1, most: 10_000, set: func(_ *Config, m *MemorySettings, v any) { m.PendingPerRepo = number(v) }},
	{section: "memory", key: "active_per_repo", kind: integer, least: 1, most: 100_000, set: func(_ *Config, m *MemorySettings, v any) { m.ActivePerRepo = number(v) }},
	{section: "memory", key: "recall_bytes", kind: integer, least: 1024, most: 1 << 20, set: func(_ *Config, m *MemorySettings, v any) { m.RecallBytes = number(v) }},
	{section: "memory", key: "recall_lessons", kind: integer, least: 1, most: 1000, set: func(_ *Config, m *MemorySettings, v any) { m.RecallLessons = number(v) }},

	{section: "trust", key: "bots", kind: list, set: func(c *Config, _ *MemorySettings, v any) { c.Trust.Bots = v.([]string) }},
	{section: "trust", key: "collaborators_may_review", kind: boolean, set: func(c *Config, _ *MemorySettings, v any) { c.Trust.CollaboratorsMayReview = v.(bool) }},

	{section: "review", key: "paths", kind: list, globs: true, set: func(c *Config, _ *MemorySettings, v any) { c.Review.Paths = v.([]string) }},
	{section: "review", key: "ignore", kind: list, globs: true, set: func(c *Config, _ *MemorySettings, v any) { c.Review.Ignore = v.([]string) }},
	{section: "review", key: "min_severity", kind: text, allowed: severities(),
		set: func(c *Config, _ *MemorySettings, v any) { c.Review.MinSeverity = contract.Severity(v.(string)) }},
	{section: "review", key: "max_comments", kind: integer, least: 0, most: 100, set: func(c *Config, _ *MemorySettings, v any) { c.Review.MaxComments = number(v) }},
	{section: "review", key: "skip_authors", kind: list, set: func(c *Config, _ *MemorySettings, v any) { c.Review.SkipAuthors = v.([]string) }},
	{section: "review", key: "skip_labels", kind: list, set: func(c *Config, _ *MemorySettings, v any) { c.Review.SkipLabels = v.([]string) }},
	{section: "review", key: "base_branches", kind: list, globs: true, set: func(c *Config, _ *MemorySettings, v any) { c.Review.BaseBranches = v.([]string) }},
	{section: "review", key: "drafts", kind: boolean, set: func(c *Config, _ *MemorySettings, v any) { c.Review.Drafts = v.(bool) }},
	{section: "review", key: "disable_rules", kind: list, set: func(c *Config, _ *MemorySettings, v any) { c.Review.DisableRules = v.([]string) }},
	{section: "review", key: "external", kind: text, allowed: words(ExternalLabel, ExternalAlways, ExternalNever),
		set: func(c *Config, _ *MemorySettings, v any) { c.External = External(v.(string)) }},

	{section: "runtime", key: "kind", kind: text, allowed: words(RuntimeRules, RuntimeModels, RuntimeExec),
		set: func(c *Config, _ *MemorySettings, v any) { c.Runtime.Kind = RuntimeKind(v.(string)) }},
	{section: "runtime", key: "tokens_per_run", kind: integer, least: 1000, most: 100_000_000, set: func(c *Config, _ *MemorySettings, v any) { c.Runtime.TokensPerRun = number(v) }},
	{section: "runtime", key: "tokens_per_day", kind: integer, least: 1000, most: 1_000_000_000, set: func(c *Config, _ *MemorySettings, v any) { c.Runtime.TokensPerDay = number(v) }},
	{section: "runtime", key: "policy_shape", kind: text, allowed: words(contract.ShapeNested, contract.ShapeFlat),
		set: func(c *Config, _ *MemorySettings, v any) { c.Runtime.PolicyShape = contract.PolicyShape(v.(string)) }},
}

func number(v any) int { return int(v.(int64)) }

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

// stepInputs are names of what only the step may give (page 3.1): a file in a
// repository that holds one is trying to run something or to send something
// somewhere. They are matched without regard to case, dashes and underscores,
// in every section.
var stepInputs = map[string]string{
	"command": "exec-command", "commands": "exec-command", "exec": "exec-command", "execcommand": "exec-command",
	"cmd": "exec-command", "args": "exec-command", "arguments": "exec-command", "shell": "exec-command",
	"endpoint": "model-endpoint", "modelendpoint": "model-endpoint", "url": "model-endpoint", "baseurl": "model-endpoint", "host": "model-endpoint",
	"model": "model", "models": "model", "provider": "model-endpoint",
	"key": "model-api-key", "apikey": "model-api-key", "modelapikey": "model-api-key",
	"memorykey": "memory-key", "handoverkey": "handover-key", "appid": "app-id", "appprivatekey": "app-private-key",
	"privatekey": "app-private-key", "token": "github-token", "githubtoken": "github-token", "secret": "memory-key",
	"password": "memory-key", "env": "exec-command", "environment": "exec-command", "installationid": "installation-id",
	"statedir": "state-dir", "operation": "operation", "dryrun": "dry-run", "failon": "fail-on", "image": "exec-command",
}

func stepInput(key string) (string, bool) {
	name, ok := stepInputs[strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))]
	return name, ok
}
