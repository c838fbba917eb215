package app

import (
	"context"
	"path"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// teachByComment stores what a maintainer said.
func teachByComment(_ context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	lesson, refusal := newLesson(in, r.Memory.Coordinates())
	if refusal != nil {
		return refusedBecause(refusal.Detail)
	}
	if f.pull != nil {
		lesson.Provenance.PullRequest = f.number
	}
	t := transition(f, s, in, memory.OpRemember, "")
	t.Lesson = &lesson
	matched, suggested := matchedHere(lesson.Check, f.files), suggestedPaths(f, lesson)
	return decision{
		tasks: []*TransitionTask{{Transition: t}},
		said: func(t TransitionTask) string {
			a := t.Applied
			return render.RememberedProse(render.Taught{Version: a.Version, Already: a.Already, Replaced: a.Replaced, Former: a.Former, Matches: matched, Suggest: suggested})
		},
	}
}

// matchedHere says what a new check finds in the change at hand.
func matchedHere(check *memory.Check, files []diff.File) []render.Match {
	if check == nil || len(files) == 0 {
		return nil
	}
	compiled, problem := memory.CompileCheck(*check)
	if problem != nil {
		return nil // refused before
	}
	return []render.Match{matches(compiled, "", []diff.Change{{Files: files}})}
}

// maxSuggested bounds the folders of a suggestion: a change all over the
// place tells nothing about where a lesson applies.
const maxSuggested = 2

// suggestedPaths is the line `paths:` that would tie a lesson to the change
// at hand (page 4.6). The names of a fork's folders are its author's words,
// which are offered to nobody.
func suggestedPaths(f commandFacts, lesson memory.NewLesson) []string {
	if lesson.Check != nil || len(lesson.Paths) > 0 || f.pull == nil ||
		f.pull.pull.Head.RepoID == 0 || f.pull.pull.Head.RepoID != f.pull.pull.Base.RepoID || f.pull.trust.Scope == contract.TrustExternal {
		return nil
	}
	var folders []string
	for _, file := range f.files {
		dir := path.Dir(file.Path)
		if dir == "." {
			return nil
		}
		if glob := dir + "/**"; !slices.Contains(folders, glob) {
			folders = append(folders, glob)
		}
	}
	if len(folders) == 0 || len(folders) > maxSuggested {
		return nil
	}
	slices.Sort(folders)
	line := "paths: " + folders[0]
	for _, more := range folders[1:] {
		line += ", " + more
	}
	return []string{line}
}
