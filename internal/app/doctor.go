package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/gitrepo"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/vault"
)

// DoctorRequest says what to look at (page 6.5, end).
type DoctorRequest struct {
	Clone  *Clone
	Pushed bool           // the files of the default branch instead of the work tree's
	Memory Memory         // nil: the memory is not looked at
	Swept  bool           // the memory is one that the sweep goes over
	Key    string         // the memory key; "": none at hand
	Client *github.Client // nil: GitHub is not asked
	Inputs []string       // names of the step's inputs
	Now    time.Time
}

// DoctorReport is what was found.
type DoctorReport struct {
	Repository string // owner/name, as it is known
	Files      string // where the files came from, for people
	Online     bool
	Findings   []health.Finding
}

// Workflow files that are looked at, at most.
const (
	maxWorkflowFiles = 200
	maxDoctorFile    = 2 << 20
)

// Doctor gathers the facts and returns everything that the rules of health
// find in them. What cannot be looked at is a finding too, not an error.
func Doctor(ctx context.Context, r DoctorRequest) (DoctorReport, error) {
	d := doctor{r: r, report: DoctorReport{Repository: r.Clone.Name(), Online: r.Client != nil}}
	if err := d.files(ctx); err != nil {
		return d.report, err
	}
	if r.Client != nil {
		d.remote(ctx)
	}
	d.add(health.Settings(health.SettingsFacts{
		File: d.path, Config: d.config, Diagnostics: d.diagnostics, Pending: d.pending, Visibility: d.visibility, Workflows: d.workflows,
	}))
	d.add(health.Workflows(health.WorkflowFacts{Workflows: d.workflows, Config: d.config, Visibility: d.visibility, Inputs: r.Inputs}))
	d.add(health.Key(keyFacts(r.Key)))
	if err := d.memory(ctx); err != nil {
		return d.report, err
	}
	health.Sort(d.report.Findings)
	d.report.Findings = repairable(d.report.Findings, d.workflows)
	return d.report, nil
}

// doctor is one look under way.
type doctor struct {
	r           DoctorRequest
	report      DoctorReport
	path        string // of the configuration
	config      config.Config
	diagnostics []config.Diagnostic
	pending     health.Pending
	workflows   []health.Workflow
	visibility  string
}

func (d *doctor) add(list []health.Finding) { d.report.Findings = append(d.report.Findings, list...) }

// files reads the workflow files, the configuration and what a review reads
// beside it.
func (d *doctor) files(ctx context.Context) error {
	head, err := newSettingsReader(d.r.Clone).defaultHead(ctx)
	if err != nil {
		return err
	}
	var from source = commitFiles{d.r.Clone.Repo, head}
	d.report.Files = "the default branch"
	if !d.r.Pushed && !d.r.Clone.Repo.IsBare() {
		from, d.report.Files = treeFiles{d.r.Clone.Repo}, "the work tree"
	}
	if d.workflows, err = readWorkflows(ctx, from); err != nil {
		return err
	}
	d.path = or(health.ConfigPath(d.workflows), ConfigPath)
	here, err := readConfigFile(ctx, from, d.path, d.path)
	if err != nil {
		return err
	}
	d.diagnostics = here.diagnostics
	if here.problem != "" {
		d.diagnostics[0].Message, d.diagnostics[0].Fix, d.diagnostics[0].Line = "the file cannot be used: "+here.problem, "make it a regular file", 0
	}
	id := d.r.Clone.Identity
	d.config = here.side.Config.ForRepo(id.Owner, id.Name)
	if err := d.beside(ctx, from); err != nil {
		return err
	}
	if d.r.Pushed || head == "" {
		return nil
	}
	pushed, err := readConfigFile(ctx, commitFiles{d.r.Clone.Repo, head}, d.path, d.path)
	if err == nil {
		d.pending = here.pending(pushed, id.Owner, id.Name)
	}
	return err
}

// beside reads the rules file and the reviewer's instruction.
func (d *doctor) beside(ctx context.Context, from source) error {
	data, _, err := from.read(ctx, RulesPath)
	if err != nil {
		return err
	}
	_, rules := config.ParseRules(RulesPath, data)
	files := map[string]config.BaseFile{}
	for _, p := range config.InstructionPaths() {
		data, problem, err := from.read(ctx, p)
		if err != nil {
			return err
		}
		files[p] = config.BaseFile{Data: data, There: data != nil || problem != "", Problem: problem}
	}
	_, instruction := config.ChooseInstruction(files)
	d.diagnostics = slices.Concat(d.diagnostics, rules, instruction)
	return nil
}

// source is where files come from. A file that is not there is nil; problem
// says why one that is there cannot be used.
type source interface {
	list(ctx context.Context, dir string) ([]string, error)
	read(ctx context.Context, name string) (data []byte, problem string, err error)
}

// commitFiles are those of a commit; "" is the empty tree.
type commitFiles struct {
	repo *gitrepo.Repo
	rev  string
}

