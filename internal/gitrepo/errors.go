package gitrepo

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/familiarhq/familiar/internal/redact"
)

// Kind says what went wrong with a clone. The zero value is no kind.
type Kind string

// The closed set of kinds.
const (
	NotRepository   Kind = "not_a_repository"
	GitMissing      Kind = "git_missing"
	GitTooOld       Kind = "git_too_old"
	Ownership       Kind = "dubious_ownership"
	NoCommits       Kind = "no_commits"
	UnknownRevision Kind = "unknown_revision"
	Shallow         Kind = "shallow"
	PartialClone    Kind = "partial_clone"
	NoWorktree      Kind = "no_worktree"
	Failed          Kind = "git_failed"
)

// Error is what a person is told when the clone cannot answer: what, why, and
// the next step. All its text is safe for a terminal.
type Error struct {
	Kind   Kind
	What   string // what was asked, such as a folder or a revision
	Reason string
	Fix    string
	cause  error
}

// Error joins the three parts.
func (e *Error) Error() string {
	s := e.What + ": " + e.Reason
	if e.Fix != "" {
		s += ". " + e.Fix
	}
	return s
}

// Unwrap gives the cause, such as context.Canceled.
func (e *Error) Unwrap() error { return e.cause }

// KindOf returns the kind of err, or "" where err is not of this package.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func fail(kind Kind, what, reason, fix string) *Error {
	return &Error{Kind: kind, What: printable(what), Reason: printable(reason), Fix: fix}
}

// failed reports a git command that ended badly, with its own last words.
func (r *Repo) failed(what, stderr string, err error) error {
	said := lastWords(stderr)
	e := fail(Failed, what, said, "")
	switch {
	case err != nil && said == "":
		e.Reason = printable(err.Error())
	case said == "":
		e.Reason = "git ended without an answer"
	}
	if missingObject(stderr) {
		switch {
		case r.partial:
			e.Kind = PartialClone
			e.Reason = "this is a partial clone and objects of the change are not in it (" + e.Reason + ")"
			e.Fix = "Nothing is fetched for you; run `git fetch --refetch --no-filter` or clone without --filter, then try again."
		case r.shallow:
			e.Kind = Shallow
			e.Reason = "this is a shallow clone and history that the change needs is not in it (" + e.Reason + ")"
			e.Fix = "Run `git fetch --unshallow` (or `git fetch --deepen=100`) and try again."
		default:
			e.Fix = "Run `git fsck` in the clone: objects seem to be missing or damaged."
		}
	}
	e.cause = err
	return e
}

func missingObject(stderr string) bool {
	for _, s := range []string{
		"unable to read", "missing object", "could not fetch", "not our ref", "bad object",
		"transport '", "promisor", "lazy fetching disabled", "Could not read", "unable to parse commit",
	} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}

// lastWords picks the line of git's complaint that says most.
func lastWords(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, l := range lines {
		if s, ok := strings.CutPrefix(l, "fatal: "); ok {
			return printable(s)
		}
	}
	return printable(strings.TrimPrefix(lines[len(lines)-1], "error: "))
}

// printable makes text of a clone safe for a terminal and bounds it.
func printable(s string) string {
	var b strings.Builder
	for _, c := range redact.Cut(s, 400) {
		if unprintable(c) {
			fmt.Fprintf(&b, "\\u{%x}", c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

func unprintable(c rune) bool { return c == unicode.ReplacementChar || !unicode.IsPrint(c) }
