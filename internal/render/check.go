package render

// CheckText returns what the check run of an App says of a review: the outcome
// in one line without the commit, which the check stands on, and the text of
// the status comment but for what is answered and waits there. A check is read
// beside the commit and answered nowhere.
func CheckText(m Status) (title, summary Markup) {
	m.Answers, m.Proposals, m.Greeting, m.RunURL = nil, nil, false, ""
	lead, rest := m.verdict()
	return Markup{joined(" ", lead, rest)}, Markdown(m)
}
