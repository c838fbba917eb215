package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestA75EveryIgnorableCharacterIsRefusedRemovedOrASpace(t *testing.T) {
	// The ranges of Default_Ignorable_Code_Point, and what else is drawn as
	// nothing or reorders text.
	ranges := [][2]rune{
		{0x00, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},
		{0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xFDD0, 0xFDEF}, {0xFE00, 0xFE0F},
		{0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D159, 0x1D159}, {0x1D173, 0x1D17A},
		{0x1FFFE, 0x1FFFF}, {0xE0000, 0xE0FFF}, {0x10FFFE, 0x10FFFF},
	}
	for _, span := range ranges {
		for r := span[0]; r <= span[1]; r++ {
			in := "a" + string(r) + "b"
			out, p := Normalise(in)
			switch Classify(r) {
			case Control:
				if out != "a b" || p != ProblemNone {
					t.Errorf("%U: got %q, %q, want a space", r, out, p)
				}
			case ZeroWidth:
				if out != "ab" || p != ProblemNone {
					t.Errorf("%U: got %q, %q, want it removed", r, out, p)
				}
			default:
				if p != ProblemUnsafe {
					t.Errorf("%U: got %q, %q, want %q", r, out, p, ProblemUnsafe)
				}
			}
			if seen := Visible(in); r != '\n' && r != '\t' && (strings.ContainsRune(seen, r) || !strings.Contains(seen, "[U+")) {
				t.Errorf("%U: shown as %q", r, seen)
			}
		}
	}
}

func TestClassesLeaveOrdinaryTextAlone(t *testing.T) {
	for _, s := range []string{
		"plain ASCII ~!@#$%^&*()_+{}|:\"<>?", "Größe, naïve, façade", "Привет, мир", "你好，世界", "こんにちは", "안녕하세요", "สวัสดี", "שלום", "مرحبا",
		"नमस्ते", "a\u00a0b", "…—–“”", "①②③", "π ≈ 3.14159 ≤ ∞", "✓ ✗ ★ ☆", "👍🏽 🇩🇪 🏳", "e\u0301 q\u0307",
	} {
		for _, r := range s {
			if c := Classify(r); c != ClassNone {
				t.Errorf("%q: %U is taken for a %s", s, r, c)
			}
		}
		if hits := Hidden(s); hits != nil {
			t.Errorf("%q: %v", s, hits)
		}
		if got := Visible(s); got != s {
			t.Errorf("Visible changed %q to %q", s, got)
		}
	}
}

func TestSelectorsBelongToEmojiOnly(t *testing.T) {
	for _, c := range []struct {
		name, in string
		problem  Problem
	}{
		{"a heart", "❤\ufe0f", ""},
		{"a heart as text", "❤\ufe0e", ""},
		{"an arrow that has an emoji form", "⤴\ufe0f", ""},
		{"a sign of mathematics that has one", "↔\ufe0f", ""},
		{"the copyright sign", "©\ufe0f", ""},
		{"a rainbow flag, whose joiner is removed", "🏳\ufe0f\u200d🌈", ""},
		{"a keycap", "#\ufe0f\u20e3", ""},
		{"a joiner within a keycap is looked through", "1\ufe0f\u200b\u20e3", ""},
		{"a digit that is no keycap", "1\ufe0f", ProblemUnsafe},
		{"a keycap in its text form", "1\ufe0e\u20e3", ProblemUnsafe},
		{"two in a row carry data", "❤\ufe0f\ufe0e", ProblemUnsafe},
		{"another selector behind an emoji", "❤\ufe00", ProblemUnsafe},
		{"behind a letter", "a\ufe0f", ProblemUnsafe},
		{"behind an ideograph", "葛\U000e0100", ProblemUnsafe},
		{"at the start", "\ufe0fa", ProblemUnsafe},
		{"tags of a flag are tags", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", ProblemUnsafe},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, p := Normalise(c.in); p != c.problem {
				t.Errorf("got %q, problem %q, want %q", got, p, c.problem)
			}
		})
	}
}

