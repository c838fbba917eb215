package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// Answers to commands, as prose: sentences in which code stands between
// backticks.

func ticks(s string) string { return "`" + strings.ReplaceAll(Plain(s), "`", "'") + "`" }

// Touch is a lesson that a person named, and what an operation did to it.
type Touch struct {
	ID string
	memory.Applied
}

// Touched says what an operation did to lessons: one sentence for all to which
// it did the same, in the order in which they were named.
func Touched(op memory.Op, list ...Touch) string {
	named := map[string][]string{}
	var order []string
	sentences := map[string]Touch{}
	for _, t := range list {
		how := touchedHow(op, t, 1)
		if named[how] == nil {
			order, sentences[how] = append(order, how), t
		}
		named[how] = append(named[how], ticks(nameOf(op, t)))
	}
	var out []string
	for _, how := range order {
		out = append(out, touchedPast(op)+" "+andList(named[how])+touchedHow(op, sentences[how], len(named[how])))
	}
	return strings.Join(out, " ")
}

// nameOf is the id of a lesson as an answer names it: with its version where
// that is not the first, and the operation is about the version.
func nameOf(op memory.Op, t Touch) string {
	v := t.Version
	switch {
	case op != memory.OpApprove && op != memory.OpReject && op != memory.OpEdit, v.DocumentID == "":
		return t.ID
	case v.Number > 1:
		return v.ID()
	}
	return v.DocumentID
}

// touchedPast begins the sentence.
func touchedPast(op memory.Op) string {
	past := map[memory.Op]string{
		memory.OpForget: "Forgotten", memory.OpPurge: "Purged", memory.OpRedact: "Redacted", memory.OpApprove: "Approved", memory.OpReject: "Rejected",
		memory.OpEdit: "Edited:", memory.OpRetire: "Retired", memory.OpKeep: "Kept",
	}[op]
	return or(past, "Done:")
}

// touchedHow ends it, for one lesson or for n that share it.
func touchedHow(op memory.Op, t Touch, n int) string {
	again := ""
	if t.Already {
		again = " It was done before."
	}
	one := n == 1
	switch {
	case op == memory.OpPurge && one:
		return ": nothing of it is kept but a mark that keeps it from coming back, and its key where a `revoke` denies that." + again
	case op == memory.OpPurge:
		return ": nothing of them is kept but marks that keep them from coming back, and their keys where a `revoke` denies those." + again
	case op == memory.OpApprove && len(t.Replaced) > 0:
		return ", which replaces " + tickList(t.Replaced) + "." + again
	case op == memory.OpEdit:
		return " has the new words, and the old ones are no longer used." + again
	case op == memory.OpRetire && one:
		return ": it is no longer used, and its text is kept." + again
	case op == memory.OpRetire:
		return ": they are no longer used, and their texts are kept." + again
	case op == memory.OpKeep:
		return keptHow(t.Version) + "." + again
	}
	return "." + again
}

// TouchedHere says the same at a command line, for one whose own store it is;
// past is what the operation did, as a verb that begins the sentence.
func TouchedHere(op memory.Op, past, id string, a memory.Applied, dryRun bool) string {
	id, v := Plain(id), a.Version
	switch {
	case dryRun:
		return "Would " + string(op) + " " + id + " (dry run)."
	case a.Already:
		return id + " was done before."
	case op == memory.OpForget || op == memory.OpRedact:
		return past + " " + id + ". Its text is gone from the store; the same text, proposed again, is suppressed."
	case op == memory.OpKeep && !v.ValidUntil.IsZero():
		return past + " " + id + ", valid until " + lastDay(v.ValidUntil) + "."
	case op == memory.OpKeep && v.Class != "" && v.Class != memory.Standard:
		return past + " " + id + ", as " + string(v.Class) + " from now on."
	case op == memory.OpEdit:
		return past + " " + id + ", which is now " + v.ID() + "."
	case op == memory.OpPurge:
		return past + " " + id + ". Nothing of it is left but a mark that keeps it away."
	}
	return past + " " + id + "."
}

