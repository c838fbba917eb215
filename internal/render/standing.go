package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// StandingFacts are what the command status tells.
type StandingFacts struct {
	Number         int
	Pull           bool
	Who, Standing  string // who asked, and their standing in the repository
	Head, Reviewed string // SHA of the head, and of the one that was reviewed whole; "": none
	Skipped        string // why the pull request is left alone, one clause; "": it is not
	Paused         string // by whom; "": it is not

	MemoryOff                    string // one clause; "": it is on
	Empty                        bool   // on, and nothing was taught yet
	Active, Pending, PendingHere int
	Revoked                      int // of the active ones, those that a denial keeps from being read
	Denials                      []memory.Denial
	Generation                   int64
	Expiry                       time.Time
}

// Standing says how things stand, in a list.
func Standing(f StandingFacts) Markup {
	d := markdownDialect()
	var lines []string
	add := func(line string) { lines = append(lines, "- "+line) }
	if f.Pull {
		add("Review: " + f.review(d))
	}
	add("Memory: " + f.memory(d))
	if n := len(f.Denials); n > 0 {
		var keys []string
		for _, x := range f.Denials[:min(n, maxDenied)] {
			keys = append(keys, d.code(prefixWords(x.Prefix))+" ("+count(len(x.Lessons), "lesson")+")")
		}
		add("Revoked: " + strings.Join(keys, ", ") + "; an admin lifts one with " + d.typed("unrevoke "+prefixWords(f.Denials[0].Prefix)))
	}
	if f.PendingHere > 0 {
		add(count(f.PendingHere, "lesson") + " waiting for approval here")
	}
	if f.Generation > 0 {
		line := "Store: generation " + strconv.FormatInt(f.Generation, 10)
		if !f.Expiry.IsZero() {
			line += ", kept until " + day(f.Expiry)
		}
		add(line)
	}
	add("You: " + d.text(f.Who) + ", " + d.text(or(f.Standing, "none")) + " here")
	return Markup{strings.Join(lines, "\n") + "\n"}
}

func (f StandingFacts) review(d dialect) string {
	switch {
	case f.Paused != "":
		return "paused by " + d.text(f.Paused)
	case f.Skipped != "":
		return "none, since " + d.prose(f.Skipped)
	case f.Reviewed == "":
		return "no head was reviewed whole yet"
	case f.Reviewed == f.Head:
		return "the head " + d.code(shortSHA(f.Head)) + " is reviewed"
	}
	return d.code(shortSHA(f.Reviewed)) + " was reviewed; the head is " + d.code(shortSHA(f.Head)) + " now"
}

func (f StandingFacts) memory(d dialect) string {
	switch {
	case f.MemoryOff != "":
		return "off, " + d.prose(strings.TrimSuffix(f.MemoryOff, "."))
	case f.Empty:
		return "on, and nothing was taught yet"
	}
	revoked := ""
	if f.Revoked > 0 {
		revoked = ", " + strconv.Itoa(f.Revoked) + " revoked"
	}
	return "on, with " + count(f.Active-f.Revoked, "lesson") + " in use" + revoked + " and " + strconv.Itoa(f.Pending) + " waiting for approval"
}
