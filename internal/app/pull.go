package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/trust"
)

// pullRun is one look at one pull request.
type pullRun struct {
	number  int
	facts   trust.Facts
	head    string          // the head that the event was about; "": whatever it is now
	answers []render.Answer // of the commands of the same run
	full    bool            // review also what was reviewed before
	asked   bool            // a maintainer asked for this review by a command
	dealt   bool            // the commands of the thread are dealt with
}

// reviewPull gathers what there is to know of a pull request, reviews it and
// publishes what came of it.
func reviewPull(ctx context.Context, r ActionRequest, p pullRun) (ActionReport, error) {
	g, err := gatherPull(ctx, r, p)
	if err != nil {
		return ActionReport{}, err
	}
	return reviewGathered(ctx, r, p, g)
}

// reviewGathered reviews a pull request of which all is known.
func reviewGathered(ctx context.Context, r ActionRequest, p pullRun, g pullFacts) (ActionReport, error) {
	r.Author = g.author
	if out, did, err := catchUp(ctx, r, p, g, true); did {
		return out, err
	}
	if p.head != "" && p.head != g.pull.Head.SHA && len(p.answers) == 0 {
		return ActionReport{
			Trust: g.trust.Scope, Outcome: review.Superseded, Detail: "the head moved on since; the run for the new head reviews it",
		}, nil
	}
	settled, err := settleLabels(ctx, r, g)
	if err != nil {
		return ActionReport{Trust: g.trust.Scope}, err
	}
	if why := settled.heldFor(g); why != "" {
		return settled.hold(ctx, r, p, g, why), nil
	}
	settled.join(r, &p, g)
	report, err := reviewSettled(ctx, r, p, g)
	if err != nil {
		return report, err
	}
	return settled.concluded(ctx, r, g, report), nil
}

// reviewSettled reviews a pull request whose commands and labels are dealt
// with.
func reviewSettled(ctx context.Context, r ActionRequest, p pullRun, g pullFacts) (ActionReport, error) {
	report := ActionReport{Trust: g.trust.Scope}
	if why := skipped(g); why != "" && len(p.answers) == 0 {
		report.Outcome, report.Detail = review.NothingToDo, why
		return report, nil
	}
	mem := memoryOf(r, g)
	if len(p.answers) == 0 && !p.asked {
		// A store that cannot be asked says so below.
		if by, err := pausedBy(ctx, mem, p.number); err == nil && by != "" {
			report.Outcome, report.Detail = review.NothingToDo, by+" paused the reviews of this pull request; `resume` starts them again"
			return report, nil
		}
	}
	err := withMemory(ctx, mem, or(g.storeProblem, r.MemoryOff), func(ctx context.Context, m *memoryFacts, problem string) error {
		f := g.facts(r, m, problem)
		who, note := actionReviewer(r, p, f)
		inputs := inputsDigest(f, who)
		kept, isKept := g.own.keptOn()
		isKept = isKept && kept.of(g) && !p.full && !p.asked
		same := inputs != "" && g.own.intact && g.own.state.Inputs == inputs
		if len(p.answers) == 0 && !p.full && (same || isKept && (kept.By == string(byPublish) || note != "")) {
			report = nothing("this head is reviewed already, and nothing is new since; `review full` looks again")
			report.Trust, report.Comment, report.worst = g.trust.Scope, g.own.Comment, g.own.state.Worst
			report.tidy(ctx, r, threadOf(g))
			return nil
		}
		if isKept {
			// The answers stand beside the review as it was: nobody pays for it
			// again, and no other reviewer takes its place.
			out := kept.again(f)
			out.by, out.kept = runtime.Kind(kept.By), g.own.state.Kept
			finish(&out.status, r, g, p, "")
			var err error
			report, err = publish(ctx, r, g, g.own.state.Inputs, out)
			return err
		}
		out, err := lookAt(ctx, r, p, g, f, who)
		if err != nil {
			return err
		}
		finish(&out.status, r, g, p, note)
		out.by, out.kept = who.kind, keep(who.kind, frameDigest(f, who), out.status, g.pull.Base.SHA, out.looked)
		report, err = publish(ctx, r, g, inputs, out)
		return err
	})
	return report, err
}

