// The one door from what a reviewer reports to what is published: the evidence
// check of page 7.3. Memory is never evidence, and a claim is never coverage.

package review

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
)

// The closed set of reasons of a Drop.
const (
	DropFileNotInChange = "file_not_in_change"
	DropIgnoredPath     = "ignored_path"
	DropBelowSeverity   = "below_min_severity"
	DropUnknownSeverity = "unknown_severity"
	DropEmpty           = "empty"
	DropDuplicate       = "duplicate"
	DropTooMany         = "too_many"
	DropDismissed       = "dismissed" // a maintainer said so, and the lesson lives
)

// DropReasons returns the closed set of reasons of a Drop.
func DropReasons() []string {
	return []string{DropFileNotInChange, DropIgnoredPath, DropBelowSeverity, DropUnknownSeverity, DropEmpty, DropDuplicate, DropTooMany, DropDismissed}
}

// The closed set of reasons for which a review is refused as a whole.
const (
	// RefusedCompleteWithoutFiles: a pull request review claims complete
	// evidence and names no file that it reviewed.
	RefusedCompleteWithoutFiles = "complete_without_files"
	// RefusedNoSeverityFloor: the floor itself is no severity, so nothing can
	// be held against it.
	RefusedNoSeverityFloor = "unknown_min_severity"
)

// Options are the settings of a check.
type Options struct {
	MinSeverity contract.Severity // findings below it are dropped; "" means info
	Ignore      []string          // globs of paths that are not reviewed
	MaxFindings int               // at most so many; 0 means 500
	// Mode and Evidence are the reviewer's own claims, "" where it makes none.
	Mode     contract.ReviewMode
	Evidence contract.EvidenceStatus
	// Dismissed are the fingerprints of findings that maintainers dismissed,
	// with the document of the lesson that says why, which lives (page 7.5).
	Dismissed map[string]string
}

const defaultMaxFindings = 500

// Check holds candidates against the change. reviewed names the files that the
// reviewer says it looked at. Every candidate becomes a finding or a Drop with
// its reason; a refused review has neither findings nor coverage of files.
func Check(change diff.Change, candidates []Candidate, reviewed []string, opts Options) Checked {
	if opts.MinSeverity == "" {
		opts.MinSeverity = contract.SeverityInfo
	}
	if opts.MaxFindings <= 0 {
		opts.MaxFindings = defaultMaxFindings
	}
	x := index(change, opts.Ignore)
	out := Checked{Coverage: x.coverage(reviewed)}
	switch {
	case !opts.MinSeverity.Known():
		out.Refused = RefusedNoSeverityFloor
	case opts.Mode == contract.ModePullRequest && opts.Evidence == contract.EvidenceComplete && len(reviewed) == 0:
		out.Refused = RefusedCompleteWithoutFiles
	}
	if out.Refused != "" {
		out.Coverage.Reviewed = 0
		return out
	}
	for _, reported := range candidates {
		c := reported.normal()
		f, reason := x.judge(c, opts.MinSeverity)
		if reason != "" {
			out.Dropped = append(out.Dropped, Drop{Candidate: c, Reason: reason})
			continue
		}
		if lesson := opts.Dismissed[f.Fingerprint]; lesson != "" {
			f = f.scrubbed(reported)
			out.Dropped = append(out.Dropped, Drop{Candidate: f.Candidate, Reason: DropDismissed, Fingerprint: f.Fingerprint, Lesson: lesson})
			continue
		}
		out.Findings = append(out.Findings, f.scrubbed(reported))
	}
	out.merge()
	out.number(opts.MaxFindings)
	return out
}

// judge turns one candidate into a finding or names the reason against it.
func (x *changeIndex) judge(c Candidate, least contract.Severity) (Finding, string) {
	file, renamed, ok := x.find(c.Path)
	switch {
	case !ok:
		return Finding{}, DropFileNotInChange
	case x.ignored(file.Path):
		return Finding{}, DropIgnoredPath
	case c.Title == "" && c.Body == "":
		return Finding{}, DropEmpty
	case !c.Severity.Known():
		return Finding{}, DropUnknownSeverity
	case !c.Severity.AtLeast(least):
		return Finding{}, DropBelowSeverity
	}
	c.Path = file.Path
	f := Finding{Candidate: c}
	lines := x.shown(file)
	if _, shown := lines[c.Line]; !shown || renamed {
		// A line of the old path's file says nothing about the new one.
		f.FileLevel, f.Reported = true, max(c.Line, 0)
		f.Line, f.Replacement = 0, nil
	}
	f.Fingerprint = fingerprint(f.Candidate, file.Path, lines)
	return f, ""
}

