package runtime

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// bootID names this boot of the machine, "" if the kernel does not tell.
func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// startOf is the kernel's start time of a process, which no later process of
// the same number shares; "" if there is no such process, or a dead one that
// nobody waited for.
func startOf(pid int) string {
	fields := statOf(strconv.Itoa(pid))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

// statOf are the fields of /proc/PID/stat from the state on; what is before
// it holds the command's name, which may hold anything.
func statOf(pid string) []string {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
}

// sessionAlive says whether any process of a session is there. Where /proc
// cannot be read, it says so too: not proven gone.
func sessionAlive(leader int) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		fields := statOf(e.Name())
		if len(fields) > 3 && fields[3] == strconv.Itoa(leader) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}

// ours says whether a file is this user's own.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
