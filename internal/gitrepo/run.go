// The one door to the git command. Nothing else in the program starts git:
// every call gets the environment made here, in which the clone's own
// configuration cannot name anything that runs (attack A114, pages 3.1, 6.6).

package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// setting is one configuration value that overrides the clone's.
type setting struct{ key, value string }

// hardened overrides every setting that git is known to run, to send bytes to,
// or to shape its output with. The clone's filter drivers, whose names are its
// own, join them in Open.
var hardened = []setting{
	{"core.fsmonitor", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.pager", "cat"},
	{"core.editor", "false"},
	{"core.askPass", ""},
	{"core.sshCommand", "false"},
	{"core.gitProxy", ""},
	{"core.alternateRefsCommand", ""},
	{"core.attributesFile", os.DevNull},
	{"core.untrackedCache", "false"},
	// A larger file is shown as a binary one: it is named, and does not use
	// up what all files together may have.
	{"core.bigFileThreshold", "16m"},
	{"core.quotePath", "true"},
	{"credential.helper", ""},
	{"protocol.allow", "never"},
	{"gpg.program", "false"},
	{"gpg.ssh.program", "false"},
	{"gpg.x509.program", "false"},
	{"log.showSignature", "false"},
	{"interactive.diffFilter", ""},
	{"sequence.editor", "false"},
	{"uploadpack.packObjectsHook", ""},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"submodule.recurse", "false"},
	{"fetch.recurseSubmodules", "false"},
	{"diff.external", ""},
	{"diff.submodule", "short"},
	{"diff.noprefix", "false"},
	{"diff.mnemonicPrefix", "false"},
	{"diff.relative", "false"},
	{"diff.suppressBlankEmpty", "false"},
	{"diff.orderFile", os.DevNull},
	{"diff.autoRefreshIndex", "true"},
	{"color.ui", "false"},
	{"color.diff", "false"},
	{"i18n.logOutputEncoding", "UTF-8"},
	{"advice.objectNameWarning", "false"},
}

// view says what a command may see of the clone.
type view int

const (
	// objects: the object database and the refs, and nothing else. Neither the
	// working tree nor the index is there, so that no .gitattributes of the
	// change under review can declare a file binary and hide it.
	objects view = iota
	// worktree: the index and the files too.
	worktree
)

// environment is the whole environment of a git command: nothing of the
// caller's GIT_* variables passes.
func (r *Repo) environment(v view) []string {
	env := []string{
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"GIT_SSH_COMMAND=false",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		// An empty list allows no transport at all, whatever protocol.* says.
		"GIT_ALLOW_PROTOCOL=",
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
	}
	env = append(env, inherited()...)
	if r.gitDir != "" {
		env = append(env, "GIT_DIR="+r.gitDir)
		switch {
		case v == worktree && !r.bare:
			env = append(env, "GIT_WORK_TREE="+r.root)
		default:
			env = append(env,
				"GIT_WORK_TREE="+r.gitDir,
				"GIT_INDEX_FILE="+filepath.Join(r.gitDir, "objects", "no-index"),
				"GIT_ATTR_SOURCE="+r.emptyTree)
		}
	}
	all := append(append([]setting(nil), hardened...), r.neutral...)
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(all)))
	for i, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	return env
}

// inherited are the few variables that git needs of its caller's.
func inherited() []string {
	var out []string
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SystemRoot", "TEMP", "TMP"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// command prepares one git command. Revisions and paths of users must stand
// behind --end-of-options or on the command's standard input.
func (r *Repo) command(ctx context.Context, v view, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.git, append([]string{"--no-pager"}, args...)...)
	cmd.Env = r.environment(v)
	cmd.Dir = r.gitDir
	if v == worktree && !r.bare {
		cmd.Dir = r.root
	}
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// maxAnswer bounds what a command that is read whole may print.
const maxAnswer = 32 << 20

// answer is what a finished command printed.
type answer struct {
	out, err string
	code     int
	cut      bool // out was longer than maxAnswer
}

// ask runs a command to its end. The error is for a command that could not run
// or was cancelled; an exit code is data.
func (r *Repo) ask(ctx context.Context, v view, args ...string) (answer, error) {
	cmd := r.command(ctx, v, args...)
	out, errOut := &capped{max: maxAnswer}, &capped{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, errOut
	err := cmd.Run()
	a := answer{out: out.String(), err: errOut.String(), code: cmd.ProcessState.ExitCode(), cut: out.cut}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return a, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case errors.As(err, &exit) && a.code > 0:
		return a, nil
	case err != nil:
		return a, fmt.Errorf("git %s: %w", args[0], err)
	}
	return a, nil
}

// lines asks and splits the answer; the exit code must be 0.
func (r *Repo) lines(ctx context.Context, v view, args ...string) ([]string, error) {
	a, err := r.ask(ctx, v, args...)
	if err != nil || a.code != 0 {
		return nil, r.failed("git "+args[0], a.err, err)
	}
	if a.cut {
		return nil, fail(Failed, "git "+args[0], fmt.Sprintf("it answered more than %d MiB", maxAnswer>>20), "")
	}
	return strings.Split(strings.TrimSuffix(a.out, "\n"), "\n"), nil
}

// capped keeps the first max bytes and swallows the rest.
type capped struct {
	bytes.Buffer
	max int
	cut bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.max - c.Len(); len(p) > room {
		c.cut = true
		c.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

var _ io.Writer = (*capped)(nil)
