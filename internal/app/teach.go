package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/gitrepo"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/text"
)

// TeachRequest is one remember, never, prefer or with command.
type TeachRequest struct {
	Clone    *Clone
	Stores   Memory
	Intent   intent.Intent
	Operator memory.Principal
	Now      time.Time
	DryRun   bool
}

// matchHistory is how many of the last changes a new check is tried on.
const matchHistory = 50

// Teach stores a lesson that the person at the keyboard said, and says what
// its check would have found in the change at hand and in the last ones. A
// refusal changes nothing and is no error.
func Teach(ctx context.Context, r TeachRequest) (render.Taught, *memory.Refusal, error) {
	if r.Clone.Unknown != "" { // said in a dry run too
		return render.Taught{}, nil, errors.New(r.Clone.Unknown)
	}
	lesson, refusal := newLesson(r.Intent, r.Stores.Coordinates())
	if refusal != nil {
		return render.Taught{}, refusal, nil
	}
	task := &TransitionTask{Transition: memory.Transition{
		Op: memory.OpRemember, At: r.Now, Actor: r.Operator, Standing: memory.StandingAdmin, Lesson: &lesson,
		Cause:   localCause(r.Operator, r.Now, r.Intent.Raw),
		Through: memory.Through{Kind: "local_command"},
	}}
	matches, doubt, err := tryCheck(ctx, r.Clone, lesson.Check)
	if err != nil {
		return render.Taught{}, nil, err
	}
	applied, err := applyOne(ctx, r.Stores, task, "remember "+string(lesson.Key), r.DryRun)
	if err != nil || applied.Refused != nil {
		return render.Taught{}, applied.Refused, err
	}
	if r.DryRun {
		applied.Version = preview(lesson, r)
	}
	return render.Taught{
		Version: applied.Version, Already: applied.Already, Replaced: applied.Replaced, Former: applied.Former, DryRun: r.DryRun, Matches: matches, Notes: doubt,
	}, nil, nil
}

// localCause names one command of one person at one moment.
func localCause(by memory.Principal, at time.Time, words string) string {
	return memory.NewCause("local_command", fmt.Sprint(by.ID), at.UTC().Format(time.RFC3339Nano), words)
}

// applyOne performs a single transition and its save. A dry run rehearses it
// on what is stored and leaves that as it is.
func applyOne(ctx context.Context, stores Memory, task *TransitionTask, summary string, dryRun bool) (memory.Applied, error) {
	if dryRun {
		return rehearsed(ctx, stores, task.Transition)
	}
	actions := []plan.Action{
		{Kind: plan.Transition, Key: task.Transition.Cause, Summary: summary, Payload: task},
		{Kind: plan.Save, Key: memory.NewCause("save", task.Transition.Cause), Summary: "save the store"},
	}
	for _, o := range plan.Failed(stores.Execute(ctx, actions, nil)) {
		return memory.Applied{}, o.Err
	}
	return task.Applied, nil
}

// rehearsed is what a transition would do. Where nothing was taught yet there
// is nothing that it could meet.
func rehearsed(ctx context.Context, stores Memory, t memory.Transition) (applied memory.Applied, err error) {
	err = stores.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st != nil {
			applied, err = st.Rehearse(ctx, t)
		}
		return err
	})
	return applied, err
}

// newLesson makes the lesson that an intent asks for, or says why not. It
// looks for secrets and personal data before anything is written (attack
// A87); the store passes the write gate again.
func newLesson(in intent.Intent, c memory.Coordinates) (memory.NewLesson, *memory.Refusal) {
	refuse := func(reason memory.Reason, detail string) (memory.NewLesson, *memory.Refusal) {
		return memory.NewLesson{}, &memory.Refusal{Op: string(memory.OpRemember), Reason: reason, Detail: detail}
	}
	words := in.Text
	if words == "" && in.Check != nil {
		words = in.Check.Text()
	}
	normal, problem := text.Normalise(words)
	switch problem {
	case text.ProblemNone:
	case text.ProblemUnsafe:
		return refuse(memory.ReasonUnsafeText, sentenceOf(text.Describe(problem, words)))
	default:
		return refuse(memory.ReasonContentInvalid, sentenceOf(text.Describe(problem, words)))
	}
	if in.Check != nil {
		if _, p := memory.CompileCheck(*in.Check); p != nil {
			return refuse(memory.ReasonCheckInvalid, p.Error())
		}
	}
	if r := memory.UncleanTexts(redact.Finder{}, append([]string{normal, in.Options.Key}, checkTexts(in)...)...); r != nil {
		return refuse(r.Reason, r.Detail) // the store looks for the run's own tokens as well
	}
	key, refusal := lessonKey(in, normal, c)
	if refusal != nil {
		return memory.NewLesson{}, refusal
	}
	class := in.Options.Class
	if class == "" {
		class = memory.Standard
	}
	return memory.NewLesson{
		Key: key, Scope: contract.ScopeRepo, Text: normal, Source: memory.UserAuthored, State: memory.Active, Class: class,
		Paths: in.Options.Paths, About: in.Options.About, Check: in.Check, ValidUntil: in.Options.Until,
		Approved: memory.ApprovedConfirmed, Again: in.Options.Again, Line: in.Line,
		Provenance: memory.Provenance{RepositoryID: c.RepositoryID},
	}, nil
}

