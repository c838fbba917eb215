package app

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// agingHome is a home that lists what expired, as GitHub does for a while.
type agingHome struct {
	*cloudHome
	strangers []string // containers of runs that are none of ours
	err       error
}

func (h *agingHome) Expired() (out []home.Entry) {
	for _, e := range slices.Backward(h.kept) {
		if !h.now.Before(e.ExpiresAt) {
			out = append(out, e.Entry)
		}
	}
	return out
}

func (h *agingHome) MadeByUs(_ context.Context, e home.Entry) (bool, error) {
	return !slices.Contains(h.strangers, e.ID), h.err
}

// aging is a run that sees what expired.
func aging(strangers ...string) func(*Vaulted, *cloudHome) {
	return func(v *Vaulted, c *cloudHome) { v.Home = &agingHome{cloudHome: c, strangers: strangers} }
}

func TestAStoreThatExpiredIsNeverReplacedInSilence(t *testing.T) {
	const lifetime = 90 * 24 * time.Hour
	taught := func(t *testing.T) *cloud {
		c := newCloud()
		does(t, c.run(t), teach("one", c.now))
		return c
	}
	t.Run("A10: every container expired, and no thread remembers any", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime)
		v := c.run(t, aging())
		wantOff(t, v, Lost, "the store has expired", "101", "was kept until", "restore", "recover")
		if err := did(t, v, teach("anew", c.now)); WhyUnavailable(err) != Lost || len(c.kept) != 1 {
			t.Errorf("a command: %v, %d containers", err, len(c.kept))
		}
		anew := c.run(t, aging(), func(v *Vaulted, _ *cloudHome) { v.AcceptEmpty = true })
		does(t, anew, teach("anew", c.now))
		after := c.run(t, aging())
		wantTexts(t, after, "anew")
		if len(after.Quarantine) != 0 {
			t.Errorf("quarantine %+v: what an admin let go is not missed again", after.Quarantine)
		}
	})
	t.Run("A10: the newest expired and an older one did not: it serves, and that is said", func(t *testing.T) {
		c := taught(t)
		c.pass(time.Hour)
		does(t, c.run(t), teach("two", c.now))
		c.kept[1].ExpiresAt = c.now.Add(24 * time.Hour) // the repository keeps artifacts for a day now
		c.pass(48 * time.Hour)
		v := c.run(t, aging())
		wantTexts(t, v, "one")
		if len(v.Quarantine) != 1 || v.Quarantine[0].ID != "102" || v.Quarantine[0].Reason != "expired" {
			t.Errorf("quarantine %+v, want the newest", v.Quarantine)
		}
	})
	t.Run("what expired in its time is no loss", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime - time.Hour)
		does(t, c.run(t), teach("two", c.now))
		c.pass(2 * time.Hour)
		v := c.run(t, aging())
		wantTexts(t, v, "one", "two")
		if len(v.Quarantine) != 0 {
			t.Errorf("quarantine %+v", v.Quarantine)
		}
	})
	t.Run("what others made is not missed", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime)
		wantTexts(t, c.run(t, aging("101")))
	})
	t.Run("where it cannot be looked up nothing begins", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime)
		wantOff(t, c.run(t, func(v *Vaulted, h *cloudHome) { v.Home = &agingHome{cloudHome: h, err: errDown} }), Unlisted, "expired container")
	})
	t.Run("what an uninstall took away is not missed", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime - time.Hour)
		does(t, c.run(t), teach("two", c.now))
		c.pass(2 * time.Hour)
		v := c.run(t, aging())
		wantTexts(t, v, "one", "two")
		if gone, err := v.deleteAll(t.Context()); err != nil || len(gone.left) != 0 || len(c.kept) != 0 {
			t.Fatalf("%+v, %v; containers %v, want the expired one gone too", gone, err, c.ids())
		}
		wantTexts(t, c.run(t, aging()))
	})
	t.Run("a snapshot brings it back", func(t *testing.T) {
		c := taught(t)
		c.pass(lifetime)
		v := c.run(t, aging())
		v.restoring()
		wantTexts(t, v)
	})
}
