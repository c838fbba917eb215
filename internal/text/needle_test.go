package text

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

func TestWordsThatAMatchMustHold(t *testing.T) {
	for expression, want := range map[string][]string{
		`\b(?:ignore|drop)\b[^.]{0,40}\b(?:all|previous)\b`: {"drop", "ignore"},
		`(?i)<!--`:                 {"<!--"},
		`ab?c`:                     {"a"},
		`x*`:                       nil,
		`(?:foo|b*)`:               nil,
		`(?:curl|wget)[^|]{0,9}\|`: {"curl", "wget"},
		`(?i)SYSTEM`:               {"system"},
		`(?:%[0-9a-f]{2}){10}`:     {"%"},
	} {
		t.Run(expression, func(t *testing.T) {
			re, err := syntax.Parse(expression, syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			got := needsOf(re.Simplify())
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestNoMatchIsLostToTheWordsItMustHold: of every text of the corpus, in
// several dresses, each expression alone says what it says behind its words.
func TestNoMatchIsLostToTheWordsItMustHold(t *testing.T) {
	_, texts := directiveCases(t)
	matched := 0
	for _, s := range texts {
		for _, dressed := range []string{s, strings.ToUpper(s), strings.ReplaceAll(s, "s", "ſ"), strings.ReplaceAll(s, "k", "\u212a")} {
			for _, rule := range directiveRules() {
				for _, p := range slices.Concat(rule.raw, rule.plain, rule.dense) {
					if p.MatchString(dressed) {
						matched++
						if !p.may(lowerAll(dressed)) {
							t.Errorf("%s needs one of %q, and %q matches without", p, p.needs, dressed)
						}
					}
				}
			}
		}
	}
	if matched < 100 {
		t.Errorf("only %d matches were looked at", matched)
	}
}
