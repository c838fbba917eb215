package render

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/memory"
)

func TestReplySaysWhatFitsAndCountsTheRest(t *testing.T) {
	r := Reply{Answers: []Answer{{Command: "/familiar forget m-7f3k2q8a", Text: "Not yours."}}, Blocks: []Shown{{"/familiar list", Folded("2 lessons", "a\nb\n")}, {"/familiar show m-7f3k2q8a", Markup{strings.Repeat("x", 900)}}}}
	whole := ReplyComment(r, MaxComment).String()
	if !strings.Contains(whole, "- `/familiar forget m-7f3k2q8a` **not done:** Not yours.\n") || !strings.Contains(whole, "<summary>2 lessons</summary>") || strings.Contains(whole, "did not fit") {
		t.Errorf("said %q", whole)
	}
	t.Run("each look-up stands under its command, where there is more than one answer", func(t *testing.T) {
		for _, want := range []string{"\n`/familiar list`\n\n<details><summary>2 lessons</summary>", "\n`/familiar show m-7f3k2q8a`\n\nxxx"} {
			if !strings.Contains(whole, want) {
				t.Errorf("said %q without %q", whole, want)
			}
		}
		alone := Reply{Blocks: r.Blocks[:1]}
		if got := ReplyComment(alone, MaxComment).String(); got != r.Blocks[0].Body.String() {
			t.Errorf("what stands alone needs no heading: %q", got)
		}
		alone.Blocks[0].Command = "/familiar list @lumen/admins"
		alone.Answers = r.Answers
		if got := ReplyComment(alone, MaxComment).String(); !strings.Contains(got, "\n`/familiar list @lumen/admins`\n") {
			t.Errorf("a heading calls people: %q", got)
		}
	})
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
		if got := Touched(op, Touch{"m-7f3k2q8a", applied}); got != want {
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

func TestOneSentenceTellsWhatWasDoneToSeveralLessons(t *testing.T) {
	touch := func(id string, number int, change ...func(*memory.Applied)) Touch {
		a := memory.Applied{Version: memory.Version{DocumentID: id, Number: number, Class: memory.Durable}}
		for _, c := range change {
			c(&a)
		}
		return Touch{id, a}
	}
	replaced := func(a *memory.Applied) { a.Replaced = []string{"m-w8e1f7na@1"} }
	again := func(a *memory.Applied) { a.Already = true }
	a, b, c := touch("m-7f3k2q8a", 1), touch("m-2xw9d4hc", 1), touch("m-c41vz0pm", 2)
	for _, x := range []struct {
		name string
		op   memory.Op
		list []Touch
		want string
	}{
		{"one approved, whose first version goes without saying", memory.OpApprove, []Touch{a}, "Approved `m-7f3k2q8a`."},
		{"three, of which one is a later version", memory.OpApprove, []Touch{a, b, c}, "Approved `m-7f3k2q8a`, `m-2xw9d4hc` and `m-c41vz0pm@2`."},
		{"one that replaces another has its own", memory.OpApprove, []Touch{a, touch("m-9d2k4w7c", 1, replaced), b}, "Approved `m-7f3k2q8a` and `m-2xw9d4hc`. Approved `m-9d2k4w7c`, which replaces `m-w8e1f7na@1`."},
		{"one that was done before has its own", memory.OpReject, []Touch{touch("m-7f3k2q8a", 1, again), b}, "Rejected `m-7f3k2q8a`. It was done before. Rejected `m-2xw9d4hc`."},
		{"two retired", memory.OpRetire, []Touch{a, b}, "Retired `m-7f3k2q8a` and `m-2xw9d4hc`: they are no longer used, and their texts are kept."},
		{"two forgotten, named as they were", memory.OpForget, []Touch{{"m-7f3k2q8a@3", a.Applied}, b}, "Forgotten `m-7f3k2q8a@3` and `m-2xw9d4hc`."},
		{"two purged", memory.OpPurge, []Touch{a, b}, "Purged `m-7f3k2q8a` and `m-2xw9d4hc`: nothing of them is kept but marks that keep them from coming back, and their keys where a `revoke` denies those."},
		{"two kept", memory.OpKeep, []Touch{a, b}, "Kept `m-7f3k2q8a` and `m-2xw9d4hc` as durable."},
		{"none of which the store knows more", memory.OpApprove, []Touch{{ID: "m-7f3k2q8a"}}, "Approved `m-7f3k2q8a`."},
	} {
		if got := Touched(x.op, x.list...); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}
