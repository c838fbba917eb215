//go:build unix && !linux

package runtime

import (
	"syscall"
	"time"
)

// family is the process group of a reviewer process.
type family struct{}

func newFamily(rights) family { return family{} }

func (family) release() {}

func (family) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func (family) kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// endAll ends the group of pid and says whether it is proven gone in time.
func (f family) endAll(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.kill(pid)
		if syscall.Kill(-pid, 0) == syscall.ESRCH {
			return true
		}
	}
	return false
}
