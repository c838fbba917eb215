package vault

// The limits of page 5.2. Sizes are counted as bytes are written, whatever a
// header says.
const (
	MaxZip      = 64 << 20  // bytes of a container
	MaxManifest = 64 << 10  // bytes of manifest.json
	MaxDatabase = 128 << 20 // bytes of the SQLite file
	// MaxExpanded bounds what opening a container may write in all: what age
	// gives is no longer than the zip, and what zstd makes of it is cut at
	// MaxDatabase.
	MaxExpanded = MaxZip + MaxDatabase
	// MaxWindow bounds the memory that a zstd frame may ask for; zstd writes
	// no larger one up to level 19 and --ultra -20.
	MaxWindow = 32 << 20
)

// Limits of the keys that a person gives.
const (
	MaxKeyInput = 64 << 10 // bytes of the memory-key input
	MaxKeys     = 16       // identities in it
)

// Limits of lists in a manifest.
const (
	MaxParents = 64
	MaxSeen    = 4096
)
