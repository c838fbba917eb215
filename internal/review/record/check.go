package record

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
)

// Bounds of a record.
const (
	MaxBytes      = 8 << 20
	MaxChanged    = 10_000
	MaxCandidates = 2_000
	MaxClaims     = 1_000
	MaxLessons    = 2_000
	maxLimits     = 100
	maxReason     = 200 // characters of a limitation
)

// wrong names the first field that is not as it must be, or "". Everything
// that the types cannot say is here, for what is written and what is read.
func (r Record) wrong() string {
	for _, c := range []struct {
		ok    bool
		field string
	}{
		{r.Schema == Schema, "schema"},
		{isHex(r.Policy, 64), "policy"},
		{isHex(r.Snapshot, 64), "snapshot"},
		{isHex(r.Context, 64), "context"},
		{isVersions(r.Lessons), "lessons"},
		{isOutcome(r.Outcome), "outcome"},
		{isWord(r.Refused, 64) || r.Refused == "", "refused"},
		{r.Coverage.Reviewed <= r.Coverage.Files, "coverage.reviewed"},
		{isSortedDigests(r.Coverage.Changed), "coverage.changed"},
		{isLimits(r.Limits), "limitations"},
		{r.Memory.Reads != nil && len(r.Memory.Reads) <= MaxClaims, "memory.reads"},
		{r.Memory.Writes != nil && len(r.Memory.Writes) <= MaxClaims, "memory.writes"},
		{r.Candidates != nil && len(r.Candidates) <= MaxCandidates, "candidates"},
	} {
		if !c.ok {
			return c.field
		}
	}
	for _, field := range []string{r.Run.wrong(), r.Profile.wrong(r.Run.Base), r.wrongCandidate(), r.wrongClaim()} {
		if field != "" {
			return field
		}
	}
	return ""
}

func (r Run) wrong() string {
	at, err := time.Parse(time.RFC3339, r.At)
	switch {
	case r.RepositoryID < 1:
		return "run.repository_id"
	case !isRepository(r.Repository):
		return "run.repository"
	case r.Number < 1:
		return "run.number"
	case r.RunID < 0 || r.Attempt < 0:
		return "run.run_id"
	case err != nil || at.Format(time.RFC3339) != r.At || !strings.HasSuffix(r.At, "Z"):
		return "run.at"
	case !isWord(r.Tool, 64):
		return "run.tool"
	case !isWord(r.Reviewer, 32):
		return "run.reviewer"
	case !r.Trust.Known():
		return "run.trust"
	case !isCommit(r.Base):
		return "run.base"
	case r.MergeBase != "" && !isCommit(r.MergeBase):
		return "run.merge_base"
	case !isCommit(r.Head):
		return "run.head"
	}
	return ""
}

// wrong: a profile comes from the base of the review and from nowhere else.
func (p Profile) wrong(base string) string {
	switch {
	case p == Profile{}:
		return ""
	case p.Path == "" || len(p.Path) > 256 || strings.HasPrefix(p.Path, "/") || slices.Contains(strings.Split(p.Path, "/"), ".."):
		return "profile.path"
	case !isHex(p.Digest, 64):
		return "profile.digest"
	case p.Commit != base:
		return "profile.commit"
	}
	return ""
}

func (r Record) wrongCandidate() string {
	seen := map[string]bool{}
	for i, c := range r.Candidates {
		at := "candidates[" + strconv.Itoa(i) + "]."
		switch {
		case !isCandidateID(c.ID):
			return at + "id"
		case seen[c.ID]:
			return at + "id (it is there twice)"
		case c.Times < 1:
			return at + "times"
		case !c.Verdict.Known():
			return at + "verdict"
		case (c.Verdict == Dropped) != isDrop(c.Reason):
			return at + "reason"
		case (c.Verdict == Published) != isFinding(c.Finding):
			return at + "finding"
		case c.Fingerprint != "" && !isHex(c.Fingerprint, 32), c.Verdict == Published && c.Fingerprint == "":
			return at + "fingerprint"
		case c.Rule != "" && !isHex(c.Rule, 64):
			return at + "rule"
		case c.Severity != "" && !contract.Severity(c.Severity).Known():
			return at + "severity"
		case !isHex(c.Path, 64):
			return at + "path"
		case c.Line < 0:
			return at + "line"
		case !isHex(c.Evidence, 64):
			return at + "evidence"
		case !isDocuments(c.Because):
			return at + "because"
		}
		seen[c.ID] = true
	}
	return ""
}

func (r Record) wrongClaim() string {
	for name, list := range map[string][]Claim{"reads": r.Memory.Reads, "writes": r.Memory.Writes} {
		for i, c := range list {
			_, err := memory.ParseReason(c.Reason)
			ok := c.Position >= 0 && (c.Reason == "" || err == nil) && (c.Key == "" || isHex(c.Key, 64)) &&
				(c.Text == "" || isHex(c.Text, 64)) && isVersions(c.Lessons)
			if !ok {
				return "memory." + name + "[" + strconv.Itoa(i) + "]"
			}
		}
	}
	return ""
}

// Verify holds a record against what the marker of a finding says: the same
// review, and the finding in it as it was published. An error is a *Refused.
func (r Record) Verify(repositoryID int64, number int, head, fingerprint, candidate string) error {
	if r.Run.RepositoryID != repositoryID || r.Run.Number != number || r.Run.Head != head {
		return refused(Elsewhere, "review.json is of another repository, pull request or commit than the finding")
	}
	for _, c := range r.Candidates {
		if c.Verdict == Published && c.Fingerprint == fingerprint && (candidate == "" || c.ID == candidate) {
			return nil
		}
	}
	return refused(Absent, "review.json does not have that finding as it was published")
}

func isOutcome(s string) bool {
	_, err := review.ParseOutcome(s)
	return err == nil
}

func isDrop(s string) bool { return slices.Contains(review.DropReasons(), s) }

func isFinding(s string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "F"))
	return err == nil && n > 0 && s == "F"+strconv.Itoa(n)
}

func isCandidateID(s string) bool {
	digits, ok := strings.CutPrefix(s, "L-")
	return ok && isHex(digits, 16)
}

func isVersions(list []string) bool {
	return list != nil && len(list) <= MaxLessons && !slices.ContainsFunc(list, func(s string) bool {
		doc, n, ok := memory.ParseID(s)
		return !ok || n < 1 || memory.VersionID(doc, n) != s
	})
}

func isDocuments(list []string) bool {
	return list != nil && len(list) <= 20 && !slices.ContainsFunc(list, func(s string) bool {
		doc, n, ok := memory.ParseID(s)
		return !ok || n != 0 || doc != s
	})
}

func isSortedDigests(list []string) bool {
	if list == nil || len(list) > MaxChanged {
		return false
	}
	for i, s := range list {
		if !isHex(s, 64) || i > 0 && s <= list[i-1] {
			return false
		}
	}
	return true
}

func isLimits(list []string) bool {
	return list != nil && len(list) <= maxLimits && !slices.ContainsFunc(list, func(s string) bool {
		return s == "" || utf8.RuneCountInString(s) > maxReason || strings.ContainsFunc(s, unicode.IsControl)
	})
}

func isCommit(s string) bool { return isHex(s, 40) || isHex(s, 64) }

func isRepository(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && len(s) <= 201 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r))
	}) && !strings.Contains(name, "/")
}

func isWord(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
}

// isHex tells whether s is n lower-case hex digits.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
