package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// The three tasks as they are on the wire. Task is their union, so that a
// fourth kind changes this file and the schema and nothing else.
type (
	fixIssueTask struct {
		Kind        TaskKind `json:"kind"`
		IssueNumber int      `json:"issue_number" wire:"min=0,max=2147483647"`
		IssueTitle  string   `json:"issue_title"`
		IssueBody   string   `json:"issue_body"`
	}
	reviewCommentTask struct {
		Kind        TaskKind `json:"kind"`
		PRNumber    int      `json:"pr_number" wire:"min=0,max=2147483647"`
		CommentBody string   `json:"comment_body"`
		DiffHunk    *string  `json:"diff_hunk" wire:"optional"`
	}
	mentionTask struct {
		Kind        TaskKind `json:"kind"`
		IssueNumber int      `json:"issue_number" wire:"min=0,max=2147483647"`
		CommentBody string   `json:"comment_body"`
	}
)

func (t Task) tagName() string { return "kind" }

func (t Task) variant(tag string) (reflect.Type, bool) {
	switch TaskKind(tag) {
	case TaskFixIssue:
		return reflect.TypeFor[fixIssueTask](), true
	case TaskAddressReviewComment:
		return reflect.TypeFor[reviewCommentTask](), true
	case TaskRespondToMention:
		return reflect.TypeFor[mentionTask](), true
	}
	return nil, false
}

// MarshalJSON writes the fields of the task's kind and no others. A task
// without a known kind cannot be written.
func (t Task) MarshalJSON() ([]byte, error) {
	switch t.Kind {
	case TaskFixIssue:
		return compact(fixIssueTask{t.Kind, t.IssueNumber, t.IssueTitle, t.IssueBody})
	case TaskAddressReviewComment:
		return compact(reviewCommentTask{t.Kind, t.PRNumber, t.CommentBody, t.DiffHunk})
	case TaskRespondToMention:
		return compact(mentionTask{t.Kind, t.IssueNumber, t.CommentBody})
	}
	return nil, fmt.Errorf("a task needs one of the kinds %v", taskKinds)
}

// UnmarshalJSON reads what DecodeBrief has checked; on its own it is as
// lenient as encoding/json.
func (t *Task) UnmarshalJSON(data []byte) error {
	var all struct {
		Kind        TaskKind `json:"kind"`
		IssueNumber int      `json:"issue_number"`
		IssueTitle  string   `json:"issue_title"`
		IssueBody   string   `json:"issue_body"`
		PRNumber    int      `json:"pr_number"`
		CommentBody string   `json:"comment_body"`
		DiffHunk    *string  `json:"diff_hunk"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*t = Task(all)
	return nil
}

// MarshalJSON writes the zero kind as null.
func (v ReviewContextKind) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	return compact(string(v))
}

// compact marshals without the escapes for HTML, which no reader of these
// files needs.
func compact(v any) ([]byte, error) { return encode(v, "") }

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
