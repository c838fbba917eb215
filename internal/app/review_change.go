package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/handover"
	"github.com/familiarhq/familiar/internal/runtime/rules"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/trust"
)

// facts are everything about one change that was gathered before anything
// was decided.
type facts struct {
	change   diff.Change
	settings settings
	trust    trust.Verdict
	tenant   *contract.TenantScope
	repo     *contract.RepoScope
	branch   *contract.BranchScope
	cloneURL string
	contents func(ctx context.Context, path string) ([]byte, bool)
	// baseFiles reads files of the base commit; nil: there are none.
	baseFiles func(ctx context.Context, paths []string) (map[string]config.BaseFile, error)
	// secrets are the live credentials of this process: none of them may be in
	// anything that a reviewer is given. They are compared, and never kept.
	secrets []string

	// What the store says; nil where memory has no home.
	memory *memoryFacts
	// memoryProblem is why there is none, in words; "" if there is one.
	memoryProblem string
	// storeBroken says that there is a store, and that it could not be used.
	storeBroken bool

	// The event that carries the work: what happened when, by whom, where.
	now      time.Time
	operator memory.Principal
	through  memory.Through
	pull     int  // the pull request; 0 for a change of a clone
	local    bool // the command line on a clone
	noMemory bool // the label familiar:no-memory is on

	isolation isolation // of the reviewer's run
}

// memoryFacts are what the store knows that bears on one change. They are
// read once and decided on afterwards.
type memoryFacts struct {
	coordinates memory.Coordinates
	denied      []string
	counts      store.Counts
	existing    []memory.Version
	recall      func(ctx context.Context, q memory.RecallQuery) (memory.Snapshot, error)
	suppressed  func(text string) bool
	generation  int64
	// dispositions are what maintainers said of findings, the latest first.
	dispositions []store.Disposition
	spent        func(ctx context.Context, day string) (int64, error) // tokens
}

// reviewed is what came of one change: what to say, and what to do.
type reviewed struct {
	status  render.Status
	actions []plan.Action
	looked  []string     // files that the reviewer says it read
	by      runtime.Kind // who reviewed; "" where nobody did
	kept    string       // the review as it is to be kept, "" for none
	// evidence is what it was judged by; nil where nothing was.
	evidence *evidence
}

// reviewer says who reviews and how it is run.
type reviewer struct {
	kind    runtime.Kind
	command []string // of exec
	covers  []string // globs of the files that the command is known to look at
	roots   []string // folders of the operator's in which it may find the files
	timeout time.Duration
	model   Model  // of models
	retries int    // after an infrastructure failure
	temp    string // where folders are made; "": the system's
}

// reviewChange decides about one change, runs the reviewer within what was
// decided, holds what it says against the same decision computed again, and
// returns what to show and what to do. It changes nothing.
func reviewChange(ctx context.Context, f facts, who reviewer) (reviewed, error) {
	b, err := briefFor(ctx, f, who.kind)
	if err != nil || !f.trust.Review {
		return reviewed{status: b.status}, err
	}
	// The reviewer sees the whole change: that a manifest changed without its
	// lock file is known only where lock files are not left out.
	out, err := isolated(ctx, f, who, b, runtime.Job{
		Brief: b.brief, Change: f.change, Snapshot: b.snapshot, Contents: f.contents, Attributes: b.attributes,
		Rules: rules.Assemble(f.settings.Review.DisableRules, f.settings.rules, b.snapshot),
	})
	if err != nil {
		return reviewed{}, err
	}
	return judged(f, b, out), nil
}

// briefed is what a reviewer is given, and the decision behind it.
type briefed struct {
	verdict  policy.Verdict
	status   render.Status // what can be said before the reviewer ran
	snapshot memory.Snapshot
	// cited are further lessons that findings of an earlier look may cite.
	cited []memory.Version
	brief contract.Brief
	// attributes tell which files are generated.
	attributes  diff.Attributes
	instruction config.Instruction // what the maintainers told the reviewer
	note        *handover.Note     // of what was handed out, where another step reviews
}

