package redact

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// shapes returns the ways in which a match may go: A for a piece that can have
// letters or digits, N for one in which a line can break, each only once in a
// row. It returns nil for too many ways.
func shapes(re *syntax.Regexp) map[string]bool {
	switch re.Op {
	case syntax.OpLiteral:
		all := map[string]bool{"": true}
		for _, r := range re.Rune {
			all = joined(all, map[string]bool{classShape([]rune{r, r}): true})
		}
		return all
	case syntax.OpCharClass:
		return map[string]bool{classShape(re.Rune): true}
	case syntax.OpAnyChar:
		return map[string]bool{"NA": true, "AN": true}
	case syntax.OpAnyCharNotNL:
		return map[string]bool{"A": true}
	case syntax.OpCapture:
		return shapes(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		return repeated(re)
	case syntax.OpConcat:
		all := map[string]bool{"": true}
		for _, sub := range re.Sub {
			all = joined(all, shapes(sub))
		}
		return all
	case syntax.OpAlternate:
		all := map[string]bool{}
		for _, sub := range re.Sub {
			ways := shapes(sub)
			if ways == nil {
				return nil
			}
			for s := range ways {
				all[s] = true
			}
		}
		return all
	}
	return map[string]bool{"": true}
}

func classShape(pairs []rune) string {
	breaks, substance := false, false
	for i := 0; i < len(pairs); i += 2 {
		breaks = breaks || pairs[i] <= '\n' && '\n' <= pairs[i+1]
		for r := pairs[i]; r <= min(pairs[i+1], 0x80); r++ {
			substance = substance || substantial(string(r))
		}
	}
	switch {
	case breaks && substance:
		return "ANAN" // either, again and again
	case breaks:
		return "N"
	case substance:
		return "A"
	}
	return ""
}

func repeated(re *syntax.Regexp) map[string]bool {
	ways := shapes(re.Sub[0])
	if ways == nil {
		return nil
	}
	all := map[string]bool{"": re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Min == 0)}
	for s := range ways {
		all[s] = true
		if re.Op != syntax.OpQuest && len(s) > 1 {
			all[collapse(s+s+s)] = true
		}
	}
	if !all[""] {
		delete(all, "")
	}
	return all
}

func joined(a, b map[string]bool) map[string]bool {
	if a == nil || b == nil || len(a)*len(b) > 1<<12 {
		return nil
	}
	all := map[string]bool{}
	for x := range a {
		for y := range b {
			all[collapse(x+y)] = true
		}
	}
	return all
}

func collapse(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// spansTwoLinesAtMost says whether a match has at most one place with letters
// or digits on both sides at which a line can break.
func spansTwoLinesAtMost(re *syntax.Regexp) bool {
	ways := shapes(re)
	for s := range ways {
		if strings.Count(strings.Trim(s, "N"), "N") > 1 {
			return false
		}
	}
	return ways != nil
}

// words returns, in lower case, all texts of a pattern that has few of them;
// ok says whether it does.
func words(re *syntax.Regexp) (all []string, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if w := strings.ToLower(string(r)); !slices.Contains(all, w) {
					all = append(all, w)
				}
				if len(all) > 8 {
					return nil, false
				}
			}
		}
		return all, true
	case syntax.OpCapture:
		return words(re.Sub[0])
	case syntax.OpQuest:
		all, ok = words(re.Sub[0])
		return append(all, ""), ok
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			next, ok := words(sub)
			if !ok || len(all)*len(next) > 1<<10 {
				return nil, false
			}
			all = each(all, next)
		}
		return all, true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some, ok := words(sub)
			if !ok {
				return nil, false
			}
			all = append(all, some...)
		}
		return all, len(all) <= 1<<10
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true
	}
	return nil, false
}

// alwaysHolds says whether every match of re holds one of the keywords.
func alwaysHolds(re *syntax.Regexp, keywords []string) bool {
	return holdsBehind([]string{""}, re, keywords)
}

// holdsBehind is alwaysHolds for re behind one of the texts before.
func holdsBehind(before []string, re *syntax.Regexp, keywords []string) bool {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return holdsBehind(before, re.Sub[0], keywords)
	case syntax.OpRepeat:
		return re.Min > 0 && holdsBehind(before, re.Sub[0], keywords)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !holdsBehind(before, sub, keywords) })
	case syntax.OpConcat:
		run := before
		for _, sub := range re.Sub {
			if holdsBehind(run, sub, keywords) {
				return true
			}
			if next, ok := words(sub); ok && len(run)*len(next) <= 1<<12 {
				run = each(run, next)
			} else {
				run = []string{""}
			}
		}
		return false
	}
	all, ok := words(re)
	return ok && !slices.ContainsFunc(each(before, all), func(s string) bool { return !containsAny(s, keywords) })
}

// each returns every text of a followed by every text of b.
func each(a, b []string) []string {
	var all []string
	for _, x := range a {
		for _, y := range b {
			all = append(all, x+y)
		}
	}
	return all
}

func TestKeywordsOfRulesThatSpanLinesAreWide(t *testing.T) {
	needed := map[string]string{}
	narrow := 0
	for id, r := range library().decoding.Config.Rules {
		if r.Path != nil || r.Regex == nil {
			continue
		}
		re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		re = re.Simplify()
		if spansTwoLinesAtMost(re) && alwaysHolds(re, r.Keywords) {
			narrow++
			continue
		}
		for _, word := range r.Keywords {
			needed[word] = id
		}
	}
	if narrow < 150 {
		t.Errorf("only %d rules are known to be narrow: the derivation has lost its grip", narrow)
	}
	for word, id := range needed {
		if !slices.Contains(wide[:], word) {
			t.Errorf("missing: %q, for rule %s", word, id)
		}
	}
	for _, word := range wide {
		if needed[word] == "" {
			t.Errorf("%q need not be wide", word)
		}
	}
}

func TestWidthIsDerivedFromSyntax(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		keywords []string
		twoLines bool
		holds    bool
	}{
		{`key[\s'"]{0,3}=[\s]{0,5}([a-z]{9})(?:[\s;]|\\[nr]|$)`, []string{"key"}, true, true},
		{`curl(?:.*|.*(?:[\r\n]{1,2}.*){1,5})-u`, []string{"curl"}, false, true},
		{`BEGIN[\s\S]{4,}END`, []string{"begin"}, false, true},
		{`[a-z\n]{9}`, []string{"x"}, false, false},
		{`a\sb\sc`, []string{"a"}, false, true},
		{`(?:sgp_[a-f]{4}|[a-f]{40})`, []string{"sgp_", "graph"}, true, false},
		{`(?:[Oo]kta|OKTA)=[a-z]{4}`, []string{"okta"}, true, true},
		{`(?i)sk_(?:live|test)_[a-z]{9}`, []string{"sk_live", "sk_test"}, true, true},
		{`(?:key)?=[a-z]{4}`, []string{"key"}, true, false},
	} {
		re, err := syntax.Parse(c.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		re = re.Simplify()
		if got := spansTwoLinesAtMost(re); got != c.twoLines {
			t.Errorf("%s: two lines at most: %v, want %v", c.pattern, got, c.twoLines)
		}
		if got := alwaysHolds(re, c.keywords); got != c.holds {
			t.Errorf("%s: always holds a keyword: %v, want %v", c.pattern, got, c.holds)
		}
	}
}
