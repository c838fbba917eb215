package memory

// Mode says what memory may do at all (page 3.6). The zero value is refused
// everywhere, as off is.
type Mode string

// The closed set of modes.
const (
	ModeOff              Mode = "off"
	ModeManualOnly       Mode = "manual_only"
	ModeManualWithDrafts Mode = "manual_with_drafts"
)

// Source says where a text came from (page 3.6).
type Source string

// Durable sources may become active; candidate sources never do.
const (
	UserAuthored  Source = "user_authored"
	ChatExtracted Source = "chat_extracted"

	VoiceTranscript     Source = "voice_transcript"
	ActivityObservation Source = "activity_observation"
	CUObservation       Source = "cu_observation"
	SearchRecall        Source = "search_recall"
	DailyReview         Source = "daily_review"
)

// State is where a version stands (page 4.2).
type State string

// The closed set of states in their total order: a state only moves right.
const (
	Draft          State = "draft"
	ReviewRequired State = "review_required"
	Lapsed         State = "lapsed"
	Active         State = "active"
	Superseded     State = "superseded"
	Deprecated     State = "deprecated"
	Rejected       State = "rejected"
	Tombstoned     State = "tombstoned"
	Purged         State = "purged"
)

// Class is how long a lesson is kept (page 4.2).
type Class string

// The closed set of retention classes.
const (
	Durable    Class = "durable"
	Standard   Class = "standard"
	Ephemeral  Class = "ephemeral"
	SourceOnly Class = "source_only"
)

// UsePolicy says how a lesson may shape a review. There is no silent use.
type UsePolicy string

// The closed set of use policies.
const (
	UseNever     UsePolicy = "never"
	UseCitedOnly UsePolicy = "cited_only"
)
