package gitrepo

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"sync/atomic"
)

// process is a git command that answers many questions, one after the other:
// a review of a hundred commits starts three of them and no more.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	err    *capped
	cancel context.CancelFunc
	killed atomic.Bool
}

// kept returns the process in the slot, starting it where there is none or
// where a question that was given up has killed it.
func (r *Repo) kept(slot **process, args ...string) (*process, error) {
	if *slot != nil && (*slot).killed.Load() {
		_ = (*slot).stop()
		*slot = nil
	}
	if *slot == nil {
		p, err := r.start(args...)
		if err != nil {
			return nil, r.failed("git "+args[0], "", err)
		}
		*slot = p
	}
	return *slot, nil
}

func (r *Repo) start(args ...string) (*process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cmd: r.command(ctx, objects, args...), err: &capped{max: 64 << 10}, cancel: cancel}
	p.cmd.Stderr = p.err
	in, err := p.cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	return p, nil
}

// during kills the process when ctx ends before the returned function is
// called: a question has no other way to be given up.
func (p *process) during(ctx context.Context) (done func() bool) {
	return context.AfterFunc(ctx, func() {
		p.killed.Store(true)
		p.cancel()
	})
}

// stop ends the process. Its exit code says nothing: it is cut off on purpose.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	p.in.Close()
	p.cancel()
	_ = p.cmd.Wait()
	return nil
}

// lastError waits for a process that broke off and returns what it said.
func (p *process) lastError() string {
	p.in.Close()
	p.cancel()
	_ = p.cmd.Wait()
	return p.err.String()
}
