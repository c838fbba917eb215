package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
)

// spareReplies take away the second reply to one comment. Two runs may deal
// with a comment at the same moment, its own and a sweep that thinks it was
// missed: what they store is stored once, but GitHub takes both replies. Only
// what a key of ours vouches for goes.
func spareReplies(r ActionRequest, f commandFacts) (out []deed) {
	first := map[string]bool{}
	for _, c := range f.comments {
		line := ourReply(r, f, c)
		if line == "" {
			continue
		}
		if !first[line] {
			first[line] = true
			continue
		}
		a := plan.Action{Kind: plan.Reply, Key: spareKey(c.ID), Summary: fmt.Sprintf("remove the second answer to one comment on #%d", f.number)}
		out = append(out, deed{a, func(ctx context.Context, _ plan.Action) error {
			return degraded(r.Client.DeleteComment(ctx, c.ID))
		}})
	}
	return out
}

func (d *dealing) spareReplies() []deed { return spareReplies(d.r, d.f) }

func spareKey(comment int64) string { return memory.NewCause("spare reply", fmt.Sprint(comment)) }
