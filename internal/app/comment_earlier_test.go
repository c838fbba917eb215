package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// earlierThread is an issue on which people said things, of which runs stored
// some.
type earlierThread struct {
	t *testing.T
	c *cloud
	f commandFacts
}

func newEarlierThread(t *testing.T) *earlierThread {
	return &earlierThread{t: t, c: newCloud(), f: commandFacts{number: 3, author: "github-actions[bot]", repository: event.Repository{ID: shop.RepositoryID}}}
}

// says adds a comment of a person.
func (w *earlierThread) says(body string) *github.Comment {
	id := int64(100 + len(w.f.comments))
	at := w.c.now.Add(time.Duration(len(w.f.comments)) * time.Minute)
	w.f.comments = append(w.f.comments, github.Comment{
		Comment: event.Comment{ID: id, Body: body, Author: &event.Actor{ID: mara.ID, Login: mara.Login}, CreatedAt: at, UpdatedAt: at},
	})
	return &w.f.comments[len(w.f.comments)-1]
}

// teaches is a comment that a run stored, and the lesson of it.
func (w *earlierThread) teaches(words string) (id string) {
	c := w.says("/familiar remember " + words)
	a := teach(words, w.c.now)
	return w.stored(a, c.ID, "")
}

func (w *earlierThread) stored(a plan.Action, comment int64, target string) (id string) {
	task := a.Payload.(*TransitionTask)
	a.Key = commandCause(w.f, comment, 1, target)
	task.Transition.Cause, task.Transition.Standing = a.Key, memory.StandingAdmin
	does(w.t, w.c.run(w.t), a)
	return task.Applied.Version.DocumentID
}

// told are the commands that a run tells which deals with one comment.
func (w *earlierThread) told(now int64) (commands []string, more bool) {
	d := &dealing{r: ActionRequest{Memory: w.c.run(w.t)}, f: w.f, said: []spoken{{Comment: event.Comment{ID: now}}}}
	answers, more := d.earlierHere(w.t.Context())
	for _, a := range answers {
		if !a.Done || a.From != mara.Login || a.On.IsZero() || a.Text == "" {
			w.t.Errorf("the answer is %+v", a)
		}
		commands = append(commands, strings.TrimPrefix(a.Command, "/familiar "))
	}
	return commands, more
}

func (w *earlierThread) wantTold(now int64, wantMore bool, want ...string) {
	w.t.Helper()
	if got, more := w.told(now); !slices.Equal(got, want) || more != wantMore {
		w.t.Errorf("told are %q (more %t), want %q (%t)", got, more, want, wantMore)
	}
}

func TestAnIssueTellsWhatEarlierRunsDidThere(t *testing.T) {
	t.Run("the last ones, the latest first, and that there are more", func(t *testing.T) {
		w := newEarlierThread(t)
		var all []string
		for i := range maxEarlier {
			all = append([]string{fmt.Sprintf("remember rule number %d", i)}, all...)
			w.teaches(fmt.Sprintf("rule number %d", i))
		}
		w.wantTold(1, false, all...)
		w.teaches("one more rule")
		w.wantTold(1, true, append([]string{"remember one more rule"}, all[:maxEarlier-1]...)...)
	})
	t.Run("not what this run answers, nor what nobody did", func(t *testing.T) {
		w := newEarlierThread(t)
		w.teaches("waits are cancellable")
		w.teaches("money is rounded")
		w.says("/familiar remember nobody stored this")
		w.says("/familiar list")
		w.says("thanks, familiar")
		w.wantTold(w.f.comments[1].ID, false, "remember waits are cancellable")
	})
	t.Run("only what people said and left as it was", func(t *testing.T) {
		for name, change := range map[string]func(*github.Comment){
			"edited":   func(c *github.Comment) { c.UpdatedAt = c.CreatedAt.Add(time.Second) },
			"a bot's":  func(c *github.Comment) { c.Author.Type = "Bot" },
			"an app's": func(c *github.Comment) { c.ViaApp = true },
			"ours":     func(c *github.Comment) { c.Author.Login = "github-actions[bot]" },
			"gone":     func(c *github.Comment) { c.Author = nil },
		} {
			t.Run(name, func(t *testing.T) {
				w := newEarlierThread(t)
				w.teaches("waits are cancellable")
				w.teaches("money is rounded")
				change(&w.f.comments[1])
				w.wantTold(1, false, "remember waits are cancellable")
			})
		}
	})
	for verb, op := range map[intent.Verb]memory.Op{intent.VerbForget: memory.OpForget, intent.VerbPurge: memory.OpPurge, intent.VerbRedact: memory.OpRedact, intent.VerbRevoke: memory.OpRevoke} {
		t.Run("words that are gone are not said again: "+string(verb), func(t *testing.T) {
			w := newEarlierThread(t)
			secret := w.teaches("a secret habit")
			w.teaches("money is rounded")
			c := w.says("/familiar " + string(verb) + " " + secret)
			w.stored(touching(op, secret, w.c.now), c.ID, secret)
			w.wantTold(1, false, string(verb)+" "+secret, "remember money is rounded")
		})
	}
	t.Run("nothing where there is no memory, or it is not to be used", func(t *testing.T) {
		w := newEarlierThread(t)
		w.teaches("waits are cancellable")
		w.f.problem = "it is behind"
		w.wantTold(1, false)
		d := &dealing{f: w.f}
		if got, more := d.earlierHere(t.Context()); got != nil || more {
			t.Errorf("told are %v", got)
		}
	})
}
