package contract

// Exit is how a runtime's process ended.
type Exit struct {
	Code         int
	Signaled     bool // killed, by us or by anybody
	TimedOut     bool // over its deadline
	ResultUsable bool // its result file was there and DecodeResult accepted it
}

// ExitClass is what an exit means for the run (page 7.1). The zero value
// means nothing: it is not retried, and nothing is read into it.
type ExitClass string

// The closed set of exit classes.
const (
	ExitFinished   ExitClass = "finished"    // 0: the result is there
	ExitGaveUp     ExitClass = "gave_up"     // 1: the result says why; not retried
	ExitInfra      ExitClass = "infra"       // 2 and everything unexpected: retried
	ExitNeedsInput ExitClass = "needs_input" // 3: the question is published
)

// ClassifyExit says what an exit means. The exit code outranks the result's
// own status. A signal, a timeout, an unknown code, or a result that is
// required and cannot be used counts as an infrastructure failure.
func ClassifyExit(e Exit) ExitClass {
	if e.Signaled || e.TimedOut {
		return ExitInfra
	}
	class := ExitInfra
	switch e.Code {
	case 0:
		class = ExitFinished
	case 1:
		class = ExitGaveUp
	case 3:
		class = ExitNeedsInput
	}
	if class.RequiresResult() && !e.ResultUsable {
		return ExitInfra
	}
	return class
}

// Retry tells whether the run may be tried again.
func (c ExitClass) Retry() bool { return c == ExitInfra }

// RequiresResult tells whether the class stands only with a usable result.
func (c ExitClass) RequiresResult() bool { return c != ExitInfra }
