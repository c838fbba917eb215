package vault

import "time"

// SchemaVersion is the manifest schema that is written and read.
const SchemaVersion = 2

// Manifest is manifest.json, the part of a container that anybody can read
// (page 5.1): coordinates, digests, sizes and counts, never a word of a
// lesson. Nothing in it is to be believed before Open verified its MAC.
type Manifest struct {
	SchemaVersion  int    `json:"schema_version" wire:"min=2,max=2"`
	RepositoryID   int64  `json:"repository_id" wire:"min=1"`
	Repository     string `json:"repository"`                   // owner/name at that time, to be shown
	StoreID        string `json:"store_id"`                     // 32 hex digits, random, made at genesis
	InstallationID int64  `json:"installation_id" wire:"min=0"` // recorded, not compared; 0: none
	Generation     int64  `json:"generation" wire:"min=1"`      // one more than the highest parent's
	KeyID          string `json:"key_id"`                       // of the identity that sealed
	ToolVersion    string `json:"tool_version"`                 // of the program that sealed

	Parents []string `json:"parents"` // hex SHA-256 of the containers merged into this one, sorted
	Seen    []int64  `json:"seen"`    // ids of the artifacts listed and opened, sorted

	// CreatedAt is the sealing run's own word, in UTC and whole seconds;
	// GitHub's date of the artifact is what counts.
	CreatedAt time.Time `json:"created_at"`

	// The run that sealed: all four, or all zero on a command line.
	WorkflowPath string `json:"workflow_path"`
	Event        string `json:"event"`
	RunID        int64  `json:"run_id" wire:"min=0"`
	RunAttempt   int    `json:"run_attempt" wire:"min=0"`

	Sealed   Blob         `json:"sealed"`   // memory.sealed
	Database Blob         `json:"database"` // the SQLite file in it
	Lessons  LessonCounts `json:"lessons"`

	MAC string `json:"mac"` // 64 hex digits
}

// Blob is what a manifest says of some bytes.
type Blob struct {
	Digest string `json:"digest"` // hex SHA-256
	Size   int64  `json:"size" wire:"min=1"`
}

// LessonCounts are the numbers of documents in a store: all of them, those
// with an active version, and those with one that waits for approval.
type LessonCounts struct {
	Total   int `json:"total" wire:"min=0"`
	Active  int `json:"active" wire:"min=0"`
	Pending int `json:"pending" wire:"min=0"`
}
