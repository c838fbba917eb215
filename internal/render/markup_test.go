package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOnlyLinesOfOursAreHidden(t *testing.T) {
	text := Line("All is well.")
	for line, want := range map[string]bool{
		"<!-- familiar:state v1 eyJoZWFkIjoi+/== 0a1b -->": true,
		"<!-- familiar:status v1 lumen/le-d.ger_x#7 -->":   true,
		"<!-- familiar:reply v1 42 -->":                    true,
		"<!-- familiar:reply v1 42 --> @octocat":           false,
		"<!-- familiar:reply --> <img src=x> <!-- x -->":   false,
		"<!-- familiar:reply > @octocat -->":               false,
		"<!-- familiar:reply\n@octocat -->":                false,
		"<!-- another:state v1 -->":                        false,
		"@octocat":                                         false,
		"":                                                 false,
	} {
		got := text.Under(line, line+"\n").String()
		if want {
			line += "\n"
			if got != line+line+"All is well." {
				t.Errorf("%q gives %q", line, got)
			}
		} else if got != "All is well." {
			t.Errorf("%q is taken: %q", line, got)
		}
	}
}

func TestPartsOfMarkupAreJoinedAsTheyAre(t *testing.T) {
	m := Words("**Ours** ").Then(Line("@octocat"), Words("\n"), Sentences("Say `x` @org/team"))
	if got, want := m.String(), "**Ours** `@octocat`\nSay `x` `@org/team`\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !(Markup{}).Empty() || m.Empty() || (Markup{" \n a\n\n"}).Trimmed().String() != "a\n" {
		t.Error("emptiness or trimming is told wrongly")
	}
}

// TestA56EveryMarkupOfATextIsHarmless: each function that makes Markup of a
// plain string, in one table; internal/arch proves that the table is whole.
func TestA56EveryMarkupOfATextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		for name, m := range ofText(s) {
			harmless(t, name, m)
		}
	})
}

// ofText is what every function makes of a text that stands for all its
// strings.
func ofText(s string) map[string]Markup {
	return map[string]Markup{
		"Line": Line(s), "Sentences": Sentences(s), "Fenced": Fenced(s), "RefusedTicks": RefusedTicks(s, []string{s, s}), "FixedIn": FixedIn(s), "BackIn": BackIn(s),
		"Folded": Folded(s, s), "Help": Help(s, s), "Under": Line(s).Under(s, "<!-- familiar:"+s+" -->"),
	}
}

// harmless fails where GitHub's other parser makes something of a text that
// notifies, links, loads or leaves its place.
func harmless(t failer, name string, m Markup) {
	t.Helper()
	kinds, seen := parsed(t, m.String())
	for _, k := range []string{"Link", "Image", "AutoLink", "RawHTML", "Table", "FootnoteLink", "ThematicBreak", "Blockquote", "Strikethrough"} {
		if kinds[k] > 0 && name != "Help" {
			t.Fatalf("%s makes a %s:\n%s", name, k, m.String())
		}
	}
	if hit := acted.FindString(seen); hit != "" && name != "Help" {
		t.Fatalf("%s shows %q, in which GitHub acts on %q", name, seen, hit)
	}
	if strings.Contains(seen, "-->") && name == "Under" && kinds["HTMLBlock"] > 0 && strings.Contains(m.String(), "\n-->") {
		t.Fatalf("%s closes its comment:\n%s", name, m.String())
	}
}
