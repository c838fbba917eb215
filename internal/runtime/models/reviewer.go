package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/runtime"
)

// Limits of one review (page 7.2), and of what it asks for.
const (
	DefaultRead  = 45 * time.Second
	DefaultTotal = 20 * time.Minute
	maxOutput    = 16_000 // tokens of the answer, those of its thinking included
	leastTokens  = 4_000  // below it no review is worth its price
	firstWait    = 2 * time.Second
	maxHalvings  = 4 // of the change, where the endpoint finds it too long
)

// Options say whom to ask and how much. Endpoint, Key and Model come from the
// step's inputs or the command line, never from a file of a repository (page
// 3.1, attack A114).
type Options struct {
	Endpoint, Key, Model string

	// TokensPerRun and TokensPerDay bound what is spent; 0: nothing is.
	// SpentToday is what earlier runs of this day spent.
	TokensPerRun, TokensPerDay, SpentToday int
	// Retries after an infrastructure failure.
	Retries int

	// Secrets are the live credentials of this process but for Key. None of
	// them is sent, in whatever it occurs.
	Secrets []string

	// Paths and Ignore are the globs of what is reviewed; what is outside of
	// them is not sent. Attributes tell which files are generated.
	Paths, Ignore []string
	Attributes    diff.Attributes

	// Transport carries the requests; nil: the system's. Read and Total bound
	// one silence and the whole review; 0: DefaultRead, DefaultTotal.
	Transport   http.RoundTripper
	Read, Total time.Duration
	// Wait pauses between tries, Now is the time by which Retry-After is read;
	// nil: those of the system.
	Wait func(ctx context.Context, d time.Duration) error
	Now  func() time.Time
}

// Reviewer is the models runtime.
type Reviewer struct {
	options Options
	client  client
}

var _ runtime.Reviewer = Reviewer{}

