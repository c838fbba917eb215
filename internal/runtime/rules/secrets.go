package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/redact"
)

var secretCommitted = BuiltIn{
	ID: "builtin/committed-secret", Title: "Secret committed", Severity: contract.SeverityCritical,
	About:  "Tokens, keys and passwords in added lines, by the one finder of secrets that also guards memory. The finding never shows the line.",
	Leaves: "Placeholders and documented examples, lockfiles, data of tests, test files and prose (where they are nearly always made up), and guesses that rest on the name of a variable alone.",
	Bad:    Example{Path: "deploy.sh", Added: "export TOKEN=gh" + "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"},
	Good:   Example{Path: "deploy.sh", Added: "export TOKEN=${GITHUB_TOKEN:?set it}"},
	advice: "Revoke it now, since whoever has a copy of the history has it, then take it from a secret store.",
	find:   findSecrets,
}

// lockNames hold digests that look like keys.
var lockNames = []string{
	"go.sum", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "uv.lock",
	"pdm.lock", "pipfile.lock", "gemfile.lock", "composer.lock", "flake.lock", "bun.lock", "deno.lock", "mix.lock", "pubspec.lock",
}

// guesses are rules of the library that go by the name of a variable, or take
// any hexadecimal text for a key.
var guesses = []string{"generic-api-key", "curl-auth-user", "curl-auth-header", "kubernetes-secret-yaml"}

func findSecrets(v *view, emit func(hit)) {
	for _, f := range v.files {
		if f.Binary || f.fixture || f.vendored || f.test || f.example() || slices.Contains(lockNames, f.base) || f.Status == diff.Deleted {
			continue
		}
		found := map[int]bool{}
		text, starts := joined(f.added)
		for _, h := range redact.FindSecrets(text) {
			i, exact := slices.BinarySearch(starts, h.Start)
			if !exact {
				i--
			}
			l := f.added[i]
			if found[l.New] || slices.Contains(guesses, h.Rule) || pattern(text[h.Start:h.End]) || len(l.Text) > maxLine || v.moved[strings.TrimSpace(l.Text)] > 0 {
				continue
			}
			found[l.New] = true
			emit(hit{
				file: f, line: l.New, evidence: evidence(l.Text),
				body: fmt.Sprintf("The line holds what looks like a secret (%s).", h.Rule),
			})
		}
	}
}

// joined puts added lines together, so that what spans lines is found, and
// tells where each starts. Lines that are not neighbours stay apart.
func joined(lines []diff.Line) (string, []int) {
	var b strings.Builder
	starts := make([]int, len(lines))
	for i, l := range lines {
		if i > 0 && lines[i-1].New != l.New-1 {
			b.WriteString("\n\n")
		}
		starts[i] = b.Len()
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String(), starts
}

// pattern tells the source of a regular expression or a template, which finds
// or makes secrets and holds none. No issuer uses these characters, and in a
// URL they would be escaped.
func pattern(secret string) bool {
	return strings.ContainsAny(secret, "()[]{}^|*<>") && !strings.HasPrefix(secret, "-----BEGIN")
}
