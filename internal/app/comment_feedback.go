package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
)

// feedbackOps are the transitions of the verbs on findings.
var feedbackOps = map[intent.Verb]memory.Op{
	intent.VerbAccept: memory.OpAccept, intent.VerbDismiss: memory.OpDismiss, intent.VerbCorrect: memory.OpCorrect,
}

// feedbackByComment notes what a maintainer says of a finding, and the lesson
// that comes with it: the person's words, never the reviewer's. Which finding
// it is, a MACed marker of ours says, and nothing that can be seen (page 7.4).
func feedbackByComment(ctx context.Context, r ActionRequest, f commandFacts, s spoken, in intent.Intent) decision {
	ref, no := findingOf(ctx, r, f, s, in.Finding)
	if no != nil {
		return *no
	}
	checked, doubt, against := borneOut(ctx, r, f.repository.ID, f.number, ref)
	if against != "" {
		return refusedBecause(against)
	}
	op := feedbackOps[in.Verb]
	away, err := keptAway(ctx, r.Memory, ref, r.gitHubNow())
	if err != nil {
		return cannotRead(err)
	}
	t := transition(f, s, in, op, in.Finding)
	t.Target, t.Finding = "", ref.Fingerprint
	if in.Text != "" {
		lesson, refusal := feedbackLesson(in, ref, pathsOf(f, ref), r.Memory.Coordinates(), f.number)
		if refusal != nil {
			return refusedBecause(refusal.Detail)
		}
		t.Lesson = &lesson
	}
	return decision{
		tasks: []*TransitionTask{{Transition: t}},
		said: func(t TransitionTask) string {
			x := disposed(t, in.Finding, checked, doubt)
			x.Undone = undone(op, away)
			return render.DisposedProse(x)
		},
	}
}

// disposed is what became of a transition, for the answer.
func disposed(t TransitionTask, finding string, checked bool, doubt string) render.Disposed {
	x := render.Disposed{Kind: t.Transition.Op, Finding: finding, Already: t.Applied.Already, Checked: checked, Doubt: doubt, Lesson: t.Applied.Version.DocumentID}
	if l := t.Transition.Lesson; l != nil && !t.Applied.Already {
		x.Known = t.Applied.Version.Key != l.Key
	}
	return x
}

// feedbackLesson is the lesson that comes with a word on a finding, with the
// compact provenance: run, commits and the fingerprint. Its key holds part of
// the fingerprint, so that words about one finding replace none about another.
func feedbackLesson(in intent.Intent, ref findingRef, paths []string, c memory.Coordinates, number int) (memory.NewLesson, *memory.Refusal) {
	in.Options.Key = "feedback/" + text.Slug(in.Text) + "-" + ref.Fingerprint[:8]
	in.Options.Paths = paths
	lesson, refusal := newLesson(in, c)
	if refusal != nil {
		refusal.Op = string(feedbackOps[in.Verb])
		return memory.NewLesson{}, refusal
	}
	lesson.Provenance = memory.Provenance{RepositoryID: c.RepositoryID, PullRequest: number, Base: ref.Base, Head: ref.Head, Finding: ref.Fingerprint}
	return lesson, nil
}

// findingOf is the finding that a number means in this thread, or why there
// is none. In an answer to a comment on a line, that comment's own marker
// tells; else the list of the status comment; else the markers of all
// comments on lines.
func findingOf(ctx context.Context, r ActionRequest, f commandFacts, s spoken, id string) (findingRef, *decision) {
	no := func(d decision) (findingRef, *decision) { return findingRef{}, &d }
	if f.pull == nil {
		return no(refusedBecause("Findings are on pull requests; on an issue there is none to speak of."))
	}
	if ref, ok := f.markedOn(r, f.root(s)); ok && ref.ID == id {
		return ref, nil
	}
	known := decodeShown(f.own.state.Shown)
	if entry, ok := known.find(id); ok {
		return findingRef{
			ID: id, Fingerprint: entry.fingerprint, Path: pathIn(f.files, entry.path), Line: entry.line,
			Base: known.span(entry).base, Head: known.span(entry).head, Because: entry.because,
		}, nil
	}
	lines := f.lines
	if lines == nil {
		var err error
		if lines, err = r.Client.ReviewComments(ctx, f.number); err != nil {
			return no(decision{broken: true, text: "The comments on lines cannot be read: " + err.Error()})
		}
	}
	for _, c := range lines {
		if ref, ok := f.markedOn(r, c); ok && ref.ID == id {
			return ref, nil
		}
	}
	return no(refusedBecause(fmt.Sprintf("There is no finding %s on this pull request%s.", id, known.words())))
}

// words are the numbers that there are, as the end of a sentence.
func (s shown) words() string {
	var ids []string
	for _, f := range s.list {
		if !f.gone && len(ids) < 10 {
			ids = append(ids, fmt.Sprintf("F%d", f.number))
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "; there is " + strings.Join(ids, ", ")
}

// root is the comment on a line that another one answers; zero for none.
func (f commandFacts) root(s spoken) github.ReviewComment {
	if !s.inline {
		return github.ReviewComment{}
	}
	at := slices.IndexFunc(f.lines, func(c github.ReviewComment) bool { return c.ID == s.ID })
	if at < 0 {
		return github.ReviewComment{}
	}
	for _, c := range f.lines {
		if c.ID == f.lines[at].InReplyTo {
			return c
		}
	}
	return github.ReviewComment{}
}

// markedOn is the finding of which a comment of ours on a line is, as its
// marker says; ok only for one that a key of ours made for this pull request.
func (f commandFacts) markedOn(r ActionRequest, c github.ReviewComment) (findingRef, bool) {
	if !byUs(c.Author, f.author) {
		return findingRef{}, false
	}
	ref, ok, vouched := decodeFinding(r.Keys, f.repository.ID, f.number, c.Body)
	return ref, ok && vouched
}

// pathIn is the path of a change that a digest means, "" where none is left.
func pathIn(files []diff.File, digest string) string {
	for _, file := range files {
		if pathDigest(file.Path) == digest {
			return file.Path
		}
	}
	return ""
}

// pathsOf ties a lesson to the file of its finding. The name of a file that a
// fork adds is its author's word, which may not enter memory (page 4.6); nor
// may one that looks like a secret.
func pathsOf(f commandFacts, ref findingRef) []string {
	own := f.pull.pull.Head.RepoID != 0 && f.pull.pull.Head.RepoID == f.pull.pull.Base.RepoID
	for _, file := range f.files {
		if file.Path != ref.Path {
			continue
		}
		if own || file.Status == diff.Modified || file.Status == diff.Deleted {
			return literalGlob(ref.Path)
		}
	}
	return nil
}

// globMeta are the characters that mean something in a glob.
var globMeta = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

// literalGlob is the glob of exactly one path; none where no glob can say it.
// In place of a character that nobody sees, and that no lesson may hold, stands
// "?", which is any one character.
func literalGlob(path string) []string {
	glob := text.InPlaceOfHidden(globMeta.Replace(path), "?")
	if strings.HasPrefix(glob, "!") || strings.Contains(glob, ",") || memory.GlobProblem(glob) != "" {
		return nil
	}
	if _, found := redact.Refuse(path); found {
		return nil
	}
	return []string{glob}
}
