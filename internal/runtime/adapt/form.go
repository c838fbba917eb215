package adapt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/runtime"
)

// Form is the closed set of forms that a result may have (page 7.2). The zero
// value is none.
type Form string

// The closed set of forms.
const (
	Result     Form = "result"      // headless contract version 2
	SARIF      Form = "sarif"       // SARIF 2.1.0
	Findings   Form = "findings"    // the plain list, as JSON or Markdown
	ClaudeCode Form = "claude-code" // claude -p --output-format json or stream-json
	GeminiCLI  Form = "gemini-cli"  // gemini -p --output-format json or stream-json
	Codex      Form = "codex"       // codex exec --json, or its last message
	CopilotCLI Form = "copilot-cli" // copilot -p -s, or --output-format json
	CovenCode  Form = "coven-code"  // a headless reviewer's result.json
)

var readers = []struct {
	form Form
	read func(Source) (runtime.Output, error)
}{
	{Result, result}, {SARIF, sarif}, {Findings, findings}, {ClaudeCode, claudeCode}, {GeminiCLI, geminiCLI},
	{Codex, codex}, {CopilotCLI, copilotCLI}, {CovenCode, result},
}

// Forms are the names of the closed set.
func Forms() []string {
	var out []string
	for _, r := range readers {
		out = append(out, string(r.form))
	}
	return out
}

// ParseForm reads the name of a form and refuses anything else.
func ParseForm(s string) (Form, bool) {
	return Form(s), slices.Contains(Forms(), s)
}

// FormOf is the form that a file's name says: .sarif and .sarif.json are
// SARIF, .md and .markdown the plain list, anything else a headless result.
func FormOf(file string) Form {
	switch name := strings.ToLower(path.Base(file)); {
	case strings.HasSuffix(name, ".sarif"), strings.HasSuffix(name, ".sarif.json"):
		return SARIF
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".markdown"):
		return Findings
	}
	return Result
}

// Another says that a result is of another form than the contract's, by what
// it is: an object with the runs of a SARIF log.
func Another(data []byte) (Form, bool) {
	var doc struct {
		Version json.RawMessage `json:"contract_version"`
		Runs    json.RawMessage `json:"runs"`
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if json.Unmarshal(data, &doc) != nil || doc.Runs == nil || doc.Version != nil {
		return "", false
	}
	return SARIF, true
}

// Source is what a tool wrote, and what is known of the change that it is
// about.
type Source struct {
	Form Form
	Data []byte
	// Paths are the files of the change. A tool that names files by absolute
	// paths is understood where the path leads into a checkout of Repo.
	Paths []string
	Repo  string // name of the repository, without its owner
	// Roots are folders in which files of the change lie as the repository has
	// them, absolute: ours, or those of the person at the command line.
	Roots []string
	// Covers are globs of the files that the tool is known to look at, for
	// tools that do not say it themselves. They come from a step input.
	Covers []string
	// Line is a line of a file at the head, for suggestions; nil: none known.
	Line func(path string, line int) (text string, ok bool)
}

// Read turns what a tool wrote into what a reviewer said. An error means that
// it is refused as a whole; it says why, and repeats nothing of the data but
// names of fields.
func Read(s Source) (runtime.Output, error) {
	for _, r := range readers {
		if r.form != s.Form {
			continue
		}
		out, err := r.read(s)
		if err != nil {
			return runtime.Output{}, fmt.Errorf("the result is refused: %w", err)
		}
		return s.placed(out), nil
	}
	return runtime.Output{}, fmt.Errorf("there is no form %q of results; known are %s", s.Form, strings.Join(Forms(), ", "))
}

func result(s Source) (runtime.Output, error) {
	res, err := contract.DecodeResult(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	return runtime.FromResult(res), nil
}

// placed brings the paths of a tool to those of the change and adds what the
// operator vouches for.
func (s Source) placed(out runtime.Output) runtime.Output {
	known := s.known()
	for i, c := range out.Candidates {
		out.Candidates[i].Path = s.inRepo(c.Path, known)
		out.Candidates[i].Replacement = s.bounded(c.Replacement, out.Candidates[i].Path)
	}
	for i, p := range out.Reviewed {
		out.Reviewed[i] = s.inRepo(p, known)
	}
	if len(s.Covers) > 0 && out.Outcome == runtime.Finished {
		for _, p := range s.Paths {
			if memory.MatchGlobs(s.Covers, p) && !slices.Contains(out.Reviewed, p) {
				out.Reviewed = append(out.Reviewed, p)
			}
		}
	}
	return out
}

func (s Source) known() map[string]bool {
	known := map[string]bool{}
	for _, p := range s.Paths {
		known[p] = true
	}
	return known
}

// lines is Line for a tool's own names of files.
func (s Source) lines() func(string, int) (string, bool) {
	if s.Line == nil {
		return nil
	}
	known := s.known()
	return func(name string, line int) (string, bool) { return s.Line(s.inRepo(name, known), line) }
}

// bounded keeps a suggestion only for a file of the change.
func (s Source) bounded(r *string, path string) *string {
	if r == nil || !slices.Contains(s.Paths, path) {
		return nil
	}
	return r
}

// checkouts are folders in which containers of linters and runners lay a
// repository down.
var checkouts = []string{"/github/workspace", "/src", "/workspace", "/workdir", "/app", "/code", "/repo"}

// inRepo is a tool's name of a file as the repository calls it. An absolute
// path counts only below a folder that holds a checkout: one that is named as
// the repository is, or a usual place of containers. Anything else stays as it
// is, and is then no file of the change.
func (s Source) inRepo(name string, known map[string]bool) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if known[name] {
		return name
	}
	if !path.IsAbs(name) {
		if clean := path.Clean(name); known[clean] {
			return clean
		}
		return name
	}
	name = path.Clean(name)
	for _, root := range s.Roots {
		if after, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok && root != "" && known[after] {
			return after
		}
	}
	for rest := name; ; {
		_, after, ok := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		if !ok {
			return name
		}
		root := strings.TrimSuffix(name, "/"+after)
		if known[after] && (path.Base(root) == s.Repo && s.Repo != "" || slices.Contains(checkouts, root)) {
			return after
		}
		rest = after
	}
}
