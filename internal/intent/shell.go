package intent

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// ofShell are the forms of a comment beside those of a shell. In a shell a
// backtick runs a command and a star names files, so an example that is copied
// from an answer must have neither bare.
var ofShell = strings.NewReplacer(
	neverForm, "`never PATTERN in GLOB`, such as `never 'time.Sleep(' in '**/*_test.go'`",
	preferForm, "`prefer X over Y in GLOB`, such as `prefer any over 'interface{}' in '**/*.go'`",
	"`with:` needs a line `paths:` that says for which files: "+withForm,
	"`with` needs `paths:`, which says for which files: `with docs/api.md --paths 'api/**'`",
	withForm, "`with GLOB --paths GLOB`, such as `with docs/api.md --paths 'api/**'`",
	"(`in **` for every file)", "(in '**' for every file)",
	"put both in backticks", "put each in quotes of its own",
	"`**/*.go, !vendor/**`", "'**/*.go, !vendor/**'",
	"`billing/**, !**/testdata/**`", "'billing/**, !**/testdata/**'",
	"send the command again with the line `again: yes`", "give the command again with --again",
	"stands there more than once", "was given more than once",
	"give each its own line", "give each a command of its own",
)

var (
	optionInWords = text.Lazy("(?:the line )?`([a-z]+):`")
	codeInWords   = text.Lazy("`([^`]*)`")
)

// OnlyInMemory says whether the command line has a verb under `familiar
// memory` alone.
func OnlyInMemory(v Verb) bool {
	return slices.Contains([]Verb{VerbEdit, VerbKeep, VerbRetire, VerbPurge, VerbRevoke, VerbUnrevoke, VerbRedact}, v)
}

// ShellWords says an answer to a command in the words of a command line:
// options are flags, and commands begin with the program's name. The answer
// means the same.
func ShellWords(answer string) string {
	answer = optionInWords.ReplaceAllStringFunc(ofShell.Replace(answer), func(s string) string {
		name := optionInWords.FindStringSubmatch(s)[1]
		for _, o := range allOptions() {
			if o.Name == name {
				return "--" + name
			}
		}
		return s
	})
	return codeInWords.ReplaceAllStringFunc(answer, func(s string) string {
		code := strings.Trim(s, "`")
		first, _ := firstWord(code)
		switch _, ok := rowOf(Verb(first)); {
		case !ok || first == "help":
			return code
		case OnlyInMemory(Verb(first)):
			return "familiar memory " + code
		}
		return "familiar " + code
	})
}
