package rules

import (
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/text"
)

var downloadToShell = BuiltIn{
	ID: "builtin/download-to-shell", Title: "Download piped to a shell", Severity: contract.SeverityMedium,
	About:  "Scripts, container files, workflows and make files that run whatever a server answers: `curl ... | sh`, `bash <(curl ...)`, `sh -c \"$(wget ...)\"`, `iwr ... | iex`.",
	Leaves: "Prose and messages that show such a line, downloads that are kept and checked first, pipes into anything else.",
	Bad:    Example{Path: "Dockerfile", Added: "RUN curl -sSf https://example.com/install | sh -s -- -y"},
	Good:   Example{Path: "Dockerfile", Added: "RUN curl -sSf https://example.com/tool.tgz | sha256sum -c sums"},
	advice: "Download to a file, check its digest, then run it; or use a package.",
	find:   findDownloads,
}

const shellName = `(?:/(?:usr/)?bin/)?(?:env\s+)?(?:\w+=\S+\s+)*(?:ba|z|da|k|a)?sh(?:\s|$|["')}` + "`" + `;&\\])`

var (
	pipedDownload = text.Lazy(`\b(?:curl|wget)\s[^|;&]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?` + shellName)
	nestedShell   = text.Lazy(`\b(?:ba|z|da|k|a)?sh\s+(?:-\w+\s+)*(?:"?\$\(|<\(|` + "`" + `)\s*(?:curl|wget)\s`)
	powershell    = text.Lazy(`(?i)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b[^;]*\|\s*(?:iex|invoke-expression)\b`)
	pipeOnly      = text.Lazy(`^\|\s*(?:sudo\s+(?:-\S+\s+)*)?` + shellName)
	downloadStart = text.Lazy(`\b(?:curl|wget)\s[^|;&]*\\$`)
	onlySaid      = text.Lazy(`^[-@\s]*(?:echo|printf|print|log|info|warn|error|die|fail|Write-Host|Write-Output)\b|\$\((?:warning|error|info)\b`)
)

func findDownloads(v *view, emit func(hit)) {
	const body = "Whoever controls the server, or the way to it, runs commands here."
	for _, f := range v.code() {
		if f.example() || !runsShell(f) {
			continue
		}
		before := diff.Line{}
		v.fresh(f, func(l diff.Line, trimmed string) {
			pipe := strings.ContainsAny(trimmed, "|<$`")
			switch {
			case !pipe || onlySaid.MatchString(trimmed):
			case pipedDownload.MatchString(trimmed), nestedShell.MatchString(trimmed), powershell.MatchString(trimmed):
				emit(at(f, l, body))
			case before.New == l.New-1 && pipeOnly.MatchString(trimmed) && downloadStart.MatchString(before.Text):
				emit(at(f, l, body))
			}
			before = l
		})
	}
}

// runsShell says whether lines of the file are commands.
func runsShell(f *file) bool {
	switch {
	case f.language == shell, f.ext == ".ps1", f.ext == ".mk", f.ext == ".dockerfile", f.ext == ".just":
		return true
	case f.ext == ".yml" || f.ext == ".yaml":
		return f.isWorkflow() || f.under([]string{".circleci", ".buildkite", ".gitlab", ".azure-pipelines"}) ||
			strings.HasPrefix(f.base, ".gitlab-ci") || strings.HasPrefix(f.base, ".travis") || strings.HasPrefix(f.base, "azure-pipelines") ||
			f.base == "action.yml" || f.base == "action.yaml"
	}
	return strings.HasPrefix(f.base, "dockerfile") || strings.HasPrefix(f.base, "containerfile") ||
		f.base == "makefile" || f.base == "gnumakefile" || f.base == "justfile" || f.base == "jenkinsfile" || f.base == "vagrantfile"
}
