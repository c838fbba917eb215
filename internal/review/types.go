package review

import "github.com/familiarhq/familiar/internal/contract"

// Candidate is a finding as a reviewer reports it, before the evidence check
// (page 7.3).
type Candidate struct {
	Rule           string // rule id, or "" for a reviewer without rules
	Severity       contract.Severity
	Path           string
	Line           int // 1-based in the new file; 0: the file
	Title          string
	Body           string
	Recommendation string
	Evidence       string   // the matched line, already scrubbed by the reviewer where it may hold a secret
	Replacement    *string  // whole new text of Line, for a suggestion block
	Because        []string // short ids of the lessons that shaped it
}

// Finding is a candidate that passed the evidence check.
type Finding struct {
	Candidate
	ID          string // "F1", "F2", ... in order of display
	Fingerprint string // stable over pushes: digest of rule, path and the text around it
	FileLevel   bool   // published as a note on the file, not on a line
	// Reported is the line that the reviewer named where no hunk shows it; the
	// note on the file may say so. 0 where there is none.
	Reported int
}

// Drop is a candidate that was not published, and why.
type Drop struct {
	Candidate Candidate
	Reason    string // one of the Drop... constants, such as "file_not_in_change"
	// Fingerprint is that of the finding it would have been; "" where the
	// change does not have its file, or it is beyond a limit of the review.
	Fingerprint string
	// Lesson is the one for which a finding is dismissed; "" else.
	Lesson string
}

// Coverage is computed by us, never believed (page 7.3).
type Coverage struct {
	Files      int // reviewable files of the change, and those that could not be read
	Reviewed   int // of them, those that were reviewed whole
	Unreviewed []Gap
	Outside    int // files that the reviewer claims and the change does not have
}

// Gap is a file that was not reviewed, with the reason.
type Gap struct{ Path, Reason string }

// Checked is the outcome of the evidence check.
type Checked struct {
	Findings []Finding
	Dropped  []Drop
	Coverage Coverage
	// Refused is set where the review as a whole cannot be published: one of
	// the Refused... constants.
	Refused string
}
