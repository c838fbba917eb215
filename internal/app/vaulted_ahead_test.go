package app

import (
	"context"
	"testing"

	"github.com/familiarhq/familiar/internal/home"
)

// lateHome answers its second listing only when it is let.
type lateHome struct {
	*cloudHome
	asked chan struct{}
	let   chan struct{}
	n     int
}

func (h *lateHome) List(ctx context.Context) ([]home.Entry, error) {
	if h.n++; h.n == 2 {
		close(h.asked)
		select {
		case <-h.let:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return h.cloudHome.List(ctx)
}

func TestASecondListingOutlivesTheGatheringThatAskedForIt(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("money is rounded half-even", flowNow))
	late := &lateHome{asked: make(chan struct{}), let: make(chan struct{})}
	v := c.run(t, func(v *Vaulted, h *cloudHome) {
		late.cloudHome, v.Home, v.Saves = h, late, true
	})
	v.within(t.Context())
	gathering, ends := context.WithCancel(t.Context())
	if err := v.open(gathering); err != nil {
		t.Fatal(err)
	}
	<-late.asked
	ends()
	close(late.let)
	does(t, v, teach("dates are in UTC", flowNow))
	if v.Saved == nil {
		t.Error("nothing was saved")
	}
}

func TestNothingIsAskedAheadWhereNobodyToldHowLongTheRunLives(t *testing.T) {
	c := newCloud()
	does(t, c.run(t), teach("money is rounded half-even", flowNow))
	var asked *cloudHome
	v := c.run(t, func(v *Vaulted, h *cloudHome) { v.Saves, asked = true, h })
	if err := v.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked.listed != 1 || v.again != nil {
		t.Errorf("%d listings, asked ahead: %t", asked.listed, v.again != nil)
	}
}