// citable are the lessons that a finding may cite.
func (b briefed) citable() memory.Snapshot {
	return memory.Snapshot{Lessons: append(slices.Clip(b.snapshot.Lessons), b.cited...)}
}

// briefChange is briefFor a reviewer of the user's own.
func briefChange(ctx context.Context, f facts) (briefed, error) {
	return briefFor(ctx, f, runtime.Exec)
}

// briefFor decides what a reviewer may see of one change and puts it
// together. Where nothing may be reviewed, the status alone says so.
func briefFor(ctx context.Context, f facts, kind runtime.Kind) (briefed, error) {
	b := briefed{verdict: computePolicy(f)}
	b.status = baseStatus(f, b.verdict)
	if !f.trust.Review {
		b.status.Outcome = review.NothingToDo
		return b, nil
	}
	var err error
	if b.snapshot, err = recall(ctx, f, b.verdict); err != nil {
		return briefed{}, err
	}
	t, err := tell(ctx, f, kind)
	if err != nil {
		return briefed{}, err
	}
	b.attributes = t.attributes
	b.told(t.instruction)
	b.status.Notes = append(b.status.Notes, t.notes...)
	b.brief, err = buildBrief(f, b.verdict, t.instruction.Audit(f.change.Base))
	var leak *review.Leak
	if errors.As(err, &leak) && leak.Field == "audit_instruction" {
		// A secret in what the maintainers wrote costs that, and not the review.
		b.status.Notes = append(b.status.Notes, fmt.Sprintf("%s holds %s, so the reviewer is told nothing of it", t.instruction.Path, leak.What))
		b.told(config.Instruction{})
		b.brief, err = buildBrief(f, b.verdict, "")
	}
	return b, err
}

// judged holds what a reviewer said against the decision behind its brief,
// computed again, and says what to show and what to do.
func judged(f facts, b briefed, out runtime.Output) reviewed {
	status := b.status
	status.Cost = costOf(out.Usage)
	spent := spending(f, len(b.verdict.Policy.WriteScopes) > 0, out.Usage)
	if out.Outcome != runtime.Finished {
		// Nothing of an unfinished turn is stored or shown as a review, but
		// what it cost.
		status.Outcome, status.Detail = review.Failed, out.Detail
		if out.Outcome == runtime.Limited {
			status.Outcome = review.RateLimited
		}
		return reviewed{status: status, actions: thenSave(spent)}
	}
	f.change.Omitted = append(slices.Clip(f.change.Omitted), out.Left...)
	change, out := inScope(f.change, out, f.settings.Review.Paths)
	checked := review.Check(change, onlySupplied(out.Candidates, b.citable()), out.Reviewed, review.Options{
		MinSeverity: f.settings.Review.MinSeverity, Ignore: f.settings.Review.Ignore, Dismissed: f.dismissals(b.verdict),
	})
	if out.Usage.Turns > 0 {
		status.Summary = redact.Scrub(out.Summary)
	}
	report := validate(f, b.verdict, computePolicy(f), b.snapshot, out.MemoryUsed)
	fill(&status, out, checked, report)
	status.Dismissed = dismissed(checked)
	status.Said = f.said(b.verdict, status.Findings)
	status.Skipped = append(status.Skipped, unknownRules(f.settings)...)
	if len(f.change.Files) == 0 && len(f.change.Omitted) == 0 && status.Outcome == review.NothingToDo {
		status.Detail = nothingDiffers
	}
	if f.storeBroken && (status.Outcome == review.Reviewed || status.Outcome == review.NothingToDo) {
		// What was taught was not looked at: never a clean bill over that.
		status.Outcome, status.Detail = review.MemoryUnavailable, f.memoryProblem
	}
	return reviewed{status: status, looked: out.Reviewed, evidence: &evidence{b, checked, report, f.change.Paths()}, actions: thenSave(append(spent, planActions(f, b, report, &status)...))}
}

