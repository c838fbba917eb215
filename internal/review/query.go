package review

import (
	"cmp"
	"slices"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// Bounds of a recall query. A change of any size asks no more than this; what
// counts first is names and title, then added lines in order of the files.
const (
	maxQueryTerms = 2000
	maxQueryPaths = 3000
	maxQueryLines = 50_000
	maxQueryLine  = 2000 // bytes of one line: longer ones are data
)

// QueryFrom makes the recall query of a change (page 4.6): its paths, old and
// new, and the words of path parts, title and added lines, with how often each
// occurs, in order of the words. The caller adds scopes, denials and time.
func QueryFrom(change diff.Change, title string) memory.RecallQuery {
	paths := change.Paths()
	q := memory.RecallQuery{Paths: paths[:min(len(paths), maxQueryPaths)]}
	counts := map[string]int{}
	count := func(s string) {
		for _, w := range text.Words(s) {
			if _, known := counts[w]; known || len(counts) < maxQueryTerms {
				counts[w]++
			}
		}
	}
	for _, p := range q.Paths {
		count(p)
	}
	count(cut(title, maxQueryLine))
	lines := 0
	for _, f := range change.Files {
		for l := range f.AddedLines() {
			if lines++; lines > maxQueryLines {
				break
			}
			if len(l.Text) <= maxQueryLine {
				count(l.Text)
			}
		}
	}
	for w, n := range counts {
		q.Terms = append(q.Terms, memory.Term{Word: w, Count: n})
	}
	slices.SortFunc(q.Terms, func(a, b memory.Term) int { return cmp.Compare(a.Word, b.Word) })
	return q
}
