package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// DefaultWait is how long a session waits for another process to finish.
const DefaultWait = 20 * time.Second

// Home is one file. The zero value is not usable; see New.
type Home struct {
	path string
	wait time.Duration
}

var _ home.Home = (*Home)(nil)

// New returns the home at path. Nothing is read or made yet.
func New(path string) *Home { return &Home{path: path, wait: DefaultWait} }

// WithWait returns the same home with another time to wait for the lock.
func (h *Home) WithWait(wait time.Duration) *Home { return &Home{path: h.path, wait: wait} }

// Path is where the file is.
func (h *Home) Path() string { return h.path }

// List returns the file, if it is there.
func (h *Home) List(ctx context.Context) ([]home.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, info, err := h.open()
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := h.read(f)
	if err != nil {
		return nil, err
	}
	return []home.Entry{h.entry(data, info.ModTime())}, nil
}

// Load returns the bytes of the file; if it was replaced since it was listed
// it is gone, and listing again finds the new one.
func (h *Home) Load(ctx context.Context, e home.Entry) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, _, err := h.open()
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, h.fail(home.Gone, nil, "the file is gone", "List again.")
	}
	defer f.Close()
	data, err := h.read(f)
	if err != nil {
		return nil, err
	}
	if digest := home.Digest(data); digest != e.ID {
		return nil, h.fail(home.Gone, nil, "the file was replaced meanwhile", "List again.")
	}
	return data, nil
}

// Save replaces the file by these bytes, as a whole or not at all.
func (h *Home) Save(ctx context.Context, data []byte) (home.Entry, error) {
	var saved home.Entry
	err := h.locked(ctx, func(dir string) error {
		staged := filepath.Join(dir, "save")
		if err := os.WriteFile(staged, data, 0o600); err != nil {
			return h.unwritable(err)
		}
		if err := h.replace(staged); err != nil {
			return err
		}
		info, err := os.Lstat(h.path)
		if err != nil {
			return h.fail(home.Unreadable, err, fmt.Sprintf("it cannot be read after it was saved (%v)", err), "Check the folder's permissions.")
		}
		saved = h.entry(data, info.ModTime())
		return nil
	})
	return saved, err
}

// entry names a file by its digest, since nothing else of it is its own.
func (h *Home) entry(data []byte, at time.Time) home.Entry {
	digest := home.Digest(data)
	return home.Entry{ID: digest, Digest: digest, Size: int64(len(data)), CreatedAt: at.UTC()}
}

// open opens the file without following a link; nil if there is none.
func (h *Home) open() (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(h.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.Is(err, syscall.ELOOP):
		return nil, nil, h.fail(home.NotRegular, err, "it is a link", "Name the file itself; links are not followed.")
	case err != nil:
		return nil, nil, h.fail(home.Unreadable, err, fmt.Sprintf("it cannot be read (%v)", err), "Check who owns it and its permissions.")
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() <= home.MaxBytes {
		return f, info, nil
	}
	f.Close()
	switch {
	case err != nil:
		return nil, nil, h.fail(home.Unreadable, err, fmt.Sprintf("it cannot be read (%v)", err), "Check who owns it and its permissions.")
	case !info.Mode().IsRegular():
		return nil, nil, h.fail(home.NotRegular, nil, "it is not a regular file", "Name a file, or a path where nothing is yet.")
	}
	return nil, nil, h.fail(home.TooLarge, nil, fmt.Sprintf("it has %d bytes, more than %d", info.Size(), int64(home.MaxBytes)), "Restore a smaller copy.")
}

// read counts as it reads: the size may have grown since it was looked up.
func (h *Home) read(f *os.File) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, home.MaxBytes+1))
	if err != nil {
		return nil, h.fail(home.Unreadable, err, fmt.Sprintf("it cannot be read (%v)", err), "Check the disk.")
	}
	if len(data) > home.MaxBytes {
		return nil, h.fail(home.TooLarge, nil, fmt.Sprintf("it has more than %d bytes", int64(home.MaxBytes)), "Restore a smaller copy.")
	}
	return data, nil
}

// replace puts a staged file at the path: synced, mode 0600, renamed, and the
// folder synced, so that after a crash the one or the other is there.
func (h *Home) replace(staged string) error {
	info, err := os.Lstat(staged)
	switch {
	case err != nil:
		return h.fail(home.Unwritable, err, fmt.Sprintf("what was to be saved is not there (%v)", err), "Run it again.")
	case !info.Mode().IsRegular():
		return h.fail(home.NotRegular, nil, "what was to be saved is not a regular file", "Run it again.")
	case info.Size() > home.MaxBytes:
		return h.fail(home.TooLarge, nil, fmt.Sprintf("%d bytes were to be saved, more than %d", info.Size(), int64(home.MaxBytes)), "Purge some lessons.")
	}
	if err := syncFile(staged); err != nil {
		return h.unwritable(err)
	}
	if target, err := os.Lstat(h.path); err == nil && !target.Mode().IsRegular() {
		return h.fail(home.NotRegular, nil, "it is not a regular file", "Name a file, or a path where nothing is yet.")
	}
	if err := os.Rename(staged, h.path); err != nil {
		return h.unwritable(err)
	}
	return h.unwritable(syncDir(filepath.Dir(h.path)))
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	return f.Sync()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func (h *Home) fail(kind home.Kind, cause error, detail, fix string) *home.Error {
	return &home.Error{Kind: kind, Where: h.path, Detail: detail, Fix: fix, Cause: cause}
}

// unwritable turns an error of writing into ours; nil stays nil.
func (h *Home) unwritable(err error) error {
	var mine *home.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mine):
		return mine
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return h.fail(home.Full, err, fmt.Sprintf("there is no space to save it (%v)", err), "Free some space and run it again; the file is as it was.")
	}
	return h.fail(home.Unwritable, err, fmt.Sprintf("it cannot be written (%v)", err),
		"Check who owns the folder "+filepath.Dir(h.path)+" and its permissions, or name another file; nothing was changed.")
}