// nothingDiffers is why there is nothing to review in a change without a file.
const nothingDiffers = "nothing differs"

// computePolicy is called twice: for the brief, and again for validation,
// which never reads the brief's back (page 3.5).
func computePolicy(f facts) policy.Verdict {
	in := policy.Input{
		Trust: f.trust,
		Config: policy.Config{
			Enabled: f.settings.Memory.Enabled, Mode: f.settings.Memory.Mode,
			ApprovalRequired: f.settings.Memory.ApprovalRequired, MaxAgeDays: f.settings.Memory.MaxAgeDays,
		},
		HasKey:      f.local || f.memoryProblem == "", // a clone's store is a file of its owner's: there is no key
		StoreOpened: f.memory != nil, StoreProblem: f.memoryProblem,
		Tenant: f.tenant, Repo: f.repo, Branch: f.branch, NoMemoryLabel: f.noMemory,
	}
	if f.memory != nil {
		in.Denied = f.memory.denied
	}
	return policy.Compute(in)
}

// baseStatus is what can be said before the reviewer ran.
func baseStatus(f facts, v policy.Verdict) render.Status {
	s := render.Status{
		Local: f.local, Number: f.pull, Handle: f.settings.Familiar.Handle, ApproveLabel: f.settings.Familiar.Labels.Approve,
		Repo: f.repo.Owner + "/" + f.repo.Name, Head: f.change.Head,
		Trust: f.trust, Policy: v.Policy, PolicyReasons: v.Reasons,
		Notes: f.settings.notes(), GateOff: v.Policy.Enabled && !v.Policy.ApprovalRequired,
	}
	if f.memory != nil {
		s.Generation = f.memory.generation
	}
	if f.local {
		// A clone has no tenant; saying so in every review helps nobody.
		s.PolicyReasons = slices.DeleteFunc(slices.Clone(s.PolicyReasons), func(r trust.Reason) bool { return r.Code == policy.CodeNoTenantStore })
	}
	if f.memoryProblem != "" {
		// The problem is the reason; that there is no store is its echo.
		s.PolicyReasons = slices.DeleteFunc(slices.Clone(s.PolicyReasons), func(r trust.Reason) bool {
			return r.Code == policy.CodeStoreClosed || r.Code == policy.CodeNoKey
		})
	}
	if !v.Policy.Enabled {
		s.MemoryOff = f.memoryProblem
		if s.MemoryOff == "" && len(v.Reasons) > 0 {
			s.MemoryOff = v.Reasons[0].Text
		}
	}
	return s
}

// recall returns the frozen snapshot: what is granted, approved and fits.
func recall(ctx context.Context, f facts, v policy.Verdict) (memory.Snapshot, error) {
	if !v.Policy.Enabled || f.memory == nil || len(v.Policy.ReadScopes) == 0 {
		return memory.Snapshot{}, nil
	}
	q := review.QueryFrom(f.change, f.change.Title)
	q.Scopes, q.Denied, q.Now = v.Policy.ReadScopes, v.Policy.Denied, f.now
	q.MaxBytes, q.MaxLessons = f.settings.Memory.RecallBytes, f.settings.Memory.RecallLessons
	return f.memory.recall(ctx, q)
}

func buildBrief(f facts, v policy.Verdict, instruction string) (contract.Brief, error) {
	p := v.Policy
	return review.BuildBrief(review.BriefInput{
		Repo: contract.BriefRepo{
			Owner: f.repo.Owner, Name: f.repo.Name, CloneURL: f.cloneURL, DefaultBranch: f.repo.DefaultBranch,
		},
		PR:       f.pull,
		Change:   f.change,
		Familiar: contract.BriefFamiliar{ID: "familiar", DisplayName: "familiar", Skills: []string{}},
		Root:     "/",
		Policy:   &p,

		Instruction: instruction,
		LiveTokens:  f.secrets,
	})
}

