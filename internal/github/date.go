package github

import (
	"net/http"
	"time"
)

// Date is GitHub's own time as of its latest answer, to the second; zero before
// the first. Times of events are GitHub's, and the clock of a machine may be
// hours off: what is compared with one is to be this.
func (c *Client) Date() time.Time {
	if c == nil || c.guard == nil {
		return time.Time{}
	}
	if at := c.guard.date.Load(); at != 0 {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// DateOr is Date, or what a machine's own clock says as long as GitHub did not
// tell.
func (c *Client) DateOr(machine time.Time) time.Time {
	if at := c.Date(); !at.IsZero() {
		return at
	}
	return machine
}

// told notes what an answer says that the time is. Answers come in another
// order than they were made, so it only moves on.
func (g *guard) told(date string) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	for {
		known := g.date.Load()
		if at.Unix() <= known || g.date.CompareAndSwap(known, at.Unix()) {
			return
		}
	}
}
