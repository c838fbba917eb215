package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/text"
)

// This file decides which comments of a thread are replies of ours, and to
// what: by our author, and by a hidden first line, which a key of ours makes
// where there is one.

// byUs says whether an account is the one under which we comment.
func byUs(by *event.Actor, author string) bool {
	return by != nil && strings.EqualFold(by.Login, author)
}

// bodyOf is the body of a comment with the ends of lines that we write: GitHub
// may hand them back with its own.
func bodyOf(c github.Comment) string { return strings.ReplaceAll(c.Body, "\r\n", "\n") }

// replyMarker is the hidden first line of a reply: which comment it answers,
// so that a run that is repeated does not answer twice.
func replyMarker(r ActionRequest, f commandFacts, s spoken) string {
	tag := ""
	if r.Keys.Len() > 0 {
		tag = " " + r.Keys.MAC(macReply, boundTo(f.repository.ID, f.number, s.ID, []byte(strconv.FormatBool(s.inline)))...)
	}
	return fmt.Sprintf("<!-- familiar:reply v1 %d%s -->\n", s.ID, tag)
}

// waitsMarker is the first line of a reply that is not the last word, so that
// the last word is given all the same.
func waitsMarker(r ActionRequest, f commandFacts, s spoken) string {
	return strings.Replace(replyMarker(r, f, s), "familiar:reply", "familiar:waits", 1)
}

var replyLine = text.Lazy(`^<!-- familiar:reply v1 (\d+)(?: [0-9a-f]+)? -->\n`)

// ourReply is the first line of a comment that is a reply of ours in this
// thread; "" for any other, and where there is no key to vouch for one.
func ourReply(r ActionRequest, f commandFacts, c github.Comment) string {
	m := replyLine.FindStringSubmatch(bodyOf(c))
	if m == nil || r.Keys.Len() == 0 || !byUs(c.Author, f.author) {
		return ""
	}
	id, err := strconv.ParseInt(m[1], 10, 64)
	if err == nil && slices.ContainsFunc([]bool{false, true}, func(inline bool) bool {
		return m[0] == replyMarker(r, f, spoken{Comment: event.Comment{ID: id}, inline: inline})
	}) {
		return m[0]
	}
	return ""
}

// answered says whether a reply of ours to a comment stands in the thread. Its
// words may have been edited since; only its first line is looked at.
func answered(r ActionRequest, f commandFacts, s spoken) bool {
	return f.begins(replyMarker(r, f, s))
}

// toldToWait says whether a comment was told already that it waits.
func toldToWait(r ActionRequest, f commandFacts, s spoken) bool {
	return f.begins(waitsMarker(r, f, s))
}

// begins says whether a comment of our author begins with a line.
func (f commandFacts) begins(line string) bool {
	return slices.ContainsFunc(f.comments, func(c github.Comment) bool {
		return byUs(c.Author, f.author) && strings.HasPrefix(bodyOf(c), line)
	})
}
