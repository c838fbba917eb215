package report

import (
	"time"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// Report is everything that a page shows. Made is the time at which it was
// made; the page has no other clock.
type Report struct {
	Repository string // owner/name
	StoreID    string
	Generation int64
	Made       time.Time
	Tool       string

	Versions []memory.Version // of every state
	Events   []render.Event   // applied and refused operations, in any order
	Uses     map[string]int   // document id to how often it shaped a finding
	Days     map[string]int   // day to how often lessons shaped findings
	Denied   []string         // revoked keys and prefixes

	Generations []Generation // the newest first
	Health      []Finding    // the worst first
}

// Generation is one container of the memory, or its store file.
type Generation struct {
	Number  int64
	Where   string // artifact 4711, or a file
	Made    time.Time
	Expires time.Time // zero: it stays
	Lessons int
	Active  int
	Pending int
	By      string // the program that sealed it
	Digest  string
}

// Finding is one thing that is wrong with the memory.
type Finding struct {
	Severity string // error, warning, note
	Check    string
	Message  string
	Fix      string
	Lessons  []string // ids of documents
}