// inScope leaves out of a change, and of what was said about it, the files
// that review.paths does not name.
func inScope(c diff.Change, out runtime.Output, globs []string) (diff.Change, runtime.Output) {
	beyond := func(path string) bool { return len(globs) > 0 && !memory.MatchGlobs(globs, path) }
	known := map[string]bool{}
	for _, f := range c.Files {
		known[f.Path] = true
	}
	c.Files = slices.DeleteFunc(slices.Clone(c.Files), func(f diff.File) bool { return beyond(f.Path) })
	c.Omitted = slices.DeleteFunc(slices.Clone(c.Omitted), func(o diff.Omission) bool { return beyond(o.Path) })
	// A file that the change does not have stays: that is for the evidence
	// check to say.
	out.Candidates = slices.DeleteFunc(slices.Clone(out.Candidates), func(x review.Candidate) bool { return known[x.Path] && beyond(x.Path) })
	out.Reviewed = slices.DeleteFunc(slices.Clone(out.Reviewed), func(path string) bool { return known[path] && beyond(path) })
	return c, out
}

// onlySupplied keeps of each finding's citations the lessons that were handed
// out, by the id that people use (attack A64): a finding cites what shaped
// it, or nothing.
func onlySupplied(candidates []review.Candidate, s memory.Snapshot) []review.Candidate {
	supplied := map[string]string{}
	for _, v := range s.Lessons {
		supplied[v.DocumentID], supplied[v.ID()] = v.DocumentID, v.DocumentID
	}
	for i := range candidates {
		var cited []string
		for _, id := range candidates[i].Because {
			if doc, ok := supplied[id]; ok && !slices.Contains(cited, doc) {
				cited = append(cited, doc)
			}
		}
		candidates[i].Because = cited
	}
	return candidates
}

// validate holds the reviewer's report against the policy (page 3.5).
func validate(f facts, briefed, recomputed policy.Verdict, s memory.Snapshot, used *contract.MemoryUsed) policy.Report {
	v := policy.Validation{
		Recomputed: recomputed.Policy, Briefed: &briefed.Policy, Used: used,
		Mode: recomputed.Mode, Snapshot: s, Now: f.now,
		Trigger:    memory.VerifiedConfirmation(f.now, f.operator, f.through),
		Provenance: memory.Provenance{RepositoryID: f.repo.RepoID, PullRequest: f.pull, Base: f.change.Base, Head: f.change.Head},
		Quotas:     f.settings.quotas(),
		Finder:     redact.NewFinder(f.secrets...),
	}
	if f.memory != nil {
		v.Coordinates, v.Existing, v.Suppressed = f.memory.coordinates, f.memory.existing, f.memory.suppressed
		v.Counts = policy.Counts{PendingInRepo: f.memory.counts.Pending, Active: f.memory.counts.Active, PendingInPull: f.memory.counts.PendingByPull[f.pull]}
	}
	return policy.Validate(v)
}

// fill puts what was found and decided into the status.
func fill(s *render.Status, out runtime.Output, checked review.Checked, report policy.Report) {
	s.Outcome = checked.Outcome()
	s.Detail = checked.Refused
	s.Coverage = checked.Coverage
	s.Findings = checked.Findings
	s.Reminders = out.Reminders
	s.Refusals = report.Refusals
	for _, d := range checked.Dropped {
		if d.Reason == review.DropDismissed {
			continue // said on a line of its own
		}
		if s.Dropped == nil {
			s.Dropped = map[string]int{}
		}
		s.Dropped[d.Reason]++
	}
	for _, k := range out.Skipped {
		s.Skipped = append(s.Skipped, render.Skipped{Rule: k.Rule, Path: k.Path, Reason: k.Reason})
	}
	for _, r := range report.AcceptedReads() {
		s.Lessons = append(s.Lessons, r.Lessons...)
	}
	for _, d := range report.Declined {
		s.Notes = append(s.Notes, fmt.Sprintf("the reviewer itself held back a proposal (%s)", d.Reason))
	}
}

