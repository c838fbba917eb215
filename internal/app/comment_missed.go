package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// Commands that no run has dealt with, because theirs was cancelled or failed,
// are found again by every later trusted run (page 6.1).

// maxMissed bounds how many comments one run catches up with.
const maxMissed = 20

// reach is how far back missed commands are looked for: seven days, and never
// before the store was made. The thread's last recorded cause is no limit: a
// run that caught up with a part, or whose cause is no comment's, would hide
// what is left behind it. Which commands are dealt with, their own causes say
// (decision 0012).
type reach struct {
	genesis time.Time // of the store
	now     time.Time
}

// since is where it begins.
func (w reach) since() time.Time {
	since := w.genesis
	if since.Before(w.now.Add(-lookBack)) {
		since = w.now.Add(-lookBack)
	}
	return since
}

// takes says whether a comment can be a missed one: a person's, never edited,
// not written before the store was made nor before the reach.
func (w reach) takes(c event.Comment) bool {
	return takesWord(c) && !c.CreatedAt.Before(w.since())
}

// takesWord says whether a comment is a person's, and as it was written.
func takesWord(c event.Comment) bool {
	return c.Author != nil && !c.Author.IsBot() && !c.ViaApp && !c.CreatedAt.IsZero() && c.UpdatedAt.Equal(c.CreatedAt)
}

// late says whether a comment of which the store knows nothing is younger than
// the store. What the very first command became, the store it began tells.
func (w reach) late(h heard) bool { return h.recorded && !h.silent || h.CreatedAt.After(w.genesis) }

// heard is a comment that may be a missed one, with the reactions it got.
type heard struct {
	spoken
	rocket, confused int
	recorded         bool // every command that leaves a cause left it
	silent           bool // some command leaves none
}

// ownRun is how long a comment is left to the run that it woke: that takes a
// minute, and rarely waits longer for a runner or behind other commands. Two
// runs that deal with one comment store once and answer twice.
const ownRun = 5 * time.Minute

// awaited says whether the run that a comment woke may still be under way, and
// this run is not to answer in its place. A command's run never waits: its
// workflow lets one go at a time, so the others are over or come after it. An
// answer to a comment on a line wakes no run; and a word about all that is
// shown is taken before this run rewrites what it is about.
func (h heard) awaited(kind event.Kind, now time.Time) bool {
	return kind != event.IssueComment && !h.inline && now.Before(h.CreatedAt.Add(ownRun)) &&
		!slices.ContainsFunc(h.intents, func(in intent.Intent) bool { return in.All })
}

// candidates are the comments of a thread within reach that hold a command,
// but for the one that is dealt with anyway.
func candidates(f commandFacts, w reach, handles []string, but int64) []heard {
	var out []heard
	add := func(c event.Comment, inline bool, rocket, confused int) {
		if c.ID == but && !inline || !w.takes(c) || byUs(c.Author, f.author) {
			return
		}
		if in := intent.Parse(c.Body, intent.Options{Handles: handles}); len(in) > 0 {
			out = append(out, heard{spoken: spoken{Comment: c, inline: inline, late: true, intents: in}, rocket: rocket, confused: confused})
		}
	}
	for _, c := range f.comments {
		add(c.Comment, false, c.Rocket, c.Confused)
	}
	for _, c := range f.lines {
		if c.InReplyTo != 0 {
			add(event.Comment{ID: c.ID, Body: c.Body, URL: c.URL, Author: c.Author, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}, true, c.Rocket, c.Confused)
		}
	}
	slices.SortFunc(out, func(a, b heard) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// missedCommands are the comments of the thread that no run has dealt with,
// the oldest first, each with its author's live standing. but is the comment
// that woke the run. note says what was left for another run, or why nothing
// could be looked for.
func missedCommands(ctx context.Context, r ActionRequest, f commandFacts, but int64) (out []spoken, note string) {
	if r.Memory == nil || f.problem != "" {
		return nil, ""
	}
	var found []heard
	handles, err := handlesOf(ctx, r, f)
	if err != nil {
		return nil, notLookedFor(err)
	}
	err = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st == nil {
			return nil // before the store's genesis nothing is taken up
		}
		w, err := reachOf(ctx, st, r.gitHubNow())
		if err != nil {
			return err
		}
		all := slices.DeleteFunc(candidates(f, w, handles, but), func(h heard) bool {
			return h.awaited(r.Trigger.Kind, w.now) && !toldToWait(r, f, h.spoken) // who was told so, their run is over
		})
		found, err = dropRecorded(ctx, st, f, w, all)
		return err
	})
	if err == nil && len(found) > 0 {
		found, err = withoutOurWord(ctx, r, f, found)
	}
	if err != nil {
		return nil, notLookedFor(err)
	}
	if len(found) > maxMissed {
		note = "the next run takes " + render.Count(len(found)-maxMissed, "more comment") + " with commands"
		found = found[:maxMissed]
	}
	var people []string
	for _, h := range found {
		people = append(people, h.Author.Login)
	}
	if err := r.Client.Gather(ctx, f.standings.ask(r.Client, asShapers(people), f.repository.Visibility)...); err != nil {
		return nil, notLookedFor(err)
	}
	for _, h := range found {
		h.standing, h.could, h.why = f.lowestOf([]string{h.Author.Login})
		out = append(out, h.spoken)
	}
	return out, note
}

