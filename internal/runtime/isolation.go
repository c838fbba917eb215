package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/familiarhq/familiar/internal/contract"
)

// This file is the one door to the quarantine marker of a run (page 5.5).
// While it lies in the state folder, a reviewer may be at work, or may have
// been when its run died: nobody uses the memory until it is proven gone.

// markerFile is the marker's name in the state folder.
const markerFile = "familiar-run.json"

const maxMarker = 4 << 10

// Marker binds one run of a reviewer: everything of a result that is not
// about exactly this is refused.
type Marker struct {
	SchemaVersion int    `json:"schema_version" wire:"min=1,max=1"`
	RepositoryID  int64  `json:"repository_id" wire:"min=1"`
	RunID         int64  `json:"run_id" wire:"min=0"`
	Attempt       int    `json:"attempt" wire:"min=0"`
	Head          string `json:"head"`     // commit that is reviewed; "" for a work tree
	Snapshot      string `json:"snapshot"` // hex SHA-256 of memory.json as it was handed out
	Policy        string `json:"policy"`   // hex SHA-256 of the policy
	// The process that began it, so that a later one can prove it gone.
	PID    int    `json:"pid" wire:"min=1"`
	Start  string `json:"start"`  // the kernel's start time of that process
	Boot   string `json:"boot"`   // the kernel's boot id
	Leader int    `json:"leader"` // of the reviewer's session; 0: none was started
}

// MarkerError says why a marker stands in the way.
type MarkerError struct {
	Path   string
	Detail string
	Cause  error
}

// Error names the marker, the reason and the next step.
func (e *MarkerError) Error() string {
	return fmt.Sprintf("%s: %s. Memory stays off; `recover` proves the old run gone and clears it", e.Path, e.Detail)
}

// Unwrap returns the system's own error, if any.
func (e *MarkerError) Unwrap() error { return e.Cause }

// Isolation is a run of a reviewer between its marker's making and clearing.
type Isolation struct {
	path string
	m    Marker
	file fs.FileInfo
}

// Isolate makes the marker, exclusively: where one lies already, or the
// folder is not this user's own, nothing is begun.
func Isolate(dir string, m Marker) (*Isolation, error) {
	path := filepath.Join(dir, markerFile)
	if err := ownFolder(dir); err != nil {
		return nil, &MarkerError{Path: path, Detail: err.Error(), Cause: err}
	}
	m.SchemaVersion, m.PID, m.Leader = 1, os.Getpid(), 0
	m.Start, m.Boot = startOf(m.PID), bootID()
	if why := m.wrong(); why != "" {
		return nil, &MarkerError{Path: path, Detail: why}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, &MarkerError{Path: path, Detail: "an earlier run did not end here as it should", Cause: err}
	}
	if err != nil {
		return nil, &MarkerError{Path: path, Detail: "it cannot be made: " + err.Error(), Cause: err}
	}
	i := &Isolation{path: path, m: m}
	if err := i.write(f); err != nil {
		return nil, &MarkerError{Path: path, Detail: "it cannot be written: " + err.Error(), Cause: err}
	}
	return i, nil
}

