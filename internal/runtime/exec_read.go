package runtime

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// readNoFollow opens without following a link and without waiting for a
// writer (a pipe swapped in after the look), and checks again what it opened.
func readNoFollow(path string, max int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("the result cannot be opened: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the result is not a regular file: %s is a %s", filepath.Base(path), kindOf(info.Mode()))
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, errors.New("the result grew past its limit while it was read")
	}
	return data, nil
}
