package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/gitrepo"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
)

// LocalRequest is what `familiar local` was asked to review.
type LocalRequest struct {
	Clone  *Clone
	Stores *Stores // nil: without memory, as asked

	// Exactly one of these; none: the last commit.
	Last       int    // the last N merges or commits of HEAD
	Base, Head string // a range; Head defaults to HEAD
	Worktree   bool   // what is not committed yet

	// Trust lowers the scope, to see what a change would be allowed as; ""
	// is the operator's own.
	Trust contract.TrustScope

	// MinSeverity is the floor of this run; "": as configured.
	MinSeverity contract.Severity

	Reviewer runtime.Kind // "": as configured, else rules
	Command  []string     // of the exec reviewer
	Covers   []string     // globs of the files that it looks at, where its SARIF does not say
	Timeout  time.Duration
	Model    Model    // of the models reviewer
	Secrets  []string // live credentials of this process but for the model's key

	DryRun   bool
	Now      time.Time
	Operator memory.Principal
	// Progress is told before each change; may be nil.
	Progress func(done, total int, what string)
}

// LocalReport is what came of it, newest change first.
type LocalReport struct {
	Items    []render.HistoryItem
	History  bool // several changes in a row were asked for
	Outcomes []plan.Outcome
	Note     string // about the range as a whole, such as a shallow clone
	Hint     string // where nothing differs: what has something to review; ""
}

// subject is one change to review, not read yet.
type subject struct {
	commit, title string
	base          string
	read          func(ctx context.Context) (diff.Change, error)
	contents      func(ctx context.Context, path string) ([]byte, bool)
	describe      string // for progress and errors
	shown         string // what the result calls it; "" where commit and head say it
}

// maxContent bounds what a rule may read of one file at the head.
const maxContent = 4 << 20

// ReviewLocal reviews changes of a clone with the person at the keyboard as
// operator (page 6.6). It runs nothing that the clone names, and changes the
// store only through the planned actions of each change.
func ReviewLocal(ctx context.Context, r LocalRequest) (LocalReport, error) {
	subjects, report, err := chooseSubjects(ctx, r)
	if err != nil {
		return report, err
	}
	var m Memory
	off := "it was switched off for this run"
	switch {
	case r.Stores == nil:
	case r.Clone.Unknown != "":
		// What a reviewer proposes now would be lost, and so would the numbers.
		off, r.Stores = r.Clone.Unknown, nil
	case r.Stores.Named:
		// Who names a store means it: without it there is no review.
		if err := r.Stores.View(ctx, func(context.Context, *store.Store) error { return nil }); err != nil {
			return report, err
		}
		m = *r.Stores
	default:
		m = *r.Stores
	}
	err = withMemory(ctx, m, off, func(ctx context.Context, m *memoryFacts, problem string) error {
		settings := newSettingsReader(r.Clone)
		for i, s := range subjects {
			if r.Progress != nil {
				r.Progress(i, len(subjects), s.describe)
			}
			item, actions, err := reviewSubject(ctx, r, settings, m, problem, s)
			if err != nil && (!report.History || ctx.Err() != nil) {
				return fmt.Errorf("%s: %w", s.describe, err)
			}
			if err != nil {
				// One change that cannot be read costs itself, not the others.
				item = unread(r, s, err)
			}
			report.Items = append(report.Items, item)
			report.Outcomes = append(report.Outcomes, act(ctx, r, actions, &report.Items[len(report.Items)-1].Status)...)
		}
		return nil
	})
	if err == nil {
		report.Hint, err = whereItDiffers(ctx, r, report)
	}
	if err == nil && r.Stores != nil {
		var e plan.Executor = plan.Doer{Handlers: map[plan.Kind]plan.Handler{plan.KeepFindings: writeLastReview(*r.Stores)}}
		if r.DryRun {
			e = plan.DryRun{}
		}
		report.Outcomes = append(report.Outcomes, e.Execute(ctx, keepLastReview(report))...)
	}
	return report, err
}

// whereItDiffers is what a person may have meant who asked for a review where
// nothing differs: what is not committed yet, or what is.
func whereItDiffers(ctx context.Context, r LocalRequest, report LocalReport) (string, error) {
	if report.History || len(report.Items) != 1 || report.Items[0].Status.Detail != nothingDiffers {
		return "", nil
	}
	if r.Worktree {
		if _, err := r.Clone.Repo.Head(ctx); err != nil {
			return "", nil // nothing is committed: there is nothing else
		}
		return "everything here is committed; familiar local reviews the last commit", nil
	}
	tree, err := r.Clone.Repo.Worktree(ctx)
	switch {
	case gitrepo.KindOf(err) == gitrepo.NoWorktree || err == nil && len(tree.Files)+len(tree.Omitted) == 0:
		return "", nil
	case err != nil:
		return "", err
	}
	return "what is not committed yet was not looked at; familiar local --worktree reviews it", nil
}

