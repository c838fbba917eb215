package adapt

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/text"
)

const sarifVersion = "2.1.0"

// sarif reads a SARIF log of one or several runs. Suppressed results, passed
// checks and results that are gone are no findings.
func sarif(s Source) (runtime.Output, error) {
	doc, err := document(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	if v := doc.str("version"); v != sarifVersion {
		return runtime.Output{}, fmt.Errorf("this is no SARIF of version %s (its version is %q)", sarifVersion, clip(v))
	}
	if len(doc.list("runs")) == 0 {
		return runtime.Output{}, errors.New("the SARIF log has no runs, so nothing was looked at")
	}
	out := runtime.Output{Outcome: runtime.Finished}
	line := s.lines()
	for _, n := range doc.list("runs") {
		run := newSARIFRun(n)
		if why := run.unfinished(); why != "" {
			return runtime.Output{Outcome: runtime.Infra, Detail: why}, nil
		}
		for _, r := range n.list("results") {
			if c, ok := run.candidate(r, line); ok {
				out.Candidates = append(out.Candidates, c)
			}
		}
		out.Reviewed = append(out.Reviewed, run.analysed()...)
	}
	return out, nil
}

// sarifRun is one run with its rules at hand.
type sarifRun struct {
	node
	tool  string
	rules []node // of the driver
	byID  map[string]node
	bases map[string]string
}

func newSARIFRun(n node) sarifRun {
	r := sarifRun{node: n, tool: n.str("tool", "driver", "name"), rules: n.list("tool", "driver", "rules"), byID: map[string]node{}, bases: map[string]string{}}
	all := r.rules
	for _, e := range n.list("tool", "extensions") {
		all = append(all, e.list("rules")...)
	}
	for _, rule := range all {
		if id := rule.str("id"); id != "" {
			r.byID[id] = rule
		}
	}
	if ids, ok := n.at("originalUriBaseIds").v.(map[string]any); ok {
		for name, v := range ids {
			r.bases[name] = node{v}.str("uri")
		}
	}
	return r
}

// unfinished says why a run is none that may be published, or "".
func (r sarifRun) unfinished() string {
	for _, i := range r.list("invocations") {
		if ok, said := i.at("executionSuccessful").v.(bool); said && !ok {
			return "the tool says in its SARIF that it did not run to its end"
		}
	}
	return ""
}

// rule finds the rule of a result by index or by id; an id may carry further
// parts behind a slash.
func (r sarifRun) rule(result node) (string, node) {
	id := result.str("ruleId")
	if id == "" {
		id = result.str("rule", "id")
	}
	for _, at := range [][]string{{"ruleIndex"}, {"rule", "index"}} {
		i, ok := result.num(at...)
		extension := result.at("rule", "toolComponent").is()
		if ok && i >= 0 && i < len(r.rules) && !extension && (id == "" || strings.HasPrefix(id, r.rules[i].str("id"))) {
			return or(id, r.rules[i].str("id")), r.rules[i]
		}
	}
	if rule, ok := r.byID[id]; ok {
		return id, rule
	}
	before, _, _ := strings.Cut(id, "/")
	return id, r.byID[before]
}

// candidate turns one result into a candidate, or says that it is none.
func (r sarifRun) candidate(result node, line func(string, int) (string, bool)) (review.Candidate, bool) {
	if gone(result) {
		return review.Candidate{}, false
	}
	id, rule := r.rule(result)
	var physical node
	if l := result.list("locations"); len(l) > 0 {
		physical = l[0].at("physicalLocation")
	}
	c := review.Candidate{
		Rule: ruleName(r.tool, id), Severity: severityOf(result, rule),
		Path: r.path(physical.at("artifactLocation")), Line: physical.line("region", "startLine"),
	}
	c.Title, c.Body = headed(r.message(result, rule))
	if d := firstText(rule.at("shortDescription"), rule.at("fullDescription")); d != "" && c.Body == "" && d != c.Title {
		c.Body = d
	}
	if c.Title == "" {
		c.Title = or(firstText(rule.at("shortDescription")), id)
	}
	c.Recommendation, c.Replacement = r.fix(result.list("fixes"), c, line)
	return c, c.Path != ""
}

// gone says whether a result is no finding: passed, not applicable,
// suppressed, or there before and not now.
func gone(result node) bool {
	switch result.str("kind") {
	case "", "fail", "open", "review":
	default: // pass, notApplicable, informational
		return true
	}
	if result.str("baselineState") == "absent" {
		return true
	}
	for _, s := range result.list("suppressions") {
		switch s.str("status") {
		case "", "accepted":
			return true
		}
	}
	return false
}

// severityOf maps what SARIF says to a severity. A security-severity (a CVSS
// score, as CodeQL and GitHub use it) decides; then our own word, where the
// file is ours; then the level, of the result or of the rule. A linter calls
// almost anything an error, so an error alone is medium.
func severityOf(result, rule node) contract.Severity {
	if s, ok := contract.ParseSeverity(result.str("properties", ownSeverity)); ok {
		return s
	}
	for _, n := range []node{result, rule} {
		if score, err := strconv.ParseFloat(n.str("properties", "security-severity"), 64); err == nil {
			return scored(score)
		}
	}
	level := or(result.str("level"), or(rule.str("defaultConfiguration", "level"), "warning"))
	switch level {
	case "error":
		return contract.SeverityMedium
	case "warning":
		return contract.SeverityLow
	case "note", "none":
		return contract.SeverityInfo
	}
	return contract.Severity(level) // dropped by name in the evidence check
}

func scored(score float64) contract.Severity {
	switch {
	case score >= 9:
		return contract.SeverityCritical
	case score >= 7:
		return contract.SeverityHigh
	case score >= 4:
		return contract.SeverityMedium
	case score > 0:
		return contract.SeverityLow
	}
	return contract.SeverityInfo
}

// sarifLink is a link in a message to one of the result's own locations.
var sarifLink = text.Lazy(`\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)`)

// message is the text of a result, its arguments filled in.
func (r sarifRun) message(result, rule node) string {
	m := result.at("message")
	text := or(m.str("text"), m.str("markdown"))
	if id := m.str("id"); text == "" && id != "" {
		text = rule.str("messageStrings", id, "text")
	}
	for i, a := range m.strs("arguments") {
		if i < 20 {
			text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", a)
		}
		if len(text) > maxMessage {
			break
		}
	}
	return unescaped.Replace(sarifLink.ReplaceAllString(text, "$1"))
}

// unescaped turns the brackets that are no link back.
var unescaped = strings.NewReplacer(`\[`, "[", `\]`, "]")

const maxMessage = 64 << 10

// path is the file that a location names, as the tool wrote it but for the
// encoding: relative to the checkout, or absolute.
func (r sarifRun) path(location node) string {
	uri, base := location.str("uri"), location.str("uriBaseId")
	if i, ok := location.num("index"); ok && uri == "" {
		if a := r.list("artifacts"); i >= 0 && i < len(a) {
			uri, base = a[i].str("location", "uri"), a[i].str("location", "uriBaseId")
		}
	}
	if uri == "" {
		return ""
	}
	if root := r.bases[base]; root != "" && !strings.Contains(uri, "://") && strings.HasPrefix(root, "file://") {
		uri = strings.TrimSuffix(root, "/") + "/" + uri
	}
	if rest, ok := strings.CutPrefix(uri, "file://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			uri = rest[i:]
		}
	}
	if plain, err := url.PathUnescape(uri); err == nil {
		uri = plain
	}
	return strings.TrimPrefix(uri, "./")
}

