package render

import (
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// Whole shows a lesson that waits with everything that its approval covers, as
// the status comment does.
func Whole(v memory.Version) Markup {
	return Markup{strings.TrimSpace(proposalEntry(markdownDialect(), v).markdown()) + "\n"}
}

// maxUnread bounds how many lessons one answer shows whole.
const maxUnread = 5

// Unread answers an approval of lessons that were not shown whole: nothing was
// approved, here they are, and how to approve exactly these words. why is a
// sentence.
func Unread(command, why string, waiting []memory.Version, handle string) Markup {
	d := markdownDialect()
	shown := waiting[:min(len(waiting), maxUnread)]
	text := why + " Nothing was approved yet; read what it says and approve it again."
	if left := len(waiting) - len(shown); left > 0 {
		text += " " + count(left, "more lesson") + " did not fit here; ask for fewer at once."
	}
	out := Markup{"- " + answerLine(d, Answer{Command: command, Text: text}) + "\n"}
	var ids []string
	for _, v := range shown {
		out = out.Then(Markup{"\n"}, Whole(v))
		ids = append(ids, v.DocumentID)
	}
	return out.Then(Markup{"\nApprove exactly these words: " + d.typed("/"+handle+" approve "+strings.Join(ids, " ")) + ".\n"})
}
