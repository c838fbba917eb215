// This file is the one door through which a reviewer process gets fewer rights
// than ours: another user id, no groups, no new privileges, no capability.

package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The user ids that a reviewer runs under: numbers that nobody has, below the
// 65,536 that a container's user namespace commonly maps. One is drawn for each
// review, so that whatever runs under it is that review's.
const (
	firstReviewerID = 61184
	lastReviewerID  = 65519
)

// Bounds of a reviewer under a user id of its own.
const (
	maxReviewerProcesses = 2048
	maxReviewerFile      = 2 << 30 // bytes of one file that it writes
)

// rights are those that a reviewer process runs with. The zero value is
// nobody's: it starts nothing.
type rights struct {
	own bool   // ours, on the operator's own machine
	id  uint32 // user and group id otherwise
}

var ownRights = rights{own: true}

// sockets give whoever may write to them the rights of root.
var sockets = []string{
	"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock", "/run/buildkit/buildkitd.sock",
}

// runnerFiles name, in the environment, the files and folders through which a
// step speaks to its runner. Whoever writes there speaks with our voice.
var runnerFiles = []string{
	"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH", "GITHUB_WORKSPACE",
}

// otherRights are those of a user id of its own for a reviewer whose folder is
// dir, or why there can be none.
func otherRights(dir string) (rights, error) {
	if missing := missingCapability(); missing != "" {
		return rights{}, refusePrivileges("this process cannot switch to another user id (it has no %s)", missing)
	}
	if under := githubMount(dir); under != "" {
		return rights{}, refusePrivileges("its folder would lie in %s, which the runner shares with other steps", under)
	}
	for _, s := range sockets {
		if writable(s) {
			return rights{}, refusePrivileges("everybody may write to %s, which gives the rights of root", s)
		}
	}
	for _, name := range runnerFiles {
		if p := os.Getenv(name); p != "" && writable(p) {
			return rights{}, refusePrivileges("everybody may write to the file that %s names, through which a step speaks to its runner", name)
		}
	}
	for range 64 {
		id := firstReviewerID + rand.Uint32N(lastReviewerID-firstReviewerID+1)
		w := rights{id: id}
		if running, known := w.running(); known && len(running) == 0 {
			return w, nil
		}
	}
	return rights{}, refusePrivileges("no user id is free")
}

// missingCapability names what this process lacks to give a reviewer another
// user id, its folder, and its end; "" if it has all.
func missingCapability() string {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return "capabilities that can be read"
	}
	for _, c := range []struct {
		bit  int
		name string
	}{{unix.CAP_SETUID, "CAP_SETUID"}, {unix.CAP_SETGID, "CAP_SETGID"}, {unix.CAP_KILL, "CAP_KILL"}, {unix.CAP_CHOWN, "CAP_CHOWN"}, {unix.CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"}} {
		if data[c.bit/32].Effective&(1<<(c.bit%32)) == 0 {
			return c.name
		}
	}
	return ""
}

// githubMount names the mount of the runner that dir lies in, or "".
func githubMount(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	mounts := []string{"/github"}
	for _, name := range []string{"GITHUB_WORKSPACE", "RUNNER_TEMP", "RUNNER_TOOL_CACHE"} {
		mounts = append(mounts, os.Getenv(name))
	}
	for _, m := range mounts {
		if m == "" {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(m); err == nil {
			m = resolved
		}
		if rel, err := filepath.Rel(m, real); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return m
		}
	}
	return ""
}

// writable says whether everybody may write to a file and reach it. One that
// cannot be looked at is not there for us either.
func writable(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm()&0o002 == 0 || info.Mode()&fs.ModeSticky != 0 {
		return false
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// open lets the reviewer reach its attempt, and gives it its own folder.
func (w rights) open(attempt, out string) error {
	if w.own {
		return nil
	}
	// The folders on the way were made for us alone. To pass through is not to
	// list: the reviewer is told its own paths.
	for _, d := range []string{filepath.Dir(attempt), attempt} {
		if err := os.Chmod(d, 0o711); err != nil {
			return err
		}
	}
	if err := os.Chown(out, int(w.id), int(w.id)); err != nil {
		return refusePrivileges("its folder cannot be given to another user id: %v", err)
	}
	return nil
}

func (w rights) attributes(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	if !w.own {
		a.Credential = &syscall.Credential{Uid: w.id, Gid: w.id, Groups: []uint32{}}
		// Should this process be killed, nobody is left to end the reviewer.
		a.Pdeathsig = syscall.SIGKILL
	}
	return a
}

// start starts the command and returns what it ended with, when it does.
func (w rights) start(cmd *exec.Cmd) (<-chan error, error) {
	started, waited := make(chan error, 1), make(chan error, 1)
	if w.own {
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		go func() { waited <- cmd.Wait() }()
		return waited, nil
	}
	if !w.valid() {
		return nil, ErrPrivileges
	}
	go func() {
		// No new privileges is a property of a thread that its children
		// inherit and that nobody can take back. So this thread is never given
		// back: it ends with this function, and not before the reviewer, whose
		// end its own would be.
		goruntime.LockOSThread()
		err := w.prepareThread()
		if err == nil {
			err = cmd.Start()
		}
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
			err = refusePrivileges("the system does not let this process switch (%v)", err)
		} else if errors.Is(err, syscall.EACCES) {
			err = fmt.Errorf("%w; it runs under user id %d, which must be able to reach and run it", err, w.id)
		}
		if err == nil {
			w.limit(cmd.Process.Pid)
		}
		started <- err
		if err == nil {
			waited <- cmd.Wait()
		}
	}()
	return waited, <-started
}

// prepareThread gives up, for the children of this thread, every way to more
// rights, and whatever files somebody left open in this process.
func (w rights) prepareThread() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("new privileges cannot be ruled out: %w", err)
	}
	_ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) // an old kernel: Go opens its own so in any case
	return nil
}

// limit bounds what a runaway reviewer can do to the machine. It is a courtesy
// and not the fence: the deadline ends it in any case.
func (w rights) limit(pid int) {
	for _, l := range []struct {
		resource int
		max      uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_NPROC, maxReviewerProcesses}, {unix.RLIMIT_FSIZE, maxReviewerFile}} {
		_ = unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: l.max, Max: l.max}, nil)
	}
}

// valid says that the id is one of those that are nobody's.
func (w rights) valid() bool { return w.id >= firstReviewerID && w.id <= lastReviewerID }

// running lists the processes under the reviewer's user id that are not merely
// waiting to be reaped by somebody; known is false where that cannot be told,
// and then nothing is proven gone. With our own rights there is no such list,
// and with an id that is not the reviewer's there never may be one.
func (w rights) running() (pids []int, known bool) {
	if w.own {
		return nil, true
	}
	entries, err := os.ReadDir("/proc")
	if err != nil || !w.valid() {
		return nil, false
	}
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid <= 1 {
			continue
		}
		status, err := os.ReadFile("/proc/" + e.Name() + "/status")
		if err == nil && w.is(status) {
			out = append(out, pid)
		}
	}
	return out, true
}

// is reads /proc/PID/status: any of the four user ids counts.
func (w rights) is(status []byte) bool {
	id := strconv.FormatUint(uint64(w.id), 10)
	zombie, ours := false, false
	for line := range bytes.Lines(status) {
		name, rest, _ := strings.Cut(string(line), ":")
		switch name {
		case "State":
			zombie = strings.HasPrefix(strings.TrimSpace(rest), "Z")
		case "Uid":
			ours = slices.Contains(strings.Fields(rest), id)
		}
	}
	return ours && !zombie
}
