package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// staging is how the private folders beside the file begin. They are made and
// removed under the lock, so whoever holds it may remove those of the dead.
const staging = ".familiar-staging-"

// Session is one read-change-write with other processes kept out. work gets a
// private folder (mode 0700, on the same disk) and the path of a private copy
// of the file in it, "" if there is no file yet. It returns the path of what
// is to take the file's place, in that folder, or "" to leave it as it is. If
// work fails, or the process dies at any point, the file is as it was.
func (h *Home) Session(ctx context.Context, work func(ctx context.Context, dir, current string) (save string, err error)) error {
	h.sweepViews()
	return h.locked(ctx, func(dir string) error {
		current, err := h.copyTo(dir)
		if err != nil {
			return err
		}
		save, err := work(ctx, dir, current)
		if err != nil || save == "" {
			return err
		}
		if filepath.Dir(save) != dir {
			return h.fail(home.Unwritable, nil, "what was to be saved lies outside the session's folder", "This is a fault of the program; nothing was changed.")
		}
		return h.replace(save)
	})
}

// View is a session that changes nothing: it needs no lock, since the file is
// only ever replaced whole, and no permission to write beside it.
func (h *Home) View(ctx context.Context, work func(ctx context.Context, dir, current string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := h.makeView()
	if err != nil {
		return &home.Error{Kind: home.Unwritable, Where: os.TempDir(), Detail: fmt.Sprintf("no temporary folder can be made there (%v)", err),
			Fix: "Set TMPDIR to a folder that can be written.", Cause: err}
	}
	defer os.RemoveAll(dir)
	current, err := h.copyTo(dir)
	if err != nil {
		return err
	}
	return work(ctx, dir, current)
}

// copyTo makes the private copy; "" if there is no file.
func (h *Home) copyTo(dir string) (string, error) {
	in, _, err := h.open()
	if in == nil || err != nil {
		return "", err
	}
	defer in.Close()
	path := filepath.Join(dir, "current.db")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", h.unwritable(err)
	}
	n, err := io.Copy(out, io.LimitReader(in, home.MaxBytes+1))
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		return "", h.unwritable(err)
	case n > home.MaxBytes:
		return "", h.fail(home.TooLarge, nil, fmt.Sprintf("it has more than %d bytes", int64(home.MaxBytes)), "Restore a smaller copy.")
	}
	return path, nil
}

// locked runs f with the lock held and a fresh staging folder.
func (h *Home) locked(ctx context.Context, f func(dir string) error) error {
	folder := filepath.Dir(h.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return h.unwritable(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	lock, err := h.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close() // lets go of the lock
	h.sweepStaging(folder)
	dir, err := os.MkdirTemp(folder, h.stagingName())
	if err != nil {
		return h.unwritable(err)
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// stagingName keeps the folders of two stores in one folder apart.
func (h *Home) stagingName() string { return staging + filepath.Base(h.path) + "-" }

// sweepStaging removes what a killed process left: it may hold a copy of the
// store. What cannot be removed is left for the next session.
func (h *Home) sweepStaging(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		suffix, ours := strings.CutPrefix(e.Name(), h.stagingName())
		if ours && e.IsDir() && isDigits(suffix) {
			os.RemoveAll(filepath.Join(folder, e.Name()))
		}
	}
}

// isDigits tells what MkdirTemp made from a longer file name that begins like
// ours.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// lock takes the advisory lock beside the file, waiting for whoever has it.
// The system lets go of it when a process dies.
func (h *Home) lock(ctx context.Context) (*os.File, error) {
	path := h.path + ".lock"
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &home.Error{Kind: home.NotRegular, Where: path, Detail: "the lock is a link", Fix: "Remove it, if no other process uses the store.", Cause: err}
	}
	if err != nil {
		return nil, h.unwritable(err)
	}
	deadline := time.NewTimer(h.wait)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, h.fail(home.Unwritable, err, fmt.Sprintf("it cannot be locked (%v)", err), "Move it to a local disk.")
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-deadline.C:
			f.Close()
			return nil, h.fail(home.Locked, nil, fmt.Sprintf("another process has been changing it for more than %s", h.wait),
				"Wait for it to end, or end it, and run this again; nothing was changed.")
		case <-time.After(pause):
		}
	}
}
