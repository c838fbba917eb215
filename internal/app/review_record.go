package app

import (
	"time"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/review/record"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/runtime/handover"
)

// evidence is what a review was judged by, kept until it is written down.
type evidence struct {
	briefed briefed
	checked review.Checked
	report  policy.Report
	paths   []string // of the whole change
}

// handed are the digests of what a reviewer was given. ok is false where
// nobody was given anything: a review that is only shown again.
func (b briefed) handed() (context, snapshot string, ok bool) {
	if b.note != nil {
		return b.note.Brief, b.note.Snapshot, true
	}
	if b.brief.Familiar.ID == "" {
		return "", "", false
	}
	brief, err := contract.EncodeBrief(b.brief, contract.ShapeNested)
	lessons, bad := runtime.EncodeSnapshot(b.snapshot)
	if err != nil || bad != nil {
		return "", "", false
	}
	return digestOfFile(brief), digestOfFile(lessons), true
}

// given remembers the note of what was handed out to a reviewer of the user's
// own.
func (b *briefed) given(n handover.Note) { b.note = &n }

// told remembers what the maintainers told the reviewer.
func (b *briefed) told(i config.Instruction) { b.instruction = i }

// keepsRecord says whether a review leaves a record: somebody was given
// something, and there is a key to vouch for what came of it.
func keepsRecord(r ActionRequest, out reviewed) bool {
	if out.evidence == nil || r.Records == nil || r.Keys.Len() == 0 {
		return false
	}
	_, _, ok := out.evidence.briefed.handed()
	return ok
}

// asksSplit says whether it is worth a call to know where the head left its
// base: for the record of findings, once for each head. A review that found
// nothing, and one that is only shown again beside answers, has no call left in
// the budget of page 8.3; its record says what was known before.
func asksSplit(r ActionRequest, g pullFacts, out reviewed, answering bool) bool {
	known := g.own.state.Split.of(g.pull.Base.SHA, g.pull.Head.SHA) != ""
	return keepsRecord(r, out) && len(out.status.Findings) > 0 && !answering && !known
}

// recordDeed stores what is known of a review that was just made (page 7.4).
func recordDeed(r ActionRequest, g pullFacts, out reviewed, s reviewStatus) []deed {
	if !keepsRecord(r, out) {
		return nil
	}
	e := out.evidence
	given, snapshot, _ := e.briefed.handed()
	checked := e.checked
	checked.Findings = s.findings // with the numbers that people see
	in := record.Input{
		Run: record.Run{
			RepositoryID: g.repository.ID, Repository: g.repository.Owner + "/" + g.repository.Name, Number: g.pull.Number,
			RunID: r.RunID, Attempt: r.Attempt, At: r.gitHubNow().UTC().Format(time.RFC3339), Tool: "familiar/" + or(r.Version, "unknown"),
			Reviewer: or(string(out.by), "external"), Trust: g.trust.Scope, Base: g.pull.Base.SHA, MergeBase: s.mergeBase, Head: g.pull.Head.SHA,
		},
		Policy: policyDigest(e.briefed.verdict), Snapshot: snapshot, Context: given,
		Lessons: e.briefed.snapshot.Lessons, Outcome: s.outcome, Checked: checked, Report: e.report, Paths: e.paths,
		Keyed: func(text string) string { return r.Keys.MAC(macRecordText, []byte(text)) },
	}
	if i := e.briefed.instruction; i.Path != "" {
		in.Profile = record.Profile{Path: i.Path, Digest: i.Digest, Commit: g.pull.Base.SHA}
	}
	return keepRecord(r, record.Make(in), g.pull.Number, g.pull.Head.SHA)
}

// reviewStatus is what of a status goes into its record.
type reviewStatus struct {
	outcome   review.Outcome
	findings  []review.Finding
	mergeBase string // "" where it is not known
}

// macRecordText keys the digests of texts in a record that could be guessed.
const macRecordText = "review record text"
