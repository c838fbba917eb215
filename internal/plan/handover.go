package plan

// The kinds of action that give files to other programs.
const (
	// HandOver writes what a reviewer outside this process is given, or what
	// it answered, to carry it on.
	HandOver Kind = "hand_over"
	// WriteSARIF writes the findings for other tools.
	WriteSARIF Kind = "write_sarif"
)
