package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// SaveTo writes the store to a new file at path, mode 0600: packed, without a
// journal or write-ahead log, without a free page that could hold a forgotten
// text, and readable by any SQLite (page 4.5). The file is on the disk when
// SaveTo returns. A file that is already there is refused.
func (s *Store) SaveTo(ctx context.Context, path string) error {
	return s.SaveBeside(ctx, path, func() error { return onDisk(path) })
}

// onDisk returns once the disk has a file.
func onDisk(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return fail(Unwritable, path, err, "the store could not be saved there (%v)", err)
	}
	return nil
}

// SaveBeside is SaveTo for a file of which something is made that lasts: it
// calls use with the file written, and holds that beside it against what Open
// refuses. The disk may not have it yet. What use makes of the file counts only
// if SaveBeside returns nil.
func (s *Store) SaveBeside(ctx context.Context, path string, use func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saveTo(ctx, path, use)
}

func (s *Store) saveTo(ctx context.Context, path string, use func() error) error {
	s.release() // merging is over
	if err := s.pack(ctx); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fail(Exists, path, err, "something is there already")
	case err != nil:
		return fail(Unwritable, path, err, "it cannot be written (%v)", err)
	}
	defer f.Close()
	err = s.c.asSchema(func() error {
		_, err := s.c.conn.ExecContext(ctx, "VACUUM INTO ?", path)
		return err
	})
	if err != nil {
		os.Remove(path)
		return fail(Unwritable, path, err, "the store could not be saved there (%v)", err)
	}
	used := make(chan error, 1)
	go func() { used <- use() }()
	err = s.reopens(ctx, path)
	if useErr := <-used; err == nil {
		err = useErr
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// reopens holds a file that is about to be handed out against what Open would
// refuse in it: what cannot be opened again must not take the place of what
// can. SQLite has just written its pages, our schema and its index of words, so
// its own checks of those are not run again.
func (s *Store) reopens(ctx context.Context, path string) error {
	_, err := checkFile(path)
	if err == nil {
		_, err = checkRows(ctx, path, nil)
	}
	var mine *Error
	if errors.As(err, &mine) && mine.Kind == Corrupted {
		return fail(Unsound, s.path, err, "what was to be saved would not open again, since %s", mine.Detail)
	}
	return err
}

// Export writes the same bytes as SaveTo to w.
func (s *Store) Export(ctx context.Context, w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := os.MkdirTemp(filepath.Dir(s.path), ".export-")
	if err != nil {
		return fail(Unwritable, s.path, err, "no file can be made beside it (%v)", err)
	}
	defer os.RemoveAll(dir)
	packed := filepath.Join(dir, "store.db")
	if err := s.saveTo(ctx, packed, func() error { return nil }); err != nil {
		return err
	}
	f, err := os.Open(packed)
	if err != nil {
		return fail(Unreadable, packed, err, "it cannot be read (%v)", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// pack leaves the full-text index as one piece. In it a word is found with one
// look-up, and recall asks for a hundred words; and no word is left in it that
// only a forgotten text had: FTS5 notes that a row is gone, and drops its words
// when it writes all pieces anew as one.
func (s *Store) pack(ctx context.Context) error {
	_, err := s.c.conn.ExecContext(ctx, "INSERT INTO recall(recall) VALUES ('optimize')")
	return s.failed(err)
}

// migrate brings an older file forward on a copy beside it, checks the copy
// as if it came from outside, and puts it in the old one's place.
func migrate(ctx context.Context, path string, version int, id Identity) (dates, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".migrate-")
	if err != nil {
		return dates{}, fail(Unwritable, path, err, "its format %d must be brought to %d, and no file can be made beside it (%v)", version, len(migrations), err)
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "store.db")
	if err := copyFile(path, copied); err != nil {
		return dates{}, fail(Unwritable, path, err, "it could not be copied for its migration (%v)", err)
	}
	if err := migrateCopy(ctx, copied, version); err != nil {
		return dates{}, err
	}
	found, err := checkContents(ctx, copied, len(migrations), id)
	if err != nil {
		return dates{}, err
	}
	if err := os.Rename(copied, path); err != nil {
		return dates{}, fail(Unwritable, path, err, "the migrated copy could not take its place (%v)", err)
	}
	return found, nil
}

func migrateCopy(ctx context.Context, path string, version int) error {
	c, err := connect(ctx, path, readWrite)
	if err != nil {
		return broken(ctx, path, err)
	}
	err = c.asSchema(func() error { return build(ctx, c.conn, version) })
	if closeErr := c.close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return broken(ctx, path, err)
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, MaxBytes+1))
	if err == nil {
		err = out.Sync()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

func versionText(v int) string { return strconv.Itoa(v) }
