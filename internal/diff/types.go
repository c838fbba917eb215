package diff

// Change is what one review is about: the files that differ between two
// points of history.
type Change struct {
	Base  string // commit SHA, or "" for the empty tree
	Head  string // commit SHA, or "" for a working tree
	Title string // subject of the pull request or commit; untrusted
	Files []File
	// Omitted lists what could not be read whole, with the reason; a review
	// of such a change is partial (page 7.3).
	Omitted []Omission
}

// Omission is one file, or part of it, that is not in the change as read.
type Omission struct {
	Path   string
	Reason string
}

// Status says what happened to a file.
type Status string

// The closed set of statuses.
const (
	Added       Status = "added"
	Modified    Status = "modified"
	Deleted     Status = "deleted"
	Renamed     Status = "renamed"
	Copied      Status = "copied"
	TypeChanged Status = "type_changed" // a file became a link, or the like
)

// File is one changed file. Paths are slash-separated, as git names them,
// without prefix or quoting.
type File struct {
	Path    string // the new path; for a deleted file the old one
	OldPath string // differs from Path only for Renamed and Copied
	Status  Status
	OldMode string // octal as git prints it ("100644"), "" where it is absent
	NewMode string
	Binary  bool
	// Submodule is set where either side is a gitlink (mode 160000).
	Submodule bool
	// Hunks are in order of lines. A submodule has none: its one line names a
	// commit and is no text of the repository. A type change holds the hunks of
	// the deletion, then those of the addition.
	Hunks []Hunk
	// Partial says why the hunks are not all there or not whole; "" for a file
	// that was read whole. Parse puts the same reason into the omissions.
	Partial string
}

// Hunk is one run of lines. Starts are 1-based; a start of 0 goes with a
// length of 0.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Section            string // the text behind the second @@
	Lines              []Line
}

// Op says what happened to a line.
type Op byte

// The closed set of line operations.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk. Text has no line ending: a trailing carriage
// return is removed and noted in CR.
type Line struct {
	Op        Op
	Old, New  int // 1-based numbers; 0 where the side has no such line
	Text      string
	CR        bool
	NoNewline bool // the last line of a file without a newline at its end
	Cut       bool // the line was longer than Limits.LineBytes; Text is its start
}
