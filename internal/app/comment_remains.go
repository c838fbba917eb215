package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// This file is about a text that was forgotten and still stands in comments
// (page 4.2): what people wrote is theirs to clean, and is named; what we wrote
// is rewritten.

// documentsOf are the documents that ids name.
func documentsOf(ids []string) []string {
	var out []string
	for _, id := range ids {
		document, _, _ := memory.ParseID(id) // "" for what is no id
		out = append(out, document)
	}
	return distinct(out)
}

// remains says, before the words of lessons go, where they stand besides.
func remains(ctx context.Context, r ActionRequest, f commandFacts, ids []string) (render.Remains, error) {
	var out render.Remains
	documents := documentsOf(ids)
	others := slices.DeleteFunc(slices.Clone(f.comments), func(c github.Comment) bool {
		shows := len(idsInReply(r, f, c, documents)) > 0
		if shows {
			out.Answers++
		}
		return shows || c.ID == f.own.ID
	})
	for _, id := range ids {
		versions, _, err := Show(ctx, r.Memory, id)
		if err != nil {
			return out, err
		}
		for _, v := range versions {
			out.Places = append(out.Places, placesOf(v, others)...)
		}
	}
	out.Places = distinct(out.Places)
	if f.board.Number != 0 && r.around == nil {
		out.Board = f.board.Number
	}
	var err error
	out.Threads, out.Denied, err = whereUsed(ctx, r, f.number, documents)
	return out, err
}

// placesOf are the addresses of what people wrote that holds the words of a
// version, as far as the store and the comments of this thread tell.
func placesOf(v memory.Version, comments []github.Comment) (out []string) {
	if v.State.Erased() {
		return nil
	}
	if v.Source == memory.UserAuthored { // else it approves words that stand elsewhere
		out = append(out, v.ConfirmedThrough.URL)
	}
	for _, c := range comments {
		if holdsWords(c.Body, v.Text) {
			out = append(out, c.URL)
		}
	}
	return out
}

// distinct are the words that are there, each once, in the order they come in.
func distinct(all []string) (out []string) {
	for _, s := range all {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// whereUsed are the other threads that the store knows of, and the denials
// that hold the key of one of these documents.
func whereUsed(ctx context.Context, r ActionRequest, here int, documents []string) (threads []int, denied []string, err error) {
	err = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		all, err := st.Denied(ctx)
		if err != nil {
			return err
		}
		for _, id := range documents {
			uses, err := st.Uses(ctx, id)
			if err != nil {
				return err
			}
			for _, u := range uses {
				threads = append(threads, u.PullRequest)
			}
			versions, _, err := st.Get(ctx, id)
			if err != nil {
				return err
			}
			for _, v := range versions {
				threads = append(threads, v.Provenance.PullRequest)
				if slices.Contains(all, string(v.Key)) {
					denied = append(denied, string(v.Key))
				}
			}
		}
		return nil
	})
	slices.Sort(threads)
	threads = slices.DeleteFunc(slices.Compact(threads), func(n int) bool { return n <= 0 || n == here })
	return threads, distinct(denied), err
}

// holdsWords tells whether a comment holds a text, however it is wrapped,
// quoted or escaped there.
func holdsWords(body, words string) bool {
	if strings.Contains(body, words) {
		return true
	}
	want := bare(words)
	return len(want) >= 12 && strings.Contains(bare(body), want)
}

// bare is a text without all that Markdown or wrapping puts between its
// letters.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// idsInReply are those of some lessons that a comment shows which is a reply of
// ours: by the id that it cites beside the words, which are wrapped and cut there.
func idsInReply(r ActionRequest, f commandFacts, c github.Comment, documents []string) []string {
	if ourReply(r, f, c) == "" {
		return nil
	}
	body := bodyOf(c)
	cited := slices.DeleteFunc(render.Cited(body), func(id string) bool { return !slices.Contains(documents, id) })
	if _, entry := render.WithoutLessons(body, cited); !entry && !strings.Contains(body, "```") && !strings.Contains(body, "<details>") {
		return nil
	}
	return cited
}