// New checks the options. Its error names the input that is wrong, and never
// repeats a key.
func New(o Options) (Reviewer, error) {
	url, err := parseEndpoint(o.Endpoint)
	if err != nil {
		return Reviewer{}, err
	}
	if err := checkKey(o.Key, o.Secrets); err != nil {
		return Reviewer{}, err
	}
	if o.Model == "" {
		return Reviewer{}, errors.New("the models reviewer has no model: give model, by the name that the endpoint knows")
	}
	if o.Read == 0 {
		o.Read = DefaultRead
	}
	if o.Total == 0 {
		o.Total = DefaultTotal
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // what is read is what is counted
		o.Transport = t
	}
	c := client{url: url, key: o.Key, read: o.Read, now: o.Now, http: &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	return Reviewer{options: o, client: c}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Review implements runtime.Reviewer: one turn, asked again where the endpoint
// failed, and nothing of it used unless it is finished. Whatever happens is in
// the Output; the error is for a credential that would have been sent.
func (r Reviewer) Review(ctx context.Context, job runtime.Job) (runtime.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Total)
	defer cancel()
	s := &session{
		Reviewer: r, job: job, features: allFeatures(), finder: redact.NewFinder(append([]string{r.options.Key}, r.options.Secrets...)...),
		usage: runtime.Usage{Model: r.options.Model}, share: 1,
	}
	out, err := s.run(ctx)
	out.Usage = s.usage
	return out, err
}

// session is one review as it goes.
type session struct {
	Reviewer
	job      runtime.Job
	finder   redact.Finder
	features features
	usage    runtime.Usage
	share    int // the change gets this part of its room: 1, 2, 4, ...
	tries    int
}

// left is how many tokens may still be spent, and which limit that is.
func (s *session) left() (int, string) {
	run, day := s.options.TokensPerRun-s.usage.Total(), s.options.TokensPerDay-s.options.SpentToday-s.usage.Total()
	if day < run {
		return max(day, 0), fmt.Sprintf("runtime.tokens_per_day is %d, and %d are spent today", s.options.TokensPerDay, s.options.SpentToday+s.usage.Total())
	}
	return max(run, 0), fmt.Sprintf("runtime.tokens_per_run is %d, and %d are spent in this run", s.options.TokensPerRun, s.usage.Total())
}

func (s *session) run(ctx context.Context) (runtime.Output, error) {
	for {
		left, limit := s.left()
		output := min(maxOutput, left/4)
		p := s.prompt(left - output)
		switch {
		case len(p.cut.Files) == 0 && len(p.cut.Left) == 0:
			return runtime.Output{Outcome: runtime.Finished, Summary: "There was nothing to read for a model."}, nil
		case left < leastTokens || len(p.cut.Files) == 0 || p.tokens()+output > left:
			return runtime.Output{Outcome: runtime.Limited, Detail: "no tokens are left for the model: " + limit}, nil
		}
		data, err := body(s.options.Model, p, s.features, output)
		if err != nil {
			return runtime.Output{}, err
		}
		if s.finder.HasLive(string(data)) {
			return runtime.Output{}, errors.New("nothing was sent to the model: the request would have held a credential of this run")
		}
		out, again, err := s.turn(ctx, p, data)
		if err != nil || !again {
			return out, err
		}
	}
}

// prompt builds the prompt, smaller until its estimate fits: making hidden
// characters visible may have made it longer.
func (s *session) prompt(budget int) prompt {
	fence := newFence()
	p := build(s.job, s.options, budget/s.share, fence, s.finder)
	for smaller := budget / s.share; p.tokens() > budget/s.share && smaller > leastTokens/2; {
		smaller -= max(p.tokens()-budget/s.share, smaller/8)
		p = build(s.job, s.options, smaller, fence, s.finder)
	}
	return p
}

// turn asks once. again says that the question should be asked another time.
func (s *session) turn(ctx context.Context, p prompt, data []byte) (out runtime.Output, again bool, err error) {
	s.usage.Turns++
	t, f := s.client.ask(ctx, data)
	s.count(p, t, f)
	if f == nil && t.refusal != "" {
		return runtime.Output{Outcome: runtime.GaveUp, Detail: runtime.Sentence("the model declined to review this change", t.refusal)}, false, nil
	}
	if f == nil {
		a, err := decodeAnswer(t.text)
		if err == nil {
			return a.output(s.job, p), false, nil
		}
		f = &failure{why: err.Error(), retry: true}
	}
	if again := s.adapt(f); again {
		return runtime.Output{}, true, nil
	}
	if out, again = s.retry(ctx, f); again {
		return runtime.Output{}, true, nil
	}
	return out, false, nil
}

// adapt changes the question where the endpoint cannot take it as it is. That
// is no retry: nothing failed.
func (s *session) adapt(f *failure) bool {
	if tooLong(f) && s.share < 1<<maxHalvings {
		s.share *= 2
		return true
	}
	fewer, about := s.features.without(f.status, f.theirs)
	s.features = fewer
	return about
}

// retry waits before another try, or says how the review ends without one.
func (s *session) retry(ctx context.Context, f *failure) (runtime.Output, bool) {
	out := runtime.Output{Outcome: runtime.Infra, Detail: runtime.Sentence(f.why, s.finder.Scrub(f.theirs))}
	if f.limited {
		out.Outcome = runtime.Limited
	}
	if !f.retry || s.tries >= s.options.Retries || ctx.Err() != nil {
		return out, false
	}
	pause := firstWait << min(s.tries, 5)
	if f.wait > 0 {
		pause = f.wait
	}
	if end, ok := ctx.Deadline(); ok && s.options.Now().Add(pause).After(end) {
		out.Detail += fmt.Sprintf("; it asks for a pause of %s, and this review does not have that long", pause)
		return out, false
	}
	if s.options.Wait(ctx, pause) != nil {
		return out, false
	}
	s.tries++
	return out, true
}

// count adds what a request cost: as the endpoint tells, else our estimate.
func (s *session) count(p prompt, t turn, f *failure) {
	switch {
	case f == nil && t.usage != nil:
		s.usage.Input += max(t.usage.Input, 0)
		s.usage.Output += max(t.usage.Output, 0)
	case f == nil:
		s.usage.Input, s.usage.Output, s.usage.Estimated = s.usage.Input+p.tokens(), s.usage.Output+estimate(len(t.text)), true
	case f.sent:
		s.usage.Input, s.usage.Output, s.usage.Estimated = s.usage.Input+p.tokens(), s.usage.Output+estimate(f.read), true
	}
}
