package store

import (
	"cmp"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
)

// What two replicas say of one row is joined here (page 4.4). Each join takes
// the greater of two values in a total order, column group by column group,
// so that the order in which stores are merged does not matter and merging
// again changes nothing.

// compareFields orders columns: NULL, numbers, text, blobs.
func compareFields(a, b field) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.i, b.i), cmp.Compare(a.s, b.s))
}

func compareRows(a, b []field) int { return slices.CompareFunc(a, b, compareFields) }

// greatest takes one of two rows whole.
func greatest(a, b []field) []field {
	if compareRows(a, b) < 0 {
		return b
	}
	return a
}

// joinCauses: two runs may have dealt with one cause, and one of them may
// have refused it for what it did not know yet. What was applied was applied.
func joinCauses(a, b []field) []field {
	appliedA, appliedB := a[causeReason].s == "", b[causeReason].s == ""
	switch {
	case appliedA && !appliedB:
		return a
	case appliedB && !appliedA:
		return b
	}
	return greatest(a, b)
}

// joinRegisters: the last writer wins, by time and cause.
func joinRegisters(a, b []field) []field {
	const value, at, cause = 2, 3, 4
	return latest(a, b, at, cause, value)
}

// latest returns the row that is greater in the given columns, compared in
// that order.
func latest(a, b []field, columns ...int) []field {
	if compareIn(a, b, columns) < 0 {
		return b
	}
	return a
}

// least returns the row that is lesser in the given columns.
func least(a, b []field, columns ...int) []field {
	if compareIn(a, b, columns) > 0 {
		return b
	}
	return a
}

func compareIn(a, b []field, columns []int) int {
	for _, i := range columns {
		if c := compareFields(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// joinDocuments joins the registers one by one. Whether the key is redacted
// follows from the versions (see settleDocuments); until then a key that can
// be read stays, and of two (the same command, seen by two runs, may find
// another key free) the lesser.
func joinDocuments(a, b []field) []field {
	out := slices.Clone(a)
	from := func(r []field, columns ...int) {
		for _, i := range columns {
			out[i] = r[i]
		}
	}
	from(least(a, b, docForgotten, docScope, docKey), docScope, docKey, docForgotten)
	from(latest(a, b, docClassAt, docClassCause, docClass), docClass, docClassAt, docClassCause)
	from(latest(a, b, docUntilAt, docUntilCause, docUntil), docUntil, docUntilAt, docUntilCause)
	from(latest(a, b, docRenewedAt, docRenewedCause), docRenewedAt, docRenewedCause)
	from(latest(a, b, docAnnouncedAt, docAnnouncedCause), docAnnouncedAt, docAnnouncedCause)
	from(latest(a, b, docLastUsed), docLastUsed)
	return out
}

// joinVersions: the rightmost state with what caused it, the latest
// confirmation, and a redaction wins over every copy of the text. The creator,
// the number and what a run looked up beside it may differ where two runs
// dealt with one cause; the earlier creation counts, else the lesser, and of
// globs, synonyms and citations those that were confirmed.
func joinVersions(a, b []field) []field {
	out := slices.Clone(a)
	from := func(r []field, first, last int) {
		copy(out[first:last+1], r[first:last+1])
	}
	from(least(a, b, verNumber), verNumber, verNumber)
	from(saying(a, b), verRedacted, verFingerprint)
	from(least(a, b, verCreatedAt, verCreatorID, verCreatorLogin), verCreatorID, verCreatedAt)
	from(least(a, b, verBase, verMergeBase, verHead, verFinding), verBase, verFinding)
	from(rightmost(a, b), verState, verStateOp)
	from(latest(a, b, confirmedBy...), verConfirmedByID, verApproved)
	return out
}

// confirmedBy are the columns by which the latest confirmation is found.
var confirmedBy = []int{verConfirmedAt, verConfirmedKind, verConfirmedEvent, verConfirmedURL, verConfirmedByID, verConfirmedByLogin, verApproved}

// saying returns the row whose words hold: the redacted one, else the one that
// was confirmed last, so that what holds is what a person confirmed. Of two
// alike the lesser holds, which has globs where the other has none.
func saying(a, b []field) []field {
	if a[verRedacted] != b[verRedacted] {
		return latest(a, b, verRedacted)
	}
	if compareIn(a, b, confirmedBy) != 0 {
		return latest(a, b, confirmedBy...)
	}
	return least(a, b, verPaths, verAbout, verCitations, verFingerprint)
}

func rightmost(a, b []field) []field {
	x, y := memory.State(a[verState].s).Rank(), memory.State(b[verState].s).Rank()
	switch {
	case x > y:
		return a
	case y > x:
		return b
	}
	return latest(a, b, verStateAt, verStateCause, verStateOp)
}

// textColumns are what a version is; under one uid they never differ unless
// one side was redacted. Only they make its fingerprint.
var textColumns = []int{verText, verRule}

// conflict returns the column in which two rows of one name may not differ
// and do, or -1.
func conflict(t table, a, b []field) int {
	fixed := t.fixed
	if t.name == "versions" && a[verRedacted].i == 0 && b[verRedacted].i == 0 {
		fixed = append(slices.Clone(fixed), textColumns...)
	}
	for _, i := range fixed {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
