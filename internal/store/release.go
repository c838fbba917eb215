package store

import (
	"os"
	"runtime/debug"
)

// largeFile is from where the memory of a store is worth a collection of its
// own: that costs some milliseconds, and writing so large a file half a second.
const largeFile = 32 << 20

// release gives up what a merge kept, which takes as much memory as all rows.
// Of a large store what that, a check or an opened container left behind goes
// back to the system before SQLite takes its own for the save: the collector
// would let both stand beside each other.
func (s *Store) release() {
	s.kept = nil
	if info, err := os.Stat(s.path); err == nil && info.Size() > largeFile {
		debug.FreeOSMemory()
	}
}
