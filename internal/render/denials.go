package render

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// Denial is what a revoke or unrevoke met.
type Denial struct {
	Op      memory.Op
	Named   string   // the key, prefix or id, as the person wrote it
	Already bool     // the same command was applied before
	Known   bool     // what follows was looked up
	Prefix  string   // whole
	Lessons []string // ids of the lessons below it that are in use or wait
	Still   string   // another denial that covers it; "": none
}

// maxDenied bounds how many ids an answer names.
const maxDenied = 20

// Denied says what revoke and unrevoke did, and to how many lessons.
func Denied(x Denial) string {
	out := x.said("Revoked " + ticks(x.Named))
	if x.Op == memory.OpUnrevoke {
		out = x.lifted("Lifted: ")
	}
	if x.Already {
		out += " It was done before."
	}
	return out
}

// DeniedHere says the same at a command line.
func DeniedHere(x Denial, dryRun bool) string {
	out := x.said("Revoked " + ticks(x.Named))
	switch {
	case dryRun && x.Op == memory.OpUnrevoke:
		out = "Would lift the denial of " + ticks(x.Named) + " (dry run)."
	case dryRun:
		out = x.said("Would revoke "+ticks(x.Named)) + " This is a dry run; nothing was stored."
	case x.Op == memory.OpUnrevoke:
		out = x.lifted("Lifted the denial of ")
	}
	return strings.ReplaceAll(strings.ReplaceAll(out, "`unrevoke ", "`familiar memory unrevoke "), "`", "")
}

func (x Denial) said(out string) string {
	lift := ", until an admin lifts it with `unrevoke " + strings.Trim(ticks(x.Named), "`") + "`."
	switch n := len(x.Lessons); {
	case !x.Known:
		return out + ": nothing there is read or written any more" + lift
	case n == 0:
		return out + ". No lesson is there now; what is taught or proposed there is refused" + lift
	case n == 1 && x.Lessons[0] == x.Named:
		return out + ", and with it its key `" + prefixWords(x.Prefix) + "`: nothing there is read or written any more" + lift
	default:
		return out + ", and with it " + reached(x.Lessons) + ". Nothing there is read or written any more" + lift
	}
}

func (x Denial) lifted(lead string) string {
	out := lead + ticks(x.Named)
	switch {
	case x.Still != "":
		return out + ". It is not read yet: the denial of " + ticks(prefixWords(x.Still)) + " covers it too; `unrevoke " + prefixWords(x.Still) + "` lifts that."
	case len(x.Lessons) == 1 && x.Lessons[0] == x.Named:
		return out + " is read and written again."
	case !x.Known || len(x.Lessons) == 0:
		return out + ". What is there is read and written again."
	}
	return out + ". What is there is read and written again: " + reached(x.Lessons) + "."
}

// reached counts lessons and names the first of them.
func reached(ids []string) string {
	out := count(len(ids), "lesson") + " (" + tickList(ids[:min(len(ids), maxDenied)])
	if more := len(ids) - maxDenied; more > 0 {
		out += " and " + strconv.Itoa(more) + " more"
	}
	return out + ")"
}

// prefixWords is a denied key or prefix without the coordinates of the
// repository that is spoken about.
func prefixWords(full string) string { return Plain(withoutCoordinates(full)) }

// DenialList lists the denials and what each reaches, for a terminal.
func DenialList(list []memory.Denial, opts TerminalOptions) string {
	d, w := terminalDialect(opts.Color), opts.width()
	if len(list) == 0 {
		return wrap("Nothing is revoked.", "", "", w)
	}
	var b strings.Builder
	for _, x := range list {
		line := d.code(prefixWords(x.Prefix)) + "  reaches no lesson; what is taught there is refused"
		if len(x.Lessons) > 0 {
			line = d.code(prefixWords(x.Prefix)) + "  keeps " + count(len(x.Lessons), "lesson") + " from being read: " + codes(d, x.Lessons)
		}
		b.WriteString(wrap(line, "", "    ", w))
	}
	b.WriteString("\n" + wrap(count(len(list), "denial")+". Lift one: "+d.typed("familiar memory unrevoke "+prefixWords(list[0].Prefix))+".", "", "", w))
	return b.String()
}

// stands is what a version is called: its state, in the contract's word, which
// the filters take too, and whether a denial keeps it from being read.
func stands(v memory.Version) string {
	out := string(v.State)
	if v.Denied != "" && !v.State.Erased() {
		out += ", revoked"
	}
	return out
}

// deniedFact says which denial covers a version, and how it is lifted.
func deniedFact(d dialect, v memory.Version) []string {
	if v.Denied == "" || v.State.Erased() {
		return nil
	}
	return []string{"Revoked: the denial of " + d.code(prefixWords(v.Denied)) + " keeps it from being read; an admin lifts it with " + d.code("unrevoke "+prefixWords(v.Denied)) + "."}
}
