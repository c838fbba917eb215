package review

import "fmt"

// Outcome is how a run ended, in the words of page 6.7. The zero value is no
// outcome.
type Outcome string

// The closed set of outcomes.
const (
	Reviewed          Outcome = "reviewed"
	PartlyReviewed    Outcome = "partly_reviewed"
	CommandsApplied   Outcome = "commands_applied"
	NothingToDo       Outcome = "nothing_to_do"
	Superseded        Outcome = "superseded"
	RateLimited       Outcome = "rate_limited"
	MemoryUnavailable Outcome = "memory_unavailable"
	Failed            Outcome = "failed"
)

var outcomes = []Outcome{Reviewed, PartlyReviewed, CommandsApplied, NothingToDo, Superseded, RateLimited, MemoryUnavailable, Failed}

// ParseOutcome reads an outcome and refuses anything else.
func ParseOutcome(s string) (Outcome, error) {
	for _, o := range outcomes {
		if string(o) == s {
			return o, nil
		}
	}
	return "", fmt.Errorf("%q is no outcome; known are %v", s, outcomes)
}

// Outcome says how the review ended: failed where it was refused as a whole,
// partly reviewed where a reviewable file was not reviewed whole, nothing to do
// where the change has no file that can be reviewed and nothing was found.
func (c Checked) Outcome() Outcome {
	switch {
	case c.Refused != "":
		return Failed
	case c.Coverage.Reviewed < c.Coverage.Files:
		return PartlyReviewed
	case c.Coverage.Files == 0 && len(c.Findings) == 0:
		return NothingToDo
	}
	return Reviewed
}