// analysed are the files that the tool says it looked at.
func (r sarifRun) analysed() []string {
	var out []string
	for _, a := range r.list("artifacts") {
		roles := a.strs("roles")
		target := len(roles) == 0
		for _, role := range roles {
			target = target || role == "analysisTarget"
		}
		if p := r.path(a.at("location")); target && p != "" {
			out = append(out, p)
		}
	}
	return out
}

// fix is what a tool recommends, and the suggestion that it makes. Several
// fixes are a choice, which is nobody's to make here: all are named, and none
// is suggested.
func (r sarifRun) fix(fixes []node, c review.Candidate, line func(string, int) (string, bool)) (recommended string, replacement *string) {
	var said []string
	for _, f := range fixes {
		if d := strings.TrimSpace(f.str("description", "text")); d != "" && len(said) < 5 {
			said = append(said, d)
		}
	}
	if len(fixes) == 1 {
		replacement = r.replacement(fixes[0], c, line)
	}
	return strings.Join(said, ", or: "), replacement
}

// replacement is the whole new text of the finding's line, where the fix
// changes a part of that line alone. Columns are counted in units that tools
// do not agree on; they do for ASCII.
func (r sarifRun) replacement(fix node, c review.Candidate, line func(string, int) (string, bool)) *string {
	changes := fix.list("artifactChanges")
	if len(changes) != 1 || line == nil {
		return nil
	}
	edits := changes[0].list("replacements")
	if len(edits) != 1 || r.path(changes[0].at("artifactLocation")) != c.Path {
		return nil
	}
	region, inserted := edits[0].at("deletedRegion"), edits[0].str("insertedContent", "text")
	from, to := region.line("startColumn"), region.line("endColumn")
	last := region.line("endLine")
	if region.line("startLine") != c.Line || last != 0 && last != c.Line || inserted == "" || strings.ContainsAny(inserted, "\r\n") {
		return nil
	}
	text, ok := line(c.Path, c.Line)
	if !ok || !ascii(text) || from < 1 || to < from || to > len(text)+1 {
		return nil
	}
	whole := text[:from-1] + inserted + text[to-1:]
	return &whole
}

func ascii(s string) bool {
	for _, b := range []byte(s) {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

func firstText(nodes ...node) string {
	for _, n := range nodes {
		if t := strings.TrimSpace(n.str("text")); t != "" {
			return t
		}
	}
	return ""
}

func ruleName(tool, id string) string {
	tool = strings.ToLower(strings.Join(strings.Fields(tool), "-"))
	switch {
	case id == "":
		return tool
	case tool == "":
		return id
	}
	return tool + "/" + id
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func clip(s string) string { return redact.Cut(s, 20) }
