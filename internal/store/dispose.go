package store

import (
	"fmt"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/memory"
)

// maxFeedback is the longest lesson that a person gives with a disposition,
// in code points (page 6.1).
const maxFeedback = 700

// dispose notes what a maintainer said of a finding and stores the lesson that
// came with it: the person's own words, never the reviewer's. Where those
// words are remembered already, the disposition names that lesson; any other
// refusal of the lesson refuses the whole, so that no half of it stands.
func (a *applying) dispose() (outcome, error) {
	if a.t.Finding == "" || clip(a.t.Finding, 100) != a.t.Finding {
		return a.refuse(memory.ReasonUnknownID, "", "No finding was named. Nothing was changed."), nil
	}
	if a.t.Actor.ID <= 0 {
		return a.refuse(memory.ReasonManualConfirmRequired, "", "A disposition is a person's word, and there is no person. Nothing was changed."), nil
	}
	done := outcome{detail: "a finding"}
	if a.t.Lesson != nil {
		var err error
		if done, err = a.learned(); err != nil || done.refused != nil {
			return done, err
		}
	}
	document, _, _ := memory.ParseID(done.target)
	return done, a.exec("INSERT INTO dispositions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", a.id.RepositoryID, digest(memory.NewCause("disposition", a.t.Cause)),
		a.t.Finding, string(a.t.Op), document, max(a.t.Number, 0), a.t.Actor.ID, clip(a.t.Actor.Login, 100), millis(a.t.At))
}

func (a *applying) learned() (outcome, error) {
	if n := utf8.RuneCountInString(a.t.Lesson.Text); n > maxFeedback {
		return a.refuse(memory.ReasonContentInvalid, "", "A lesson given with a finding has at most %d characters, and this one has %d; use remember for a longer one. Nothing was changed.", maxFeedback, n), nil
	}
	done, err := a.teach(a.t.Lesson)
	if err == nil && done.refused != nil && done.refused.Reason == memory.ReasonDuplicate && done.target != "" {
		return outcome{target: done.target, detail: fmt.Sprintf("a finding; %s has the lesson already", done.target)}, nil
	}
	return done, err
}
