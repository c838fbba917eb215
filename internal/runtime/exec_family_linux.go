package runtime

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// family is everything that a reviewer process may leave behind: its process
// group, and on Linux also what left that group, because orphans come to us
// as their subreaper.
type family struct {
	before map[int]bool
	who    rights
}

// oneFamily lets one reviewer run at a time: an orphan does not say whose it
// was.
var oneFamily sync.Mutex

// newFamily begins the time of one reviewer; release ends it.
func newFamily(who rights) family {
	oneFamily.Lock()
	// Where the kernel refuses, the process group alone is ended and proven.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return family{before: children(), who: who}
}

func (family) release() { oneFamily.Unlock() }

// attributes give the reviewer a session of its own, so without a terminal.
// None of its processes can ever come back into ours, which tells its orphans
// from the processes that we start ourselves meanwhile.
func (f family) attributes() *syscall.SysProcAttr {
	return f.who.attributes(&syscall.SysProcAttr{Setsid: true})
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
		// Under a user id of its own nothing can hide: whatever runs under it
		// is the reviewer's, wherever it went.
		others, known := f.who.running()
		for _, o := range others {
			_ = syscall.Kill(o, syscall.SIGKILL)
		}
		if known && len(orphans) == 0 && len(others) == 0 && syscall.Kill(-pid, 0) == syscall.ESRCH {
			return true
		}
	}
	return false
}

// orphans are the children of ours that came in another session than ours.
func (f family) orphans() []int {
	ours, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	var out []int
	for pid := range children() {
		session, err := unix.Getsid(pid)
		if err == nil && session != ours && !f.before[pid] {
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
