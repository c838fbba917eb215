package contract

import "fmt"

// This file is the one door for results: whatever a runtime wrote becomes a
// Result here and nowhere else.

// DecodeResult decodes a result envelope of contract version 2 (pages 3.5 and
// 7.1), at most MaxResultBytes, by the rules of StrictJSON and the rules
// between fields. `scope` in memory_used stays a free string: an unknown one
// is refused for its entry, not for the review. Every error is a
// *DecodeError, and the Result is then empty. Required arrays are never nil,
// optional ones are nil when empty.
func DecodeResult(data []byte) (Result, error) {
	var r Result
	if err := StrictJSON(data, &r, WireLimits()); err != nil {
		return Result{}, err
	}
	if err := checkResult(r); err != nil {
		return Result{}, err
	}
	return canonicalResult(r), nil
}

// EncodeResult writes a result in its one canonical form: fields in order,
// two spaces of indent, a final newline, optional fields without a value left
// out. It writes nothing that DecodeResult would refuse. Bytes that are not
// UTF-8 are written as U+FFFD.
func EncodeResult(r Result) ([]byte, error) {
	data, err := encode(canonicalResult(r), "  ")
	if err != nil {
		return nil, fmt.Errorf("result not written: %w", err)
	}
	if _, err := DecodeResult(data); err != nil {
		return nil, fmt.Errorf("result not written: %w", err)
	}
	return data, nil
}

// checkResult holds the rules between the fields of a result.
func checkResult(r Result) *DecodeError {
	switch {
	case r.Status == StatusSuccess && r.ExitReason != nil:
		return refuse("$.exit_reason", Contradiction, `status "success" has no exit_reason`)
	case (r.Status == StatusFailure || r.Status == StatusNeedsInput) && r.ExitReason == nil:
		return refuse("$.exit_reason", Contradiction, fmt.Sprintf("status %q needs an exit_reason", r.Status))
	}
	return checkReview(r.Review)
}

// checkReview ties the claimed evidence to the mode (page 7.3): a review
// names the files it saw, or admits that it has no evidence.
func checkReview(v Review) *DecodeError {
	none := v.Mode == ModeNone
	switch {
	case none && v.EvidenceStatus != EvidenceNotApplicable:
		return refuse("$.review.evidence_status", Contradiction, `mode "none" goes with "not_applicable" alone`)
	case !none && v.EvidenceStatus == EvidenceNotApplicable:
		return refuse("$.review.evidence_status", Contradiction, fmt.Sprintf(`mode %q never goes with "not_applicable"`, v.Mode))
	case !none && v.EvidenceStatus != EvidenceMissing && len(v.ReviewedFiles) == 0:
		return refuse("$.review.reviewed_files", Contradiction,
			fmt.Sprintf(`a review without files has evidence_status "missing", not %q`, v.EvidenceStatus))
	}
	return nil
}

// canonicalResult makes equal results equal in memory too.
func canonicalResult(r Result) Result {
	r.Commits = filled(r.Commits)
	r.FilesChanged = filled(r.FilesChanged)
	r.Review.ReviewedFiles = filled(r.Review.ReviewedFiles)
	r.Review.SupportingFiles = filled(r.Review.SupportingFiles)
	r.Review.Findings = filled(r.Review.Findings)
	r.Review.TestsRun = filled(r.Review.TestsRun)
	r.Review.Limitations = filled(r.Review.Limitations)
	if r.MemoryUsed != nil {
		used := *r.MemoryUsed // the caller's report stays as it is
		used.Read, used.Proposed, used.Rejected = dropped(used.Read), dropped(used.Proposed), dropped(used.Rejected)
		r.MemoryUsed = &used
	}
	return r
}

// filled is list, empty instead of nil: a required array is never null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// dropped is list, nil instead of empty: an optional array without items is
// left out.
func dropped[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