// place is what makes two findings the same one. The fingerprint holds rule or
// title and the text; the line tells apart what only spacing does.
type place struct {
	path, fingerprint string
	line              int
}

func (f Finding) place() place { return place{f.Path, f.Fingerprint, f.Line} }

// merge folds findings of one rule (without rules: of one title) on one line.
func (c *Checked) merge() {
	seen := map[place]int{}
	kept := c.Findings[:0:0]
	for _, f := range c.Findings {
		at, double := seen[f.place()]
		if !double {
			seen[f.place()] = len(kept)
			kept = append(kept, f)
			continue
		}
		into := &kept[at]
		into.Because = lessonIDs(append(slices.Clone(into.Because), f.Because...))
		if f.Severity.Rank() > into.Severity.Rank() {
			into.Severity = f.Severity
		}
		c.Dropped = append(c.Dropped, Drop{Candidate: f.Candidate, Reason: DropDuplicate, Fingerprint: f.Fingerprint})
	}
	c.Findings = kept
}

// number sorts what stands, drops what is beyond the limit and gives ids.
func (c *Checked) number(most int) {
	slices.SortStableFunc(c.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Title, b.Title),
			cmp.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	if len(c.Findings) > most {
		for _, f := range c.Findings[most:] {
			c.Dropped = append(c.Dropped, Drop{Candidate: f.Candidate, Reason: DropTooMany, Fingerprint: f.Fingerprint})
		}
		c.Findings = c.Findings[:most]
	}
	for i := range c.Findings {
		c.Findings[i].ID = fmt.Sprintf("F%d", i+1)
	}
}

// changeIndex finds the files of a change by the names a reviewer may use.
type changeIndex struct {
	change diff.Change
	byPath map[string]int
	byOld  map[string]int
	ignore []string
	lines  map[string]map[int]shownLine // by path, as they are asked for
}

func (x *changeIndex) shown(f diff.File) map[int]shownLine {
	lines, ok := x.lines[f.Path]
	if !ok {
		lines = shownLines(f)
		x.lines[f.Path] = lines
	}
	return lines
}

func index(change diff.Change, ignore []string) *changeIndex {
	x := &changeIndex{change: change, byPath: map[string]int{}, byOld: map[string]int{}, ignore: ignore,
		lines: map[string]map[int]shownLine{}}
	for i, f := range change.Files {
		x.byPath[f.Path] = i
		if f.Status == diff.Renamed && f.OldPath != "" {
			x.byOld[f.OldPath] = i
		}
	}
	// A path that is not UTF-8 reaches a reviewer, and comes back, with U+FFFD.
	for i, f := range change.Files {
		shown := strings.ToValidUTF8(f.Path, "\uFFFD")
		if _, taken := x.byPath[shown]; !taken {
			x.byPath[shown] = i
		}
	}
	return x
}

// find looks a name up. renamed is set where it is the old name of a file that
// the change moves.
func (x *changeIndex) find(name string) (f diff.File, renamed, ok bool) {
	for _, n := range []string{name, path.Clean(name)} {
		if i, ok := x.byPath[n]; ok {
			return x.change.Files[i], false, true
		}
	}
	i, ok := x.byOld[name]
	if !ok {
		return diff.File{}, false, false
	}
	return x.change.Files[i], true, true
}

// ignored says whether the configuration leaves a path out of the review.
// Without globs nothing is left out.
func (x *changeIndex) ignored(p string) bool {
	return slices.ContainsFunc(x.ignore, func(glob string) bool { return !strings.HasPrefix(glob, "!") }) &&
		memory.MatchGlobs(x.ignore, p)
}