// chooseSubjects turns the request into changes.
func chooseSubjects(ctx context.Context, r LocalRequest) ([]subject, LocalReport, error) {
	switch {
	case r.Worktree:
		s, err := worktreeSubject(ctx, r.Clone)
		return []subject{s}, LocalReport{}, err
	case r.Base != "" || r.Head != "":
		s, err := rangeSubject(ctx, r.Clone, r.Base, r.Head)
		return []subject{s}, LocalReport{}, err
	}
	n := max(r.Last, 1)
	history, err := r.Clone.Repo.Last(ctx, n)
	if err != nil {
		return nil, LocalReport{}, err
	}
	var out []subject
	for _, c := range history.Commits {
		out = append(out, commitSubject(r.Clone, c))
	}
	report := LocalReport{History: r.Last > 0, Note: history.Note}
	if len(out) == 0 {
		return nil, report, errors.New("no commit of this clone can be compared with its parent: " + history.Note)
	}
	return out, report, nil
}

func commitSubject(c *Clone, commit gitrepo.Commit) subject {
	return subject{
		commit: commit.SHA, title: commit.Subject, base: commit.Base(), shown: commit.Subject,
		describe: short(commit.SHA) + " " + commit.Subject,
		read: func(ctx context.Context) (diff.Change, error) {
			return c.Repo.Change(ctx, commit.Base(), commit.SHA)
		},
		contents: c.at(commit.SHA),
	}
}

// rangeSubject compares head with where it left base, as a pull request
// does.
func rangeSubject(ctx context.Context, c *Clone, base, head string) (subject, error) {
	if head == "" {
		head = "HEAD"
	}
	if base == "" {
		base = c.DefaultBranch
	}
	headSHA, err := c.Repo.Resolve(ctx, head)
	if err != nil {
		return subject{}, err
	}
	baseSHA, err := c.Repo.Resolve(ctx, base)
	if err != nil {
		return subject{}, err
	}
	from, ok, err := c.Repo.MergeBase(ctx, baseSHA, headSHA)
	if err != nil {
		return subject{}, err
	}
	if !ok {
		from = baseSHA
	}
	return subject{
		commit: headSHA, base: from, describe: base + "..." + head, shown: base + "..." + head,
		read:     func(ctx context.Context) (diff.Change, error) { return c.Repo.Change(ctx, from, headSHA) },
		contents: c.at(headSHA),
	}, nil
}

func worktreeSubject(ctx context.Context, c *Clone) (subject, error) {
	base, err := c.Repo.Head(ctx)
	if err != nil && gitrepo.KindOf(err) != gitrepo.NoCommits {
		return subject{}, err
	}
	return subject{
		base: base, describe: "the working tree",
		read: c.Repo.Worktree,
		contents: func(_ context.Context, path string) ([]byte, bool) {
			data, ok, err := c.Repo.ReadWorktreeFile(path, maxContent)
			return data, ok && err == nil
		},
	}, nil
}

// at reads files as they stand at a commit.
func (c *Clone) at(sha string) func(context.Context, string) ([]byte, bool) {
	return func(ctx context.Context, path string) ([]byte, bool) {
		data, ok, err := c.Repo.ReadFile(ctx, sha, path, maxContent)
		return data, ok && err == nil
	}
}

func short(sha string) string { return sha[:min(len(sha), 8)] }

// reviewSubject gathers the facts of one change and reviews it.
func reviewSubject(ctx context.Context, r LocalRequest, sr *settingsReader, m *memoryFacts, problem string, s subject) (render.HistoryItem, []plan.Action, error) {
	change, err := s.read(ctx)
	if err != nil {
		return render.HistoryItem{}, nil, err
	}
	set, err := sr.at(ctx, s.base)
	if err != nil {
		return render.HistoryItem{}, nil, err
	}
	if r.MinSeverity != "" {
		set.Review.MinSeverity = r.MinSeverity
	}
	who, note := chooseReviewer(r, set)
	f := gather(r, s, change, set, m, problem)
	out, err := reviewChange(ctx, f, who)
	if err != nil {
		return render.HistoryItem{}, nil, err
	}
	out.status.Change = s.shown
	if note != "" {
		out.status.Notes = append(out.status.Notes, note)
	}
	out.status.Change = redact.Scrub(out.status.Change)
	return render.HistoryItem{Commit: s.commit, Title: redact.Scrub(s.title), Status: out.status}, out.actions, nil
}

