package app

import (
	"context"
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/vault"
)

// Container is one that a memory was sealed into, as a person sees it.
type Container struct {
	ID       string
	Digest   string
	Listed   time.Time
	Expires  time.Time // zero: it stays
	Manifest vault.Manifest
}

// Containers are those that were opened for this memory, the newest first: the
// generations that are not in the seen set of a later one. A store file has
// none.
func Containers(ctx context.Context, m Memory) ([]Container, error) {
	v, ok := m.(*Vaulted)
	if !ok {
		return nil, nil
	}
	if err := v.View(ctx, nobody); err != nil {
		return nil, err
	}
	var out []Container
	for _, h := range v.heads.List() {
		c := Container{ID: strconv.FormatInt(h.ID, 10), Digest: h.Digest, Listed: h.ListedAt, Manifest: h.Manifest}
		if e, ok := v.entry(h.ID); ok {
			c.Expires = e.ExpiresAt
		}
		out = append(out, c)
	}
	return out, nil
}
