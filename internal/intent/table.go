package intent

import "slices"

// CommandHelp is one row of the table of commands: what it is called, what it
// takes, who may give it, what it does, and the function that reads it. Every
// help text is made from these rows.
type CommandHelp struct {
	Verb Verb
	// Forms are the ways to write it, without the handle.
	Forms   []string
	Options []Option // lines that may follow
	Who     Who
	Does    string // one clause, no full stop
	parse   func(command, *Intent) string
}

// Option is one trailing line "name: value" of a command.
type Option struct {
	Name  string
	Value string // what it takes, in words
	Many  bool   // may be given more than once
}

var (
	optKey      = Option{"key", "a key such as `lessons/rounding`", false}
	optPaths    = Option{"paths", "globs, such as `billing/**, !**/testdata/**`", true}
	optAbout    = Option{"about", "other words for the same thing, such as `money cents`", true}
	optClass    = Option{"class", "one of durable, standard, ephemeral, source_only", false}
	optUntil    = Option{"until", "a day such as `2027-03-31`", false}
	optAgain    = Option{"again", "yes, where the same text was forgotten before", false}
	optWith     = Option{"with", "paths of which one must change too", true}
	optRegex    = Option{"regex", "yes, where PATTERN is a regular expression (RE2)", false}
	optBad      = Option{"bad", "a line that must be found", true}
	optGood     = Option{"good", "a line that must not be found", true}
	optSeverity = Option{"severity", "one of info, low, medium, high, critical", false}
	optBecause  = Option{"because", "the reason, shown with each finding", false}
)

func allOptions() []Option {
	return []Option{optKey, optPaths, optAbout, optClass, optUntil, optAgain, optWith,
		optRegex, optBad, optGood, optSeverity, optBecause}
}

// Table returns every command, in the order of page 6.1.
func Table() []CommandHelp {
	return slices.Concat(teaching(), deciding(), keeping(), dispositions(), reading(), running())
}

func teaching() []CommandHelp {
	ofCheck := []Option{optRegex, optBad, optGood, optSeverity, optBecause, optKey, optAbout, optClass, optUntil, optAgain}
	return []CommandHelp{
		{VerbRemember, []string{"remember TEXT"}, []Option{optKey, optPaths, optAbout, optClass, optUntil, optAgain, optWith, optSeverity, optBecause},
			Maintainer, "stores a lesson", readRemember},
		{VerbNever, []string{"never PATTERN in GLOB"}, ofCheck,
			Maintainer, "stores a rule: added lines with PATTERN become findings", readNever},
		{VerbPrefer, []string{"prefer X over Y in GLOB"}, ofCheck,
			Maintainer, "stores a rule: added lines with Y become findings that suggest X", readPrefer},
		{VerbWith, []string{"with: PATH"}, []Option{optPaths, optSeverity, optBecause, optKey, optAbout, optClass, optUntil, optAgain},
			Maintainer, "stores a rule: who changes `paths:` must change PATH as well", readWith},
	}
}

func deciding() []CommandHelp {
	return []CommandHelp{
		{VerbApprove, []string{"approve m-ID...", "approve all", "approve m-ID as: TEXT"}, nil,
			Maintainer, "approves what waits, exactly as shown; other words are then yours", readApprove},
		{VerbReject, []string{"reject m-ID...", "reject all"}, nil,
			Maintainer, "rejects what waits", readReject},
	}
}

func keeping() []CommandHelp {
	return []CommandHelp{
		{VerbEdit, []string{"edit m-ID TEXT"}, []Option{optPaths, optAbout},
			Maintainer, "gives your lesson new words, as a new version", readEdit},
		{VerbForget, []string{"forget m-ID..."}, nil,
			Maintainer, "overwrites your lesson for good; the same is not learned again", readIDs},
		{VerbRetire, []string{"retire m-ID..."}, nil,
			Maintainer, "takes an outdated lesson out of use; its text is kept", readIDs},
		{VerbKeep, []string{"keep m-ID..."}, []Option{optClass, optUntil},
			Maintainer, "renews a lesson, or changes how long it is kept", readIDs},
		{VerbPurge, []string{"purge m-ID..."}, nil,
			Admin, "erases your lesson with all that is known of it (legal erasure)", readIDs},
		{VerbRevoke, []string{"revoke KEY", "revoke m-ID"}, nil,
			Admin, "denies a key, or all keys below it, from now on: no read, no write", readRevoke},
		{VerbUnrevoke, []string{"unrevoke KEY", "unrevoke m-ID"}, nil,
			Admin, "lifts a denial", readRevoke},
		{VerbRedact, []string{"redact m-ID..."}, nil,
			Admin, "does what forget does, for lessons whose owner is gone", readIDs},
	}
}

func dispositions() []CommandHelp {
	return []CommandHelp{
		{VerbAccept, []string{"accept F2", "accept F2: LESSON"}, nil,
			Maintainer, "says that a finding is right", readDisposition},
		{VerbDismiss, []string{"dismiss F2: LESSON"}, nil,
			Maintainer, "says that a finding is wrong, and stores why: it is not raised again", readDisposition},
		{VerbCorrect, []string{"correct F2: LESSON"}, nil,
			Maintainer, "stores what a finding should have been, and shows it below", readDisposition},
		{VerbFeedback, []string{"feedback F2 dismissed: LESSON"}, nil,
			Maintainer, "is the long form of accept, dismiss and correct", readFeedback},
	}
}

func reading() []CommandHelp {
	return []CommandHelp{
		{VerbList, []string{"list", "list pending", "list PATH or QUERY"}, nil,
			Collaborator, "lists lessons", readList},
		{VerbShow, []string{"show m-ID..."}, nil,
			Collaborator, "shows a lesson with its versions and where it came from", readIDs},
		{VerbWhy, []string{"why m-ID", "why F2"}, nil,
			Collaborator, "says what a lesson did here, or which lessons shaped a finding", readWhy},
	}
}

func running() []CommandHelp {
	return []CommandHelp{
		{VerbReview, []string{"review", "review full"}, nil,
			Maintainer, "reviews what is new, or everything, now", readReview},
		{VerbPause, []string{"pause"}, nil,
			Maintainer, "stops automatic reviews of this pull request", readNothing},
		{VerbResume, []string{"resume"}, nil,
			Maintainer, "starts them again", readNothing},
		{VerbStatus, []string{"status"}, nil,
			Anyone, "says how things stand; runs no review", readNothing},
		{VerbHelp, []string{"help", "help VERB"}, nil,
			Anyone, "shows this", readHelp},
	}
}

// WhoMay returns the standing that a verb asks for. An unknown verb asks for
// the highest, so that a mistake of a caller grants nothing.
func WhoMay(v Verb) Who {
	if row, ok := rowOf(v); ok {
		return row.Who
	}
	return Admin
}

func rowOf(v Verb) (CommandHelp, bool) {
	for _, row := range Table() {
		if row.Verb == v {
			return row, true
		}
	}
	return CommandHelp{}, false
}

func (h CommandHelp) takes(name string) bool {
	return slices.ContainsFunc(h.Options, func(o Option) bool { return o.Name == name })
}

func (h CommandHelp) optionNames() []string {
	var out []string
	for _, o := range h.Options {
		out = append(out, o.Name)
	}
	return out
}
