package store

import (
	"errors"
	"fmt"
)

// Kind says why a file cannot be used as a store.
type Kind string

// The closed set of kinds.
const (
	Missing         Kind = "missing"          // there is no such file
	Exists          Kind = "exists"           // Create found something at the path
	Unreadable      Kind = "unreadable"       // the system refused to read it
	Unwritable      Kind = "unwritable"       // the system refused to write it
	NotAStore       Kind = "not_a_store"      // another file, or another program's database
	TooLarge        Kind = "too_large"        // above the size cap
	WAL             Kind = "wal"              // carries a write-ahead log: half of it may lie elsewhere
	Sidecar         Kind = "sidecar"          // a journal lies beside it
	NewerVersion    Kind = "newer_version"    // written by a later release
	ForeignSchema   Kind = "foreign_schema"   // a table, index, view or trigger that is not ours
	Corrupted       Kind = "corrupted"        // pages, rows or constraints are broken
	WrongRepository Kind = "wrong_repository" // lessons of another repository
	OtherStore      Kind = "other_store"      // the same repository, another genesis
	TooSlow         Kind = "too_slow"         // it did not open in ten seconds of processor time
	Unsound         Kind = "unsound"          // what was to be saved would not open again
	Unusable        Kind = "unusable"         // the store was closed, or a statement failed
)

// Error says why a store cannot be used: the file, what is wrong and what to
// do about it. A file that was refused has not been modified.
type Error struct {
	Kind   Kind
	Path   string
	Detail string // what is wrong, without a full stop
	Fix    string // the next step, one sentence
	Cause  error
}

// Error returns one line that names the file, the reason and the next step.
func (e *Error) Error() string {
	s := fmt.Sprintf("memory store %s: %s", e.Path, e.Detail)
	if e.Fix != "" {
		s += ". " + e.Fix
	}
	return s
}

// Unwrap returns the system's or SQLite's own error, if any.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of a store's error, "" for any other error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// fixes are the next steps of the kinds whose step does not depend on the
// case.
var fixes = map[Kind]string{
	Missing:         "Check the path, or teach a first lesson to create it.",
	Exists:          "Choose another path, or open the existing store.",
	Unreadable:      "Check who owns the file and its permissions.",
	Unwritable:      "Check who owns the file and its folder, their permissions, and the free space.",
	NotAStore:       "Check the path; the file was left as it is.",
	TooLarge:        "Restore a smaller copy; the file was left as it is.",
	WAL:             "Save it with its own program first (PRAGMA journal_mode=DELETE); the file was left as it is.",
	Sidecar:         "Something died while it wrote there. Restore a saved copy, or move the journal away if you are sure; nothing was touched.",
	NewerVersion:    "Use that release or a later one; the file was left as it is.",
	ForeignSchema:   "Somebody changed the file by other means. Restore a saved copy; the file was left as it is.",
	Corrupted:       "Restore a saved copy; the file was left as it is.",
	WrongRepository: "Use that repository's own store; the file was left as it is.",
	OtherStore:      "Use a copy of this store; one of another store is never merged. Nothing was changed.",
	TooSlow:         "Restore a saved copy, or try on a faster machine; the file was left as it is.",
	Unsound:         "This is a defect of familiar and not of yours: please report it with these words. Nothing was saved, and what was saved before stands.",
	Unusable:        "Open the store again.",
}

func fail(kind Kind, path string, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Path: path, Detail: fmt.Sprintf(format, args...), Fix: fixes[kind], Cause: cause}
}
