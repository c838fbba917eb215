package cli

// teachHelp says what a teaching command does, with examples to copy: every
// pattern and glob in quotes, since a shell would read them first.
var teachHelp = map[string]struct{ long, example string }{
	"remember": {
		`Stores a lesson in words. Reviews show it for the files that it is about: those
that --paths names, and those whose lines have its words or those of --about.

With --with, the lesson checks itself: a change in --paths needs one there too.`,
		`  familiar remember money is rounded half-even --about 'amount price'
  familiar remember 'handlers never log the body' --paths 'api/**'
  familiar remember 'no new flags before the release' --until 2027-03-31`,
	},
	"never": {
		`Stores a rule: added lines that hold PATTERN become findings. PATTERN is taken
literally, and at the edge of a word where it starts or ends with a letter,
digit or underscore. The answer says what it matches in your last 50 commits.`,
		`  familiar never 'time.Sleep(' in '**/*_test.go'
  familiar never 'fmt.Println(' in '**/*.go' '!cmd/**' --because 'use the log'
  familiar never 'TODO$' in '**' --regex --bad '// TODO' --good '// TODO(mara)'`,
	},
	"prefer": {
		`Stores a rule: added lines that hold Y become findings that suggest X. Y is
taken literally, and at the edge of a word where it starts or ends with a
letter, digit or underscore. The answer says what it matches in your last 50
commits.`,
		`  familiar prefer any over 'interface{}' in '**/*.go'
  familiar prefer assertEqual over assertEquals in 'tests/**' --severity info`,
	},
	"with": {
		`Stores a rule: who changes a file that --paths names must change one that GLOB
names as well. The answer says what it matches in your last 50 commits.`,
		`  familiar with CHANGELOG.md --paths 'src/**' --because 'users read it'
  familiar with 'docs/**' 'README.md' --paths 'cmd/*.go' --severity low`,
	},
}

const globHelp = `

Globs are relative to the top of the repository: '*' stays within a folder, '**'
spans folders, 'src/' is everything below src, '!vendor/**' excludes, and a glob
without a slash matches the name of a file in any folder.`

// flagHelp is what each option takes, its placeholder first.
var flagHelp = map[string]string{
	"key":      "the `KEY` to store it under, such as lessons/rounding (default: from its words)",
	"paths":    "`GLOBS` of the files it is for, such as 'billing/**,!**/testdata/**'",
	"about":    "other `WORDS` for the same thing, such as 'money cents'",
	"class":    "how long it is kept, a `CLASS`: durable, standard (the default), ephemeral (a week, or to --until), source_only (on record, but no review reads it)",
	"until":    "the last `DAY` on which it holds, such as 2027-03-31",
	"with":     "`GLOBS` of which one must change too",
	"bad":      "a `LINE` that must be found; may be given more than once",
	"good":     "a `LINE` that must not be found; may be given more than once",
	"severity": "a `SEVERITY`: info, low, medium, high or critical",
	"because":  "the `REASON`, shown with each finding",
	"again":    "teach it although the same text was forgotten before",
	"regex":    "PATTERN is a regular expression (RE2)",
}