// inputsDigest is a digest of all that a review depends on: where it is the
// same again, so is the review.
func inputsDigest(f facts, who reviewer) string {
	in := struct {
		Base, Head, Title string
		Settings          string
		Trust             contract.TrustScope
		NoMemory          bool
		Problem           string
		Kind              string
		Command           []string
		Model             string
		Denied, Lessons   []string
		Dismissed         map[string]string
	}{
		f.change.Base, f.change.Head, f.change.Title, f.settings.digest, f.trust.Scope, f.noMemory, f.memoryProblem,
		string(who.kind), who.command, who.model.named(), nil, nil, nil,
	}
	if f.memory != nil {
		in.Denied, in.Dismissed = f.memory.denied, dismissals(f.memory.dispositions, f.lives())
		for _, v := range f.memory.existing {
			if v.State != memory.Active {
				continue // nothing that waits for approval reaches a reviewer
			}
			in.Lessons = append(in.Lessons, fmt.Sprint(v.ID(), " ", v.State, " ", v.Key, " ", v.ValidUntil.Unix()))
		}
	}
	data, err := json.Marshal(in)
	if err != nil {
		return "" // strings and numbers: cannot be
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// finish puts what only GitHub knows into the status.
func finish(s *render.Status, r ActionRequest, g pullFacts, p pullRun, note string) {
	s.RunURL, s.Answers = r.RunURL, p.answers
	s.Feedback = r.Keys.Len() > 0 && r.Memory != nil && s.Policy.Enabled // a command of a maintainer finds them by their numbers
	known := decodeShown(g.own.state.Shown)
	s.Findings = known.number(s.Findings)
	for i, f := range s.Dismissed {
		s.Dismissed[i].ID = known.idOf(f.Fingerprint)
	}
	if g.tenant == nil || slices.Contains(s.Policy.ReadScopes, contract.ScopeTenantShared) {
		s.PolicyReasons = append(s.PolicyReasons, g.why) // whose tenant it is changed this result
	}
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	if r.Memory != nil {
		s.Expiry = r.Memory.Expiry()
		s.Notes = append(s.Notes, quarantineWords(r.Memory)...)
	}
}

// skipped says why the configuration or a label leaves this pull request
// alone, or "".
func skipped(g pullFacts) string {
	rv, labels := g.settings.Review, g.settings.Familiar.Labels
	author := ""
	if g.pull.Author != nil {
		author = g.pull.Author.Login
	}
	switch {
	case g.pull.State != "" && g.pull.State != "open":
		return "the pull request is " + g.pull.State
	case g.pull.Draft && !rv.Drafts:
		return "the pull request is a draft, and review.drafts is false"
	case slices.Contains(g.pull.Labels, labels.Skip):
		return "the label " + labels.Skip + " is on"
	case slices.ContainsFunc(rv.SkipLabels, func(l string) bool { return slices.Contains(g.pull.Labels, l) }):
		return "a label of review.skip_labels is on"
	case author != "" && slices.Contains(rv.SkipAuthors, author):
		return "the author is one of review.skip_authors"
	case len(rv.BaseBranches) > 0 && !memory.MatchGlobs(rv.BaseBranches, g.pull.Base.Name):
		return "the base branch is none of review.base_branches"
	}
	return ""
}

// facts turns what GitHub said into the facts of a review.
func (g pullFacts) facts(r ActionRequest, m *memoryFacts, problem string) facts {
	change := g.files.Change(g.pull)
	f := facts{
		change: change, settings: g.settings, trust: g.trust, tenant: g.tenant, memory: m, memoryProblem: problem,
		storeBroken: r.Memory != nil && problem != "",
		repo: &contract.RepoScope{
			RepoID: g.repository.ID, Owner: g.repository.Owner, Name: g.repository.Name,
			Visibility: g.repository.Visibility, DefaultBranch: g.repository.DefaultBranch,
		},
		branch: &contract.BranchScope{
			BaseRef: g.pull.Base.Name, HeadRef: g.pull.Head.Name,
			SameRepo: g.pull.Head.RepoID != 0 && g.pull.Head.RepoID == g.pull.Base.RepoID,
		},
		cloneURL: fmt.Sprintf("https://github.com/%s/%s.git", g.repository.Owner, g.repository.Name),
		now:      r.gitHubNow(), pull: g.pull.Number, through: memory.Through{Kind: r.Trigger.Name, URL: r.RunURL},
		noMemory:  g.noMemory(),
		baseFiles: baseOnGitHub(r.Client, g.pull.Base.SHA), secrets: r.live(),
		isolation: isolation{dir: r.StateDir, runID: r.RunID, attempt: r.Attempt},
		contents: func(ctx context.Context, path string) ([]byte, bool) {
			data, ok, err := r.Client.FileAt(ctx, path, g.pull.Head.SHA)
			return data, ok && err == nil
		},
	}
	if r.Trigger.Sender != nil {
		f.operator = memory.Principal{ID: r.Trigger.Sender.ID, Login: r.Trigger.Sender.Login}
	}
	if g.settings.broken {
		f.memory, f.memoryProblem = nil, or(g.settings.path, ConfigPath)+" is broken"
	}
	return f
}
