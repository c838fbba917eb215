package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
)

func TestOfTwoRepliesToOneCommentTheFirstStays(t *testing.T) {
	keys, others := keysNamed(t, "first"), keysNamed(t, "other")
	f := commandFacts{number: 3, repository: event.Repository{ID: 5}, author: "github-actions[bot]"}
	replyTo := func(id int64, inline bool) string {
		return replyMarker(ActionRequest{Keys: keys}, f, spoken{Comment: event.Comment{ID: id}, inline: inline}) + "Words."
	}
	forged := replyMarker(ActionRequest{Keys: others}, f, spoken{Comment: event.Comment{ID: 70}}) + "Words."
	for name, c := range map[string]struct {
		bodies []string // of comments 1, 2, ... by us
		by     string
		gone   string
	}{
		"one reply each":                    {bodies: []string{replyTo(70, false), replyTo(71, false)}},
		"two to one":                        {bodies: []string{replyTo(70, false), "a status", replyTo(70, false)}, gone: "3"},
		"three to one, GitHub's line ends":  {bodies: []string{replyTo(70, true), strings.ReplaceAll(replyTo(70, true), "\n", "\r\n"), replyTo(70, true)}, gone: "2 3"},
		"on a line and in the conversation": {bodies: []string{replyTo(70, true), replyTo(70, false)}},
		"somebody copied it":                {bodies: []string{replyTo(70, false), replyTo(70, false)}, by: "mara"},
		"no key of ours made them":          {bodies: []string{forged, forged}},
		"a number that is none":             {bodies: []string{"<!-- familiar:reply v1 99999999999999999999 ab -->\nx", "<!-- familiar:reply v1 99999999999999999999 ab -->\nx"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &dealing{r: ActionRequest{Keys: keys}, f: f}
			for i, body := range c.bodies {
				by := or(c.by, f.author)
				d.f.comments = append(d.f.comments, github.Comment{Comment: event.Comment{ID: int64(i + 1), Body: body, Author: &event.Actor{Login: by}}})
			}
			var gone []string
			for _, one := range d.spareReplies() {
				for i := range c.bodies {
					if want := fmt.Sprint(i + 1); one.action.Key == spareKey(int64(i+1)) {
						gone = append(gone, want)
					}
				}
			}
			if got := strings.Join(gone, " "); got != c.gone {
				t.Errorf("it takes %q away, want %q", got, c.gone)
			}
		})
	}
	if d := (&dealing{f: f, r: ActionRequest{}}); len(d.spareReplies()) != 0 {
		t.Error("without a key nothing vouches for a reply")
	}
}
