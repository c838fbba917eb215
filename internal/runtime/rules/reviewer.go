package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

// Bounds of one review, so that no rule drowns the others.
const (
	MaxPerRuleAndFile = 10
	MaxPerRule        = 50
	MaxCandidates     = 500
	MaxReminders      = 5
)

// Reviewer is the rules runtime (page 7.2). The zero value is ready.
type Reviewer struct{}

var _ runtime.Reviewer = Reviewer{}

// Review applies the rules of the job to its change. It is deterministic:
// the same job gives the same output. An error means that the context ended.
func (Reviewer) Review(ctx context.Context, job runtime.Job) (runtime.Output, error) {
	if p := job.Brief.MemoryPolicy; p == nil || !p.Enabled {
		job.Snapshot = memory.Snapshot{} // no policy, no memory: deny wins
	}
	r := &run{job: job, lessons: lessons(job)}
	v := newView(ctx, job)
	for _, rule := range withRemembered(job) {
		if err := ctx.Err(); err != nil {
			return runtime.Output{}, err
		}
		r.apply(v, rule)
	}
	if err := ctx.Err(); err != nil { // a rule may have been cut short
		return runtime.Output{}, err
	}
	r.finish()
	return r.out, nil
}

// run is one review as it goes.
type run struct {
	job     runtime.Job
	lessons map[string]memory.Version
	used    []memory.Version
	out     runtime.Output
}

// lessons lists the snapshot by short id.
func lessons(job runtime.Job) map[string]memory.Version {
	out := map[string]memory.Version{}
	for _, v := range job.Snapshot.Lessons {
		out[v.ID()] = v
	}
	return out
}

// withRemembered adds the checks of lessons that the job's list of rules does
// not have, so that no supplied check is silently left out.
func withRemembered(job runtime.Job) []runtime.Rule {
	out := slices.Clone(job.Rules)
	for _, r := range Assemble(nil, nil, job.Snapshot) {
		if r.Origin == runtime.Remembered && !slices.ContainsFunc(out, func(have runtime.Rule) bool { return have.Lesson == r.Lesson }) {
			out = append(out, r)
		}
	}
	return out
}

// apply runs one rule, or says why it could not be run.
func (r *run) apply(v *view, rule runtime.Rule) {
	c := &collector{rule: rule.ID, files: map[string]int{}}
	switch rule.Origin {
	case runtime.BuiltIn:
		b, ok := builtIn(rule.ID)
		if !ok {
			r.skip(rule.ID, "", "no built-in rule has this id")
			return
		}
		b.find(v, func(h hit) { c.add(b.candidate(h)) })
	case runtime.RulesFile, runtime.Remembered:
		lesson, known := r.lessons[rule.Lesson]
		if rule.Origin == runtime.Remembered && !known {
			r.skip(rule.ID, "", "its lesson is not in the snapshot of this review")
			return
		}
		compiled, problem := memory.CompileCheck(rule.Check)
		if problem != nil {
			r.skip(rule.ID, "", problem.Error())
			return
		}
		checked{rule: rule, check: compiled, paths: lesson.Paths}.find(v.change, c.add)
		if known {
			r.used = append(r.used, lesson)
		}
	default:
		r.skip(rule.ID, "", fmt.Sprintf("origin %q is none that is known", rule.Origin))
		return
	}
	r.take(c)
}

func (r *run) skip(rule, path, reason string) {
	r.out.Skipped = append(r.out.Skipped, runtime.Skipped{Rule: rule, Path: path, Reason: reason})
}

// collector takes the candidates of one rule up to its bounds.
type collector struct {
	rule  string
	list  []review.Candidate
	files map[string]int // matches by file, kept or not
}

func (c *collector) add(candidate review.Candidate) {
	c.files[candidate.Path]++
	if c.files[candidate.Path] <= MaxPerRuleAndFile && len(c.list) < MaxPerRule {
		c.list = append(c.list, candidate)
	}
}

func (r *run) take(c *collector) {
	kept := map[string]int{}
	for _, candidate := range c.list[:min(len(c.list), MaxCandidates-len(r.out.Candidates))] {
		kept[candidate.Path]++
		r.out.Candidates = append(r.out.Candidates, candidate)
	}
	for _, path := range sortedKeys(c.files) {
		if more := c.files[path] - kept[path]; more > 0 {
			r.skip(c.rule, path, fmt.Sprintf("%d more matches are not listed", more))
		}
	}
}

// finish orders the findings by place, lists what was looked at, and reports
// what was read.
func (r *run) finish() {
	order := map[string]int{}
	for i, f := range r.job.Change.Files {
		order[f.Path] = i
		if f.Reviewable() {
			r.out.Reviewed = append(r.out.Reviewed, f.Path)
		}
	}
	slices.SortStableFunc(r.out.Candidates, func(a, b review.Candidate) int {
		return cmp.Or(order[a.Path]-order[b.Path], a.Line-b.Line, cmp.Compare(a.Rule, b.Rule))
	})
	for _, v := range r.job.Snapshot.Lessons {
		if v.Check == nil && len(r.out.Reminders) < MaxReminders {
			r.out.Reminders = append(r.out.Reminders, v)
			r.used = append(r.used, v)
		}
	}
	r.out.MemoryUsed = r.memoryUsed()
	r.out.Summary = summary(len(r.out.Candidates), len(r.out.Reviewed))
	r.out.Outcome = runtime.Finished
}

// memoryUsed reports every lesson that was applied or shown, in the order of
// the snapshot. It is nil where no memory was handed out.
func (r *run) memoryUsed() *contract.MemoryUsed {
	policy := r.job.Brief.MemoryPolicy
	if policy == nil || !policy.Enabled {
		return nil
	}
	out := &contract.MemoryUsed{Enabled: true}
	for _, v := range r.job.Snapshot.Lessons {
		if slices.ContainsFunc(r.used, func(u memory.Version) bool { return u.ID() == v.ID() }) {
			out.Read = append(out.Read, contract.MemoryRead{ID: string(v.Key), Scope: string(v.Scope)})
		}
	}
	return out
}

func summary(findings, files int) string {
	return fmt.Sprintf("%s in %s, by rules alone.", count(findings, "finding"), count(files, "file"))
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "No " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func sortedKeys(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
