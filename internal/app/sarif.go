package app

import (
	"context"
	"fmt"
	"os"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime/adapt"
)

// asSARIF is a review as another tool reads it.
func asSARIF(s render.Status, version string) adapt.Written {
	w := adapt.Written{ID: s.Head, Version: version, Findings: s.Findings}
	switch s.Outcome {
	case review.Reviewed, review.PartlyReviewed, review.NothingToDo:
		w.Finished = true
	}
	return w
}

// SARIF is the report of a local review as a SARIF log, with a run for each
// change.
func (l LocalReport) SARIF(version string) ([]byte, error) {
	var all []adapt.Written
	for _, i := range l.Items {
		all = append(all, asSARIF(i.Status, version))
	}
	return adapt.EncodeSARIF(all...)
}

// writeSARIF writes what was reviewed where the step asks for it. Where
// nothing was reviewed there is no file: an empty one would say that all is
// well.
func (report *ActionReport) writeSARIF(ctx context.Context, r ActionRequest) {
	var all []adapt.Written
	for _, one := range append([]ActionReport{*report}, report.Others...) {
		if one.Reviewed {
			all = append(all, asSARIF(one.Status, r.Version))
		}
	}
	if r.SARIFPath == "" || len(all) == 0 {
		return
	}
	report.perform(ctx, r, deed{plan.Action{
		Kind: plan.WriteSARIF, Key: memory.NewCause("sarif", r.SARIFPath, fmt.Sprint(r.RunID), fmt.Sprint(r.Attempt)), Summary: "write the findings as SARIF",
	}, func(context.Context, plan.Action) error {
		path, err := r.here(r.SARIFPath)
		if err != nil {
			return err
		}
		data, err := adapt.EncodeSARIF(all...)
		if err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	}})
}
