package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/review/record"
)

// Records keeps review.json of reviews, each as an artifact of its own for
// seven days (page 7.4).
type Records interface {
	// Put stores one under a name of the running job; another of that name and
	// run is replaced.
	Put(ctx context.Context, name string, data []byte) error
	// Find returns those of a name that runs of our workflows made, the newest
	// first.
	Find(ctx context.Context, name string) ([]FoundRecord, error)
}

// FoundRecord is one artifact. Data is not believed yet; Problem says why it
// could not even be unpacked, "" if it could.
type FoundRecord struct {
	ID      int64
	Data    []byte
	Problem string
}

// recordName is the name of the artifact of a review.
func recordName(number int, head string) string {
	return fmt.Sprintf("familiar-review-%d-%s", number, head[:min(len(head), 12)])
}

// borneOut holds a finding against the records of its review, where they are
// still there. checked says that one bears it out; doubt, in a clause, why
// none could be looked at; refused, in sentences, that one speaks against it.
// The marker alone is enough where there is none (page 7.4).
func borneOut(ctx context.Context, r ActionRequest, repositoryID int64, number int, f findingRef) (checked bool, doubt, refused string) {
	if r.Records == nil || f.Head == "" {
		return false, "", ""
	}
	found, err := r.Records.Find(ctx, recordName(number, f.Head))
	if err != nil {
		var e *github.Error
		if errors.As(err, &e) {
			return false, e.Detail, ""
		}
		return false, err.Error(), ""
	}
	against := ""
	for _, one := range found {
		switch why := judgeRecord(r, one, repositoryID, number, f); {
		case why == "":
			checked = true
		case against == "":
			against = fmt.Sprintf("The record of that review (artifact %d) speaks against it: %s. Nothing was stored; `review full` makes a new record.", one.ID, why)
		}
	}
	if checked {
		return true, "", "" // one that is older, of the same head, may lack it
	}
	return false, "", against
}

func judgeRecord(r ActionRequest, one FoundRecord, repositoryID int64, number int, f findingRef) string {
	if one.Problem != "" {
		return one.Problem
	}
	rec, err := record.Open(one.Data, r.Keys)
	if err == nil {
		err = rec.Verify(repositoryID, number, f.Head, f.Fingerprint, f.Candidate)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// keepRecord is the deed that stores review.json of a review; none where
// nothing vouches for it, or this run cannot store.
func keepRecord(r ActionRequest, rec record.Record, number int, head string) []deed {
	if r.Records == nil || r.Keys.Len() == 0 {
		return nil
	}
	name := recordName(number, head)
	a := plan.Action{
		Kind: plan.KeepRecord, Key: memory.NewCause("review record", fmt.Sprint(rec.Run.RepositoryID), fmt.Sprint(number), head, fmt.Sprint(rec.Run.RunID), fmt.Sprint(rec.Run.Attempt)),
		Summary: "keep review.json for seven days",
	}
	return []deed{{a, func(ctx context.Context, _ plan.Action) error {
		data, err := record.Seal(rec, r.Keys)
		if err != nil {
			return err
		}
		if err := r.Records.Put(ctx, name, data); err != nil {
			// A review stands without its record; feedback works from the marker.
			return plan.Skip("it could not be kept: " + err.Error())
		}
		return nil
	}}}
}
