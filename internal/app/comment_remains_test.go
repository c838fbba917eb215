package app

import (
	"errors"
	"slices"
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// forgotten is a run that took a text away which our status comment shows
// beside lessons that wait for approval.
func forgotten(t *testing.T) *dealing {
	t.Helper()
	const id, bot = "m-7f3k2q8a", "github-actions[bot]"
	keys := keysNamed(t, "first")
	b, _ := parted(render.Marker("acme/shop", 3, "") + "\n**No findings**\n\n- `" + id + "` A secret habit.\n")
	body := b.sealed(keys, 5, 9, State{Display: Display{Digest: "of what waits"}}, render.AsItStands(b.text)).String()
	c := github.Comment{Comment: event.Comment{ID: 9, Body: body, Author: &event.Actor{Login: bot}}}
	g := pullFacts{own: findOwn([]github.Comment{c}, keys, bot, "acme/shop", 5, 3)}
	f := commandFacts{number: 3, repository: event.Repository{ID: 5, Owner: "acme", Name: "shop"}, author: bot, pull: &g, own: g.own, comments: []github.Comment{c}}
	done := dealt{verdict: wasDone, decision: decision{erases: []string{id}, tasks: []*TransitionTask{{Transition: memory.Transition{Target: id}}}}}
	return &dealing{r: ActionRequest{Keys: keys}, f: f, items: []dealt{done}}
}

func TestWhatIsForgottenGoesFromTheStatusCommentUnlessAWordAboutItWaits(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(*dealing)
		rewritten bool
		edits     int
	}{
		"nothing else writes it":       {func(*dealing) {}, false, 1},
		"this run writes it anyway":    {func(*dealing) {}, true, 0},
		"GitHub does not tell who may": {func(d *dealing) { d.f.pull.unsure = "noor could not be looked up" }, false, 0},
		"another command waits":        {func(d *dealing) { d.items = append(d.items, dealt{verdict: wasFailed}) }, false, 0},
		"nothing was taken":            {func(d *dealing) { d.items[0].verdict = wasRefused }, false, 0},
		"a dry run":                    {func(d *dealing) { d.r.DryRun = true }, false, 0},
	} {
		d := forgotten(t)
		c.change(d)
		if got := d.takeAwayHere(c.rewritten); len(got) != c.edits {
			t.Errorf("%s: %d edits, want %d", name, len(got), c.edits)
		}
	}
}

func TestWhereATextStandsIsNotSaidByHalves(t *testing.T) {
	c := newCloud()
	taught := teach("a secret habit of the shop", c.now)
	does(t, c.run(t), taught)
	id := taught.Payload.(*TransitionTask).Applied.Version.DocumentID
	f := commandFacts{number: 3, comments: []github.Comment{
		{Comment: event.Comment{ID: 1, Body: "> A Secret habit\n> of the **shop**?", URL: "https://github.com/acme/shop/issues/3#issuecomment-1"}},
		{Comment: event.Comment{ID: 2, Body: "A habit of the shop.", URL: "https://github.com/acme/shop/issues/3#issuecomment-2"}},
	}}
	got, err := remains(t.Context(), ActionRequest{Memory: c.run(t)}, f, []string{id, id})
	if err != nil || !slices.Equal(got.Places, []string{"https://github.com/acme/shop/issues/3#issuecomment-1"}) || len(got.Threads)+len(got.Denied)+got.Answers != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	down := c.run(t, failing(func(string) error { return errDown }))
	if got, err := remains(t.Context(), ActionRequest{Memory: down}, f, []string{id}); !errors.Is(err, errDown) {
		t.Errorf("of a store that cannot be asked it says %+v, %v", got, err)
	}
	s := surroundings{author: "bot", recent: []github.Comment{{Comment: event.Comment{ID: 4, Body: "- `" + id + "` A secret habit", Author: &event.Actor{Login: "bot"}}}}}
	report := ActionReport{}
	down = c.run(t, failing(func(string) error { return errDown }))
	const want = "comments of ours were not searched for what was forgotten since: the containers cannot be listed, so nothing is read or saved: GitHub: it answered 503"
	if got := takeAwayElsewhere(t.Context(), ActionRequest{Memory: down}, &s, &report); got != want {
		t.Errorf("the sweep says %q, want %q", got, want)
	}
}