// checkTexts are all the words of an intent that are stored beside its text.
func checkTexts(in intent.Intent) []string {
	out := append(append([]string{}, in.Options.Paths...), in.Options.About...)
	if c := in.Check; c != nil {
		out = append(out, c.Pattern, c.Prefer, c.Because)
		out = append(append(append(append(out, c.In...), c.With...), c.Bad...), c.Good...)
	}
	return out
}

func lessonKey(in intent.Intent, words string, c memory.Coordinates) (memory.Key, *memory.Refusal) {
	rest := in.Options.Key
	if rest == "" {
		rest = "lessons/" + text.Slug(words)
	}
	key, problem := memory.NewRepoKey(c, rest)
	if problem != nil {
		return "", &memory.Refusal{Op: string(memory.OpRemember), Reason: memory.ReasonNotAddressable, Detail: problem.Error()}
	}
	return key, nil
}

func sentenceOf(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// preview is the lesson as it would be stored, for a dry run.
func preview(l memory.NewLesson, r TeachRequest) memory.Version {
	return memory.Version{
		Key: l.Key, Scope: l.Scope, Text: l.Text, Source: l.Source, State: l.State, Class: l.Class, Paths: l.Paths, About: l.About,
		Check: l.Check, Creator: r.Operator, CreatedAt: r.Now, ConfirmedBy: r.Operator, ConfirmedAt: r.Now, Approved: l.Approved,
	}
}

// tryCheck says what a check finds in the change at hand (the working tree)
// and in the last changes, and doubts globs that no file of these lies in.
func tryCheck(ctx context.Context, c *Clone, check *memory.Check) ([]render.Match, []string, error) {
	if check == nil {
		return nil, nil, nil
	}
	compiled, problem := memory.CompileCheck(*check)
	if problem != nil {
		return nil, nil, nil // refused before
	}
	var out []render.Match
	var seen []diff.Change
	if tree, err := c.Repo.Worktree(ctx); err == nil && len(tree.Files) > 0 {
		seen = append(seen, tree)
		out = append(out, matches(compiled, "", seen))
	} else if k := gitrepo.KindOf(err); err != nil && k != gitrepo.NoWorktree && k != gitrepo.NoCommits {
		return nil, nil, err
	}
	changes, err := lastChanges(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if len(changes) > 0 {
		where := fmt.Sprintf("the last %d commits", len(changes))
		if len(changes) == 1 {
			where = "the last commit"
		}
		out = append(out, matches(compiled, where, changes))
	}
	return out, doubtGlobs(compiled, append(seen, changes...)), nil
}

// lastChanges are the last changes of the clone; none where it has no commit.
func lastChanges(ctx context.Context, c *Clone) ([]diff.Change, error) {
	history, err := c.Repo.Last(ctx, matchHistory)
	if err != nil {
		if gitrepo.KindOf(err) == gitrepo.NoCommits {
			return nil, nil
		}
		return nil, err
	}
	var changes []diff.Change
	for _, commit := range history.Commits {
		change, err := c.Repo.Change(ctx, commit.Base(), commit.SHA)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// doubtGlobs tells a person of globs that none of the files at hand lies in:
// mostly a slip, or a glob that the shell expanded.
func doubtGlobs(c *memory.CompiledCheck, changes []diff.Change) []string {
	globs := c.Check().In
	if len(globs) == 0 || len(changes) == 0 {
		return nil
	}
	files := 0
	for _, change := range changes {
		files += len(change.Paths())
		if slices.ContainsFunc(change.Paths(), c.AppliesTo) {
			return nil
		}
	}
	if files == 0 { // nothing to doubt by
		return nil
	}
	return []string{fmt.Sprintf("No file of these changes lies in %s. If that is a slip, forget this lesson and teach it again; on a command line, quote globs.",
		strings.Join(globs, ", "))}
}

// maxPlaces bounds how many places an answer names.
const maxPlaces = 3

// matches counts what a check finds in changes.
func matches(c *memory.CompiledCheck, where string, changes []diff.Change) render.Match {
	m := render.Match{Where: where, Checked: true}
	for _, change := range changes {
		note := func(place string) {
			m.Lines++
			if len(m.Places) < maxPlaces {
				m.Places = append(m.Places, render.Place{At: place, Commit: change.Head})
			}
		}
		if c.Check().Kind == memory.CheckWith {
			if trigger, missing := c.TouchedWithout(change.Paths()); missing {
				note(trigger[0])
			}
			continue
		}
		for _, f := range change.Files {
			if !f.Reviewable() || !c.AppliesTo(f.Path) {
				continue
			}
			for l := range f.AddedLines() {
				if _, _, ok := c.MatchLine(l.Text); ok {
					note(fmt.Sprintf("%s:%d", f.Path, l.New))
				}
			}
		}
	}
	return m
}
