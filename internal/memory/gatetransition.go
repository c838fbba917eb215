package memory

// GateTransition passes a transition that adds a lesson through the gate once
// more, at the store's own door: a person's own words are confirmed by their
// event, what is imported waits, a proposal only where the lesson says that approval was off.
// Transitions that add nothing are not the gate's business and are refused.
func GateTransition(t Transition, c GateContext) GateVerdict {
	if t.Lesson == nil {
		return refuse(ReasonContentInvalid, "There is no lesson to store.")
	}
	r := WriteRequest{
		Content: t.Lesson.Text,
		Scope:   string(t.Lesson.Scope),
		State:   string(t.Lesson.State),
		Source:  string(t.Lesson.Source),
	}
	switch t.Op {
	case OpRemember, OpEdit, OpApprove, OpAccept, OpDismiss, OpCorrect:
		r.Origin = OriginEvent
		r.Confirmation = VerifiedConfirmation(t.At, t.Actor, t.Through)
	case OpImport:
		r.Origin = OriginImport
	case OpPropose:
		r.Origin = OriginRuntime
		if t.Lesson.Approved == ApprovedAuto {
			r.Confirmation = VerifiedConfirmation(t.At, t.Actor, t.Through)
		}
	}
	v := Gate(r, c)
	if v.Allowed && v.Entry.Text != t.Lesson.Text {
		return refuse(ReasonContentInvalid, "The text of the lesson is not in its normal form.")
	}
	return v
}