// unread is a change of a history that could not be reviewed, and why.
func unread(r LocalRequest, s subject, err error) render.HistoryItem {
	return render.HistoryItem{Commit: s.commit, Title: redact.Scrub(s.title), Status: render.Status{
		Local: true, Repo: r.Clone.Name(), Head: s.commit, Outcome: review.Failed, Detail: err.Error(),
	}}
}

// gather puts the facts of one change together.
func gather(r LocalRequest, s subject, change diff.Change, set settings, m *memoryFacts, problem string) facts {
	f := facts{
		change: change, settings: set, memory: m, memoryProblem: problem, storeBroken: r.Stores != nil && problem != "", contents: s.contents,
		tenant: r.Clone.tenant(), repo: r.Clone.repoScope(), cloneURL: r.Clone.CloneURL,
		branch:    &contract.BranchScope{BaseRef: or(s.base, "empty"), HeadRef: or(s.commit, "worktree"), SameRepo: r.Trust != contract.TrustForkPR},
		baseFiles: baseOfClone(r.Clone, s.base), secrets: r.Secrets,
		now: r.Now, operator: r.Operator, through: memory.Through{Kind: "local_command"}, local: true,
		trust: trust.Derive(trust.Facts{Kind: event.Local, LocalOperator: true, Cap: r.Trust, Visibility: "private"}),
	}
	if set.broken {
		// Deny wins: a configuration that cannot be read may say that memory
		// is off, so it is.
		f.memory, f.memoryProblem = nil, ConfigPath+" is broken"
	}
	return f
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// chooseReviewer says who reviews. A clone may name a kind and never a
// command (attack A114): without one given here the rules review, and the
// result says so.
func chooseReviewer(r LocalRequest, s settings) (reviewer, string) {
	kind := r.Reviewer
	if kind == "" {
		kind = runtime.Kind(s.Runtime.Kind)
	}
	who := reviewer{kind: kind, command: r.Command, covers: r.Covers, timeout: r.Timeout, model: r.Model, retries: localRetries}
	if root := r.Clone.Repo.Root(); root != "" {
		who.roots = []string{root}
	}
	switch {
	case r.Reviewer == runtime.Models:
		return who, ""
	case kind == runtime.Exec && len(r.Command) > 0, kind == runtime.Rules:
		return who, ""
	case kind == runtime.Exec:
		who.kind = runtime.Rules
		return who, "the configuration asks for the exec reviewer; a command is taken from --exec-command and never from a file, so the rules reviewed instead"
	}
	who.kind = runtime.Rules
	return who, fmt.Sprintf("the configuration asks for the %s reviewer; nothing is sent from here unless --runtime %[1]s is given, so the rules reviewed instead", kind)
}

// localRetries are those of a reviewer that fails while somebody waits for it.
const localRetries = 1

// act performs the planned actions of one change, or only reports them in a
// dry run, and puts what became of the proposals into the status.
func act(ctx context.Context, r LocalRequest, actions []plan.Action, s *render.Status) []plan.Outcome {
	if len(actions) == 0 {
		return nil
	}
	if r.DryRun {
		return plan.DryRun{}.Execute(ctx, actions)
	}
	outcomes := r.Stores.Execute(ctx, actions, nil)
	for _, a := range actions {
		if t, ok := a.Payload.(*TransitionTask); ok {
			showApplied(s, t.Applied)
		}
	}
	for _, o := range plan.Failed(outcomes) {
		s.Notes = append(s.Notes, fmt.Sprintf("not done: %s: %v", o.Action.Summary, o.Err))
	}
	return outcomes
}

func showApplied(s *render.Status, a memory.Applied) {
	switch {
	case a.Refused != nil:
		s.Refusals = append(s.Refusals, *a.Refused)
	case a.Version.State == memory.ReviewRequired:
		s.Proposals = append(s.Proposals, a.Version)
	case a.Version.State == memory.Active && a.Version.Approved == memory.ApprovedAuto: // what a person stored is no surprise
		s.Stored = append(s.Stored, a.Version)
	}
}

// AnyFinding says whether any change has a finding of at least the severity.
func (l LocalReport) AnyFinding(least contract.Severity) bool {
	return slices.ContainsFunc(l.Items, func(i render.HistoryItem) bool {
		for _, f := range i.Status.Findings {
			if f.Severity.AtLeast(least) {
				return true
			}
		}
		return false
	})
}

// Failed says whether any change could not be reviewed or saved as planned.
func (l LocalReport) Failed() bool {
	return len(plan.Failed(l.Outcomes)) > 0 || slices.ContainsFunc(l.Items, func(i render.HistoryItem) bool {
		return i.Status.Outcome == review.Failed
	})
}
