package render

import "testing"

func TestOfSeveralUsesOnOneDayNoneIsSaidToBeTheLast(t *testing.T) {
	use := func(day string, number int, head string) Use { return Use{Day: day, Number: number, Head: head} }
	for name, c := range map[string]struct {
		uses []Use
		want Use
	}{
		"one use":                     {[]Use{use("2026-11-30", 2, "abc")}, use("2026-11-30", 2, "abc")},
		"an older one":                {[]Use{use("2026-11-30", 2, "abc"), use("2026-11-29", 1, "def")}, use("2026-11-30", 2, "abc")},
		"two heads on one day":        {[]Use{use("2026-11-30", 2, "abc"), use("2026-11-30", 2, "def")}, use("2026-11-30", 2, "")},
		"two pull requests on a day":  {[]Use{use("2026-11-30", 2, "abc"), use("2026-11-30", 3, "def")}, use("2026-11-30", 0, "")},
		"one head, several findings":  {[]Use{use("2026-11-30", 2, "abc"), use("2026-11-30", 2, "abc")}, use("2026-11-30", 2, "abc")},
		"three, of which two differ":  {[]Use{use("2026-11-30", 2, "a"), use("2026-11-30", 3, "b"), use("2026-11-30", 2, "a")}, use("2026-11-30", 0, "")},
		"a work tree without commits": {[]Use{use("2026-11-30", 0, ""), use("2026-11-30", 0, "")}, use("2026-11-30", 0, "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lastUse(c.uses); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
