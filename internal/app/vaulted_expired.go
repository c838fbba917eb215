package app

import (
	"context"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// expiring is a home whose containers have an end, and are listed for a while
// after it.
type expiring interface {
	Expired() []home.Entry // the newest first
	MadeByUs(ctx context.Context, e home.Entry) (bool, error)
}

// maxExpired bounds how many runs are looked up to tell whether an expired
// container was ours.
const maxExpired = 10

// outlived says where the store, or the newest of it, expired: an empty one
// never takes its place in silence, and an older one never without a word
// (page 5.3, attack A10).
func (v *Vaulted) outlived(ctx context.Context) error {
	newest := v.heads.Newest()
	if v.st == nil && (v.AcceptEmpty || v.waived) {
		return nil
	}
	e, there, err := v.lastExpired(ctx, newest.ListedAt)
	switch {
	case err != nil:
		return unavailable(Unlisted, err, "it cannot be looked up whether an expired container was ours, so nothing is read or saved: %v", err)
	case !there:
		return nil
	case v.st != nil:
		v.quarantine(e, &home.Error{Kind: home.Gone, Detail: "expired"})
		return nil
	}
	return unavailable(Lost, nil, "the store has expired: its last container, %s, was kept until %s, and none is left; nothing is read or saved", e.ID, e.ExpiresAt.UTC().Format(time.DateOnly)).
		with(afterLoss)
}

// lastExpired is the newest expired container of a run of ours that was made
// after the given time and whose contents are not in the store.
func (v *Vaulted) lastExpired(ctx context.Context, after time.Time) (home.Entry, bool, error) {
	h, ok := v.Home.(expiring)
	if !ok {
		return home.Entry{}, false, nil
	}
	for i, e := range h.Expired() {
		if i == maxExpired || !e.CreatedAt.After(after) {
			break
		}
		ours, err := h.MadeByUs(ctx, e)
		if err != nil || ours {
			return e, ours, err
		}
	}
	return home.Entry{}, false, nil
}
