package runtime

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// family is everything that a reviewer process may leave behind: its process
// group, and on Linux also what left that group, because orphans come to us
// as their subreaper.
type family struct{ before map[int]bool }

func newFamily() family {
	// Where the kernel refuses, the process group alone is ended and proven.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return family{before: children()}
}

func (f family) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func (f family) kill(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // ESRCH: already gone
}

// endAll ends the group of pid and every orphan that came to us, and says
// whether all are proven gone in time.
func (f family) endAll(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.kill(pid)
		orphans := f.orphans()
		for _, o := range orphans {
			_ = syscall.Kill(o, syscall.SIGKILL)
			var status syscall.WaitStatus
			_, _ = syscall.Wait4(o, &status, syscall.WNOHANG, nil)
		}
		if len(orphans) == 0 && syscall.Kill(-pid, 0) == syscall.ESRCH {
			return true
		}
	}
	return false
}

func (f family) orphans() []int {
	var out []int
	for pid := range children() {
		if !f.before[pid] {
			out = append(out, pid)
		}
	}
	return out
}

// children lists the direct children of this process, over all its threads.
func children() map[int]bool {
	out := map[int]bool{}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return out
	}
	for _, t := range tasks {
		data, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out[pid] = true
			}
		}
	}
	return out
}
