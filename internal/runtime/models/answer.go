package models

import (
	"encoding/json"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/text"
)

// Bounds of one answer.
const (
	maxFindings  = 100
	maxProposals = 3 // lessons that a review may propose
	maxSummary   = 1200
)

// answer is what the model is asked for. The keys are all required, so that a
// schema can be strict where the endpoint holds the model to it.
type answer struct {
	Summary   string     `json:"summary"`
	Findings  []finding  `json:"findings"`
	Proposals []proposal `json:"proposed_lessons"`
}

type finding struct {
	Severity       contract.Severity `json:"severity"`
	File           string            `json:"file"`
	Line           *int              `json:"line" wire:"min=1,max=2147483647"`
	Title          string            `json:"title"`
	Body           string            `json:"body"`
	Recommendation *string           `json:"recommendation"`
	Lessons        []string          `json:"lessons"`
}

type proposal struct {
	Lesson string `json:"lesson"`
}

// answerSchema is the JSON Schema of an answer, in the dialect that structured
// output takes: every key required, nothing besides.
const answerSchema = `{"type":"object","additionalProperties":false,"required":["summary","findings","proposed_lessons"],"properties":{` +
	`"summary":{"type":"string","description":"What the change does, in at most three sentences."},` +
	`"findings":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["severity","file","line","title","body","recommendation","lessons"],"properties":{` +
	`"severity":{"type":"string","enum":["info","low","medium","high","critical"]},` +
	`"file":{"type":"string","description":"The path of a file of the change, exactly as it is given."},` +
	`"line":{"type":["integer","null"],"description":"The number of a line that the change shows in the new file, or null for the file as a whole."},` +
	`"title":{"type":"string"},"body":{"type":"string"},` +
	`"recommendation":{"type":["string","null"]},` +
	`"lessons":{"type":"array","items":{"type":"string"},"description":"The ids of the lessons that shaped this finding."}}}},` +
	`"proposed_lessons":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["lesson"],"properties":{"lesson":{"type":"string"}}}}}}`

// decodeAnswer reads the text of a finished turn: one JSON object and nothing
// else. An endpoint that does not hold its model to JSON may put a code fence
// around it, which is taken off.
func decodeAnswer(s string) (answer, error) {
	var a answer
	if err := contract.StrictJSON([]byte(unfenced(s)), &a, contract.WireLimits()); err != nil {
		return answer{}, unfinished("the answer is not what was asked for: %v", err)
	}
	if len(a.Findings) > maxFindings {
		return answer{}, unfinished("the answer has %d findings, more than %d", len(a.Findings), maxFindings)
	}
	return a, nil
}

func unfenced(s string) string {
	s = strings.TrimSpace(s)
	inner, ok := strings.CutPrefix(s, "```")
	if !ok {
		return s
	}
	inner, ok = strings.CutSuffix(inner, "```")
	if !ok {
		return s
	}
	if language, rest, found := strings.Cut(inner, "\n"); found && (language == "json" || strings.TrimSpace(language) == "") {
		return strings.TrimSpace(rest)
	}
	return s
}

// output makes of an answer what a reviewer says. Files that the model was not
// shown are none that it can say something of; the rest is for the evidence
// check.
func (a answer) output(job runtime.Job, p prompt) runtime.Output {
	out := runtime.Output{
		Outcome: runtime.Finished, Reviewed: p.cut.Whole, Left: p.cut.Left,
		Summary: text.Truncate(redact.Scrub(text.Visible(strings.TrimSpace(a.Summary))), maxSummary),
	}
	for _, f := range a.Findings {
		if p.unseen[f.File] {
			out.Skipped = append(out.Skipped, runtime.Skipped{Rule: "models", Path: f.File, Reason: "a finding in a file that the model was not shown is dropped"})
			continue
		}
		c := review.Candidate{Severity: f.Severity, Path: f.File, Title: f.Title, Body: f.Body, Because: f.Lessons}
		if f.Line != nil {
			c.Line = *f.Line
		}
		if f.Recommendation != nil {
			c.Recommendation = *f.Recommendation
		}
		out.Candidates = append(out.Candidates, c)
	}
	out.MemoryUsed = a.memoryUsed(job, p)
	return out
}

// memoryUsed reports every lesson that stood in the prompt: none of them is
// silent, whether or not the model says that it minded it.
func (a answer) memoryUsed(job runtime.Job, p prompt) *contract.MemoryUsed {
	policy := job.Brief.MemoryPolicy
	if policy == nil || !policy.Enabled {
		return nil
	}
	used := &contract.MemoryUsed{Enabled: true}
	for _, v := range p.lessons {
		used.Read = append(used.Read, contract.MemoryRead{ID: string(v.Key), Scope: string(v.Scope)})
	}
	if !mayPropose(policy) || policy.RepoScope == nil {
		return used
	}
	at := memory.Coordinates{Owner: policy.RepoScope.Owner, Name: policy.RepoScope.Name}
	for _, l := range a.Proposals[:min(len(a.Proposals), maxProposals)] {
		key, problem := memory.NewRepoKey(at, "lessons/"+text.Slug(l.Lesson))
		if problem != nil {
			continue // a lesson of no word has no key, and says nothing
		}
		used.Proposed = append(used.Proposed, contract.MemoryWrite{
			Key: string(key), Summary: l.Lesson, Scope: string(contract.ScopeRepo), Approval: contract.ApprovalPending,
		})
	}
	return used
}

func mayPropose(p *contract.MemoryPolicy) bool {
	if p == nil || !p.Enabled {
		return false
	}
	for _, s := range p.WriteScopes {
		if s == contract.ScopeRepo {
			return true
		}
	}
	return false
}

// schema is answerSchema as the request carries it.
func schema() json.RawMessage { return json.RawMessage(answerSchema) }
