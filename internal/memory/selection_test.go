package memory

import (
	"slices"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// standing is a version for selections and comparisons.
func standing(id string, number int, change ...func(*Version)) Version {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	v := Version{
		DocumentID: id, Number: number, Key: "repo/acme/shop/lessons/one", Scope: contract.ScopeRepo, Text: "a text", Source: UserAuthored, State: Active,
		Class: Standard, Creator: Principal{ID: 7, Login: "mara"}, CreatedAt: at, ConfirmedBy: Principal{ID: 7, Login: "mara"}, ConfirmedAt: at, Approved: ApprovedConfirmed,
	}
	for _, f := range change {
		f(&v)
	}
	return v
}

func TestASelectionTakesWhatEveryFieldTakes(t *testing.T) {
	proposal := standing("m-3aaaaaaa", 1, func(v *Version) {
		v.Source, v.State, v.Approved, v.ConfirmedBy, v.ConfirmedAt = ChatExtracted, ReviewRequired, "", Principal{}, time.Time{}
		v.CreatedAt = v.CreatedAt.AddDate(0, 0, 20)
	})
	all := []Version{
		standing("m-1aaaaaaa", 1), standing("m-2aaaaaaa", 1, func(v *Version) { v.Key, v.Class = "repo/acme/shop/rules/x", Durable }), proposal,
		standing("m-2aaaaaaa", 2, func(v *Version) { v.Key, v.Creator = "repo/acme/shop/rules/x", Principal{ID: 9, Login: "ada"} }),
	}
	day := time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		s    Selection
		want []string
	}{
		{"nothing asked", Selection{}, []string{"m-1aaaaaaa@1", "m-2aaaaaaa@1", "m-3aaaaaaa@1", "m-2aaaaaaa@2"}},
		{"a state", Selection{States: []State{ReviewRequired}}, []string{"m-3aaaaaaa@1"}},
		{"a namespace", Selection{Namespace: "rules"}, []string{"m-2aaaaaaa@1", "m-2aaaaaaa@2"}},
		{"a class", Selection{Class: Durable}, []string{"m-2aaaaaaa@1"}},
		{"an owner by login in another case: that of the document, not of its last version", Selection{Owner: "@MARA"}, []string{"m-1aaaaaaa@1", "m-2aaaaaaa@1", "m-2aaaaaaa@2"}},
		{"an owner by id", Selection{Owner: "7", Class: Durable}, []string{"m-2aaaaaaa@1"}},
		{"who only edited owns nothing", Selection{Owner: "ada"}, nil},
		{"nobody's", Selection{Owner: "nobody"}, []string{"m-3aaaaaaa@1"}},
		{"older", Selection{OlderThan: day}, []string{"m-1aaaaaaa@1", "m-2aaaaaaa@1", "m-2aaaaaaa@2"}},
		{"newer, by creation where nobody confirmed", Selection{NewerThan: day}, []string{"m-3aaaaaaa@1"}},
		{"documents", Selection{Documents: map[string]bool{"m-1aaaaaaa": true}}, []string{"m-1aaaaaaa@1"}},
		{"no document at all", Selection{Documents: map[string]bool{}}, nil},
		{"another scope", Selection{Scope: contract.ScopeTenantShared}, nil},
	} {
		var got []string
		for _, v := range c.s.Select(all) {
			got = append(got, v.ID())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestComparingTellsWhatEachOperationDid(t *testing.T) {
	one, two := standing("m-1aaaaaaa", 1), standing("m-2aaaaaaa", 1)
	forgotten := one
	forgotten.State, forgotten.Text = Tombstoned, Redacted
	kept := two
	kept.Class, kept.LastUsed = Durable, "2026-11-30"
	used := two
	used.LastUsed = "2026-11-30"
	for _, c := range []struct {
		name          string
		before, after Generation
		want          []string
	}{
		{"nothing, twice", Generation{Versions: []Version{one, two}}, Generation{Versions: []Version{two, one}}, nil},
		{"a day of use is no difference", Generation{Versions: []Version{two}}, Generation{Versions: []Version{used}}, nil},
		{"a forget moves and overwrites", Generation{Versions: []Version{one}}, Generation{Versions: []Version{forgotten}}, []string{"moved m-1aaaaaaa@1"}},
		{"a purge", Generation{Versions: []Version{one, two}}, Generation{Versions: []Version{two}}, []string{"gone m-1aaaaaaa@1"}},
		{"an addition", Generation{}, Generation{Versions: []Version{two, one}}, []string{"added m-1aaaaaaa@1", "added m-2aaaaaaa@1"}},
		{"a keep", Generation{Versions: []Version{two}}, Generation{Versions: []Version{kept}}, []string{"kept m-2aaaaaaa@1"}},
		{"denials", Generation{Denied: []string{"repo/a/b/x"}}, Generation{Denied: []string{"repo/a/b/y"}}, []string{"revoked repo/a/b/y", "lifted repo/a/b/x"}},
		{"two versions of one number, made by two replicas", Generation{Versions: []Version{one}},
			Generation{Versions: []Version{one, standing("m-1aaaaaaa", 1, func(v *Version) { v.CreatedAt = v.CreatedAt.Add(time.Hour) })}}, []string{"added m-1aaaaaaa@1"}},
	} {
		var got []string
		for _, d := range Compare(c.before, c.after) {
			name := d.Prefix
			if name == "" {
				name = d.Version().ID()
			}
			got = append(got, string(d.Kind)+" "+name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLawsNameTheVersionAndTheLaw(t *testing.T) {
	c := Coordinates{Owner: "acme", Name: "shop", RepositoryID: 1}
	for want, change := range map[string]func(*Version){
		"":                                      func(*Version) {},
		"it was forgotten and still has a text": func(v *Version) { v.State = Tombstoned },
		"its key lies outside acme/shop":        func(v *Version) { v.Key = "repo/acme/other/lessons/x" },
		"its text was overwritten though it was not forgotten": func(v *Version) { v.Text = Redacted },
		"its text is not as the write gate leaves one":         func(v *Version) { v.Text = " a  text\u200b" },
		"it is in use though nobody confirmed it":              func(v *Version) { v.ConfirmedAt = time.Time{} },
		"it is in use, and who confirmed it is not known":      func(v *Version) { v.ConfirmedBy = Principal{} },
		"it is in use though its source may only propose":      func(v *Version) { v.Source = SearchRecall },
		"it is in no state that a version can be in":           func(v *Version) { v.State = "done" },
		"its id is none":                func(v *Version) { v.DocumentID = "m-x" },
		"nobody knows when it was made": func(v *Version) { v.CreatedAt = time.Time{} },
	} {
		got := Laws([]Version{standing("m-1aaaaaaa", 1, change)}, c)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Detail != want) {
			t.Errorf("%v, want %q", got, want)
		}
	}
}
