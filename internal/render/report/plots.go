package report

import (
	"fmt"
	"time"
)

// week is what happened in seven days, from a Monday on.
type week struct {
	from                    time.Time
	read, proposed, refused int
}

// shownWeeks is how many weeks a plot has.
const shownWeeks = 26

// weeks counts what a report knows of the last weeks, the earliest first; all
// of them are there, so that a gap is seen as one.
func weeks(r Report) []week {
	last := monday(r.Made)
	out := make([]week, shownWeeks)
	for i := range out {
		out[i].from = last.AddDate(0, 0, -7*(shownWeeks-1-i))
	}
	at := func(t time.Time) *week {
		days := int(t.UTC().Sub(out[0].from).Hours() / 24)
		if i := days / 7; days >= 0 && t.UTC().After(out[0].from.Add(-1)) && i < len(out) {
			return &out[i]
		}
		return &week{}
	}
	for day, n := range r.Days {
		if t, err := time.Parse(time.DateOnly, day); err == nil {
			at(t).read += n
		}
	}
	for _, e := range r.Events {
		switch {
		case e.Reason != "":
			at(e.At).refused++
		case e.Op == "propose" || e.Op == "import":
			at(e.At).proposed++
		}
	}
	return out
}

func monday(t time.Time) time.Time {
	t = t.UTC()
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

func (p *page) plots(list []week) {
	p.open("section", "aria-labelledby", "weeks")
	p.element("h2", fmt.Sprintf("The last %d weeks", len(list)), "id", "weeks")
	p.plot(list, "read", "Findings that a lesson shaped", func(w week) int { return w.read })
	p.plot(list, "proposed", "Lessons proposed", func(w week) int { return w.proposed })
	p.plot(list, "refused", "Operations refused", func(w week) int { return w.refused })
	p.open("details")
	p.element("summary", "As a table")
	p.open("table")
	p.row("th", "Week from", "Shaped findings", "Proposed", "Refused")
	for _, w := range list {
		p.row("td", w.from.Format(time.DateOnly), itoa(w.read), itoa(w.proposed), itoa(w.refused))
	}
	p.close("table")
	p.close("details")
	p.close("section")
}

// Measures of a plot, in its own units.
const (
	plotWidth, plotHeight    = 660, 120
	plotLeft, plotTop        = 34, 8
	plotInner, plotBarHeight = plotWidth - plotLeft, plotHeight - 28
)

// plot draws one bar a week. What it shows stands in the table below as well.
func (p *page) plot(list []week, class, title string, of func(week) int) {
	most, sum := 1, 0
	for _, w := range list {
		most, sum = max(most, of(w)), sum+of(w)
	}
	p.open("figure")
	p.element("figcaption", fmt.Sprintf("%s: %d", title, sum))
	p.open("svg", "viewBox", fmt.Sprintf("0 0 %d %d", plotWidth, plotHeight), "role", "img", "aria-label",
		fmt.Sprintf("%s by week: %d in all, at most %d in one week", title, sum, most))
	step := float64(plotInner) / float64(len(list))
	p.open("line", "class", "axis", "x1", itoa(plotLeft), "x2", itoa(plotWidth), "y1", itoa(plotTop+plotBarHeight), "y2", itoa(plotTop+plotBarHeight))
	p.close("line")
	for i, w := range list {
		height := float64(of(w)) / float64(most) * plotBarHeight
		p.open("rect", "class", class, "x", fixed(plotLeft+float64(i)*step+1), "y", fixed(plotTop+plotBarHeight-height), "width", fixed(step-2), "height", fixed(height))
		p.element("title", fmt.Sprintf("%s: %d", w.from.Format(time.DateOnly), of(w)))
		p.close("rect")
	}
	p.element("text", itoa(most), "x", itoa(plotLeft-6), "y", itoa(plotTop+9), "text-anchor", "end")
	p.element("text", "0", "x", itoa(plotLeft-6), "y", itoa(plotTop+plotBarHeight), "text-anchor", "end")
	p.element("text", list[0].from.Format(time.DateOnly), "x", itoa(plotLeft), "y", itoa(plotHeight-4))
	p.element("text", list[len(list)-1].from.Format(time.DateOnly), "x", itoa(plotWidth), "y", itoa(plotHeight-4), "text-anchor", "end")
	p.close("svg")
	p.close("figure")
}

func fixed(f float64) string { return fmt.Sprintf("%.1f", f) }
