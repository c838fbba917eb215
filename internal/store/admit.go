package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/text"
)

// Bounds of the lists of a lesson; its globs are bounded by memory.
const (
	maxAbout      = 32
	maxAboutRunes = 80
	maxCitations  = 32
	maxPathBytes  = 1024
)

// admitted is a lesson that may enter: only admissible makes one, and only one
// is written (internal/arch).
type admitted struct{ *memory.NewLesson }

// admissible returns the lesson in canonical form, or why it may not enter: the
// write gate, its address and the denials, its lists, and last what it holds.
// Whatever door it came through, every string of it is searched for secrets,
// live tokens and personal data here.
func (a *applying) admissible(lesson *memory.NewLesson) (admitted, *memory.Refusal) {
	if lesson == nil {
		return admitted{}, &memory.Refusal{Reason: memory.ReasonContentInvalid, Detail: "There is no lesson to store."}
	}
	n, t := *lesson, a.t
	t.Lesson = &n
	// The caller's policy knows the mode, the label and the trust, and passed
	// the gate with them; here it is passed again for what the lesson is.
	verdict := memory.GateTransition(t, memory.GateContext{
		Mode: memory.ModeManualWithDrafts, Now: a.t.At,
		AutoApproval: n.Approved == memory.ApprovedAuto, Trust: autoTrust,
	})
	if r := verdict.Refusal(string(a.t.Op), ""); r != nil {
		return admitted{}, r
	}
	if r := a.addressable(&n); r != nil {
		return admitted{}, r
	}
	if n.Class == "" {
		n.Class = memory.Standard
	}
	if _, err := memory.ParseClass(string(n.Class)); err != nil {
		return admitted{}, &memory.Refusal{Reason: memory.ReasonClassInvalid, Detail: "A class is durable, standard, ephemeral or source_only."}
	}
	n.About = spoken(n.About)
	if r := bounded(&n); r != nil {
		return admitted{}, r
	}
	if r := loads(&n); r != nil {
		return admitted{}, r
	}
	if r := memory.Unclean(a.finder(), n); r != nil {
		return admitted{}, r
	}
	return admitted{&n}, nil
}

// addressable puts the key in canonical form. A denied key is refused here as
// well, since a denial holds from the moment it was made.
func (a *applying) addressable(n *memory.NewLesson) *memory.Refusal {
	c := a.id.Coordinates()
	key, problem := memory.ParseKey(string(n.Key))
	if problem != nil || !key.Within(c, n.Scope) {
		return &memory.Refusal{Reason: memory.ReasonNotAddressable,
			Detail: "The key does not lie in " + c.Owner + "/" + c.Name + ", or is no key; it has the form repo/<owner>/<name>/<namespace>/<key>."}
	}
	n.Key = key.Canonical(c)
	denied, err := a.denied(a.ctx, a.tx)
	if err != nil {
		return &memory.Refusal{Reason: memory.ReasonRevoked, Detail: "The denials could not be read, so nothing may be written."}
	}
	if _, covered := memory.CoveredBy(denied, string(n.Key)); covered {
		return &memory.Refusal{Reason: memory.ReasonRevoked, Detail: "An admin revoked this key or a prefix of it; an admin may lift that with unrevoke."}
	}
	return nil
}

// spoken are the words of `about:` in their normal form, as a text has it (page
// 3.6); what has none is left for loads to name.
func spoken(words []string) []string {
	out := slices.Clone(words)
	for i, word := range out {
		if plain(word) {
			continue
		}
		if normal, problem := text.Normalise(word); problem == text.ProblemNone {
			out[i] = normal
		}
	}
	return out
}

