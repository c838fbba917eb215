package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		problem        Problem
	}{
		{"plain text stays", "money is rounded half-even", "money is rounded half-even", ""},
		{"ends are trimmed", "  jot this \u00a0", "jot this", ""},
		{"a tab becomes a space", "a\tb", "a b", ""},
		{"a line feed becomes a space", "a\nb", "a b", ""},
		{"a C1 control becomes a space", "a\u0085b", "a b", ""},
		{"DEL becomes a space", "a\u007fb", "a b", ""},
		{"decomposed letters are composed", "e\u0301", "é", ""},
		{"zero-width space is removed", "a\u200bb", "ab", ""},
		{"zero-width non-joiner is removed", "a\u200cb", "ab", ""},
		{"word joiner is removed", "a\u2060b", "ab", ""},
		{"byte order mark is removed", "a\ufeffb", "ab", ""},
		{"an emoji joiner is removed", "👨\u200d👩", "👨👩", ""},
		{"what a zero-width character kept apart is composed", "e\u200b\u0301", "é", ""},
		{"an emoji keeps its selector", "done ✔\ufe0f", "done ✔\ufe0f", ""},
		{"a keycap keeps its selector", "1\ufe0f\u20e3", "1\ufe0f\u20e3", ""},
		{"nothing is empty", "", "", ProblemEmpty},
		{"only spaces is empty", "\u00a0 \u3000", "", ProblemEmpty},
		{"only NULs is empty", "\x00\x00", "", ProblemEmpty},
		{"only zero-width is empty", "\u200b\ufeff", "", ProblemEmpty},
		{"a lone surrogate is invalid", "a\xed\xa0\x80b", "", ProblemInvalid},
		{"a broken byte is invalid", "a\xffb", "", ProblemInvalid},
		{"A75 right-to-left override is unsafe", "a\u202eb", "", ProblemUnsafe},
		{"A75 left-to-right mark is unsafe", "a\u200eb", "", ProblemUnsafe},
		{"A75 isolate is unsafe", "a\u2066b", "", ProblemUnsafe},
		{"A75 tag letter is unsafe", "a\U000e0041b", "", ProblemUnsafe},
		{"A75 invisible operator is unsafe", "a\u2061b", "", ProblemUnsafe},
		{"A75 invisible plus is unsafe", "a\u2064b", "", ProblemUnsafe},
		{"A75 stray selector is unsafe", "a\ufe0fb", "", ProblemUnsafe},
		{"A75 supplementary selector is unsafe", "a\U000e0100b", "", ProblemUnsafe},
		{"A75 line separator is unsafe, at the end too", "a\u2028", "", ProblemUnsafe},
		{"paragraph separator is unsafe", "a\u2029b", "", ProblemUnsafe},
		{"soft hyphen is unsafe", "a\u00adb", "", ProblemUnsafe},
		{"Hangul filler is unsafe", "a\u3164b", "", ProblemUnsafe},
		{"Mongolian vowel separator is unsafe", "a\u180eb", "", ProblemUnsafe},
		{"grapheme joiner is unsafe", "a\u034fb", "", ProblemUnsafe},
		{"Braille blank is unsafe", "a\u2800b", "", ProblemUnsafe},
		{"annotation anchor is unsafe", "a\ufff9b", "", ProblemUnsafe},
		{"a noncharacter is unsafe", "a\uffffb", "", ProblemUnsafe},
		{"an Arabic number sign is drawn and stays", "\u06001", "\u06001", ""},
		{"2,000 code points fit", strings.Repeat("😀", 2000), strings.Repeat("😀", 2000), ""},
		{"composition comes before counting", strings.Repeat("e\u0301", 2000), strings.Repeat("é", 2000), ""},
		{"trimming comes before counting", " " + strings.Repeat("a", 2000) + " ", strings.Repeat("a", 2000), ""},
		{"2,001 code points do not fit", strings.Repeat("a", 2001), "", ProblemTooLong},
		{"a megabyte of marks is refused before it is parsed", strings.Repeat("\u0301", 1<<20), "", ProblemTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, p := Normalise(c.in)
			if got != c.want || p != c.problem {
				t.Errorf("got %q, %q; want %q, %q", got, p, c.want, c.problem)
			}
		})
	}
}

func TestNormaliseRawRefusesWhatIsNoString(t *testing.T) {
	for _, v := range []any{42, 4.2, nil, true, []any{"a"}, map[string]any{}} {
		if got, p := NormaliseRaw(v); p != ProblemInvalid || got != "" {
			t.Errorf("%v: got %q, %q", v, got, p)
		}
	}
	if got, p := NormaliseRaw(" a "); got != "a" || p != ProblemNone {
		t.Errorf("got %q, %q", got, p)
	}
}

func TestNormaliseIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		once, p := Normalise(s)
		if p != ProblemNone {
			return
		}
		twice, p := Normalise(once)
		if p != ProblemNone || twice != once {
			t.Fatalf("%q -> %q -> %q (%s)", s, once, twice, p)
		}
		if utf8.RuneCountInString(once) > MaxRunes {
			t.Fatal("too long")
		}
	})
}

// anyText draws texts rich in what normalisation is about.
func anyText() *rapid.Generator[string] {
	special := []rune{' ', '\n', '\u0301', '\u200b', '\u200d', '\ufe0f', '\u0085', 'é', 'ß', 'İ', 'ﬁ', '😀', '\u202e', '\u00ad', '-', '.', '\u2028', 'ͅ', '\u0345'}
	return rapid.OneOf(rapid.String(), rapid.StringOf(rapid.OneOf(rapid.SampledFrom(special), rapid.Rune())))
}

func TestDescribeNamesTheCharacterAndItsPlace(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		in   string
		want string
	}{
		{ProblemUnsafe, "ab\u202ec", "the text holds U+202E, a bidirectional control, at character 3; write it again without it"},
		{ProblemUnsafe, "é\U000e0041", "the text holds U+E0041, a tag character, at character 2; write it again without it"},
		{ProblemEmpty, "", "the text is empty"},
		{ProblemTooLong, "x", "the text is longer than 2000 characters"},
		{ProblemInvalid, "\xff", "the text is not valid UTF-8"},
		{ProblemNone, "x", ""},
	} {
		if got := Describe(c.p, c.in); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestA75HiddenFindsWhatCodeHides(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Class
	}{
		{"plain code", `if x == "é" {`, nil},
		{"override in a string", "access := \"user\u202e // admin\"", []Class{Bidi}},
		{"isolates around a comment", "/*\u2066 if admin \u2069*/", []Class{Bidi, Bidi}},
		{"tag letters after an emoji", "👋\U000e0061\U000e0062", []Class{Tag, Tag}},
		{"zero-width space in an identifier", "is\u200bAdmin", []Class{ZeroWidth}},
		{"Hangul filler as a parameter", "function f(a, \u3164) {", []Class{Invisible}},
		{"a selector behind a letter", "a\ufe01b", []Class{Selector}},
		{"supplementary selectors carry data", "x\U000e0154\U000e0155", []Class{Selector, Selector}},
		{"a byte order mark at the start is honest", "\ufeffpackage main", nil},
		{"a byte order mark elsewhere is not", "a\ufeffb", []Class{ZeroWidth}},
		{"a family emoji is honest", "👨\u200d👩\u200d👧", nil},
		{"an emoji with a selector is honest", "⚠\ufe0f careful", nil},
		{"an emoji with selector and joiner is honest", "❤\ufe0f\u200d🔥", nil},
		{"a skin tone with joiner is honest", "👩🏽\u200d💻", nil},
		{"Persian needs its non-joiner", "می\u200cخواهم", nil},
		{"Hindi needs its joiner", "क्\u200dष", nil},
		{"a direction mark beside Hebrew is honest", "שלום\u200f!", nil},
		{"a direction mark in plain code is not", "x\u200f = 1", []Class{Bidi}},
		{"an override beside Hebrew is still not", "שלום\u202e", []Class{Bidi}},
		{"a tab is not its subject", "\tx\r", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []Class
			for _, h := range Hidden(c.in) {
				got = append(got, h.Class)
				if r, _ := utf8.DecodeRuneInString(c.in[h.Offset:]); r != h.Rune {
					t.Errorf("offset %d holds %U, hit says %U", h.Offset, r, h.Rune)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":       "plain\n\ttext",
		"a\u202eb":            "a[U+202E]b",
		"a\x1b[31mb":          "a[U+001B][31mb",
		"a\rb":                "a[U+000D]b",
		"a\xffb":              "a\uFFFDb",
		"a\u200bb":            "a[U+200B]b",
		"\U000e0041":          "[U+E0041]",
		"⚠\ufe0f":             "⚠\ufe0f",
		"a\ufe0f":             "a[U+FE0F]",
		"line\u2028separator": "line[U+2028]separator",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		once := Visible(anyText().Draw(t, "s"))
		if again := Visible(once); again != once {
			t.Fatalf("%q -> %q", once, again)
		}
		for _, h := range Hidden(once) {
			if h.Class != Selector {
				t.Fatalf("%q still hides %U", once, h.Rune)
			}
		}
	})
}

func TestA104FoldIgnoresCaseSpacesAndPunctuation(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Use TABS, not spaces!", "use tabs not spaces", true},
		{"Money is rounded half-even.", "money is rounded half even", true},
		{"Straße", "STRASSE", true},
		{"ﬁle", "FILE", true},
		{"ｆｕｌｌ width", "full width", true},
		{"caf\u00e9", "cafe\u0301", true},
		{"a\u200bb", "ab", true},
		{"use tabs", "use spaces", false},
		{"x < 1", "x > 1", false},
		{"café", "cafe", false},
	} {
		if got := Fold(c.a) == Fold(c.b); got != c.same {
			t.Errorf("Fold(%q) = %q, Fold(%q) = %q; same: %v, want %v", c.a, Fold(c.a), c.b, Fold(c.b), got, c.same)
		}
	}
	if got := Fold("... !!! -- "); got != "" {
		t.Errorf("punctuation folds to %q, want nothing", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		once := Fold(anyText().Draw(t, "s"))
		if again := Fold(once); again != once {
			t.Fatalf("%q -> %q", once, again)
		}
	})
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"parseHTTPResponse(userID)":        "parse http response user id",
		"tax_tables.load_all(v2)":          "tax tables load",
		"if err != nil { return err }":     "err err",
		"// Money is rounded half-even":    "money rounded half even",
		"services/billing/Invoice.go":      "services billing invoice",
		"SHA256Sum":                        "sha sum",
		"x := 42 + 0x1F":                   "",
		"naïve Größe":                      "naïve größe",
		strings.Repeat("a", 50) + " kept":  "kept",
		"":                                 "",
		"\xff broken \xfe":                 "broken",
		"const MAX_RETRY_COUNT = 3":        "max retry count",
		"e.g. https://example.com/a?b=cde": "https example com cde",
	} {
		if got := strings.Join(Words(in), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSplitIdentifier(t *testing.T) {
	for in, want := range map[string][]string{
		"parseHTTPResponse": {"parse", "HTTP", "Response"},
		"utf8Decode":        {"utf", "8", "Decode"},
		"__init__":          {"init"},
		"ABC":               {"ABC"},
		"aB":                {"a", "B"},
		"":                  nil,
		"snake_case-kebab":  {"snake", "case", "kebab"},
	} {
		if got := SplitIdentifier(in); !slices.Equal(got, want) {
			t.Errorf("SplitIdentifier(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Money is rounded half-even":      "money-is-rounded-half-even",
		"Don't use `time.Sleep` in tests": "dont-use-time-sleep-in-tests",
		"Größe":                           "grosse",
		"Café crème":                      "cafe-creme",
		"  ../../etc/passwd ":             "etc-passwd",
		strings.Repeat("long ", 30):       "long-long-long-long-long-long-long-long-long",
		strings.Repeat("x", 100):          strings.Repeat("x", 48),
		"日本語":                             Slug("日本語"),
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
	if s := Slug("日本語"); !strings.HasPrefix(s, "t-") || len(s) != 12 || s == Slug("中文") {
		t.Errorf("a text without ASCII got %q", s)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Slug(anyText().Draw(t, "s"))
		if s == "" || len(s) > maxSlug || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || s[0] == '-' {
			t.Fatalf("slug %q", s)
		}
	})
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"word by word", 6, "word…"},
		{"ae\u0301b", 3, "a…"},
		{"ab", 0, ""},
		{"ab", 1, "…"},
		{"👩\u200d💻x", 3, "…"},
	} {
		if got := Truncate(c.in, c.max); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		if got := Truncate(anyText().Draw(t, "s"), n); utf8.RuneCountInString(got) > n {
			t.Fatalf("%q is longer than %d", got, n)
		}
	})
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"a\u202eb", "e\u0301", "\xff", "👨\u200d👩", "1\ufe0f\u20e3", "\u2028", strings.Repeat("x", 2001)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, p := Normalise(s)
		if (p == ProblemNone) == (out == "") {
			t.Fatalf("%q: %q with problem %q", s, out, p)
		}
		if p != ProblemNone && Describe(p, s) == "" {
			t.Fatalf("%q: problem %q has no words", s, p)
		}
		if again, p2 := Normalise(out); p == ProblemNone && (again != out || p2 != ProblemNone) {
			t.Fatalf("%q -> %q -> %q", s, out, again)
		}
	})
}
