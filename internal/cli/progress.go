package cli

import (
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
)

// progress says on standard error how far a longer run is: one line that is
// rewritten on a terminal, and a line now and then elsewhere. A run of less
// than a second says nothing.
type progress struct {
	env   Env
	quiet bool
	start time.Time
	last  time.Time
	shown bool
}

func newProgress(env Env, quiet bool) *progress {
	now := time.Now()
	return &progress{env: env, quiet: quiet, start: now, last: now}
}

// step is called before each change.
func (p *progress) step(done, total int, what string) {
	now := time.Now()
	every := 5 * time.Second
	if p.env.ErrTerminal {
		every = 100 * time.Millisecond
	}
	if p.quiet || total < 2 || now.Sub(p.start) < time.Second || (p.shown && now.Sub(p.last) < every) {
		return
	}
	p.last, p.shown = now, true
	line := fmt.Sprintf("reviewing %d of %d: %s", done+1, total, text.Truncate(render.Plain(what), 50))
	if p.env.ErrTerminal {
		fmt.Fprintf(p.env.Stderr, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.env.Stderr, line)
}

// end takes the line away again.
func (p *progress) end() {
	if p.shown && p.env.ErrTerminal {
		fmt.Fprint(p.env.Stderr, "\r\x1b[K")
	}
}
