package app

import (
	"context"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/event"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/text"
)

// spokenTo are the handles that a comment's commands may start with, none
// where nobody of ours is spoken to. Casual comments cost no call: the
// default handle is always ours and is tried first. Another may be ours too,
// by configuration or as the App's name, and only GitHub tells; it is asked
// for that only where some other handle stands before one of our verbs
// (decision 0009).
func spokenTo(ctx context.Context, r ActionRequest) ([]string, error) {
	body := r.Trigger.Comment.Body
	var handles []string
	if len(intent.Parse(body, intent.Options{})) > 0 {
		handles = []string{intent.DefaultHandle}
	}
	others := otherHandles(body)
	if len(others) == 0 {
		return handles, nil
	}
	ours, err := ownHandles(ctx, r, r.Trigger.Repository)
	if err != nil {
		return nil, err
	}
	for _, h := range ours {
		if slices.Contains(others, h) {
			handles = append(handles, h)
		}
	}
	return handles, nil
}

// mention is a word at the start of a line that could be a handle.
var mention = text.Lazy(`(?m)^[ \t]*[@/]([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))(?:\[bot\])?[ \t]+[A-Za-z]`)

// maxMentions bounds how many of them are tried.
const maxMentions = 20

// otherHandles are the names, in lower case, that stand before one of our
// verbs as a handle of ours would.
func otherHandles(body string) []string {
	var out []string
	for _, m := range mention.FindAllStringSubmatch(body, maxMentions) {
		name := strings.ToLower(m[1])
		if name == intent.DefaultHandle || slices.Contains(out, name) {
			continue
		}
		if slices.ContainsFunc(intent.Parse(body, intent.Options{Handles: []string{name}}), func(in intent.Intent) bool {
			return in.Verb != intent.VerbUnknown
		}) {
			out = append(out, name)
		}
	}
	return out
}

// ownHandles are the configured handle and the App's name, in lower case. A
// configuration that is broken or missing names none.
func ownHandles(ctx context.Context, r ActionRequest, repo event.Repository) ([]string, error) {
	inst := appInstallation(ctx, r.Client, r)
	head, err := r.Client.BranchHead(ctx, repo.DefaultBranch)
	if err != nil {
		return nil, err
	}
	path := or(r.Config, ConfigPath)
	data, _, err := r.Client.FileAt(ctx, path, head)
	if k := github.KindOf(err); err != nil && k != github.TooLarge && k != github.Invalid {
		return nil, err
	}
	c, diagnostics := config.Parse(path, data)
	var out []string
	if err == nil && !config.HasErrors(diagnostics) {
		c = c.ForRepo(repo.Owner, repo.Name)
		out = append(out, strings.ToLower(c.Familiar.Handle))
	}
	if inst.slug != "" {
		out = append(out, strings.ToLower(inst.slug))
	}
	return out, nil
}
