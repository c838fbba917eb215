package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/text"
)

// Limits of a reviewer that runs as a process (page 7.2).
const (
	DefaultDeadline = 20 * time.Minute
	maxOutput       = 64 << 10 // of each of stdout and stderr that is kept
	goneWithin      = 5 * time.Second
)

// allowedEnv is everything of our environment that a reviewer process sees.
// None of it is a credential or says where one is.
var allowedEnv = []string{"PATH", "LANG", "LC_ALL", "TZ", "TERM", "NO_COLOR"}

// ExecOptions say how a command runs.
type ExecOptions struct {
	// Command is the program and its own leading arguments; the contract's
	// flags are appended. It comes from a step input or the command line,
	// never from a file in a repository (page 3.1).
	Command []string
	// Dir is an empty folder for the hand-over and the result.
	Dir string
	// Local says that the person at the keyboard runs their own command on
	// their own machine; then no other user id is needed. Everywhere else the
	// command runs under another user id, or not at all.
	Local bool
	// Deadline for one attempt; 0: DefaultDeadline.
	Deadline time.Duration
	// Retries after an infrastructure failure.
	Retries int
	// Shape of the policy in the brief.
	Shape contract.PolicyShape
	// Diff is the change as git prints it, for diff.patch.
	Diff []byte
	// Adapt reads a result of another form than the contract's, such as SARIF;
	// ok is false for data of no form that it knows. An error refuses the whole
	// result, like one of the contract's decoding. May be nil.
	Adapt func(data []byte) (out Output, ok bool, err error)
	// Started is told the leader of the reviewer's session once it runs; an
	// error ends the reviewer. May be nil.
	Started func(leader int) error
}

// ExecReviewer runs `CMD --headless --context BRIEF --output RESULT` (page
// 7.2). It believes nothing of the result: it decodes it strictly and hands
// it on as candidates and claims.
type ExecReviewer struct{ Options ExecOptions }

var _ Reviewer = ExecReviewer{}

// ErrPrivileges is returned where a reviewer would have to run with our own
// rights, or could reach what lends it ours (page 7.2): outside `familiar
// local` that is refused. What it wraps says which.
var ErrPrivileges = errors.New("the exec reviewer needs to run under another user id with nothing of ours in its reach")

// refusePrivileges says why a reviewer is not started, and what to do.
func refusePrivileges(format string, args ...any) error {
	return fmt.Errorf("%w: %s; run it with `familiar local`, or use prepare and publish around your own step", ErrPrivileges, fmt.Sprintf(format, args...))
}

// Review implements Reviewer. Its error is for what keeps the reviewer from
// being started; how the reviewer ended is in Output.Outcome.
func (r ExecReviewer) Review(ctx context.Context, job Job) (Output, error) {
	o := r.Options
	if len(o.Command) == 0 || strings.TrimSpace(o.Command[0]) == "" {
		return Output{}, errors.New("the exec reviewer has no command: give one with --exec-command")
	}
	who := ownRights
	if !o.Local {
		var err error
		if who, err = otherRights(o.Dir); err != nil {
			return Output{}, err
		}
	}
	brief, err := contract.EncodeBrief(job.Brief, o.Shape)
	if err != nil {
		return Output{}, fmt.Errorf("the brief is not written: %w", err)
	}
	var out Output
	for attempt := 0; attempt <= o.Retries; attempt++ {
		dir, err := os.MkdirTemp(o.Dir, fmt.Sprintf("attempt-%d-", attempt+1))
		if err != nil {
			return Output{}, err
		}
		out, err = r.attempt(ctx, dir, brief, job, who)
		if err != nil || out.Outcome != Infra || ctx.Err() != nil {
			return out, err
		}
	}
	return out, nil
}

// attempt runs the command once, in a folder of its own.
func (r ExecReviewer) attempt(ctx context.Context, dir string, brief []byte, job Job, who rights) (Output, error) {
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{in, out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return Output{}, err
		}
	}
	if err := who.open(dir, out); err != nil {
		return Output{}, err
	}
	written, err := WriteHandover(in, Handover{Brief: brief, Snapshot: job.Snapshot, Diff: r.Options.Diff})
	if err != nil {
		return Output{}, err
	}
	result := filepath.Join(out, ResultFile)
	end, err := r.run(ctx, out, written.Path(BriefFile), result, who)
	if err != nil {
		return Output{}, err
	}
	if !end.gone {
		return Output{Outcome: Infra, Detail: "a process of the reviewer could not be ended; its result is not used"}, nil
	}
	if err := written.Verify(); err != nil {
		return Output{Outcome: Infra, Detail: "the hand-over was tampered with, so the result is not used: " + err.Error()}, nil
	}
	return r.judge(end, result), nil
}

// ending is how a process ended, before its result is looked at.
type ending struct {
	exit   contract.Exit
	gone   bool // the whole process group is proven gone
	stderr string
}