func TestWhatADecoderLeftOfALoneSurrogateIsInvalid(t *testing.T) {
	if got, p := Normalise("a\uFFFDb"); got != "" || p != ProblemInvalid {
		t.Errorf("got %q, %q", got, p)
	}
	want := "the text was damaged on its way: U+FFFD stands at character 2 for what could not be decoded"
	if got := Describe(ProblemInvalid, "é\uFFFDb"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDescribeLooksThroughWhatIsRemoved(t *testing.T) {
	for in, want := range map[string]string{
		"1\u200b\ufe0fx": "the text holds U+FE0F, a variation selector outside an emoji, at character 3; write it again without it",
		"a\u00adb":       "the text holds U+00AD, an invisible character, at character 2; write it again without it",
	} {
		if got := Describe(ProblemUnsafe, in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestHiddenKnowsHonestText(t *testing.T) {
	england := "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
	for _, c := range []struct {
		name, in string
		want     []Class
	}{
		{"the flag of England", england, nil},
		{"the same tags behind another flag", "🏳" + england[len("🏴"):], []Class{Tag, Tag, Tag, Tag, Tag, Tag}},
		{"tags that are no flag", "🏴\U000e0061\U000e007f", []Class{Tag, Tag}},
		{"Thai marks where a line may break", "สวัสดี\u200bครับ", nil},
		{"the same between Latin letters", "pass\u200bword", []Class{ZeroWidth}},
		{"a joiner at the end of a Persian word", "می\u200c", []Class{ZeroWidth}},
		{"a joiner behind a selector that was itself a hit", "a\ufe0f\u200d❤", []Class{Selector, ZeroWidth}},
		{"an ideograph with its variant", "葛\U000e0100飾", nil},
		{"two variants of one ideograph", "葛\U000e0100\U000e0101", []Class{Selector}},
		{"an arrow drawn as an emoji by habit", "next →\ufe0f", nil},
		{"a keycap", "1\ufe0f\u20e3", nil},
		{"a spinner of Braille cells", "⠋⠙\u2800", nil},
		{"old Korean letters with their filler", "\u1100\u1160", nil},
		{"isolates beside Arabic", "\u2067مرحبا\u2069", []Class{Bidi, Bidi}},
		{"a soft hyphen in German prose", "Über\u00adraschung", []Class{Invisible}},
		{"a soft hyphen in an identifier", "is\u00adAdmin", []Class{Invisible}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []Class
			for _, h := range Hidden(c.in) {
				got = append(got, h.Class)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestVisibleKeepsSequencesWholeAndLinesApart(t *testing.T) {
	for in, want := range map[string]string{
		"👨\u200d👩\u200d👧":    "👨\u200d👩\u200d👧",
		"می\u200cخواهم":      "می\u200cخواهم",
		"שלום\u200f!":        "שלום[U+200F]!",
		"\ufeffpackage":      "[U+FEFF]package",
		"a\ufe0f\u200d❤":     "a[U+FE0F][U+200D]❤",
		"un\u00adbroken":     "un[U+00AD]broken",
		"ok\u0000\u007f":     "ok[U+0000][U+007F]",
		"\U000e0041 \u2800x": "[U+E0041] [U+2800]x",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := VisibleLine("a\n\tb"), "a[U+000A][U+0009]b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		once := VisibleLine(s)
		if (FirstHidden(s, true) == "") != (once == s) || (FirstHidden(s, false) == "") != (Visible(s) == s) {
			t.Fatalf("of %q it names %q and %q", s, FirstHidden(s, true), FirstHidden(s, false))
		}
		if masked := InPlaceOfHidden(s, "?"); VisibleLine(masked) != masked {
			t.Fatalf("%q in place of what is hidden gives %q", s, masked)
		}
		if again := VisibleLine(once); again != once {
			t.Fatalf("%q -> %q", once, again)
		}
	})
}

func TestA104FoldDropsDecorationButNotMeaning(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"use `decimal` for **money**", "use decimal for money", true},
		{"«never» log “tokens” …", "Never log 'tokens'", true},
		{"✅ use tabs", "use tabs", true},
		{"naïve´", "naïve", true},
		{"no-op", "no op", true},
		{"İstanbul", "i\u0307stanbul", true},
		{"a == b", "a = b", false},
		{"costs 5 €", "costs 5 $", false},
		{"use tabs", "use tab", false},
	} {
		if got := Fold(c.a) == Fold(c.b); got != c.same {
			t.Errorf("Fold(%q) = %q, Fold(%q) = %q; same: %v, want %v", c.a, Fold(c.a), c.b, Fold(c.b), got, c.same)
		}
	}
	// Any change of case, spaces and punctuation folds away.
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zäéß0-9]{1,8}`), 1, 6).Draw(t, "words")
		var again strings.Builder
		for _, w := range words {
			if rapid.Bool().Draw(t, "upper") {
				w = strings.ToUpper(w)
			}
			again.WriteString(w + rapid.SampledFrom([]string{" ", "\u00a0", ", ", "; ", "...", "`", "'", " - ", "\u2014", "\u200b"}).Draw(t, "between"))
		}
		if a, b := Fold(strings.Join(words, " ")), Fold(again.String()); a != b {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

func TestWordsOfNamesAndOfScriptsWithoutSpaces(t *testing.T) {
	for in, want := range map[string]string{
		"newGitHubClient":             "github client",
		"GitHub and github":           "github github",
		"PostgreSQL, MySQL, SQLiteDB": "postgresql mysql sqlite db",
		"OAuthToken for IPv6":         "oauth token ipv6",
		"git_hub_token":               "github token",
		"never use float in Money":    "never float money",
		"税込み価格":                       "税込 込み み価 価格",
		"価":                           "",
		"税込TaxRate":                   "税込 tax rate",
		"한국어 문서":                      "한국어 문서",
		"tax\u037arate":               "tax \u0345rate",
	} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, w := range Words(anyText().Draw(t, "s")) {
			if n := utf8.RuneCountInString(w); n < minWord || n > maxWord || stopWords[w] || strings.ContainsAny(w, " _-\n") {
				t.Fatalf("word %q", w)
			}
		}
	})
}

func TestSlugTellsTextsOfOtherScriptsApart(t *testing.T) {
	for in, prefix := range map[string]string{
		"Straße und Œuvre": "strasse-und-oeuvre",
		"Łódź ærø":         "lodz-aero",
		"使用 Go 的 context":  "go-context-",
		"日本語":              "t-",
		"!!!":              "t-",
	} {
		if got := Slug(in); !strings.HasPrefix(got, prefix) {
			t.Errorf("Slug(%q) = %q, want it to begin with %q", in, got, prefix)
		}
	}
	if a, b := Slug("使用 Go"), Slug("避免 Go"); a == b {
		t.Errorf("both have the slug %q", a)
	}
	if a, b := Slug("caf\u00e9 \u4f7f"), Slug("cafe\u0301 \u4f7f"); a != b {
		t.Errorf("one text in two forms has the slugs %q and %q", a, b)
	}
}

func TestTruncateNeverCutsASequence(t *testing.T) {
	for _, c := range []struct {
		name, in string
		max      int
		want     string
	}{
		{"a flag of two letters", "ab🇩🇪🇫🇷", 4, "ab…"},
		{"between two flags", "🇩🇪🇫🇷x", 3, "🇩🇪…"},
		{"a family", "x👨\u200d👩\u200d👧y", 4, "x…"},
		{"a skin tone", "xy👍🏽zz", 4, "xy…"},
		{"a selector", "xy❤\ufe0fzz", 4, "xy…"},
		{"a keycap", "xy1\ufe0f\u20e3zz", 5, "xy…"},
		{"a conjunct", "abक्\u200dषcd", 5, "ab…"},
		{"bytes are no characters", "ééééé", 5, "ééééé"},
		{"nothing but marks", strings.Repeat("\u0301", 9), 4, "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Truncate(c.in, c.max); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a\u202eb", "👨\u200d👩", "می\u200cخ", "\ufeff", "🏴\U000e0067", "1\ufe0f\u20e3", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Visible(s)
		if !utf8.ValidString(once) || Visible(once) != once {
			t.Fatalf("%q -> %q -> %q", s, once, Visible(once))
		}
		if VisibleLine(once) != VisibleLine(VisibleLine(once)) {
			t.Fatalf("%q", once)
		}
		if f := Fold(s); Fold(f) != f {
			t.Fatalf("%q folds to %q and on to %q", s, f, Fold(f))
		}
		if cut := Truncate(once, 7); utf8.RuneCountInString(cut) > 7 {
			t.Fatalf("%q", cut)
		}
	})
}
