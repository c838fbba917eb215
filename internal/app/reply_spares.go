package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// spareReplies take away the second reply to one comment. Two runs may deal
// with a comment at the same moment, its own and a sweep that thinks it was
// missed: what they store is stored once, but GitHub takes both replies. Only
// what a key of ours vouches for goes.
func (d *dealing) spareReplies() (out []deed) {
	first := map[string]bool{}
	for _, c := range d.f.comments {
		if d.r.Keys.Len() == 0 || c.Author == nil || !strings.EqualFold(c.Author.Login, d.f.author) {
			continue
		}
		line := replyLine.FindString(strings.ReplaceAll(c.Body, "\r\n", "\n"))
		if line == "" || !wroteReply(d.r, d.f, line) {
			continue
		}
		if !first[line] {
			first[line] = true
			continue
		}
		a := plan.Action{Kind: plan.Reply, Key: spareKey(c.ID), Summary: fmt.Sprintf("remove the second answer to one comment on #%d", d.f.number)}
		out = append(out, deed{a, func(ctx context.Context, _ plan.Action) error {
			return degraded(d.r.Client.DeleteComment(ctx, c.ID))
		}})
	}
	return out
}

func spareKey(comment int64) string { return memory.NewCause("spare reply", fmt.Sprint(comment)) }

// wroteReply says whether a key of ours made the hidden line of a reply here.
func wroteReply(r ActionRequest, f commandFacts, line string) bool {
	id, err := strconv.ParseInt(strings.Fields(line)[3], 10, 64)
	if err != nil {
		return false
	}
	to := spoken{Comment: event.Comment{ID: id}}
	inline := to
	inline.inline = true
	return line == replyMarker(r, f, to) || line == replyMarker(r, f, inline)
}
