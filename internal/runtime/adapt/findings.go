package adapt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/text"
)

// findings reads the plain list: a JSON document, or a Markdown list.
func findings(s Source) (runtime.Output, error) {
	if len(s.Data) > limits.MaxBytes {
		return runtime.Output{}, fmt.Errorf("it is %d bytes, at most %d are read", len(s.Data), limits.MaxBytes)
	}
	return fromText(string(s.Data))
}

// errNoList is said of an answer that is neither findings nor the word that
// there are none: an answer that went wrong is never a clean review.
var errNoList = errors.New(`there is no list of findings in it; where nothing was found it says "No findings."`)

// fromText finds the list in a text: the text is JSON, or it holds a block of
// JSON (the last one counts), or it is a Markdown list.
func fromText(text string) (runtime.Output, error) {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\ufeff"))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		return fromJSON([]byte(text))
	}
	if block, ok := lastJSONBlock(text); ok {
		return fromJSON([]byte(block))
	}
	return fromMarkdown(text)
}

// lastJSONBlock is the content of the last fenced block of JSON.
func lastJSONBlock(text string) (string, bool) {
	var found string
	var inside, ok bool
	var start int
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		line := strings.TrimSpace(text[at:end])
		switch {
		case !inside && (line == "```json" || line == "~~~json"):
			inside, start = true, min(end+1, len(text))
		case inside && (line == "```" || line == "~~~"):
			found, inside, ok = text[start:at], false, true
		}
		at = end + 1
	}
	return found, ok
}

// fromJSON reads {"findings": [...], "reviewed_files": [...], "summary": ""}
// or the bare list of findings.
func fromJSON(data []byte) (runtime.Output, error) {
	doc, err := document(data)
	if err != nil {
		return runtime.Output{}, err
	}
	return fromDocument(doc)
}

func fromDocument(doc node) (runtime.Output, error) {
	out := runtime.Output{Outcome: runtime.Finished, Summary: or(doc.str("summary"), doc.str("overall_explanation")), Reviewed: doc.strs("reviewed_files")}
	list, isList := doc.v.([]any)
	if !isList {
		if list, isList = doc.at("findings").v.([]any); !isList {
			return runtime.Output{}, errNoList
		}
	}
	for i, v := range list {
		c, err := fromItem(node{v})
		if err != nil {
			return runtime.Output{}, fmt.Errorf("findings[%d]: %w", i, err)
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out, nil
}

// priorityTag is how Codex starts the title of a finding: "[P1] ...".
var priorityTag = text.Lazy(`^\[[Pp]([0-3])\]\s*`)

// fromItem reads one finding of the plain list, or of Codex' review form,
// which names the place and the priority in its own way.
func fromItem(n node) (review.Candidate, error) {
	c := review.Candidate{
		Severity: severityWord(n.str("severity")), Path: or(n.str("file"), n.str("path")), Line: n.line("line"),
		Title: n.str("title"), Body: n.str("body"), Recommendation: n.str("recommendation"), Because: n.strs("because"),
		Rule: n.str("rule"),
	}
	if l := n.at("code_location"); l.is() {
		c.Path, c.Line = or(l.str("absolute_file_path"), l.str("file_path")), l.line("line_range", "start")
	}
	if p, ok := n.num("priority"); ok && c.Severity == "" {
		c.Severity = severityWord("p" + strconv.Itoa(p))
	}
	if m := priorityTag.FindStringSubmatch(c.Title); m != nil {
		c.Title = strings.TrimPrefix(c.Title, m[0])
		if c.Severity == "" {
			c.Severity = severityWord("p" + m[1])
		}
	}
	switch {
	case c.Path == "":
		return c, errors.New("it names no file")
	case c.Title == "" && c.Body == "":
		return c, errors.New("it has neither title nor body")
	case c.Severity == "":
		return c, errors.New("it has no severity: info, low, medium, high or critical")
	}
	if c.Title == "" {
		c.Title, c.Body = headed(c.Body)
	}
	return c, nil
}

// severityWords are the words of other tools, beside our own.
var severityWords = map[string]contract.Severity{
	"blocker": contract.SeverityCritical, "p0": contract.SeverityCritical,
	"major": contract.SeverityHigh, "error": contract.SeverityHigh, "p1": contract.SeverityHigh,
	"moderate": contract.SeverityMedium, "warning": contract.SeverityMedium, "p2": contract.SeverityMedium,
	"minor": contract.SeverityLow, "p3": contract.SeverityLow,
	"nit": contract.SeverityInfo, "note": contract.SeverityInfo, "suggestion": contract.SeverityInfo, "trivial": contract.SeverityInfo,
}

// severityWord reads a severity. A word that nobody knows stays as it is, and
// costs its finding in the evidence check.
func severityWord(s string) contract.Severity {
	s = strings.ToLower(strings.TrimSpace(s))
	if known, ok := severityWords[s]; ok {
		return known
	}
	return contract.Severity(s)
}

var (
	// item is "- **high** `src/a.go:12` Title": a severity, a place, a title.
	item = text.Lazy("^ {0,3}(?:[-*+]|[0-9]{1,4}[.)]) +[*_\\[(]*([A-Za-z]+[0-3]?)[*_\\])]*:? +(?:[-–—] +)?(?:`([^`]+)`|([^ `]+))(?: *[-–—:]+)? +(.+)$")
	// place is "src/a.go:12" or "src/a.go:12-14", or with a column behind.
	place = text.Lazy(`^(.+?)(?::(\d{1,9})(?:[-:]\d{1,9})*)?:?$`)
	// noneFound is the word that there is nothing.
	noneFound = text.Lazy(`(?mi)^[*_ ]*no findings[.!*_ ]*$`)
)

// fromMarkdown reads a list of findings. Indented lines below an item are its
// body; text between the items, and code, is not looked at.
func fromMarkdown(text string) (runtime.Output, error) {
	out := runtime.Output{Outcome: runtime.Finished}
	fence, open := "", false // open: the last item still takes lines
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		if mark := fenceOf(trimmed); mark != "" && (fence == "" || mark == fence) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			if open = open && indented; !open {
				continue
			}
		}
		m := item.FindStringSubmatch(line)
		switch {
		case fence == "" && m != nil && known(m[1]):
			out.Candidates = append(out.Candidates, fromLine(m))
			open = true
		case open && (indented || trimmed == ""):
			last := &out.Candidates[len(out.Candidates)-1]
			last.Body += trimmed + "\n"
		default:
			open = false
		}
	}
	if len(out.Candidates) == 0 && !noneFound.MatchString(text) {
		return runtime.Output{}, errNoList
	}
	for i := range out.Candidates {
		out.Candidates[i].Body = strings.TrimSpace(out.Candidates[i].Body)
	}
	return out, nil
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

func known(word string) bool { return severityWord(word).Known() }

func fromLine(m []string) review.Candidate {
	where := place.FindStringSubmatch(or(m[2], m[3]))
	c := review.Candidate{Severity: severityWord(m[1]), Title: strings.Trim(strings.TrimSpace(m[4]), "*_")}
	if where != nil {
		c.Path = where[1]
		c.Line, _ = strconv.Atoi(where[2]) // "": the file
	}
	return c
}
