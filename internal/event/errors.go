package event

// DecodeError says why a payload of a known kind cannot be used. It names the
// field by its path in the payload and never repeats a value, since any value
// may have been written by a stranger.
type DecodeError struct {
	Event  string // the event name, one of the closed set
	Field  string // such as pull_request.base.sha; "payload" for the whole
	Reason string // a clause that follows the field, such as "is missing"
}

// Error names the event, the field, the reason and the next step.
func (e *DecodeError) Error() string {
	return e.Event + " event: " + e.Field + " " + e.Reason +
		"; GitHub sends no such payload for this event: check what wrote the event file, then run the job again"
}
