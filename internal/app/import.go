package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// ImportRequest brings lessons in from an export.
type ImportRequest struct {
	Stores   Memory
	Exported memory.Exported
	Operator memory.Principal
	Now      time.Time
	DryRun   bool
}

// Imported is what became of one line.
type Imported struct {
	Line    int
	Version memory.Version
	Refused *memory.Refusal
}

// Import stores the lessons of an export as what waits for approval, never as
// what is in use (page 6.6): each passes the same doors as a lesson that
// somebody teaches, and each line has its own answer. All of it is saved at
// once or not at all.
func Import(ctx context.Context, r ImportRequest) ([]Imported, error) {
	if s, ok := r.Stores.(Stores); ok && s.Unknown != "" { // said in a dry run too
		return nil, errors.New(s.Unknown)
	}
	out := make([]Imported, len(r.Exported.Lines))
	tasks := make([]*TransitionTask, len(out))
	var actions []plan.Action
	for i, line := range r.Exported.Lines {
		lesson, refusal := r.lesson(line)
		out[i] = Imported{Line: line.Line, Refused: refusal}
		if refusal != nil {
			continue
		}
		cause := localCause(r.Operator, r.Now, fmt.Sprintf("import %d %s", line.Line, memory.TextDigest(lesson.Text)))
		tasks[i] = &TransitionTask{Transition: memory.Transition{
			Op: memory.OpImport, At: r.Now, Actor: r.Operator, Standing: memory.StandingAdmin, Lesson: &lesson,
			Through: memory.Through{Kind: "local_command"}, Cause: cause,
		}}
		actions = append(actions, plan.Action{Kind: plan.Transition, Key: cause, Payload: tasks[i], Summary: "import " + string(lesson.Key)})
		out[i].Version = waiting(lesson, r)
	}
	if len(actions) == 0 || r.DryRun {
		return out, nil
	}
	actions = append(actions, plan.Action{Kind: plan.Save, Key: memory.NewCause("save", actions[0].Key), Summary: "save the store"})
	for _, o := range plan.Failed(r.Stores.Execute(ctx, actions, nil)) {
		return nil, o.Err
	}
	for i, task := range tasks {
		if task != nil {
			out[i].Version, out[i].Refused = task.Applied.Version, task.Applied.Refused
		}
	}
	return out, nil
}

// lesson is the new lesson of one line, looked at as that of a person.
func (r ImportRequest) lesson(line memory.ExportedLesson) (memory.NewLesson, *memory.Refusal) {
	wanted, refusal := line.Lesson()
	if refusal != nil {
		return wanted, refusal
	}
	n, refusal := newLesson(intent.Intent{
		Verb: intent.VerbRemember, Line: line.Line, Text: wanted.Text, Check: wanted.Check,
		Options: intent.LessonOptions{Key: line.Key, Paths: wanted.Paths, About: wanted.About, Class: wanted.Class, Until: wanted.ValidUntil},
	}, r.Stores.Coordinates())
	if refusal != nil {
		refusal.Op, refusal.Target = string(memory.OpImport), fmt.Sprintf("line %d", line.Line)
		return n, refusal
	}
	n.Source, n.State, n.Approved, n.Citations = wanted.Source, wanted.State, "", wanted.Citations
	for i, c := range n.Citations {
		if _, found := redact.Refuse(c.Path); found || !hexOrNone.MatchString(c.Commit) || !hexOrNone.MatchString(c.Digest) {
			return n, &memory.Refusal{Op: string(memory.OpImport), Target: fmt.Sprintf("line %d", line.Line), Reason: memory.ReasonContentInvalid,
				Detail: fmt.Sprintf("Citation %d is not a path with a commit and a digest; nothing of this line was stored.", i+1)}
		}
	}
	return n, nil
}

var hexOrNone = text.Lazy(`^[0-9a-f]{0,64}$`)

// waiting is the lesson as it would wait, for a dry run.
func waiting(l memory.NewLesson, r ImportRequest) memory.Version {
	v := preview(l, TeachRequest{Operator: r.Operator, Now: r.Now})
	v.ConfirmedBy, v.ConfirmedAt, v.Approved = memory.Principal{}, time.Time{}, ""
	return v
}