// run starts the command in its own session and process group with an empty
// environment but for the allow-list, waits, and ends whatever it left behind.
func (r ExecReviewer) run(ctx context.Context, dir, brief, result string, who rights) (ending, error) {
	deadline := r.Options.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	args := append(append([]string{}, r.Options.Command[1:]...), "--headless", "--context", brief, "--output", result)
	cmd := exec.Command(r.Options.Command[0], args...)
	cmd.Dir = dir
	cmd.Env = environment(dir)
	var stderr, stdout capped
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A grandchild that keeps a pipe open must not hold us past the deadline.
	cmd.WaitDelay = goneWithin

	family := newFamily(who)
	defer family.release()
	cmd.SysProcAttr = family.attributes()
	ctx, cancel := context.WithTimeout(ctx, deadline) // waiting for our turn is not its time
	defer cancel()
	waited, err := who.start(cmd)
	if err != nil {
		return ending{}, fmt.Errorf("the reviewer %q cannot be started: %w", r.Options.Command[0], unstarted(err))
	}
	if r.Options.Started != nil {
		if err := r.Options.Started(cmd.Process.Pid); err != nil {
			family.kill(cmd.Process.Pid)
			<-waited
			family.endAll(cmd.Process.Pid, goneWithin)
			return ending{}, err
		}
	}
	var timedOut bool
	select {
	case <-waited:
	case <-ctx.Done():
		timedOut = true
		family.kill(cmd.Process.Pid)
		<-waited
	}
	gone := family.endAll(cmd.Process.Pid, goneWithin)
	state := cmd.ProcessState
	return ending{
		exit:   contract.Exit{Code: state.ExitCode(), Signaled: state.ExitCode() == -1 && !timedOut, TimedOut: timedOut},
		gone:   gone,
		stderr: stderr.String(),
	}, nil
}

// unstarted says what to do about a program that does not start.
func unstarted(err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("no program of that name is on PATH; name it with its path")
	case errors.Is(err, os.ErrNotExist):
		return errors.New("there is no such program; check the path, and the program that its first line names")
	case errors.Is(err, os.ErrPermission):
		return errors.New("it may not be run; make it executable, with chmod +x")
	}
	return err
}

// environment is the allow-list plus a home of the reviewer's own.
func environment(dir string) []string {
	env := []string{"HOME=" + dir, "TMPDIR=" + dir}
	for _, name := range allowedEnv {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// judge decides by exit code first and then by the result (page 7.1).
func (r ExecReviewer) judge(end ending, path string) Output {
	said := r.load(path)
	end.exit.ResultUsable = said.problem == ""
	class := contract.ClassifyExit(end.exit)
	if class != contract.ExitInfra && said.problem != "" {
		class = contract.ExitInfra
	}
	switch class {
	case contract.ExitFinished:
		return said.out
	case contract.ExitGaveUp:
		return Output{Outcome: GaveUp, Detail: Sentence("the reviewer gave up", said.why(end))}
	case contract.ExitNeedsInput:
		return Output{Outcome: NeedsInput, Detail: Sentence("the reviewer asks", said.why(end))}
	}
	return Output{Outcome: Infra, Detail: infraDetail(end, said.problem)}
}

// answer is the result file of a reviewer.
type answer struct {
	out     Output
	summary string // in the reviewer's words
	adapted bool   // of another tool's form, which has no word for giving up
	problem string // why it is unusable; "" if it is usable
}

// why is what a reviewer that ended with 1 or 3 says about it. A linter ends
// with 1 where it found something, which is not what the code means here.
func (a answer) why(end ending) string {
	if !a.adapted {
		return a.summary
	}
	return strings.TrimSpace("its exit code says so, and the SARIF that it wrote is not used; let it end with 0 where it found something. " + end.stderr)
}

func (r ExecReviewer) load(path string) answer {
	data, err := ReadResult(path, contract.MaxResultBytes)
	if err != nil {
		return answer{problem: err.Error()}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return answer{problem: "the reviewer wrote an empty result"}
	}
	if r.Options.Adapt != nil {
		if out, ok, err := r.Options.Adapt(data); err != nil {
			return answer{problem: err.Error()}
		} else if ok {
			return answer{out: out, adapted: true}
		}
	}
	res, err := contract.DecodeResult(data)
	if err != nil {
		return answer{problem: "the result is refused: " + err.Error()}
	}
	return answer{out: finished(res), summary: res.Summary}
}

func finished(res contract.Result) Output {
	out := Output{
		Outcome:    Finished,
		Candidates: review.CandidatesFromResult(res),
		Reviewed:   res.Review.ReviewedFiles,
		Summary:    res.Summary,
		MemoryUsed: res.MemoryUsed,
	}
	// The exit code outranks status; a success by code with a failure by
	// word is the reviewer contradicting itself, and deny wins.
	switch res.Status {
	case contract.StatusFailure:
		return Output{Outcome: GaveUp, Detail: Sentence("the reviewer gave up", res.Summary)}
	case contract.StatusNeedsInput:
		return Output{Outcome: NeedsInput, Detail: Sentence("the reviewer asks", res.Summary)}
	}
	return out
}

func infraDetail(end ending, problem string) string {
	switch {
	case end.exit.TimedOut:
		return "the reviewer did not end before its deadline"
	case end.exit.Signaled:
		return "the reviewer was killed by a signal"
	}
	ended := Sentence(fmt.Sprintf("the reviewer ended with exit code %d", end.exit.Code), end.stderr)
	if problem != "" && end.exit.Code != 0 {
		return ended + "; " + problem
	} else if problem != "" && strings.TrimSpace(end.stderr) != "" {
		return Sentence(problem+"; it said", end.stderr)
	} else if problem != "" {
		return problem
	}
	return ended
}

// Sentence joins our words with a short, scrubbed piece of theirs: what another
// program said about how it ended, at most 400 characters of it.
func Sentence(ours, theirs string) string {
	theirs = strings.TrimSpace(redact.Scrub(strings.ToValidUTF8(theirs, "?")))
	if theirs == "" {
		return ours
	}
	return ours + ": " + text.Truncate(theirs, 400)
}

// capped keeps the first bytes written to it and drops the rest.
type capped struct{ buf []byte }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - len(c.buf); room > 0 {
		c.buf = append(c.buf, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (c *capped) String() string { return string(c.buf) }