func unknownRules(s settings) []render.Skipped {
	var out []render.Skipped
	unknown := rules.UnknownRules(s.Review.DisableRules, s.rules)
	for id, nearest := range unknown {
		reason := "review.disable_rules names no rule of this id"
		if nearest != "" {
			reason += "; the nearest is " + nearest
		}
		out = append(out, render.Skipped{Rule: id, Reason: reason})
	}
	slices.SortFunc(out, func(a, b render.Skipped) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// takesOver says which lessons a proposal would replace: the latest confirmed
// one of a key is current (page 4.4), so an innocent text under the key of an
// important lesson would end it, and whoever approves must see that.
func takesOver(existing []memory.Version, l memory.NewLesson) []string {
	var out []string
	for _, v := range existing {
		if v.State == memory.Active && v.Key == l.Key {
			out = append(out, fmt.Sprintf("a proposal has the key of `%s` and would replace it: %s", v.DocumentID, v.Text))
		}
	}
	return out
}

// planActions turns what was accepted into actions, and shows the pending
// ones. The ids of their causes are those of the change, never of the run.
func planActions(f facts, b briefed, report policy.Report, s *render.Status) []plan.Action {
	if f.memory == nil || len(b.verdict.Policy.WriteScopes) == 0 {
		// A fork's or a stranger's review saves nothing, not even the day on
		// which a lesson was used (page 5.4).
		return nil
	}
	var out []plan.Action
	for i, w := range report.AcceptedWrites() {
		lesson := w.Lesson
		t := memory.Transition{
			Op: memory.OpPropose, At: f.now, Actor: f.operator, Through: f.through,
			Cause:  memory.NewCause("propose", fmt.Sprint(f.repo.RepoID), fmt.Sprint(f.pull), f.change.Head, string(lesson.Key), lesson.Text),
			Lesson: &lesson, Quotas: f.settings.quotas(), Number: f.pull,
		}
		t.Quotas.ProposedInThisRun = i
		s.Notes = append(s.Notes, takesOver(f.memory.existing, lesson)...)
		out = append(out, plan.Action{
			Kind: plan.Transition, Key: t.Cause, Payload: &TransitionTask{Transition: t},
			Summary: fmt.Sprintf("propose %s: %s", lesson.Key, render.Log(lesson.Text)),
		})
	}
	if n := len(report.Refusals); n > 0 {
		out = append(out, plan.Action{
			Kind: plan.RecordRefusals, Key: memory.NewCause("refusals", fmt.Sprint(f.repo.RepoID), fmt.Sprint(f.pull), f.change.Head),
			Summary: fmt.Sprintf("record what was refused of the report (%d)", n),
			Payload: refusedIn{at: f.now, by: f.operator, refusals: slices.Clone(report.Refusals)},
		})
	}
	if ids := lessonIDs(s.Lessons); len(ids) > 0 {
		day := f.now.UTC().Format(time.DateOnly)
		out = append(out, plan.Action{
			Kind: plan.MarkUsed, Key: memory.NewCause(append([]string{"used", day}, ids...)...), Payload: usedOn{ids: ids, day: day},
			Summary: fmt.Sprintf("note that %s shaped a review on %s", strings.Join(ids, ", "), day),
		})
	}
	return append(out, recordUses(f, b.citable(), s.Findings)...)
}

// thenSave adds the save to actions that change the store.
func thenSave(actions []plan.Action) []plan.Action {
	if len(actions) == 0 {
		return nil
	}
	return append(actions, plan.Action{Kind: plan.Save, Key: memory.NewCause("save", actions[len(actions)-1].Key), Summary: "save the store"})
}

func lessonIDs(lessons []memory.Version) []string {
	var ids []string
	for _, v := range lessons {
		if !slices.Contains(ids, v.DocumentID) {
			ids = append(ids, v.DocumentID)
		}
	}
	return ids
}
