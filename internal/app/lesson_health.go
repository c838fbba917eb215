package app

import (
	"context"
	"time"

	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
)

// maxCitedFile bounds a file that a lesson cites.
const maxCitedFile = 1 << 20

// LessonHealth says what is wrong with the lessons of an inspection. With a
// clone, the files that they cite are looked up on its default branch; without
// one, nothing is called stale.
func LessonHealth(ctx context.Context, i Inspection, clone *Clone, now time.Time, keep memory.Retention) ([]health.Finding, error) {
	facts := health.LessonFacts{Now: now, Versions: i.Versions, Uses: i.Uses, Retention: keep}
	if clone != nil {
		code, err := codeOf(ctx, clone, i.Versions)
		if err != nil {
			return nil, err
		}
		facts.Code = code
	}
	return health.Lessons(facts), nil
}

// codeOf gathers what the default branch says of the files that lessons cite;
// nil where it has no commit.
func codeOf(ctx context.Context, c *Clone, versions []memory.Version) (*health.Code, error) {
	head, err := c.Repo.Resolve(ctx, c.DefaultBranch)
	if err != nil {
		return nil, nil // a clone without that branch says nothing of it
	}
	paths, err := c.Repo.Paths(ctx, head)
	if err != nil {
		return nil, err
	}
	code := &health.Code{Paths: paths, Files: map[string][]byte{}}
	for _, path := range health.CitedPaths(versions) {
		data, ok, err := c.Repo.ReadFile(ctx, head, path, maxCitedFile)
		if err == nil && ok {
			code.Files[path] = data
		}
	}
	return code, nil
}
