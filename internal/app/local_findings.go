package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/runtime"
)

// lastReview is what a clone remembers of its last review, beside the store:
// which finding a number means. It is no memory: no review reads it.
type lastReview struct {
	Schema   string       `json:"schema" wire:"is=familiar-last-review-1"`
	Findings []findingRef `json:"findings"`
}

const lastReviewSchema = "familiar-last-review-1"

// lastReviewLimits bound what is decoded.
var lastReviewLimits = contract.Limits{MaxBytes: 1 << 20, MaxDepth: 5, MaxItems: 500, MaxString: 4096}

// lastReviewPath is the file beside a store.
func lastReviewPath(s Stores) string { return s.Home.Path() + ".last-review.json" }

// keepLastReview writes down which finding each number means, after a review
// of one change. That it cannot be written fails no review.
func keepLastReview(report LocalReport) []plan.Action {
	if len(report.Items) != 1 || len(report.Items[0].Status.Findings) == 0 {
		return nil
	}
	status := report.Items[0].Status
	r := lastReview{Schema: lastReviewSchema}
	for _, f := range status.Findings[:min(len(status.Findings), lastReviewLimits.MaxItems)] {
		r.Findings = append(r.Findings, refOf(f, "", status.Head))
	}
	return []plan.Action{{
		Kind: plan.KeepFindings, Key: memory.NewCause("last review", fmt.Sprint(r)), Payload: r,
		Summary: "remember which finding each number means",
	}}
}

// writeLastReview performs it: a new file in the place of the old one.
func writeLastReview(s Stores) plan.Handler {
	return func(_ context.Context, a plan.Action) error {
		data, err := json.Marshal(a.Payload)
		if err != nil {
			return err
		}
		path := lastReviewPath(s)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return plan.Skip("it cannot be written: " + err.Error())
		}
		f, err := os.CreateTemp(filepath.Dir(path), ".last-review-*") // 0600
		if err != nil {
			return plan.Skip("it cannot be written: " + err.Error())
		}
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			_ = os.Remove(f.Name()) // nothing of it is left
			return plan.Skip("it cannot be written: " + err.Error())
		}
		return nil
	}
}

// findLast is the finding that a number of the last review means, or why
// there is none.
func findLast(s Stores, id string) (findingRef, *memory.Refusal, error) {
	no := func(detail string) (findingRef, *memory.Refusal, error) {
		return findingRef{}, &memory.Refusal{Target: id, Reason: memory.ReasonUnknownID, Detail: detail}, nil
	}
	data, err := runtime.ReadCarried(lastReviewPath(s), int64(lastReviewLimits.MaxBytes))
	if errors.Is(err, fs.ErrNotExist) {
		return no("No review with findings was made here yet; `familiar local` makes one.")
	}
	if err != nil {
		return findingRef{}, nil, fmt.Errorf("the last review cannot be read: %w", err)
	}
	var r lastReview
	if contract.StrictJSON(data, &r, lastReviewLimits) != nil {
		return no("What is remembered of the last review cannot be read; `familiar local` makes a new one.")
	}
	for _, f := range r.Findings {
		if f.ID == id && f.whole() {
			return f, nil, nil
		}
	}
	return no(fmt.Sprintf("The last review has no finding %s; `familiar local` shows what there is.", id))
}
