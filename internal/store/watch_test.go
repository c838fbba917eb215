package store

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestA80NoLessonHoldsALiveTokenWhateverDoorItCameThrough(t *testing.T) {
	f := newFixture(t)
	token := "the9Live5Value" + "0fThisRun7xQ"
	var live []string
	f.Watch(func() []string { return live })
	v := f.must(f.remember(ada, keyed("lessons/kept", "Money is rounded half-even.")))
	f.must(f.remember(ada, keyed("lessons/early", "Not known yet, "+token)))
	live = append(live, token) // made while the run goes on
	dressed := map[string]string{
		"as it is": token, "in base64": base64.StdEncoding.EncodeToString([]byte("x:" + token)), "in hexadecimal": hex.EncodeToString([]byte(token)),
		"escaped": strings.ReplaceAll(token, "9", "%39"), "split": token[:9] + "-" + token[9:15] + "-" + token[15:],
	}
	for dress, words := range dressed {
		lesson := func(change func(*memory.NewLesson)) *memory.NewLesson {
			n := keyed("lessons/a", "Words of no harm.")
			change(n)
			return n
		}
		said := func(n *memory.NewLesson) { n.Text = "Use " + words + " here." }
		edit := f.remember(ada, lesson(said))
		edit.Op, edit.Target = memory.OpEdit, v.ID()
		doors := map[string]memory.Transition{
			"remember": f.remember(ada, lesson(said)), "propose": f.propose(3, lesson(said)), "edit": edit,
			"about":     f.remember(ada, lesson(func(n *memory.NewLesson) { n.About = []string{token} })),
			"citations": f.remember(ada, lesson(func(n *memory.NewLesson) { n.Citations = []memory.Citation{{Path: "a/" + token}} })),
			"check":     f.remember(ada, lesson(func(n *memory.NewLesson) { n.Check = &memory.Check{Kind: memory.CheckNever, Pattern: token} })),
		}
		for door, tr := range doors {
			a := f.apply(tr)
			if a.Refused == nil || a.Refused.Reason != memory.ReasonSecret || strings.Contains(a.Refused.Detail, token) {
				t.Errorf("%s, %s: %+v", door, dress, a.Refused)
			}
		}
	}
	if rows := dump(t, f.Store, f.tables()...); strings.Count(rows, token) != 1 {
		t.Error("the store holds the token, but for the lesson that was taught before it was one")
	}
}

func TestNoLessonHoldsASecretOrPersonalDataWhateverTheCallerLookedAt(t *testing.T) {
	f := newFixture(t)
	for words, want := range map[string]memory.Reason{
		"Use gh" + "p_" + strings.Repeat("aB3d", 9) + " here.": memory.ReasonSecret,
		"Ask ada.lovelace@" + "lumen-ledger.io about it.":      memory.ReasonPII,
	} {
		if a := f.apply(f.remember(ada, keyed("lessons/a", words))); a.Refused == nil || a.Refused.Reason != want {
			t.Errorf("%.20s: %+v", words, a.Refused)
		}
	}
}
