package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

func boardKeys(t testing.TB, seed string) (vault.Keys, string) {
	t.Helper()
	text, _, err := vault.NewKey(strings.NewReader(strings.Repeat(seed+" bytes for the keys of a test ", 4)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := vault.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k, text
}

var seenStore = Floor{Generation: 7, Digest: strings.Repeat("a", 64)}

// ourBoard is a dashboard with one lesson in use, on issue 12 of repository
// 501.
func ourBoard(t testing.TB, k vault.Keys) string {
	t.Helper()
	v := memory.Version{DocumentID: "m-7f3k2q8a", Number: 1, Key: "repo/lumen/ledger/lessons/x", Text: "Money is rounded half-even.", State: memory.Active}
	m := render.Dashboard{Repo: "lumen/ledger", Number: 12, Versions: []memory.Version{v}, Generation: 7, Boxes: boxTags(k, 501, 12, []memory.Version{v})}
	text, _ := render.DashboardBody(m)
	return sealedBoard(k, "lumen/ledger", 501, 12, seenStore, text).String()
}

func TestADashboardIsBelievedWordForWordButForTicks(t *testing.T) {
	k, _ := boardKeys(t, "one")
	other, _ := boardKeys(t, "two")
	ours := ourBoard(t, k)
	ticked := strings.Replace(ours, "- [ ] retire", "- [x] retire", 1)
	for _, c := range []struct {
		name   string
		body   string
		keys   vault.Keys
		repo   int64
		number int
		want   bool
	}{
		{"as we left it", ours, k, 501, 12, true},
		{"ticked", ticked, k, 501, 12, true},
		{"with the line ends of a browser", strings.ReplaceAll(ticked, "\n", "\r\n"), k, 501, 12, true},
		{"with its ends trimmed, as GitHub does", strings.TrimSpace(ours), k, 501, 12, true},
		{"A50: on another issue", ours, k, 501, 13, false},
		{"A50: in another repository", ours, k, 502, 12, false},
		{"under another key", ours, other, 501, 12, false},
		{"a word changed", strings.Replace(ours, "half-even", "up", 1), k, 501, 12, false},
		{"a word added at the end", ours + "also", k, 501, 12, false},
		{"a box for another lesson", strings.Replace(ours, "retire m-7f3k2q8a@1", "retire m-7f3k2q8b@1", 1), k, 501, 12, false},
		{"another floor", strings.Replace(ours, "v1 7 ", "v1 6 ", 1), k, 501, 12, false},
		{"without a tag", strings.Replace(ours, " "+strings.Fields(ours)[4], "", 1), k, 501, 12, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ok := partedBoard(c.body)
			if !ok || b.verifies(c.keys, c.repo, c.number) != c.want {
				t.Errorf("parted %v, verifies %v, want %v", ok, !c.want, c.want)
			}
		})
	}
	if _, ok := partedBoard("hello\n" + ours); ok {
		t.Error("a marker that is not the first line counts")
	}
}

func TestTheFloorOfADashboardOutlivesAnEditOfItsWords(t *testing.T) {
	k, _ := boardKeys(t, "one")
	ours := ourBoard(t, k)
	for _, c := range []struct {
		name, body string
		number     int
		want       Floor
	}{
		{"as we left it", ours, 12, seenStore},
		{"words changed around it", strings.Replace(ours, "half-even", "up", 1), 12, seenStore},
		{"A11: a lower generation", strings.Replace(ours, "seen v1 7 ", "seen v1 3 ", 1), 12, Floor{}},
		{"A108: carried to another issue", ours, 13, Floor{}},
		{"taken away", strings.Replace(ours, "familiar:seen", "familiar:unseen", 1), 12, Floor{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := partedBoard(c.body)
			if got := b.floor(k, 501, c.number); got != c.want {
				t.Errorf("the floor is %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestABoxMeansTheWordsBesideIt(t *testing.T) {
	k, text := boardKeys(t, "one")
	b, _ := partedBoard(strings.Replace(ourBoard(t, k), "- [ ]", "- [X]", 1))
	before, _ := partedBoard(ourBoard(t, k))
	boxes := newlyTicked(before, b)
	if len(boxes) != 1 || boxes[0] != (render.Box{Op: memory.OpRetire, Version: "m-7f3k2q8a@1"}) || len(newlyTicked(b, b)) != 0 {
		t.Fatalf("newly ticked %v", boxes)
	}
	tag := b.ticked()[boxes[0]]
	if !boxMeans(k, 501, 12, boxes[0], tag, "Money is rounded half-even.") || boxMeans(k, 501, 12, boxes[0], tag, "Money is rounded up.") {
		t.Error("the box is not bound to its words")
	}
	_, fresh := boardKeys(t, "two")
	rotated, err := vault.ParseKeys(fresh + "\n" + text)
	if err != nil || !boxMeans(rotated, 501, 12, boxes[0], tag, "Money is rounded half-even.") || !b.verifies(rotated, 501, 12) {
		t.Errorf("after a rotation the dashboard is not ours any more (%v)", err)
	}
	twice := []memory.Version{{DocumentID: "m-7f3k2q8a", Number: 1, Text: "a", State: memory.Active}, {DocumentID: "m-7f3k2q8a", Number: 1, Text: "b", State: memory.Active}}
	if tags := boxTags(k, 501, 12, twice); len(tags) != 0 {
		t.Errorf("two texts under one id have boxes %v", tags)
	}
}

func TestWhichIssueIsTheDashboard(t *testing.T) {
	k, _ := boardKeys(t, "one")
	repo := event.Repository{ID: 501, Owner: "lumen", Name: "ledger"}
	bot := &event.Actor{ID: 41898282, Login: "github-actions[bot]", Type: "Bot"}
	issue := func(n int, author *event.Actor, body string, labels ...string) github.Issue {
		return github.Issue{Issue: event.Issue{Number: n, State: "open", Author: author, Labels: labels}, Body: body}
	}
	ours := ourBoard(t, k)
	edited := strings.Replace(ours, "half-even", "up", 1)
	third := sealedBoard(k, "lumen/ledger", 501, 3, Floor{}, render.Words("**0 lessons in use**"))
	echoed := render.DashboardMarker("lumen/ledger", "") + "\nrepeated by another workflow\n"
	for _, c := range []struct {
		name   string
		issues []github.Issue
		want   int
		intact bool
		spare  []int
	}{
		{"ours", []github.Issue{issue(12, bot, ours)}, 12, true, nil},
		{"ours, without its label, behind a repeated marker", []github.Issue{issue(3, bot, echoed), issue(12, bot, ours)}, 12, true, nil},
		{"A50: a marker that another workflow repeats", []github.Issue{issue(3, bot, echoed)}, 0, false, nil},
		{"one whose tag never came, by its label", []github.Issue{issue(3, bot, echoed, dashboardLabel)}, 3, false, nil},
		{"one that somebody edited, by its floor", []github.Issue{issue(12, bot, edited)}, 12, false, nil},
		{"A51: a copy by a person", []github.Issue{issue(12, &event.Actor{ID: 11, Login: "mara", Type: "User"}, ours, dashboardLabel)}, 0, false, nil},
		{"A51: by a deleted account", []github.Issue{issue(12, nil, ours, dashboardLabel)}, 0, false, nil},
		{"A50: carried to another issue, without a label", []github.Issue{issue(13, bot, ours)}, 0, false, nil},
		{"the same issue from two lists", []github.Issue{issue(12, bot, ours), issue(12, bot, ours)}, 12, true, nil},
		{"two that were opened at once", []github.Issue{issue(12, bot, ours, dashboardLabel), issue(3, bot, third.String(), dashboardLabel)}, 3, true, []int{12}},
		{"one that its run never finished, before ours", []github.Issue{issue(3, bot, echoed, dashboardLabel), issue(12, bot, ours, dashboardLabel)}, 12, true, []int{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := findDashboard(c.issues, k, "github-actions[bot]", repo)
			if got.Number != c.want || got.intact != c.intact || !slices.Equal(got.spare, c.spare) {
				t.Errorf("#%d, intact %v, spare %v; want #%d, %v, %v", got.Number, got.intact, got.spare, c.want, c.intact, c.spare)
			}
		})
	}
}

func FuzzPartedBoard(f *testing.F) {
	k, _ := boardKeys(f, "one")
	ours := ourBoard(f, k)
	f.Add(ours)
	f.Add(strings.ReplaceAll(ours, "\n", "\r\n"))
	f.Add(strings.Replace(ours, "- [ ]", "- [x]", 1))
	f.Add(render.DashboardMarker("a/b", "") + "\n<!-- familiar:seen v1 1 x y -->\n")
	f.Fuzz(func(t *testing.T, body string) {
		b, ok := partedBoard(body)
		if !ok {
			return
		}
		if b.verifies(k, 501, 12) {
			was, _ := partedBoard(ours)
			if b.plain().text != was.text || b.seen != was.seen {
				t.Errorf("words that are not ours verify:\n%s", body)
			}
		}
		if !strings.Contains(render.DashboardMarker(b.repo, ""), " "+b.repo+" ") {
			return // the repository's name is none, and is not written
		}
		again, ok := partedBoard(sealedBoard(k, b.repo, 501, 12, b.floor(k, 501, 12), render.AsItStands(b.plain().text)).String())
		if !ok || !again.verifies(k, 501, 12) || len(again.ticked()) != 0 {
			t.Errorf("what is written does not verify:\n%s", body)
		}
	})
}
