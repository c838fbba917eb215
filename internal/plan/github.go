package plan

// The kinds of actions on GitHub.
const (
	// StatusComment creates or edits the one status comment.
	StatusComment Kind = "status_comment"
	// LineComments writes comments on lines of the change, as one review.
	LineComments Kind = "line_comments"
	// CheckRun makes or edits the check run of an App (page 6.4).
	CheckRun Kind = "check_run"
	// Dashboard opens, edits or closes the dashboard issue.
	Dashboard Kind = "dashboard"
	// Upload keeps a file as an artifact of its own.
	Upload Kind = "upload"
	// Reply answers a question in a comment of its own.
	Reply Kind = "reply"
	// React acknowledges a command by a reaction.
	React Kind = "react"
	// Label takes a label off that was dealt with, or makes the labels that
	// the repository lacks.
	Label Kind = "label"
)
