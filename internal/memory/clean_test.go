package memory

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/redact"
)

func TestA87NothingOfALessonHoldsASecretOrPersonalData(t *testing.T) {
	live := "the9Live5Value" + "0fThisRun7xQ"
	secret, address := "gh"+"p_"+strings.Repeat("aB3d", 9), "ada.lovelace@"+"lumen-ledger.io"
	places := map[string]func(*NewLesson, string){
		"text": func(l *NewLesson, s string) { l.Text = "Use " + s }, "key": func(l *NewLesson, s string) { l.Key = Key("repo/o/n/lessons/" + s) },
		"paths": func(l *NewLesson, s string) { l.Paths = []string{"a", s} }, "about": func(l *NewLesson, s string) { l.About = []string{s} },
		"pattern": func(l *NewLesson, s string) { l.Check.Pattern = s }, "prefer": func(l *NewLesson, s string) { l.Check.Prefer = s },
		"because": func(l *NewLesson, s string) { l.Check.Because = s }, "in": func(l *NewLesson, s string) { l.Check.In = []string{s} },
		"with": func(l *NewLesson, s string) { l.Check.With = []string{s} }, "bad": func(l *NewLesson, s string) { l.Check.Bad = []string{s} },
		"good": func(l *NewLesson, s string) { l.Check.Good = []string{s} }, "citation": func(l *NewLesson, s string) { l.Citations = []Citation{{Path: s}} },
	}
	find := redact.NewFinder(live)
	for place, put := range places {
		for what, c := range map[string]struct {
			words string
			want  Reason
		}{
			"a secret": {secret, ReasonSecret}, "a live token": {live, ReasonSecret}, "personal data": {address, ReasonPII},
			"both": {address + " " + secret, ReasonSecret}, "a secret split by what is invisible": {secret[:20] + "\u2063" + secret[20:], ReasonSecret},
			"neither": {"money", ""},
		} {
			l := NewLesson{Text: "Words.", Check: &Check{}}
			put(&l, c.words)
			r := Unclean(find, l)
			switch {
			case c.want == "" && r != nil, c.want != "" && (r == nil || r.Reason != c.want):
				t.Errorf("%s in %s: %+v", what, place, r)
			case r != nil && (strings.Contains(r.Detail, secret) || strings.Contains(r.Detail, live) || strings.Contains(r.Detail, address)):
				t.Errorf("%s in %s is repeated: %s", what, place, r.Detail)
			}
		}
	}
}
