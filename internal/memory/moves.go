package memory

import "slices"

// Move says whether a version may go from one state to the next: only to the
// right in the total order, and from lapsed to active by merge alone (page
// 4.2). Op and Target of the refusal are left to the caller.
func Move(from, to State) *Refusal {
	if from.Rank() == 0 || to.Rank() == 0 || to.Rank() <= from.Rank() || from == Lapsed && to == Active {
		return wrongState(from, "cannot become "+nameOr(to, "of no state"))
	}
	return nil
}

// ApplyMove is the one door through which a state changes by an operation: it
// returns the state that op gives to v, or why it does not apply. digest is
// TextDigest of the text that an approver was shown, and is regarded for
// approve alone.
func ApplyMove(op Op, v Version, digest string) (State, *Refusal) {
	var to State
	var refusal *Refusal
	switch op {
	case OpApprove:
		to, refusal = Active, mayApprove(v, digest)
	case OpReject:
		to, refusal = Rejected, mayReject(v)
	case OpForget, OpRedact:
		to, refusal = Tombstoned, mayErase(v)
	case OpRetire:
		to, refusal = Deprecated, mayRetire(v)
	case OpEdit:
		to, refusal = Superseded, onlyActive(v, "be edited")
	default:
		return "", &Refusal{Op: string(op), Target: v.ID(), Reason: ReasonUnknownOp,
			Detail: "This operation does not change the state of a lesson."}
	}
	if refusal == nil {
		refusal = Move(v.State, to)
	}
	if refusal != nil {
		return "", refusal.For(string(op), v.ID())
	}
	return to, nil
}

// Reword is the move of a pending version that is approved in other words:
// they become the next version, and this one is superseded.
func Reword(v Version, digest string) (State, *Refusal) {
	refusal := mayApprove(v, digest)
	if refusal == nil {
		refusal = Move(v.State, Superseded)
	}
	if refusal != nil {
		return "", refusal.For(string(OpApprove), v.ID())
	}
	return Superseded, nil
}

// Purge says whether a whole document may go for good: not while a durable
// version of it still has its text (page 4.2).
func Purge(doc []Version) *Refusal {
	if len(doc) == 0 {
		return unknownID().For(string(OpPurge), "")
	}
	for _, v := range doc {
		if v.Class == Durable && !v.State.Erased() {
			return &Refusal{Op: string(OpPurge), Target: doc[0].DocumentID, Reason: ReasonDurableKept,
				Detail: v.ID() + " is durable and still has its text; forget it first, then purge. Nothing was purged."}
		}
	}
	return nil
}

func mayApprove(v Version, digest string) *Refusal {
	switch {
	case !v.State.Pending():
		return wrongState(v.State, "cannot be approved; only what waits for a person can. To store it now, use remember")
	case digest == "" || digest != TextDigest(v.Text):
		return &Refusal{Reason: ReasonTextChanged,
			Detail: "The approval does not name the text as it stands; look at it with show and approve it again. Nothing was approved."}
	}
	return nil
}

func mayReject(v Version) *Refusal {
	if v.State.Pending() {
		return nil
	}
	return wrongState(v.State, "cannot be rejected; use `retire` or `forget` for what is in use")
}

func mayErase(v Version) *Refusal {
	if v.State.Rank() > 0 && !v.State.Erased() {
		return nil
	}
	return wrongState(v.State, "has no text left to forget")
}

func mayRetire(v Version) *Refusal {
	if slices.Contains([]State{Active, Superseded}, v.State) {
		return nil
	}
	return wrongState(v.State, "cannot be retired; only what is in use can")
}

func onlyActive(v Version, what string) *Refusal {
	if v.State == Active {
		return nil
	}
	return wrongState(v.State, "cannot "+what+"; only what is in use can")
}

func wrongState(s State, detail string) *Refusal {
	return &Refusal{Reason: ReasonWrongState, Detail: "A lesson that is " + nameOr(s, "in no known state") + " " + detail + "."}
}

func unknownID() *Refusal {
	return &Refusal{Reason: ReasonUnknownID, Detail: "No lesson of this repository has this id; list shows those there are. Nothing was changed."}
}

func nameOr(s State, none string) string {
	if s.Rank() == 0 {
		return none
	}
	return string(s)
}