// handlesOf are the handles that the commands of a thread may start with. On
// an issue a handle of one's own is looked up only where some other handle
// stands before one of our verbs (decision 0009).
func handlesOf(ctx context.Context, r ActionRequest, f commandFacts) ([]string, error) {
	others := false
	for _, c := range f.comments {
		others = others || len(otherHandles(c.Body)) > 0
	}
	ours := []string{f.handle, strings.TrimSuffix(f.author, "[bot]")}
	if f.pull == nil && others {
		var err error
		if ours, err = ownHandles(ctx, r, f.repository); err != nil {
			return nil, err
		}
	}
	return besideDefault(ours...), nil
}

// besideDefault are the handles that commands may start with: the one that
// holds everywhere, and those of these names that are somebody's own.
func besideDefault(names ...string) []string {
	out := []string{intent.DefaultHandle}
	for _, name := range names {
		if name = strings.ToLower(name); name != "" && name != "github-actions" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func notLookedFor(err error) string {
	return "Earlier commands of this thread were not looked for: " + err.Error()
}

func reachOf(ctx context.Context, st *store.Store, now time.Time) (reach, error) {
	info, err := st.Info(ctx)
	return reach{genesis: info.Genesis, now: now}, err
}

// causesOf are the causes that a command leaves, done or refused. known is
// false for one that leaves none: what it did is told by our reaction alone.
func causesOf(f commandFacts, s spoken, in intent.Intent) (causes []string, known bool) {
	if !stores(in) || in.All || in.Verb == intent.VerbPause || in.Verb == intent.VerbResume {
		return nil, false
	}
	for _, id := range in.IDs {
		causes = append(causes, commandCause(f, s.ID, in.Line, id))
	}
	if len(in.IDs) == 0 {
		causes = append(causes, commandCause(f, s.ID, in.Line, in.Finding))
	}
	return causes, true
}

// dropRecorded drops the comments of which every command left its causes and
// that got a last reaction, and notes of the others whether those commands that
// leave some did. Without a last reaction the run that stored it ended before
// it could answer: the reactions are counted in what was read anyway, so whose
// they are is not asked.
func dropRecorded(ctx context.Context, st *store.Store, f commandFacts, w reach, all []heard) (out []heard, err error) {
	for _, h := range all {
		h.recorded = true
		for _, in := range h.intents {
			causes, known := causesOf(f, h.spoken, in)
			h.silent = h.silent || !known
			for _, id := range causes {
				_, ok, err := st.Cause(ctx, id)
				if err != nil {
					return nil, err
				}
				h.recorded = h.recorded && ok
			}
		}
		if w.late(h) && (!h.recorded || h.silent || h.rocket+h.confused == 0) {
			out = append(out, h)
		}
	}
	return out, nil
}

// withoutOurWord drops the comments that we answered for good: by our own
// reaction or in a reply. What is in the store once it is done, only the
// store tells. Reactions are asked for only where there are some.
func withoutOurWord(ctx context.Context, r ActionRequest, f commandFacts, all []heard) ([]heard, error) {
	dealt := make([]bool, len(all))
	var tasks []func(context.Context) error
	for i, h := range all {
		if h.recorded && !h.silent {
			continue // only the last reaction is missing, or the answer too
		}
		dealt[i] = h.recorded && answered(r, f, h.spoken)
		if dealt[i] || h.confused == 0 && (h.rocket == 0 || !h.recorded) {
			continue
		}
		tasks = append(tasks, func(ctx context.Context) error {
			ask := r.Client.Reactions
			if h.inline {
				ask = r.Client.ReviewReactions
			}
			list, err := ask(ctx, h.ID)
			dealt[i] = reacted(list, f.author, "confused") || h.recorded && reacted(list, f.author, "rocket")
			return err
		})
	}
	if err := r.Client.Gather(ctx, tasks...); err != nil {
		return nil, err
	}
	var out []heard
	for i, h := range all {
		if !dealt[i] {
			out = append(out, h)
		}
	}
	return out, nil
}

func reacted(all []github.Reaction, by, content string) bool {
	return slices.ContainsFunc(all, func(x github.Reaction) bool {
		return x.Content == content && x.User != nil && strings.EqualFold(x.User.Login, by)
	})
}

// catchUp deals with the commands of a pull request that no run has dealt
// with, before it is reviewed. did is false where there are none: then the
// review goes on by itself. Without reviews none is made but the one that the
// commands ask for.
func catchUp(ctx context.Context, r ActionRequest, p pullRun, g pullFacts, reviews bool) (out ActionReport, did bool, err error) {
	if p.dealt || r.Memory == nil || !catchesUp(r.Trigger.Kind) {
		return out, false, nil
	}
	var f commandFacts
	f.about(g)
	late, note := missedCommands(ctx, r, f, 0)
	if len(late) == 0 {
		return out, false, nil // what could not be looked for, the next run looks for
	}
	d := newDealing(r, f, late)
	d.note(note)
	if reviews {
		d.review = &p
	}
	out, err = d.deal(ctx)
	return out, true, err
}

// catchesUp says whether a run is one that finds missed commands again: one
// of the default branch's own workflow. A comment's run does it itself.
func catchesUp(kind event.Kind) bool {
	switch kind {
	case event.PullRequestTarget, event.WorkflowRun, event.Schedule, event.WorkflowDispatch:
		return true
	}
	return false
}