func (c commitFiles) list(ctx context.Context, dir string) ([]string, error) {
	if c.rev == "" {
		return nil, nil
	}
	paths, err := c.repo.Paths(ctx, c.rev)
	var out []string
	for _, p := range paths {
		if path.Dir(p) == dir {
			out = append(out, p)
		}
	}
	return out, err
}

func (c commitFiles) read(ctx context.Context, name string) ([]byte, string, error) {
	if c.rev == "" {
		return nil, "", nil
	}
	data, there, problem, err := c.repo.RegularFile(ctx, c.rev, name, maxDoctorFile)
	if there && data == nil && problem == "" {
		data = []byte{}
	}
	return data, problem, err
}

// treeFiles are those of the work tree.
type treeFiles struct{ repo *gitrepo.Repo }

func (t treeFiles) list(_ context.Context, dir string) ([]string, error) {
	root, err := os.OpenRoot(t.repo.Root())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // a folder's handle
	entries, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, path.Join(dir, e.Name()))
	}
	return out, err
}

func (t treeFiles) read(_ context.Context, name string) ([]byte, string, error) {
	root, err := os.OpenRoot(t.repo.Root())
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = root.Close() }() // a folder's handle
	data, there, err := readSetupFile(root, name)
	switch {
	case err != nil:
		return nil, "it is no regular file of at most 1 MiB", nil
	case there && data == nil:
		data = []byte{}
	}
	return data, "", nil
}

// readWorkflows parses every workflow file. One that cannot be read comes
// with its problem.
func readWorkflows(ctx context.Context, from source) ([]health.Workflow, error) {
	names, err := from.list(ctx, workflowFolder)
	if err != nil {
		return nil, err
	}
	var out []health.Workflow
	for _, name := range names {
		if ext := strings.ToLower(path.Ext(name)); ext != ".yml" && ext != ".yaml" {
			continue
		}
		if len(out) == maxWorkflowFiles {
			return nil, fmt.Errorf("%s holds more than %d workflow files, which nobody reads", workflowFolder, maxWorkflowFiles)
		}
		data, problem, err := from.read(ctx, name)
		if err != nil {
			return nil, err
		}
		w := health.ParseWorkflow(name, data)
		if problem != "" {
			w = health.Workflow{Path: name, Problem: problem}
		}
		out = append(out, w)
	}
	return out, nil
}

// keyFacts says what the key is like, and nothing of what it is.
func keyFacts(key string) health.KeyFacts {
	if key == "" {
		return health.KeyFacts{}
	}
	f := health.KeyFacts{Given: true}
	keys, err := vault.ParseKeys(key)
	var problem *vault.Error
	switch {
	case errors.As(err, &problem):
		f.Problem, f.Fix = problem.Detail, problem.Fix
	case err != nil:
		f.Problem = err.Error()
	default:
		f.Identities, f.Weak = keys.Len(), weak(key)
	}
	return f
}

// leastDistinct is how many different characters an identity has that was
// drawn at random: of 52 or more out of 32, fewer come up in no lifetime.
const leastDistinct = 12

// weak says whether an identity repeats itself as no random one does.
func weak(key string) bool {
	for line := range strings.Lines(key) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, '1')
		if line == "" || strings.HasPrefix(line, "#") || i < 0 {
			continue
		}
		seen := map[rune]bool{}
		for _, c := range strings.TrimSuffix(line[i+1:], line[max(i+1, len(line)-6):]) { // without the checksum
			seen[c] = true
		}
		if len(seen) < leastDistinct {
			return true
		}
	}
	return false
}

// memory looks at the store and the lessons in it.
func (d *doctor) memory(ctx context.Context) error {
	if d.r.Memory == nil {
		return nil
	}
	inspection, err := Inspect(ctx, d.r.Memory)
	if err != nil {
		d.add([]health.Finding{{
			Check: health.CheckStore, Severity: health.Error, Message: "The memory cannot be opened.", Reason: oneLineOf(err.Error()),
			Fix: "See familiar memory verify.",
		}})
		return nil
	}
	if !inspection.Exists {
		return nil
	}
	facts := health.StoreFacts{
		LessonFacts: health.LessonFacts{Now: d.r.Now, Versions: inspection.Versions, Uses: inspection.Uses},
		Settings:    d.config.Memory.MemorySettings, Generation: inspection.Info.Generation,
		Bytes: inspection.Info.Bytes, MaxBytes: vault.MaxDatabase,
		Active: inspection.Info.Counts.Active, Pending: inspection.Info.Counts.Pending, Auto: inspection.Info.Counts.ActiveByAuto,
	}
	if d.r.Swept {
		facts.Retention = memory.Retention{MaxAgeDays: d.config.Memory.MaxAgeDays, MaxUnusedDays: d.config.Memory.MaxUnusedDays}
	}
	if facts.Code, err = codeOf(ctx, d.r.Clone, inspection.Versions); err != nil {
		return err
	}
	d.add(health.Memory(facts))
	return nil
}

func oneLineOf(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
