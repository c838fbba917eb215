package app

import (
	"context"
	"slices"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
)

// Whether a command of a comment may use the memory. What switches it off
// holds for people's words too: the settings of the default branch, a broken
// file of them, and the label on a pull request (pages 3.2 and 6.2).

// unusable is the answer to a command whose memory is not to be used; nil: it
// is. What is switched off is refused; what this run only could not make out,
// a later run asks again. What only takes away is done while the settings
// switch the memory off: nobody has to switch it on to have something
// forgotten. The label means its one thread, and there nothing is written at
// all (page 6.2): any other thread takes the words.
func (f commandFacts) unusable(r ActionRequest, in intent.Intent) *decision {
	refuse := func(d decision) *decision { return &d }
	switch off := f.settings.memoryOff(); {
	case r.Memory == nil:
		return refuse(withoutMemory(r.MemoryOff, f, in))
	case f.problem != "":
		return refuse(cannotUse(f.problem))
	case f.pull != nil && f.pull.noMemory():
		return refuse(refusedBecause(f.pull.noMemoryWords() + " Say it in another thread, or take the label off first."))
	case takesAway(in.Verb):
		return nil
	case f.settings.broken:
		return refuse(cannotUse(or(f.settings.path, ConfigPath) + " is broken"))
	case off != "":
		return refuse(withoutMemory(off, f, in))
	}
	return nil
}

func cannotUse(why string) decision {
	return decision{text: "The memory cannot be used in this run: " + why + ". A later run asks again.", broken: true}
}

// takesAway says whether a verb leaves nothing behind but less.
func takesAway(v intent.Verb) bool {
	return slices.Contains([]intent.Verb{intent.VerbForget, intent.VerbPurge, intent.VerbRedact, intent.VerbRevoke}, v)
}

// noMemory says whether the label that keeps the memory out is on.
func (g pullFacts) noMemory() bool {
	return slices.Contains(g.pull.Labels, g.settings.Familiar.Labels.NoMemory)
}

func (g pullFacts) noMemoryWords() string {
	return "The label `" + g.settings.Familiar.Labels.NoMemory + "` is on, and keeps the memory out of this pull request."
}

// earlySettings reads the settings of the default branch in the two rounds in
// which a thread is gathered: the event only says where that branch was.
type earlySettings struct {
	r    ActionRequest
	head string // of the branch that the event names
}

func newEarlySettings(r ActionRequest) *earlySettings { return &earlySettings{r: r} }

// first asks for the head of the branch that the event names.
func (s *earlySettings) first(ctx context.Context) (err error) {
	hint := s.r.Trigger.Repository.DefaultBranch
	if s.r.Memory == nil || hint == "" || s.r.around != nil {
		return nil
	}
	s.head, err = s.r.Client.BranchHead(ctx, hint)
	if github.KindOf(err) == github.NotFound {
		return nil // renamed since
	}
	return err
}

// second reads them, for a repository as GitHub answered it. Without a memory
// nothing asks for them.
func (s *earlySettings) second(into *settings, repo *event.Repository) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		switch {
		case s.r.Memory == nil:
			return nil
		case s.r.around != nil:
			*into = s.r.around.settings
		case s.head == "" || repo.DefaultBranch != s.r.Trigger.Repository.DefaultBranch:
			*into, err = defaultSettings(ctx, s.r.Client, s.r.Config, *repo)
		default:
			*into, err = settingsAt(ctx, s.r.Client, or(s.r.Config, ConfigPath), *repo, s.head)
		}
		return err
	}
}
