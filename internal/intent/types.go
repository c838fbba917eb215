package intent

import (
	"slices"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Verb is what a command asks for (page 6.1). The zero value asks nothing.
type Verb string

// The closed set of verbs, and VerbUnknown for a word that is none of them.
const (
	VerbUnknown  Verb = "unknown"
	VerbRemember Verb = "remember"
	VerbNever    Verb = "never"
	VerbPrefer   Verb = "prefer"
	VerbWith     Verb = "with"
	VerbApprove  Verb = "approve"
	VerbReject   Verb = "reject"
	VerbEdit     Verb = "edit"
	VerbForget   Verb = "forget"
	VerbRetire   Verb = "retire"
	VerbKeep     Verb = "keep"
	VerbPurge    Verb = "purge"
	VerbRevoke   Verb = "revoke"
	VerbUnrevoke Verb = "unrevoke"
	VerbRedact   Verb = "redact"
	VerbAccept   Verb = "accept"
	VerbDismiss  Verb = "dismiss"
	VerbCorrect  Verb = "correct"
	VerbFeedback Verb = "feedback" // becomes accept, dismiss or correct
	VerbList     Verb = "list"
	VerbShow     Verb = "show"
	VerbWhy      Verb = "why"
	VerbReview   Verb = "review"
	VerbPause    Verb = "pause"
	VerbResume   Verb = "resume"
	VerbStatus   Verb = "status"
	VerbHelp     Verb = "help"
)

// Verbs returns the closed set in the order of the table, without VerbUnknown.
func Verbs() []Verb {
	var out []Verb
	for _, row := range Table() {
		if !slices.Contains(out, row.Verb) {
			out = append(out, row.Verb)
		}
	}
	return out
}

// ParseVerb returns the verb that s names exactly, in lower case.
func ParseVerb(s string) (Verb, bool) {
	if v := Verb(s); slices.Contains(Verbs(), v) {
		return v, true
	}
	return "", false
}

// Who is the standing that a command asks of its author by live permission
// (page 4.3, mechanism 1). Ownership comes on top and is not said here.
type Who string

// The closed set, weakest first. The zero value is nobody.
const (
	Anyone       Who = "anyone"
	Collaborator Who = "collaborator"
	Maintainer   Who = "maintainer"
	Admin        Who = "admin"
)

// Limits of a comment and of what a command may hold.
const (
	MaxBody     = 65_536 // characters of a body; GitHub takes no longer comment
	MaxCommands = 50     // commands in one comment
	MaxIDs      = 50     // ids in one command
	MaxLesson   = 700    // characters of a lesson given as feedback (page 6.1)
)

// Intent is one command as its author wrote it. Which fields are filled
// depends on Verb; where Problem is set, the command is not to be performed
// and Problem is the answer.
type Intent struct {
	Verb Verb
	// Line is the 1-based line of the command in the body. Comment and line
	// make the command's idempotency key.
	Line int
	// Raw is the command as written, from the handle to its end.
	Raw string
	// Tail is the 1-based line of the body from which on the words below the
	// command were left out, as the tail of an e-mail; 0: nothing was.
	Tail int
	// Argument is everything after the verb, raw, trimmed.
	Argument string

	// IDs are the named lessons ("m-7f3k2q8a", or with a version
	// "m-7f3k2q8a@2"), each once, in the order of the command.
	IDs []string
	// All is set by "approve all" and "reject all".
	All bool
	// Text is the lesson's words (remember, edit, approve ... as:, accept,
	// dismiss, correct) or what is looked for (list).
	Text string
	// Reworded says that an approval came with other words, in Text.
	Reworded bool
	// Finding is the finding meant, "F2".
	Finding string
	// Target is the key or prefix of revoke and unrevoke where no id is named.
	Target string
	// Pending is set by "list pending", Full by "review full".
	Pending, Full bool
	// Topic is the verb that "help VERB" asks about; empty for all.
	Topic string

	Options LessonOptions
	// Check is the checkable form of never, prefer and with, and of a
	// remember with the line `with:`.
	Check *memory.Check

	// Word is the word in the verb's place where Verb is VerbUnknown.
	Word string
	// Problem says in one line for people what is wrong and what to write
	// instead. It may repeat words of the author: escape it.
	Problem string
}

// LessonOptions are the trailing lines of a command that teaches or keeps a lesson.
// A zero field was not given.
type LessonOptions struct {
	Key   string
	Paths []string
	About []string
	Class memory.Class
	Until time.Time // end of the named day, UTC: 00:00 of the next one
	Again bool
}
