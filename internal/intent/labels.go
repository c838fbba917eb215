package intent

// LabelIntent is what a label on a pull request asks for (page 6.2).
type LabelIntent string

// The closed set of label intents. The zero value asks nothing.
const (
	LabelApprove  LabelIntent = "approve"   // the displayed proposals become memory
	LabelReject   LabelIntent = "reject"    // the displayed proposals are rejected
	LabelReview   LabelIntent = "review"    // review now
	LabelNoMemory LabelIntent = "no_memory" // no read or write while it is on
	LabelSkip     LabelIntent = "skip"      // no review while it is on
)

// LabelNames are the configured names of the labels. An empty name is never
// matched.
type LabelNames struct {
	Approve, Reject, Review, NoMemory, Skip string
}

// DefaultLabelNames returns the names of page 6.2.
func DefaultLabelNames() LabelNames {
	return LabelNames{
		Approve:  "familiar:approve",
		Reject:   "familiar:reject",
		Review:   "familiar:review",
		NoMemory: "familiar:no-memory",
		Skip:     "familiar:skip",
	}
}

// ParseLabel returns what the label called name asks for. Names are compared
// exactly, case included. A name that two intents share asks for the one that
// does less, in the order skip, no_memory, reject, review, approve.
func ParseLabel(name string, names LabelNames) (LabelIntent, bool) {
	if name == "" {
		return "", false
	}
	for _, l := range []struct {
		name   string
		intent LabelIntent
	}{
		{names.Skip, LabelSkip},
		{names.NoMemory, LabelNoMemory},
		{names.Reject, LabelReject},
		{names.Review, LabelReview},
		{names.Approve, LabelApprove},
	} {
		if l.name == name {
			return l.intent, true
		}
	}
	return "", false
}
