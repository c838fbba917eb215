package redact

import (
	"math"
	"regexp/syntax"
	"slices"
	"testing"
)

// guarantee is what every text that a pattern matches is known to have.
type guarantee struct {
	token bool // it consists of token characters only
	least int  // its length in code points is at least this
	run   int  // it holds a run of token characters of at least this length
}

// derive works out a guarantee from the pattern's syntax.
func derive(re *syntax.Regexp) guarantee {
	switch re.Op {
	case syntax.OpLiteral:
		return derive(literal(re))
	case syntax.OpCharClass:
		return ofOne(tokenClass(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return ofOne(false)
	case syntax.OpCapture:
		return derive(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		return guarantee{token: derive(re.Sub[0]).token}
	case syntax.OpPlus:
		return derive(re.Sub[0])
	case syntax.OpRepeat:
		g := derive(re.Sub[0])
		switch {
		case re.Min == 0:
			return guarantee{token: g.token}
		case g.token:
			return guarantee{token: true, least: g.least * re.Min, run: g.least * re.Min}
		}
		return guarantee{least: g.least * re.Min, run: g.run}
	case syntax.OpConcat:
		return chain(re.Sub)
	case syntax.OpAlternate:
		g := derive(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			h := derive(sub)
			g = guarantee{g.token && h.token, min(g.least, h.least), min(g.run, h.run)}
		}
		return g
	}
	return guarantee{token: true} // anchors and boundaries: nothing at all
}

func ofOne(token bool) guarantee {
	if token {
		return guarantee{token: true, least: 1, run: 1}
	}
	return guarantee{least: 1}
}

func chain(subs []*syntax.Regexp) guarantee {
	g, open := guarantee{token: true}, 0
	for _, sub := range subs {
		h := derive(sub)
		g.least += h.least
		if h.token {
			open += h.least
		} else {
			open, g.token = 0, false
		}
		g.run = max(g.run, open, h.run)
	}
	return g
}

// literal writes a literal as a chain of classes of one character.
func literal(re *syntax.Regexp) *syntax.Regexp {
	all := &syntax.Regexp{Op: syntax.OpConcat}
	for _, r := range re.Rune {
		all.Sub = append(all.Sub, &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{r, r}})
	}
	return all
}

func tokenClass(pairs []rune) bool {
	for i := 0; i < len(pairs); i += 2 {
		for r := pairs[i]; r <= min(pairs[i+1], 0x7F); r++ {
			if !tokenByte[r] {
				return false
			}
		}
	}
	return true
}

// secretLength returns the least length of what the library takes for the
// secret, which is a group if there is one, and whether it always consists of
// token characters: then the entropy that it asks for tells how many different
// ones the run around it has.
func secretLength(re *syntax.Regexp) (least int, token bool) {
	least, token = math.MaxInt, true
	var visit func(*syntax.Regexp)
	visit = func(re *syntax.Regexp) {
		if re.Op == syntax.OpCapture {
			g := derive(re.Sub[0])
			least, token = min(least, g.least), token && g.token
		}
		for _, sub := range re.Sub {
			visit(sub)
		}
	}
	visit(re)
	if least == math.MaxInt {
		g := derive(re)
		return g.least, g.token
	}
	return least, token
}

// needs returns for every keyword of the library what a text must have for
// one of the keyword's rules to match it.
func needs(t *testing.T) map[string]need {
	t.Helper()
	out := map[string]need{}
	for id, r := range library().decoding.Config.Rules {
		if r.Path != nil || r.Regex == nil {
			continue // we give no path, so it is never tried
		}
		if len(r.Keywords) == 0 {
			t.Errorf("rule %s has no keyword: it must be tried on every text", id)
		}
		re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		want := need{run: derive(re).run}
		if least, token := secretLength(re); token && r.Entropy > 0 {
			// Entropy above e takes more than 2^e different characters.
			want.distinct = int(math.Floor(math.Pow(2, r.Entropy))) + 1
			want.run = max(least, want.distinct)
		}
		for _, word := range r.Keywords {
			known, ok := out[word]
			if !ok {
				known = need{run: math.MaxInt, distinct: math.MaxInt}
			}
			out[word] = need{word: word, run: min(known.run, want.run), distinct: min(known.distinct, want.distinct)}
		}
	}
	return out
}

func TestTheKeywordTableAsksForNoMoreThanTheLibrarysRules(t *testing.T) {
	derived := needs(t)
	if len(derived) < 200 {
		t.Fatalf("only %d keywords", len(derived))
	}
	for _, k := range keywords {
		need, ok := derived[k.word]
		switch {
		case !ok:
			t.Errorf("%q is no keyword of the library", k.word)
		case k.run > need.run || k.distinct > need.distinct:
			t.Errorf("%q: the table asks for a run of %d with %d different characters, its rules for %d with %d",
				k.word, k.run, k.distinct, need.run, need.distinct)
		case k.distinct > maxDistinct || len(k.word) < 2:
			t.Errorf("%q: beyond what the gate tells apart", k.word)
		}
		delete(derived, k.word)
	}
	for word, need := range derived {
		t.Errorf("missing: {%q, %d, %d},", word, need.run, min(need.distinct, maxDistinct))
	}
}

func TestGuaranteesAreDerivedFromSyntax(t *testing.T) {
	for pattern, want := range map[string]guarantee{
		`abc`:                         {true, 3, 3},
		`a b`:                         {false, 3, 1},
		`(?i)key[ \t]{0,20}=[a-z]{9}`: {false, 13, 10},
		`[a-z]{4,}|[0-9]{6}`:          {true, 4, 4},
		`\bx(?:[a-z]{2}){3}$`:         {true, 7, 7},
		`(?:ab c){2}`:                 {false, 8, 2},
		`.{9}`:                        {false, 9, 0},
		`a?b*`:                        {true, 0, 0},
		`(a+)"(b{5})"`:                {false, 8, 5},
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := derive(re); got != want {
			t.Errorf("%s: got %+v, want %+v", pattern, got, want)
		}
	}
	if !slices.IsSortedFunc(keywords[:], func(a, b need) int {
		if a.word < b.word {
			return -1
		}
		return 1
	}) {
		t.Error("keywords.go is not sorted")
	}
}
