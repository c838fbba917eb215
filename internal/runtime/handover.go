package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// The names of the files that lie beside each other in a hand-over (page 7.1).
const (
	BriefFile      = "session-brief.json"
	MemoryFile     = "memory.json"
	MemoryTextFile = "memory.md"
	DiffFile       = "diff.patch"
	ResultFile     = "result.json"
)

// Handover is what a reviewer outside this process is given: nothing else of
// ours is within its reach.
type Handover struct {
	Brief    []byte // encoded session brief, tokenless
	Snapshot memory.Snapshot
	Diff     []byte // the change as git prints it; may be nil
}

// Written says where a hand-over lies and what was in it, so that it can be
// proven unchanged after the reviewer ended (page 4.6, "frozen snapshot").
type Written struct {
	Dir     string
	Digests map[string]string // file name -> hex SHA-256
	Sizes   map[string]int64  // file name -> bytes
}

// Path returns the path of one file of the hand-over.
func (w Written) Path(name string) string { return filepath.Join(w.Dir, name) }

// SnapshotDigest is the digest of memory.json as it was handed out.
func (w Written) SnapshotDigest() string { return w.Digests[MemoryFile] }

// WriteHandover writes the files of a hand-over into dir, which must exist
// and be empty: 0444 in a 0755 folder, so that another user's process can
// read them and change nothing (page 7.1).
func WriteHandover(dir string, h Handover) (Written, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Written{}, fmt.Errorf("the folder for the brief cannot be read: %w", err)
	}
	if len(entries) > 0 {
		return Written{}, fmt.Errorf("the folder for the brief is not empty: %s holds %s; name an empty one", dir, entries[0].Name())
	}
	lessons, err := EncodeSnapshot(h.Snapshot)
	if err != nil {
		return Written{}, err
	}
	w := Written{Dir: dir, Digests: map[string]string{}, Sizes: map[string]int64{}}
	files := []struct {
		name string
		data []byte
	}{
		{BriefFile, h.Brief},
		{MemoryFile, lessons},
		{MemoryTextFile, SnapshotText(h.Snapshot)},
		{DiffFile, h.Diff},
	}
	for _, f := range files {
		if err := writeReadOnly(filepath.Join(dir, f.name), f.data); err != nil {
			return Written{}, fmt.Errorf("%s cannot be written: %w", f.name, err)
		}
		w.Digests[f.name], w.Sizes[f.name] = digest(f.data), int64(len(f.data))
	}
	return w, os.Chmod(dir, 0o755)
}

// writeReadOnly creates a file that nobody but root can change afterwards.
// O_EXCL: a link laid there beforehand is not followed.
func writeReadOnly(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	// The umask may have taken read bits that another user needs.
	if err := f.Chmod(0o444); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// Verify says whether every handed-out file is still what was written. A
// snapshot that changed means that nothing of the result may be used.
func (w Written) Verify() error {
	for name, want := range w.Digests {
		info, err := os.Lstat(w.Path(name))
		if err != nil {
			return fmt.Errorf("%s is gone after the review: %w", name, err)
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s was replaced by something that is not a file", name)
		}
		if info.Size() != w.Sizes[name] { // before it is read: it may be of any size now
			return fmt.Errorf("%s was changed while the reviewer ran", name)
		}
		data, err := os.ReadFile(w.Path(name))
		if err != nil {
			return fmt.Errorf("%s cannot be read after the review: %w", name, err)
		}
		if digest(data) != want {
			return fmt.Errorf("%s was changed while the reviewer ran", name)
		}
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// snapshotLesson is one lesson in memory.json (page 7.1).
type snapshotLesson struct {
	ID       string        `json:"id"` // the full key
	ShortID  string        `json:"short_id"`
	Version  int           `json:"version"`
	Scope    string        `json:"scope"`
	Text     string        `json:"text"`
	Paths    []string      `json:"paths"`
	About    []string      `json:"about"`
	Learned  snapshotEvent `json:"learned"`
	Approved snapshotEvent `json:"approved"`
}

type snapshotEvent struct {
	URL string `json:"url,omitempty"`
	By  string `json:"by"`
	At  string `json:"at"`
}

// EncodeSnapshot renders memory.json. The same snapshot gives the same bytes.
func EncodeSnapshot(s memory.Snapshot) ([]byte, error) {
	out := struct {
		Lessons []snapshotLesson `json:"lessons"`
	}{Lessons: []snapshotLesson{}}
	for _, v := range s.Lessons {
		out.Lessons = append(out.Lessons, snapshotLesson{
			ID: string(v.Key), ShortID: v.DocumentID, Version: v.Number, Scope: string(v.Scope), Text: v.Text,
			Paths: list(v.Paths), About: list(v.About),
			Learned:  snapshotEvent{URL: v.ConfirmedThrough.URL, By: v.Creator.Login, At: stamp(v.CreatedAt)},
			Approved: snapshotEvent{By: v.ConfirmedBy.Login, At: stamp(v.ConfirmedAt)},
		})
	}
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

func list(in []string) []string {
	if in == nil {
		return []string{}
	}
	return in
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// SnapshotText renders memory.md, for reviewers that read prose. Each lesson
// is quoted, so that none of its lines stands as a line of this file.
func SnapshotText(s memory.Snapshot) []byte {
	var b strings.Builder
	b.WriteString("# What the team taught\n\nBackground, approved by a maintainer. It is never evidence: a finding needs a line of the change.\n")
	if len(s.Lessons) == 0 {
		b.WriteString("\nNothing that was taught applies to this change.\n")
	}
	for _, v := range s.Lessons {
		fmt.Fprintf(&b, "\n## %s\n\n", v.ID())
		if len(v.Paths) > 0 {
			fmt.Fprintf(&b, "Applies to: %s\n\n", quoted(v.Paths))
		}
		for line := range strings.SplitSeq(lineEnds.Replace(v.Text), "\n") {
			fmt.Fprintf(&b, "> %s\n", line)
		}
	}
	return []byte(b.String())
}

// lineEnds is everything that one reader or another takes for the end of a
// line. A normalised text has none but the first; this file does not rely on
// that.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// quoted lists globs on one line, whatever is in them.
func quoted(globs []string) string {
	var out []string
	for _, g := range globs {
		out = append(out, strconv.Quote(g))
	}
	return strings.Join(out, ", ")
}

// ReadResult reads a result file without following a link, at most max bytes
// (page 3.5).
func ReadResult(path string, max int64) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the reviewer wrote no result: %s does not exist", filepath.Base(path))
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("the result is not a regular file: %s is a %s", filepath.Base(path), kindOf(info.Mode()))
	case info.Size() > max:
		return nil, fmt.Errorf("the result is too large: %d bytes, at most %d are read", info.Size(), max)
	}
	return readNoFollow(path, max)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m.IsDir():
		return "folder"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	}
	return "special file"
}
