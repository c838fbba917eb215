package artifact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// readBacks are the pauses before a fresh upload is looked for again: GitHub
// lists it late (A16).
var readBacks = []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second, 8 * time.Second}

// Save uploads a container and reads it back from the listing, by id and
// digest. Only then is it saved; until then the error says what is known. A
// run has two names (page 5.1): the third container of one home takes the
// place of its first, so what a home saves has to contain what it saved
// before.
func (h *Home) Save(ctx context.Context, data []byte) (home.Entry, error) {
	if err := h.maySave(data); err != nil {
		return home.Entry{}, err
	}
	if ctx.Err() != nil {
		return home.Entry{}, h.fail(home.Unwritable, h.names[0], ctx.Err(), "the run was cancelled", "Nothing was saved; run it again.")
	}
	name, id, err := h.upload(ctx, data)
	if err != nil {
		return home.Entry{}, err
	}
	digest := home.Digest(data)
	a, err := h.readBack(ctx, name, id, digest)
	if err != nil {
		return home.Entry{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known[a.ID] = a
	h.saved = append(h.saved, a)
	for _, old := range h.saved[:len(h.saved)-1] {
		h.superseded[old.ID] = true
	}
	e := Entry(a)
	e.Digest = digest
	return e, nil
}

// maySave refuses what nobody would read again.
func (h *Home) maySave(data []byte) error {
	if h.uploader == nil {
		return h.fail(home.Unwritable, h.names[0], nil, "artifacts can be uploaded only from a running job of GitHub Actions",
			"Start the workflow on the default branch instead.")
	}
	if len(data) > MaxBytes {
		return h.fail(home.TooLarge, h.names[0], nil, fmt.Sprintf("%d bytes were to be saved, more than %d", len(data), int64(MaxBytes)), "Purge some lessons.")
	}
	if reason, detail := h.rules.Run(h.own, true); reason != "" {
		return h.fail(home.Unwritable, h.names[0], nil, "what this run saves would not be read again: "+detail,
			"Start it by one of the shipped workflow files.")
	}
	return nil
}

// upload tries the names that this home does not hold first. If other jobs of
// this run took both, one is freed, if a newer container is known to contain
// it.
func (h *Home) upload(ctx context.Context, data []byte) (name string, id int64, err error) {
	order := h.order()
	for _, name := range order {
		if held, ok := h.holds(name); ok {
			if err := h.free(ctx, held); err != nil {
				return "", 0, err
			}
		}
		id, err = h.uploader.Upload(ctx, name, data)
		if !errors.Is(err, ErrTaken) {
			return name, id, h.uploadFailed(name, err)
		}
	}
	name, err = h.freeOne(ctx)
	if err != nil {
		return "", 0, err
	}
	id, err = h.uploader.Upload(ctx, name, data)
	return name, id, h.uploadFailed(name, err)
}

func (h *Home) uploadFailed(name string, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrUncertain): // the listing will tell
		return nil
	case errors.Is(err, ErrTaken):
		return h.fail(home.Unwritable, name, err, "other jobs of this run saved under both names", "Nothing was saved; run it again.")
	}
	return h.fail(home.Unwritable, name, err, "it cannot be uploaded: "+err.Error(), "Nothing was saved; run it again.")
}

// order puts a name that this home holds behind one that it does not, and of
// two that it holds the older first.
func (h *Home) order() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	rank := func(name string) int {
		return slices.IndexFunc(h.saved, func(a Artifact) bool { return a.Name == name })
	}
	names := slices.Clone(h.names[:])
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	if rank(names[0]) < 0 {
		return slices.DeleteFunc(names, func(n string) bool { return rank(n) >= 0 })
	}
	return names[:1]
}

// holds returns this home's own container of a name.
func (h *Home) holds(name string) (Artifact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.saved, func(a Artifact) bool { return a.Name == name })
	if i < 0 {
		return Artifact{}, false
	}
	return h.saved[i], true
}

// free deletes a container of this run, of which a newer one contains all.
func (h *Home) free(ctx context.Context, a Artifact) error {
	if err := h.uploader.Remove(ctx, a.Name); err != nil {
		return h.fail(home.Unwritable, a.Name, err, "this run's former container of that name cannot be deleted: "+err.Error(), "Nothing was saved; run it again.")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.saved = slices.DeleteFunc(h.saved, func(s Artifact) bool { return s.ID == a.ID })
	delete(h.known, a.ID)
	return nil
}

// Superseded says that these containers are in the seen set of a newer one
// that was opened, so that this run may use their names again.
func (h *Home) Superseded(entries ...home.Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range entries {
		if id, err := strconv.ParseInt(e.ID, 10, 64); err == nil {
			h.superseded[id] = true
		}
	}
}

// freeOne frees a name that another job of this run took, if what is there is
// superseded.
func (h *Home) freeOne(ctx context.Context) (string, error) {
	l, err := h.Listing(ctx)
	if err != nil {
		return "", err
	}
	for _, a := range slices.Backward(l.Kept) {
		h.mu.Lock()
		superseded := h.superseded[a.ID]
		h.mu.Unlock()
		if a.RunID == h.own.ID && superseded {
			return a.Name, h.free(ctx, a)
		}
	}
	return "", h.uploadFailed(h.names[0], ErrTaken)
}

// readBack looks for the upload in the listing until it is there with the
// digest of the bytes that were uploaded.
func (h *Home) readBack(ctx context.Context, name string, id int64, digest string) (Artifact, error) {
	for _, pause := range readBacks {
		if pause > 0 && h.sleep(ctx, pause) != nil {
			return Artifact{}, h.fail(home.Unwritable, name, ctx.Err(), "the run was cancelled before the upload was seen in the listing", "Run it again.")
		}
		listed, err := h.client.Artifacts(ctx, name)
		if err != nil {
			return Artifact{}, h.fail(home.Unwritable, name, err, "it was uploaded, but cannot be read back: "+err.Error(), "Run it again; nothing is done twice.")
		}
		if a, ok := h.uploaded(listed, id, digest); ok {
			return a, h.verify(ctx, a, digest)
		}
	}
	return Artifact{}, h.fail(home.Unwritable, name, nil, "it was uploaded, but GitHub does not list it", "Run it again; nothing is done twice.")
}

// uploaded finds the upload: by id, or, where the service's answer was lost, by
// this run and the digest.
func (h *Home) uploaded(listed []Artifact, id int64, digest string) (Artifact, bool) {
	for _, a := range listed {
		if a.ID == id || id == 0 && a.RunID == h.own.ID && hexOf(a.Digest) == digest {
			return a, true
		}
	}
	return Artifact{}, false
}

// verify holds the listed upload against the rules that a later run will
// apply, and its digest against that of the bytes. Where the listing gives no
// digest, the bytes are downloaded.
func (h *Home) verify(ctx context.Context, a Artifact, digest string) error {
	if reason, detail := h.rules.listed(a); reason != "" {
		return h.fail(home.Unwritable, where(a), nil, "it was uploaded, but would not be read again: "+detail, "Start it by one of the shipped workflow files.")
	}
	got := hexOf(a.Digest)
	if a.Digest == "" {
		stored, err := h.client.Zip(ctx, a.ID)
		if err != nil {
			return h.fail(home.Unwritable, where(a), err, "it was uploaded, but cannot be read back: "+err.Error(), "Run it again; nothing is done twice.")
		}
		got = home.Digest(stored)
	}
	if got != digest {
		return h.fail(home.Changed, where(a), nil, "GitHub stored other bytes than were uploaded", "Run it again.")
	}
	return nil
}
