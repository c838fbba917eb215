package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// What GitHub includes or allows is from pages of its documentation, which
// the page names.
const (
	pageOfArtifacts = 100
	pagesAtMost     = 100 // of one listing (page 5.3)
	keptAfterASave  = 10  // containers, where familiar may delete (page 5.4)
	deletionsASave  = 2   // asked: in vain by the run that stores, and by the sweep
)

// plans are GitHub's plans: minutes a month and artifacts in MB, both for
// repositories that are not public, and what the token of a workflow may ask in
// an hour.
var plans = []struct {
	name                       string
	minutes, storage, requests float64
}{{"Free", 2000, 500, 1000}, {"Team", 3000, 2000, 1000}, {"Enterprise", 50_000, 50_000, 15_000}}

// month is testdata/workflows/month.json; internal/workflowtest holds its jobs
// against the shipped filters.
type month struct {
	Days        float64 `json:"days"`         // working days
	BusiestHour float64 `json:"busiest_hour"` // a day's runs divided by this
	KeptDays    float64 `json:"kept_days"`    // of an artifact
	Events      []struct {
		What     string  `json:"what"`
		ADay     float64 `json:"a_day"`
		EveryDay bool    `json:"every_day"`
		Run      string  `json:"run"` // as TestCallsOfARun names it; "": none
		Saves    bool    `json:"saves"`
	} `json:"events"`
	Jobs map[string]map[string]float64 `json:"jobs"`
}

// load is what a month comes to.
type load struct {
	jobs         map[string]float64 // a month, by shape
	calls        float64            // a month
	hour         float64            // calls of the busiest hour
	saves, reads float64            // runs a day that store, and that load
	containers   float64            // kept where nothing may delete
	shipped      float64            // kept where the sweep alone may, at most
	listings     float64            // asked in the busiest hour
}

func (m month) load() load {
	out := load{jobs: map[string]float64{}}
	callsADay, listingsADay := 0.0, 0.0
	for _, e := range m.Events {
		days := m.Days
		if e.EveryDay {
			days = 30
		}
		for shape, jobs := range m.Jobs {
			out.jobs[shape] += e.ADay * days * jobs[e.What]
		}
		if e.Run == "" {
			continue
		}
		calls := e.ADay * float64(callsOfRuns[e.Run])
		out.calls += calls * days
		callsADay += calls
		out.reads += e.ADay
		listingsADay += e.ADay
		if e.Saves {
			out.saves += e.ADay
			out.calls += e.ADay * deletionsASave * days
			callsADay += e.ADay * deletionsASave
			listingsADay += e.ADay
		}
	}
	out.hour, out.listings = callsADay/m.BusiestHour, listingsADay/m.BusiestHour
	out.containers = out.saves * m.KeptDays * m.Days / 30
	out.shipped = keptAfterASave + out.saves + math.Ceil(out.saves/m.BusiestHour)
	return out
}

// hourWith is the busiest hour where every listing has that many containers:
// each page after the first is a call more.
func (l load) hourWith(containers float64) float64 {
	return l.hour + l.listings*(math.Ceil(max(containers, 1)/pageOfArtifacts)-1)
}

// limit is one that a busier repository would meet.
type limit struct {
	name       string
	used, most float64
	unit       string
}

// limits are those of a repository in one plan, the first to be met first.
func (l load) limits(containers, containerMB float64) []limit {
	out := []limit{{"containers that one listing may show", containers, pageOfArtifacts * pagesAtMost, ""}}
	for _, p := range plans {
		out = append(out, limit{"minutes a month, plan " + p.name, l.jobs["private"], p.minutes, ""},
			limit{"artifacts kept, plan " + p.name, containers * containerMB, p.storage, " MB"},
			limit{"requests of the workflow's token in the busiest hour, plan " + p.name, l.hourWith(containers), p.requests, ""})
	}
	slices.SortStableFunc(out, func(a, b limit) int { return cmp.Compare(b.used/b.most, a.used/a.most) })
	return out
}

// TestGeneratedCost holds docs/cost.md against the counts of TestCallsOfARun,
// the jobs that the shipped filters start, and the size of a container that
// make bench measured.
func TestGeneratedCost(t *testing.T) {
	var m month
	if err := json.Unmarshal([]byte(read(t, "../../testdata/workflows/month.json")), &m); err != nil {
		t.Fatal(err)
	}
	for _, e := range m.Events {
		if _, ok := callsOfRuns[e.Run]; e.Run != "" && !ok {
			t.Errorf("%s: TestCallsOfARun has no run %q", e.What, e.Run)
		}
	}
	var bench struct {
		Figures map[string]struct{ Now float64 } `json:"figures"`
	}
	if err := json.Unmarshal([]byte(read(t, "../../docs/benchmarks.json")), &bench); err != nil || bench.Figures["container"].Now <= 0 {
		t.Fatalf("docs/benchmarks.json says nothing of a container's size (%v); make bench", err)
	}
	same(t, "../../docs/cost.md", read(t, "../../docs/cost.md"), costPage(m, bench.Figures["container"].Now/1000))
}