func (i *Isolation) write(f *os.File) error {
	data, err := json.Marshal(i.m)
	if err == nil {
		_, err = f.WriteAt(append(data, '\n'), 0)
	}
	if err == nil {
		err = f.Truncate(int64(len(data)) + 1)
	}
	if err == nil {
		i.file, err = f.Stat()
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// Started notes the leader of the reviewer's session.
func (i *Isolation) Started(leader int) error {
	if err := i.unchanged(); err != nil {
		return err
	}
	f, err := os.OpenFile(i.path, os.O_WRONLY, 0)
	if err != nil {
		return &MarkerError{Path: i.path, Detail: "it cannot be written: " + err.Error(), Cause: err}
	}
	i.m.Leader = leader
	return i.write(f)
}

// Accept says whether a result of this isolation may be used: the marker is
// whole and the very one that was made, every field is equal, and the
// reviewer's processes are gone. It does not clear the marker.
func (i *Isolation) Accept(m Marker) error {
	if err := i.unchanged(); err != nil {
		return err
	}
	m.SchemaVersion, m.PID, m.Start, m.Boot, m.Leader = i.m.SchemaVersion, i.m.PID, i.m.Start, i.m.Boot, i.m.Leader
	if m != i.m {
		return &MarkerError{Path: i.path, Detail: "the result is not of the run, head, snapshot and policy that it was begun for"}
	}
	if i.m.Leader != 0 && sessionAlive(i.m.Leader) {
		return &MarkerError{Path: i.path, Detail: fmt.Sprintf("processes of the reviewer's session %d are still there", i.m.Leader)}
	}
	return nil
}

// Clear accepts and takes the marker away. Where it cannot, the marker stays.
func (i *Isolation) Clear(m Marker) error {
	if err := i.Accept(m); err != nil {
		return err
	}
	return unlink(i.path)
}

// unchanged compares the marker on the disk with the one that was made.
func (i *Isolation) unchanged() error {
	m, info, err := readMarker(i.path)
	if err != nil {
		return err
	}
	if !os.SameFile(info, i.file) || m != i.m {
		return &MarkerError{Path: i.path, Detail: "it was changed or replaced since it was made"}
	}
	return nil
}

// FindMarker says whether a marker lies in the folder. An unreadable one is
// an error: it stands in the way as well.
func FindMarker(dir string) (m Marker, there bool, err error) {
	path := filepath.Join(dir, markerFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Marker{}, false, nil
	}
	m, _, err = readMarker(path)
	return m, true, err
}

// ClearMarker proves that the run of a marker is gone, takes the marker away
// and says what it was. Without a marker it says nothing. It never ends a
// process: what is still there is named, for a person to judge.
func ClearMarker(dir string) (said string, err error) {
	path := filepath.Join(dir, markerFile)
	m, there, err := FindMarker(dir)
	if err != nil || !there {
		return "", err
	}
	switch {
	case m.Boot == "" || bootID() == "":
		return "", &MarkerError{Path: path, Detail: "this system does not tell whether the old run is gone; look for it and delete the file by hand"}
	case m.Boot != bootID(): // nothing outlives a boot
	case startOf(m.PID) == m.Start:
		return "", &MarkerError{Path: path, Detail: fmt.Sprintf("its run is still there, as process %d", m.PID)}
	case m.Leader != 0 && sessionAlive(m.Leader):
		return "", &MarkerError{Path: path, Detail: fmt.Sprintf("processes of the reviewer's session %d are still there; end them first", m.Leader)}
	}
	if err := unlink(path); err != nil {
		return "", err
	}
	return fmt.Sprintf("cleared the marker of run %d, attempt %d: its processes are gone", m.RunID, m.Attempt), nil
}

// unlink removes the marker and makes sure that it stays removed.
func unlink(path string) error {
	if err := os.Remove(path); err != nil {
		return &MarkerError{Path: path, Detail: "it cannot be removed: " + err.Error(), Cause: err}
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// readMarker reads a marker as untrusted input: a regular file of this user,
// that nobody else may read or write, bounded, decoded strictly.
func readMarker(path string) (Marker, fs.FileInfo, error) {
	refuse := func(err error, detail string) (Marker, fs.FileInfo, error) {
		return Marker{}, nil, &MarkerError{Path: path, Detail: detail, Cause: err}
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return refuse(err, "it is gone or cannot be read")
	case !info.Mode().IsRegular():
		return refuse(nil, "it is not a regular file")
	case info.Mode().Perm() != 0o600 || !ours(info):
		return refuse(nil, "it is another user's, or others may read or write it")
	case info.Size() > maxMarker:
		return refuse(nil, fmt.Sprintf("it is larger than %d bytes", maxMarker))
	}
	f, err := os.Open(path)
	if err != nil {
		return refuse(err, "it cannot be read")
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, maxMarker+1))
	if err != nil {
		return refuse(err, "it cannot be read")
	}
	var m Marker
	if err := contract.StrictJSON(bytes.TrimSpace(data), &m, contract.Limits{MaxBytes: maxMarker, MaxDepth: 2, MaxItems: 16, MaxString: 128}); err != nil {
		return refuse(err, "it is damaged")
	}
	if why := m.wrong(); why != "" {
		return refuse(nil, why)
	}
	return m, info, nil
}

// wrong says which field lacks its form, "" if none does.
func (m Marker) wrong() string {
	for _, f := range []struct {
		name, value string
		length      int
		mayLack     bool
	}{{"head", m.Head, 40, true}, {"snapshot", m.Snapshot, 64, true}, {"policy", m.Policy, 64, false}} {
		if f.value == "" && f.mayLack || len(f.value) == f.length && lowerHex(f.value) {
			continue
		}
		if f.name == "head" && len(f.value) == 64 && lowerHex(f.value) {
			continue
		}
		return fmt.Sprintf("its %s is no digest of %d hex digits", f.name, f.length)
	}
	if m.Leader < 0 {
		return "its leader is no process"
	}
	return ""
}

func lowerHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ownFolder refuses a folder in which somebody else could lay or take a
// marker.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("the state folder cannot be used: %w", err)
	case !info.IsDir():
		return errors.New("the state folder is a link or a file; name the folder itself")
	case !ours(info) || info.Mode().Perm()&0o022 != 0:
		return errors.New("the state folder is another user's, or others may write to it")
	}
	return nil
}
