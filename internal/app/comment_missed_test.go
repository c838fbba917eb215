package app

import (
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestReachOfMissedCommands(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		name string
		in   reach
		want time.Time
	}{
		{"a young memory is looked at from its genesis", reach{genesis: noon.Add(-day), now: noon}, noon.Add(-day)},
		{"an old one for seven days", reach{genesis: noon.Add(-90 * day), now: noon}, noon.Add(-7 * day)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.in.since(); !got.Equal(c.want) {
				t.Errorf("since %s, want %s", got, c.want)
			}
		})
	}
}

func TestWhichCommentsCanBeMissed(t *testing.T) {
	w := reach{genesis: noon.Add(-48 * time.Hour), now: noon}
	at := noon.Add(-time.Hour)
	mara := &event.Actor{ID: 11, Login: "mara", Type: "User"}
	for _, c := range []struct {
		name string
		in   event.Comment
		want bool
	}{
		{"a person's, never edited", event.Comment{Author: mara, CreatedAt: at, UpdatedAt: at}, true},
		{"A107: one that was edited", event.Comment{Author: mara, CreatedAt: at, UpdatedAt: at.Add(time.Second)}, false},
		{"A107: one from before the memory", event.Comment{Author: mara, CreatedAt: w.genesis.Add(-time.Second), UpdatedAt: w.genesis.Add(-time.Second)}, false},
		{"A107: one of a year ago", event.Comment{Author: mara, CreatedAt: at.AddDate(-1, 0, 0), UpdatedAt: at.AddDate(-1, 0, 0)}, false},
		{"a bot's", event.Comment{Author: &event.Actor{ID: 2, Login: "renovate[bot]", Type: "Bot"}, CreatedAt: at, UpdatedAt: at}, false},
		{"an app's in a person's name", event.Comment{Author: mara, ViaApp: true, CreatedAt: at, UpdatedAt: at}, false},
		{"A39: a deleted account's", event.Comment{CreatedAt: at, UpdatedAt: at}, false},
		{"one without a time", event.Comment{Author: mara}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.takes(c.in); got != c.want {
				t.Errorf("takes %v, want %v", got, c.want)
			}
		})
	}
}

// TestCandidatesComeInOrder: by time and then by id, whatever list they were
// found in; our own words and the comment at hand are none.
func TestCandidatesComeInOrder(t *testing.T) {
	w := reach{genesis: noon.Add(-48 * time.Hour), now: noon}
	comment := func(id int64, login, body string, at time.Time) github.Comment {
		return github.Comment{Comment: event.Comment{ID: id, Body: body, Author: &event.Actor{ID: id, Login: login, Type: "User"}, CreatedAt: at, UpdatedAt: at}}
	}
	f := commandFacts{author: "keeper", comments: []github.Comment{
		comment(9, "mara", "/familiar list", noon.Add(-time.Minute)),
		comment(7, "mara", "/familiar help", noon.Add(-time.Minute)),
		comment(3, "keeper", "/familiar forget m-7f3k2q8a", noon.Add(-2*time.Minute)),
		comment(5, "mara", "/familiar status", noon.Add(-3*time.Minute)),
		comment(6, "mara", "thanks", noon.Add(-3*time.Minute)),
	}, lines: []github.ReviewComment{
		{ID: 8, InReplyTo: 4, Body: "/familiar list", Author: &event.Actor{ID: 1, Login: "noor", Type: "User"}, CreatedAt: noon.Add(-2 * time.Minute), UpdatedAt: noon.Add(-2 * time.Minute)},
		{ID: 4, Body: "/familiar list", Author: &event.Actor{ID: 1, Login: "noor", Type: "User"}, CreatedAt: noon.Add(-2 * time.Minute), UpdatedAt: noon.Add(-2 * time.Minute)},
	}}
	var got []int64
	for _, h := range candidates(f, w, []string{intent.DefaultHandle}, 9) {
		got = append(got, h.ID)
		if h.inline != (h.ID == 8) || !h.late {
			t.Errorf("%d: inline %v, late %v", h.ID, h.inline, h.late)
		}
	}
	if want := []int64{5, 8, 7}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("candidates %v, want %v", got, want)
	}
}

// TestACommentIsLeftToItsOwnRunAtFirst: other runs take it when that one is
// over, so that nobody is answered twice.
func TestACommentIsLeftToItsOwnRunAtFirst(t *testing.T) {
	young := event.Comment{ID: 1, CreatedAt: noon.Add(-ownRun + time.Second)}
	remember, all := []intent.Intent{{Verb: intent.VerbRemember}}, []intent.Intent{{Verb: intent.VerbList}, {Verb: intent.VerbApprove, All: true}}
	for _, c := range []struct {
		name string
		in   spoken
		kind event.Kind
		want bool
	}{
		{"the clock's run waits", spoken{Comment: young, intents: remember}, event.Schedule, true},
		{"a review waits", spoken{Comment: young, intents: remember}, event.PullRequestTarget, true},
		{"one that is older has no run any more", spoken{Comment: event.Comment{ID: 1, CreatedAt: noon.Add(-ownRun)}, intents: remember}, event.Schedule, false},
		{"one of a moment that GitHub has not told yet is young", spoken{Comment: event.Comment{ID: 1, CreatedAt: noon.Add(time.Second)}, intents: remember}, event.Schedule, true},
		{"commands go one at a time", spoken{Comment: young, intents: remember}, event.IssueComment, false},
		{"an answer on a line wakes no run", spoken{Comment: young, intents: remember, inline: true}, event.PullRequestTarget, false},
		{"a word about all that is shown comes before the rewrite", spoken{Comment: young, intents: all}, event.PullRequestTarget, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (heard{spoken: c.in}).awaited(c.kind, noon); got != c.want {
				t.Errorf("awaited %v, want %v", got, c.want)
			}
		})
	}
}