// bounded holds the lists of a lesson to what a row takes.
func bounded(n *memory.NewLesson) *memory.Refusal {
	invalid := func(format string, args ...any) *memory.Refusal {
		return &memory.Refusal{Reason: memory.ReasonContentInvalid, Detail: fmt.Sprintf(format, args...)}
	}
	if len(n.Paths) > memory.MaxGlobs {
		return invalid("A lesson has at most %d globs.", memory.MaxGlobs)
	}
	for i, glob := range n.Paths {
		if problem := memory.GlobProblem(glob); problem != "" {
			return invalid("Glob %d of the lesson is not usable: %s.", i+1, problem)
		}
	}
	if len(n.About) > maxAbout {
		return invalid("A lesson has at most %d words in its line `about:`.", maxAbout)
	}
	for i, word := range n.About {
		if strings.TrimSpace(word) == "" || firstRunes(word, maxAboutRunes) != word {
			return invalid("Word %d of the line `about:` is empty or longer than %d characters.", i+1, maxAboutRunes)
		}
	}
	if len(n.Citations) > maxCitations {
		return invalid("A lesson has at most %d citations.", maxCitations)
	}
	for i, c := range n.Citations {
		if len(c.Path) > maxPathBytes || len(c.Commit) > 64 || len(c.Digest) > 64 {
			return invalid("Citation %d of the lesson has a path or digest that is too long.", i+1)
		}
	}
	if n.Check != nil {
		if _, problem := memory.CompileCheck(*n.Check); problem != nil {
			return &memory.Refusal{Reason: memory.ReasonCheckInvalid, Detail: problem.Detail}
		}
	}
	return nil
}

// room refuses an addition for which the store or the repository has none.
// replaced active versions make their own room.
func (a *applying) room(replaced int) (*memory.Refusal, error) {
	if full, err := a.full(); full != nil || err != nil {
		return full, err
	}
	q := a.t.Quotas.WithDefaults()
	active, err := a.count("state = 'active'")
	if err != nil {
		return nil, err
	}
	if active-replaced+1 > q.ActivePerRepo {
		return quota("This repository has %d active lessons, and %d are allowed. Retire some, or raise the limit.", active, q.ActivePerRepo), nil
	}
	return nil, nil
}

// roomToPropose holds a proposal to the quotas of page 3.5.
func (a *applying) roomToPropose(n *memory.NewLesson) (*memory.Refusal, error) {
	if n.State == memory.Active {
		if refused, err := a.room(0); refused != nil || err != nil {
			return refused, err
		}
	}
	if full, err := a.full(); full != nil || err != nil {
		return full, err
	}
	q := a.t.Quotas.WithDefaults()
	if q.ProposedInThisRun >= q.ProposalsPerRun {
		return quota("One run may propose %d lessons.", q.ProposalsPerRun), nil
	}
	if n.State == memory.Active {
		return nil, nil
	}
	pull, err := a.count("state IN ('draft', 'review_required') AND pull_request = ?", n.Provenance.PullRequest)
	if err != nil {
		return nil, err
	}
	if n.Provenance.PullRequest > 0 && pull >= q.PendingPerPull {
		return quota("%d proposals wait on this pull request, and %d may. Approve or reject some.", pull, q.PendingPerPull), nil
	}
	all, err := a.count("state IN ('draft', 'review_required')")
	if err != nil {
		return nil, err
	}
	if all >= q.PendingPerRepo {
		return quota("%d proposals wait in this repository, and %d may. Approve or reject some.", all, q.PendingPerRepo), nil
	}
	return nil, nil
}

// full refuses additions from nine tenths of the size cap on, so that forget,
// revoke and purge always have room (page 4.5, attack A113).
func (a *applying) full() (*memory.Refusal, error) {
	size, err := a.bytes(a.ctx, a.tx)
	if err != nil {
		return nil, err
	}
	if size < a.maxBytes/10*9 {
		return nil, nil
	}
	return &memory.Refusal{Reason: memory.ReasonStoreFull,
		Detail: fmt.Sprintf("The store has %d of at most %d bytes, and takes no more lessons. Purge some; forget, revoke and purge still work.", size, a.maxBytes)}, nil
}

func (a *applying) count(where string, args ...any) (int, error) {
	var n int
	err := a.tx.QueryRowContext(a.ctx, "SELECT count(*) FROM versions WHERE repository_id = ? AND "+where, append([]any{a.id.RepositoryID}, args...)...).Scan(&n)
	return n, err
}

func quota(format string, args ...any) *memory.Refusal {
	return &memory.Refusal{Reason: memory.ReasonQuota, Detail: fmt.Sprintf(format, args...)}
}