func TestWhatAMonthComesTo(t *testing.T) {
	m := month{Days: 20, BusiestHour: 4, KeptDays: 90, Jobs: map[string]map[string]float64{"private": {"a": 1}, "public": {"a": 2}}}
	m.Events = append(m.Events, struct {
		What     string  `json:"what"`
		ADay     float64 `json:"a_day"`
		EveryDay bool    `json:"every_day"`
		Run      string  `json:"run"`
		Saves    bool    `json:"saves"`
	}{What: "a", ADay: 8, Run: "plain", Saves: true})
	l := m.load()
	calls := float64(callsOfRuns["plain"])
	if l.jobs["private"] != 160 || l.jobs["public"] != 320 || l.calls != 160*(calls+2) || l.hour != 2*(calls+2) || l.shipped != 20 || l.containers != 480 || l.listings != 4 {
		t.Errorf("%+v", l)
	}
	if got := l.hourWith(100); got != l.hour {
		t.Errorf("one page costs %v, want %v", got, l.hour)
	}
	if got := l.hourWith(101); got != l.hour+4 {
		t.Errorf("a second page costs %v, want one call for each of four listings more than %v", got, l.hour)
	}
	if first := l.limits(480, 2)[0]; first.name != "artifacts kept, plan Free" || first.used != 960 {
		t.Errorf("the first limit is %+v", first)
	}
}

// costPage is docs/cost.md.
func costPage(m month, containerMB float64) string {
	var b strings.Builder
	l := m.load()
	b.WriteString(`# What a month costs

Generated by ` + "`make generate`" + `. The calls of each run are those that ` + "`TestCallsOfARun`" + ` counts over a
hundred lessons and twenty files; which event starts how many jobs is what the shipped
` + "`if:`" + ` filters say (` + "`TestAMonthStartsTheJobsThatItsCostCounts`" + `).

## A busy repository

`)
	fmt.Fprintf(&b, "%.0f working days a month, a quarter of a day's work in its busiest hour, 1,000 lessons.\nEach job ends within a minute, and GitHub counts it as one.\n\n", m.Days)
	b.WriteString("| event | a day | jobs each, private | jobs each, public | calls to the API each |\n|---|--:|--:|--:|--:|\n")
	for _, e := range m.Events {
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %d |\n", e.What, e.ADay, m.Jobs["private"][e.What], m.Jobs["public"][e.What], callsOfRuns[e.Run])
	}
	fmt.Fprintf(&b, `
| a month | private | public |
|---|--:|--:|
| jobs, and minutes | %s | %s (GitHub does not charge for these) |
| calls to the API | %s | %s |
| calls in the busiest hour | %s | %s |
| runs that store something, a day | %s | %s |
`, grouped(l.jobs["private"]), grouped(l.jobs["public"]), grouped(l.calls), grouped(l.calls), grouped(l.hour), grouped(l.hour), grouped(l.saves), grouped(l.saves))
	fmt.Fprintf(&b, `
Models cost extra, if one is asked; the built-in rules ask none.

## Which limit is met first

Every run that stores leaves a new container (%s KB at 1,000 lessons) in the place of the
one before. In the shipped files reviews and commands have `+"`actions: read`"+`; the daily sweep, with
`+"`actions: write`"+`, deletes all but the last %d and those of the last hour. Where nothing may delete,
GitHub keeps each for %.0f days, and a listing asks for one page more for every hundred. For each
container the calls above count two deletions that are asked: one that is refused, and the
sweep's. *Part* is what this repository uses of a limit: at 1 it is met.
`, grouped(containerMB*1000), keptAfterASave, m.KeptDays)
	for _, c := range []struct {
		name       string
		containers float64
	}{{"As shipped", l.shipped}, {"Where the sweep only reads", l.containers}} {
		fmt.Fprintf(&b, "\n### %s\n\n| limit | used | of | part |\n|---|--:|--:|--:|\n", c.name)
		for _, lim := range l.limits(c.containers, containerMB) {
			fmt.Fprintf(&b, "| %s | %s%s | %s%s | %.2f |\n", lim.name, grouped(lim.used), lim.unit, grouped(lim.most), lim.unit, lim.used/lim.most)
		}
	}
	b.WriteString(`
What plans include is from
[GitHub Actions billing](https://docs.github.com/en/billing/concepts/product-billing/github-actions): an account has it for all of
its private repositories together, and public ones are free on standard runners. That a job counts
in whole minutes is from
[Viewing job execution time](https://docs.github.com/actions/monitoring-and-troubleshooting-workflows/viewing-job-execution-time).
What a token may ask is from
[Rate limits for the REST API](https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api): 1,000 times an
hour for each repository, 15,000 on GitHub Enterprise Cloud, and 5,000 or more for a GitHub App's
installation. All as these pages stood in autumn 2026. ` + "`familiar doctor`" + ` warns of a sweep that may not delete.
`)
	return b.String()
}

// grouped is a number for people: 2,230.
func grouped(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