func keptHow(v memory.Version) string {
	out := ""
	if v.Class != "" {
		out = " as " + strings.ReplaceAll(string(v.Class), "_", " ")
	}
	if !v.ValidUntil.IsZero() {
		out += ", until " + lastDay(v.ValidUntil)
	}
	return out
}

func tickList(ids []string) string { return strings.Join(ticked(ids), ", ") }

func ticked(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = ticks(id)
	}
	return out
}

// InSentence is ids as a sentence of an answer lists them.
func InSentence(ids []string) string { return andList(ticked(ids)) }

// andList is ids as a sentence lists them.
func andList(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// maxErasedPlaces bounds the comments that are named.
const maxErasedPlaces = 5

// Remains are where an erased text may still stand.
type Remains struct {
	Containers string   // what became of the older containers, in sentences
	Places     []string // addresses of comments of people, and of ours that cannot be rewritten
	Answers    int      // of ours in this thread that showed it
	Threads    []int    // other issues and pull requests where it was used or shown
	Board      int      // of the dashboard, which loses it now; 0: the next sweep sees to it
	Denied     []string // its key, where a denial keeps that
}

// Erased says what became of an erased text and where it may still stand
// (page 4.2).
func Erased(r Remains) string {
	return joined(" ", erasedFromStore(r.Containers, r.Places), inOurWords(r))
}

// inOurWords tells of what we wrote ourselves.
func inOurWords(r Remains) string {
	out := ""
	if r.Answers > 0 {
		out = "It is taken out of " + count(r.Answers, "answer") + " of mine here."
	}
	if len(r.Threads) > 0 {
		var numbers []string
		for _, n := range r.Threads[:min(len(r.Threads), maxErasedPlaces)] {
			numbers = append(numbers, "#"+strconv.Itoa(n))
		}
		more := ""
		if n := len(r.Threads) - maxErasedPlaces; n > 0 {
			more = " and " + count(n, "more thread")
		}
		out = joined(" ", out, "It was used or shown on "+strings.Join(numbers, ", ")+more+".")
	}
	sweep := "What I wrote elsewhere in the last seven days loses it with the next sweep, and so does the dashboard."
	if r.Board > 0 {
		sweep = "The dashboard loses it now, and what I wrote elsewhere in the last seven days with the next sweep."
	}
	out = joined(" ", out, sweep, "Snapshots and exports that were made before keep it until somebody deletes them.")
	if len(r.Denied) > 0 {
		out = joined(" ", out, "A denial by `revoke` keeps its key for good: "+tickList(r.Denied)+".")
	}
	return out
}

func erasedFromStore(containers string, places []string) string {
	out := joined(" ", "The text is gone from the store.", containers)
	if len(places) == 0 {
		return out + " Where people quoted it, it still stands."
	}
	out += " It still stands where people wrote it, and only they or you can clean that: "
	for i, p := range places {
		if i == maxErasedPlaces {
			return out + ", and in " + count(len(places)-i, "more comment") + "."
		}
		if i > 0 {
			out += ", "
		}
		out += ticks(p)
	}
	return out + "."
}

// Paused says what pause and resume did.
func Paused(paused bool) string {
	if paused {
		return "Paused: I do not review this pull request by myself any more. `review` still reviews it once, `resume` starts again."
	}
	return "Resumed: I review what is pushed here again."
}

// ApproveByID asks for ids where a set cannot be approved; why is a sentence.
func ApproveByID(why string) string {
	return why + " Nothing was approved; name what you mean by id, `approve m-ID`, as `list pending` shows it."
}

// NothingWaits answers a command about all that waits.
func NothingWaits() string { return "No lesson waits for approval here." }

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

// RefusedBefore says that a command was refused by a run that ended before it
// could say so. What it would have said in detail is not kept.
func RefusedBefore(why memory.Reason) string {
	return "This was refused (" + strings.ReplaceAll(string(why), "_", " ") + ") by a run that ended before it could say so. A refusal is final; to be told more, ask anew."
}

// NotStored says that a command could not be done now; why is a clause or
// sentences.
func NotStored(why string) string {
	return "Nothing was stored now: " + strings.TrimRight(why, ".") + ". The command is not lost: the next run that looks at this thread does it."
}
