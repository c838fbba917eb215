package render

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestReplySaysWhatFitsAndCountsTheRest(t *testing.T) {
	r := Reply{Answers: []Answer{{Command: "/familiar forget m-7f3k2q8a", Text: "Not yours."}}, Blocks: []Markup{Folded("2 lessons", "a\nb\n"), {strings.Repeat("x", 900)}}}
	whole := ReplyComment(r, MaxComment).String()
	if !strings.Contains(whole, "- `/familiar forget m-7f3k2q8a` **not done:** Not yours.\n") || !strings.Contains(whole, "<summary>2 lessons</summary>") || strings.Contains(whole, "did not fit") {
		t.Errorf("said %q", whole)
	}
	cut := ReplyComment(r, 600).String()
	if strings.Contains(cut, "xxx") || !strings.Contains(cut, "1 more answer did not fit here; ask for less at once.") {
		t.Errorf("said %q", cut)
	}
}

func TestFoldCannotBeLeftAndIsCutBetweenLines(t *testing.T) {
	hostile := Folded("</summary> @lumen/admins", "```\n</details> @lumen/admins\n").String()
	if strings.Contains(hostile, "</summary> @lumen") || !strings.Contains(hostile, "````") {
		t.Errorf("said %q", hostile)
	}
	long := Folded("many", strings.Repeat("a line of a list\n", 5000)).String()
	if n := units(long); n > MaxComment || !strings.Contains(long, "many, cut") || !strings.Contains(long, "more lines.") {
		t.Errorf("%d characters, begins %.60q, ends %q", n, long, long[len(long)-120:])
	}
}

func TestAnswersToWhatWasTouched(t *testing.T) {
	applied := memory.Applied{Version: memory.Version{DocumentID: "m-7f3k2q8a", Number: 2, Class: memory.Ephemeral}, Replaced: []string{"m-7f3k2q8a@1"}}
	for op, want := range map[memory.Op]string{
		memory.OpForget:  "Forgotten `m-7f3k2q8a`.",
		memory.OpPurge:   "Purged `m-7f3k2q8a`: nothing of it is kept but a mark that keeps it from coming back, and its key where a `revoke` denies that.",
		memory.OpRedact:  "Redacted `m-7f3k2q8a`.",
		memory.OpApprove: "Approved `m-7f3k2q8a@2`, which replaces `m-7f3k2q8a@1`.",
		memory.OpReject:  "Rejected `m-7f3k2q8a@2`.",
		memory.OpRetire:  "Retired `m-7f3k2q8a`: it is no longer used, and its text is kept.",
		memory.OpKeep:    "Kept `m-7f3k2q8a` as ephemeral.",
	} {
		if got := Touched(op, "m-7f3k2q8a", applied); got != want {
			t.Errorf("%s: %q, want %q", op, got, want)
		}
	}
	if got := Erased(Remains{Places: []string{"https://github.com/a/b/issues/1#issuecomment-2"}}); !strings.Contains(got, "`https://github.com/a/b/issues/1#issuecomment-2`") {
		t.Errorf("erased: %q", got)
	}
	if got := NotStored("the service answered 500."); got != "Nothing was stored now: the service answered 500. The command is not lost: the next run that looks at this thread does it." {
		t.Errorf("not stored: %q", got)
	}
}

func TestIDsInTheTitleOfAFoldAreCodeWhateverTheyLookLike(t *testing.T) {
	for title, want := range map[string]string{
		"2 lessons":       "<summary>2 lessons</summary>",
		"m-7f3k2q8a":      "<summary><code>m-7f3k2q8a</code></summary>",
		"m-0123abcd@2":    "<summary><code>m-0123abcd@2</code></summary>",
		"Why m-0123abcd":  "<summary>Why <code>m-0123abcd</code></summary>",
		"m-7f3k2q8a, cut": "<summary><code>m-7f3k2q8a</code>, cut</summary>",
	} {
		if got := Folded(title, "x").String(); !strings.Contains(got, want) {
			t.Errorf("%q gives %q", title, got)
		}
	}
}
