package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestA75HandlesThatOnlyLookAlikeAreToldApart(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"a Cyrillic letter", "familiar", "f\u0430miliar", true},
		{"a Greek letter", "familiar", "famili\u03b1r", true},
		{"an Armenian letter", "octocat", "\u0585ctocat", true},
		{"a Cherokee letter", "Mara", "\u13b7ara", true},
		{"full-width letters", "familiar", "ｆａｍｉｌｉａｒ", true},
		{"mathematical letters", "familiar", "𝐟𝐚𝐦𝐢𝐥𝐢𝐚𝐫", true},
		{"an accent", "familiar", "famílïar", true},
		{"a zero-width character", "familiar", "fami\u200bliar", true},
		{"a one for an l", "familiar", "fami1iar", true},
		{"a capital I for an l", "familiar", "famiIiar", true},
		{"a zero for an o", "octocat", "0ctocat", true},
		{"r and n for m", "familiar", "farniliar", true},
		{"another dash", "my-bot", "my\u2010bot", true},
		{"case only is the same word", "Familiar", "familiar", false},
		{"the same word", "mara", "mara", false},
		{"another word", "mara", "maria", false},
		{"another script that looks like nothing Latin", "mara", "мира", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LooksLike(c.a, c.b); got != c.want {
				t.Errorf("LooksLike(%q, %q) = %v; skeletons %q, %q", c.a, c.b, got, Skeleton(c.a), Skeleton(c.b))
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		once := Skeleton(s)
		if again := Skeleton(once); again != once {
			t.Fatalf("%q -> %q -> %q", s, once, again)
		}
		if up := Skeleton(strings.ToUpper("familiar")); up != Skeleton("familiar") {
			t.Fatal("case counts")
		}
	})
}