// takeAwayFrom is the edit that takes lessons out of a comment of ours; none
// where it is no such comment, or shows none of them.
func takeAwayFrom(r ActionRequest, f commandFacts, c github.Comment, documents []string) []deed {
	edit := func(body render.Markup) []deed {
		a := plan.Action{Kind: plan.Reply, Key: memory.NewCause("take away", fmt.Sprint(c.ID), strings.Join(documents, " ")),
			Summary: fmt.Sprintf("take what was forgotten out of a comment of ours on #%d", f.number)}
		return []deed{{a, func(ctx context.Context, _ plan.Action) error {
			_, err := r.Client.EditComment(ctx, c.ID, body)
			return degraded(err)
		}}}
	}
	if cited := idsInReply(r, f, c, documents); len(cited) > 0 {
		return edit(render.TakenAway(cited).Under(ourReply(r, f, c)))
	}
	name := f.repository.Owner + "/" + f.repository.Name
	o := findOwn([]github.Comment{c}, r.Keys, f.author, name, f.repository.ID, f.number)
	if o.ID == 0 || !o.intact || r.Keys.Len() == 0 {
		return nil
	}
	without, changed := render.WithoutLessons(o.body.text, documents)
	if !changed {
		return nil
	}
	state := o.state
	state.Inputs, state.Kept = "", "" // a review that is kept holds its words too
	return edit(o.body.sealed(r.Keys, f.repository.ID, c.ID, state, without))
}

// erased are the documents whose texts the commands of this run took.
func (d *dealing) erased() []string {
	var out []string
	for _, item := range d.items {
		if item.verdict == wasDone || item.verdict == wasPartly {
			for _, t := range item.tasks {
				if id, _, ok := memory.ParseID(t.Transition.Target); ok && slices.Contains(item.erases, id) && t.Applied.Refused == nil {
					out = append(out, id)
				}
			}
		}
	}
	return out
}

// takeAwayHere rewrites what we wrote in this thread; the status comment only
// where nothing else of this run does, and no word about what it shows waits
// (decision 0011).
func (d *dealing) takeAwayHere(rewritten bool) (out []deed) {
	gone := d.erased()
	if len(gone) == 0 || d.r.DryRun {
		return nil
	}
	for _, c := range d.f.comments {
		if c.ID == d.f.own.ID && (rewritten || d.heldFor() != "") {
			continue
		}
		out = append(out, takeAwayFrom(d.r, d.f, c, gone)...)
	}
	return out
}

// maxTakenAway bounds the comments that one sweep rewrites; the next goes on.
const maxTakenAway = 20

// takeAwayElsewhere rewrites what we wrote in the last seven days on whatever
// thread, open or closed, and shows what was forgotten since. The comments were
// listed for the commands already; each is read again before it is edited,
// since this very run may have written it.
func takeAwayElsewhere(ctx context.Context, r ActionRequest, s *surroundings, report *ActionReport) string {
	var ids []string
	ours := slices.DeleteFunc(slices.Clone(s.recent), func(c github.Comment) bool { return !byUs(c.Author, s.author) })
	for _, c := range ours {
		ids = append(ids, render.Cited(c.Body)...)
	}
	gone, err := goneOf(ctx, r, distinct(ids))
	if err != nil {
		return "comments of ours were not searched for what was forgotten since: " + err.Error()
	}
	facts := func(c github.Comment) commandFacts {
		return commandFacts{repository: s.repository, number: c.Number, author: s.author}
	}
	left := slices.DeleteFunc(ours, func(c github.Comment) bool { return len(takeAwayFrom(r, facts(c), c, gone)) == 0 })
	for _, c := range left[:min(len(left), maxTakenAway)] {
		now, err := r.Client.Comment(ctx, c.ID)
		if err != nil {
			continue // deleted, or the next sweep looks again
		}
		report.perform(ctx, r, takeAwayFrom(r, facts(c), now, gone)...)
	}
	if more := len(left) - maxTakenAway; more > 0 {
		return "the next sweep takes what was forgotten out of " + render.Count(more, "more comment") + " of ours"
	}
	return ""
}

// goneOf are those of some documents whose words were erased.
func goneOf(ctx context.Context, r ActionRequest, ids []string) (gone []string, err error) {
	if len(ids) == 0 || r.Memory == nil {
		return nil, nil
	}
	err = r.Memory.View(ctx, func(ctx context.Context, st *store.Store) (err error) {
		if st != nil {
			gone, err = st.Gone(ctx, ids)
		}
		return err
	})
	return gone, err
}
