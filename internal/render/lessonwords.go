package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// Words about one version of a lesson, shared by every surface.

// keyWords is the key without the coordinates of the repository, which is the
// one that is spoken about, in the scope of the repository.
func keyWords(v memory.Version) string {
	if v.Scope == contract.ScopeRepo || v.Scope == "" {
		return withoutCoordinates(string(v.Key))
	}
	return string(v.Key)
}

// withoutCoordinates is a key or prefix of a repository without its owner and
// name.
func withoutCoordinates(key string) string {
	if parts := strings.SplitN(key, "/", 4); len(parts) == 4 && parts[0] == "repo" {
		return parts[3]
	}
	return key
}

// ruleLine says in one line what a lesson with a check asks for.
func ruleLine(d dialect, v memory.Version) []string {
	if v.Check == nil {
		return nil
	}
	return []string{"Rule: " + checkWords(d, *v.Check) + "."}
}

func scopeWords(d dialect, v memory.Version) string {
	if v.Scope == contract.ScopeRepo || v.Scope == "" {
		return ""
	}
	return "scope " + d.code(string(v.Scope))
}

func pathWords(d dialect, v memory.Version) string {
	if len(v.Paths) == 0 {
		return ""
	}
	return "for " + codes(d, v.Paths)
}

// origin says where a text that nobody confirmed comes from.
func origin(d dialect, v memory.Version) string {
	who := "proposed by the reviewer"
	if v.Source == memory.UserAuthored {
		who = "written by " + person(d, v.Creator)
	}
	if v.Provenance.Finding != "" {
		who += ", from finding " + d.text(v.Provenance.Finding)
	}
	if v.Provenance.Head != "" {
		who += " at " + d.code(shortSHA(v.Provenance.Head))
	}
	return who
}

// learned says where and when a lesson was taught.
func learned(d dialect, v memory.Version) string {
	out := "learned"
	if v.Provenance.PullRequest > 0 {
		out += " in pull request " + strconv.Itoa(v.Provenance.PullRequest)
	}
	if v.Source == memory.UserAuthored && v.Creator.Login != "" {
		out += " from " + person(d, v.Creator)
	}
	if !v.CreatedAt.IsZero() {
		out += " on " + day(v.CreatedAt)
	}
	if out == "learned" {
		return ""
	}
	return out
}

// approved says who confirmed a lesson, when and where.
func approved(d dialect, v memory.Version) string {
	if v.Approved == memory.ApprovedAuto {
		return "stored without approval"
	}
	if v.ConfirmedAt.IsZero() {
		return "not approved"
	}
	return joined(" ", "approved by "+person(d, v.ConfirmedBy)+" on "+day(v.ConfirmedAt), bracketed(d.link("where", v.ConfirmedThrough.URL)))
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func person(d dialect, p memory.Principal) string {
	if p.Login == "" {
		return "somebody unknown"
	}
	return d.text(p.Login)
}

// quoteOf is the text that is shown in full below a lesson's first line. The
// text of a check says what checkFacts say, part by part and without doubt
// about where a pattern ends; so it is not shown twice.
func quoteOf(v memory.Version) string {
	if v.Check != nil && v.Text == v.Check.Text() {
		return ""
	}
	return v.Text
}

// versionFacts are the lines below a lesson's text: its check, and what
// differs from the default.
func versionFacts(d dialect, v memory.Version) []string {
	var out []string
	out = append(out, deniedFact(d, v)...)
	if v.Check != nil {
		out = append(out, checkFacts(d, *v.Check)...)
	}
	if len(v.About) > 0 {
		out = append(out, "About: "+codes(d, v.About)+".")
	}
	if v.Class != "" && v.Class != memory.Standard {
		out = append(out, "Class: "+d.code(string(v.Class))+".")
	}
	if !v.ValidUntil.IsZero() {
		out = append(out, "Valid until "+lastDay(v.ValidUntil)+".")
	}
	if v.Class == memory.Ephemeral && v.State == memory.Active && v.ValidUntil.IsZero() {
		out = append(out, "Ends by itself after "+lastDay(memory.Renewed(v).AddDate(0, 0, memory.EphemeralDays))+".")
	}
	for _, c := range v.Citations {
		out = append(out, "Cites "+d.code(cited(c))+".")
	}
	return out
}

func cited(c memory.Citation) string {
	out := c.Path
	if c.StartLine > 0 {
		out += ":" + strconv.Itoa(c.StartLine)
	}
	if c.EndLine > c.StartLine {
		out += "-" + strconv.Itoa(c.EndLine)
	}
	if c.Commit != "" {
		out += " at " + shortSHA(c.Commit)
	}
	return out
}

func checkFacts(d dialect, c memory.Check) []string {
	out := []string{"Rule: " + checkWords(d, c) + "."}
	if c.Severity != "" {
		out[0] = strings.TrimSuffix(out[0], ".") + "; severity " + d.text(string(c.Severity)) + "."
	}
	for _, s := range c.Bad {
		out = append(out, "Found: "+d.code(s))
	}
	for _, s := range c.Good {
		out = append(out, "Not found: "+d.code(s))
	}
	if c.Because != "" {
		out = append(out, "Because "+sentence(d.text(c.Because)))
	}
	return out
}

// checkWords says a check as a sentence in which every part is code.
func checkWords(d dialect, c memory.Check) string {
	pattern := d.code(c.Pattern)
	if c.Regex {
		pattern = "the regular expression " + pattern
	}
	in := ""
	if len(c.In) > 0 {
		in = " in " + codes(d, c.In)
	}
	switch c.Kind {
	case memory.CheckNever:
		return "never " + pattern + in
	case memory.CheckPrefer:
		return "prefer " + d.code(c.Prefer) + " over " + pattern + in
	case memory.CheckWith:
		return "a change" + in + " needs one to " + codes(d, c.With) + " as well"
	}
	return "none that is known"
}
