package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/github"
)

func TestOfTwoCommentsOnOneFindingTheOlderStays(t *testing.T) {
	line := func(id int64, finding, path string) saidLine {
		return saidLine{github.ReviewComment{ID: id}, findingRef{Fingerprint: finding, Path: path}}
	}
	ids := func(all []saidLine) string {
		var out []string
		for _, c := range all {
			out = append(out, fmt.Sprint(c.ID))
		}
		return strings.Join(out, " ")
	}
	for name, c := range map[string]struct {
		ours        []saidLine
		answered    int64
		stay, spare string
	}{
		"none":                                 {},
		"each finding once":                    {[]saidLine{line(1, "a", "x"), line(2, "b", "x"), line(3, "a", "y")}, 0, "1 2 3", ""},
		"twice, the newer listed first":        {[]saidLine{line(9, "a", "x"), line(2, "a", "x")}, 0, "2", "9"},
		"three times":                          {[]saidLine{line(2, "a", "x"), line(5, "a", "x"), line(7, "a", "x")}, 0, "2", "5 7"},
		"somebody answered the second":         {[]saidLine{line(2, "a", "x"), line(5, "a", "x")}, 5, "2 5", ""},
		"somebody answered the first of three": {[]saidLine{line(2, "a", "x"), line(5, "a", "x"), line(7, "a", "x")}, 2, "2", "5 7"},
	} {
		t.Run(name, func(t *testing.T) {
			var there []github.ReviewComment
			for _, o := range c.ours {
				there = append(there, o.ReviewComment)
			}
			if c.answered != 0 {
				there = append(there, github.ReviewComment{ID: 100, InReplyTo: c.answered})
			}
			stay, spare := withoutSpares(c.ours, there)
			if ids(stay) != c.stay || ids(spare) != c.spare {
				t.Errorf("stay %s, go %s; want %s and %s", ids(stay), ids(spare), c.stay, c.spare)
			}
		})
	}
}
