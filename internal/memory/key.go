package memory

// Key is a parsed, canonical memory key (page 3.4):
// "repo/<owner>/<name>/<namespace>/<key...>" or
// "tenant/<installation_id>/<namespace>/<key...>". Only ParseKey and
// NewRepoKey make one.
type Key string

// Coordinates are the owning coordinates that a key must start with.
type Coordinates struct {
	Owner          string // canonical case
	Name           string // canonical case
	RepositoryID   int64
	InstallationID int64 // 0: no tenant scope
}
