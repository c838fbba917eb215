package artifact

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/familiarhq/familiar/internal/home"
)

// Records of reviews: each is a zip with exactly one member, kept for seven
// days (page 7.4).
const (
	RecordDays     = 7
	recordMember   = "review.json"
	maxRecord      = 8 << 20 // bytes, unpacked
	maxRecordZip   = maxRecord + 64<<10
	maxRecordsRead = 5 // of one name: re-runs and repeated reviews of one commit
)

// RecordUploader is what the records ask of the results service.
type RecordUploader interface {
	Uploader
	UploadFor(ctx context.Context, name string, data []byte, days int) (id int64, err error)
}

// Reviews keeps the records of reviews. They come from the same runs as
// containers of memory do; anybody else's artifact of that name is nobody's.
type Reviews struct {
	home     *Home
	uploader RecordUploader // nil: nothing can be kept here
}

// NewReviews returns the records that stand beside the containers of a home.
func NewReviews(h *Home, u RecordUploader) *Reviews { return &Reviews{home: h, uploader: u} }

// Record is one artifact. Nothing of Data is believed yet.
type Record struct {
	ID      int64
	Data    []byte
	Problem string // why it could not be unpacked; "" if it could
}

// Put keeps a record. One of that name by the same run is replaced: a re-run
// reviewed again.
func (r *Reviews) Put(ctx context.Context, name string, data []byte) error {
	if r.uploader == nil {
		return errors.New("artifacts can be kept only by a running job of GitHub Actions")
	}
	packed, err := packRecord(data)
	if err != nil {
		return err
	}
	_, err = r.uploader.UploadFor(ctx, name, packed, RecordDays)
	if errors.Is(err, ErrTaken) {
		if err := r.uploader.Remove(ctx, name); err != nil {
			return err
		}
		_, err = r.uploader.UploadFor(ctx, name, packed, RecordDays)
	}
	if errors.Is(err, ErrUncertain) {
		return nil // the bytes are there; only the answer was lost
	}
	return err
}

// Find returns the records of a name, the newest first, that runs of ours
// made and that are still there.
func (r *Reviews) Find(ctx context.Context, name string) ([]Record, error) {
	listed, err := r.home.client.Artifacts(ctx, name)
	if err != nil {
		return nil, err
	}
	kept, _ := r.home.rules.Candidates(listed)
	kept = slices.DeleteFunc(kept, func(a Artifact) bool { return a.Name != name })
	var out []Record
	for _, a := range kept[:min(len(kept), maxRecordsRead)] {
		if err := r.home.checkRun(ctx, a); err != nil {
			if home.KindOf(err) == home.Rejected {
				continue // of another workflow: nobody's
			}
			return nil, err
		}
		data, err := r.home.client.Zip(ctx, a.ID)
		switch {
		case errors.Is(err, ErrGone):
			continue
		case errors.Is(err, ErrTooLarge):
			out = append(out, Record{ID: a.ID, Problem: "it is too large for a record"})
			continue
		case err != nil:
			return nil, err
		}
		one := Record{ID: a.ID}
		if one.Data, err = unpackRecord(data); err != nil {
			one.Problem = err.Error()
		}
		out = append(out, one)
	}
	return out, nil
}

// packRecord makes the zip of a record; the same record has the same bytes.
func packRecord(data []byte) ([]byte, error) {
	if len(data) > maxRecord {
		return nil, fmt.Errorf("the record has %d bytes, at most %d are kept", len(data), maxRecord)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(recordMember)
	if err == nil {
		_, err = w.Write(data)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unpackRecord reads the one member that a record has: a regular file of
// exactly its name. Sizes are counted as bytes are read, not believed.
func unpackRecord(data []byte) ([]byte, error) {
	if len(data) > maxRecordZip {
		return nil, errors.New("it is too large for a record")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("it is no zip")
	}
	if len(z.File) != 1 || z.File[0].Name != recordMember {
		return nil, errors.New("it does not hold review.json and nothing else")
	}
	if !z.File[0].Mode().IsRegular() {
		return nil, errors.New("its review.json is no regular file")
	}
	in, err := z.File[0].Open()
	if err != nil {
		return nil, errors.New("its review.json cannot be read")
	}
	defer in.Close()
	out, err := io.ReadAll(io.LimitReader(in, maxRecord+1))
	switch {
	case err != nil:
		return nil, errors.New("its review.json cannot be read whole")
	case len(out) > maxRecord:
		return nil, errors.New("its review.json is too large for a record")
	}
	return out, nil
}
