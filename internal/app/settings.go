package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/gitrepo"
	"github.com/familiarhq/familiar/internal/memory"
)

// Where a repository keeps its configuration (page 6.5), and how much of a
// file is read: more than the parser takes, so that it is the parser that
// calls a large file broken, and not we who take it for none.
const (
	ConfigPath    = ".github/familiar.toml"
	RulesPath     = ".github/familiar/rules.toml"
	maxConfigRead = 32 << 20
)

// settings is the configuration of one review: trusted sections from the
// default branch, the review section and rules from the base (page 3.1).
type settings struct {
	config.Config
	rules       []config.Rule
	diagnostics []config.Diagnostic
	broken      bool   // the trusted file has an error: memory off, defaults
	path        string // of the configuration; "": ConfigPath
	digest      string // of the files, where they came from GitHub
}

// settingsReader reads configuration from a clone and remembers what it read
// for one run: twenty commits in a row mostly share their files.
type settingsReader struct {
	clone   *Clone
	trusted *config.Trusted
	first   []config.Diagnostic
	broken  bool
	bases   map[string]settings
}

func newSettingsReader(c *Clone) *settingsReader {
	return &settingsReader{clone: c, bases: map[string]settings{}}
}

// at returns the settings of a review with the given base commit; "" is the
// empty tree, where only defaults hold.
func (r *settingsReader) at(ctx context.Context, base string) (settings, error) {
	if s, ok := r.bases[base]; ok {
		return s, nil
	}
	if err := r.readTrusted(ctx); err != nil {
		return settings{}, err
	}
	baseConfig, diagnostics, err := r.parse(ctx, base)
	if err != nil {
		return settings{}, err
	}
	_, review := baseConfig.Split()
	if config.HasErrors(diagnostics) {
		_, review = config.Defaults().Split()
	}
	s := settings{Config: config.Combine(*r.trusted, review), broken: r.broken, diagnostics: merged(r.first, diagnostics)}
	s.Config = s.ForRepo(r.clone.Identity.Owner, r.clone.Identity.Name)
	rules, ruleDiagnostics, err := r.readRules(ctx, base)
	if err != nil {
		return settings{}, err
	}
	s.rules = rules
	s.diagnostics = append(s.diagnostics, ruleDiagnostics...)
	r.bases[base] = s
	return s, nil
}

// readTrusted reads what only the live head of the default branch decides.
func (r *settingsReader) readTrusted(ctx context.Context) error {
	if r.trusted != nil {
		return nil
	}
	rev, err := r.defaultHead(ctx)
	if err != nil {
		return err
	}
	c, diagnostics, err := r.parse(ctx, rev)
	if err != nil {
		return err
	}
	trusted, _ := c.Split()
	r.trusted, r.first, r.broken = &trusted, diagnostics, config.HasErrors(diagnostics)
	return nil
}

// defaultHead is the commit of the default branch: as the remote has it
// where the clone knows, since a local branch of that name may be anything.
func (r *settingsReader) defaultHead(ctx context.Context) (string, error) {
	for _, rev := range []string{"refs/remotes/origin/" + r.clone.DefaultBranch, "refs/heads/" + r.clone.DefaultBranch, "HEAD"} {
		sha, err := r.clone.Repo.Resolve(ctx, rev)
		if err == nil {
			return sha, nil
		}
		if k := gitrepo.KindOf(err); k != gitrepo.UnknownRevision && k != gitrepo.NoCommits {
			return "", err
		}
	}
	return "", nil // no commit at all: defaults
}

func (r *settingsReader) parse(ctx context.Context, rev string) (config.Config, []config.Diagnostic, error) {
	data, err := r.read(ctx, rev, ConfigPath)
	if err != nil {
		return config.Defaults(), nil, err
	}
	c, diagnostics := config.Parse(ConfigPath, data)
	return c, diagnostics, nil
}

func (r *settingsReader) readRules(ctx context.Context, rev string) ([]config.Rule, []config.Diagnostic, error) {
	data, err := r.read(ctx, rev, RulesPath)
	if err != nil {
		return nil, nil, err
	}
	rules, diagnostics := config.ParseRules(RulesPath, data)
	return rules, diagnostics, nil
}

// read returns the file at rev, empty where there is none.
func (r *settingsReader) read(ctx context.Context, rev, path string) ([]byte, error) {
	if rev == "" {
		return nil, nil
	}
	data, _, err := r.clone.Repo.ReadFile(ctx, rev, path, maxConfigRead)
	return data, err
}

// merged joins two lists without saying the same twice: the default branch
// and the base mostly have the same file.
func merged(a, b []config.Diagnostic) []config.Diagnostic {
	out := append([]config.Diagnostic{}, a...)
	seen := map[string]bool{}
	for _, d := range a {
		seen[d.String()] = true
	}
	for _, d := range b {
		if !seen[d.String()] {
			out = append(out, d)
		}
	}
	return out
}

// notes are the diagnostics in words for the result that they changed.
func (s settings) notes() []string {
	var out []string
	for _, d := range s.diagnostics {
		out = append(out, d.String())
	}
	if s.broken {
		out = append(out, fmt.Sprintf("%s is broken on the default branch, so memory is off and the review used the defaults", or(s.path, ConfigPath)))
	}
	return out
}

// quotas are the configured bounds on additions (page 3.5).
func (s settings) quotas() memory.Quotas {
	m := s.Memory
	return memory.Quotas{
		ProposalsPerRun: m.ProposalsPerRun, PendingPerPull: m.PendingPerPull,
		PendingPerRepo: m.PendingPerRepo, ActivePerRepo: m.ActivePerRepo,
	}
}
