package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// viewPrefix begins the names of the folders with private copies of this
// store, made for a view in the system's temporary folder.
func (h *Home) viewPrefix() string {
	sum := sha256.Sum256([]byte(h.path))
	return "familiar-view-" + hex.EncodeToString(sum[:6]) + "-"
}

// makeView makes such a folder. Its name tells the process that uses it, so
// that one which was killed leaves nothing behind for good: a copy that
// nobody sweeps would still hold what is forgotten later.
func (h *Home) makeView() (string, error) {
	h.sweepViews()
	return os.MkdirTemp("", fmt.Sprintf("%s%d-", h.viewPrefix(), os.Getpid()))
}

// sweepViews removes the copies of processes that are gone. What cannot be
// removed (another user's) is left.
func (h *Home) sweepViews() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), h.viewPrefix()+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), h.viewPrefix()), "-")
		if n, err := strconv.Atoi(pid); err == nil && n > 0 && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}
