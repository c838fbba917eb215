package redact

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWhatIsShownIsScrubbedBeforeItIsCut(t *testing.T) {
	password := "Zq8vT2mKx4Lw9" + "RbN7cYd3HfJ6sPaG5eU1oQi"
	token := "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4xY7zB0cD3fG6"
	for _, c := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"a short text is as it is", "m-7f3k2q8a", 40, "m-7f3k2q8a"},
		{"a long one is cut at a whole character", strings.Repeat("é", 50), 40, strings.Repeat("é", 40) + "..."},
		{"issue 6: a secret that the cut would halve", "postgresql://svc:" + password + "@db.corp.net/ledger", 24, "postgresql://svc:" + SecretMarker + "..."},
		{"issue 6: a secret behind the cut", strings.Repeat("a", 40) + " " + token, 40, strings.Repeat("a", 40) + "..."},
		{"a secret alone", token, 4, SecretMarker},
		{"what is no UTF-8", "a\xffb", 40, "a?b"},
		{"nothing", "", 40, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Cut(c.in, c.n); got != c.want {
				t.Errorf("Cut gives %q, want %q", got, c.want)
			}
		})
	}
	t.Run("whatever the cut, no five characters of a password are left", rapid.MakeCheck(func(t *rapid.T) {
		before := rapid.StringMatching(`[a-z ]{0,30}`).Draw(t, "before")
		got := Cut(before+" postgresql://svc:"+password+"@db.corp.net/x", rapid.IntRange(0, 120).Draw(t, "n"))
		for i := 0; i+5 <= len(password); i++ {
			if strings.Contains(got, password[i:i+5]) {
				t.Fatalf("%q is left in %q", password[i:i+5], got)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
	}))
}
