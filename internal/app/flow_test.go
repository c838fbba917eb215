package app

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/review"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata/flow")

const (
	flowDir    = "../../testdata/flow"
	minStories = 20
)

// TestFlow runs the stories of testdata/flow. Each one gives a change, the
// facts about it, what was taught before and the reviewer's raw result; it
// tells what was decided, what was planned, what the comment says and what
// the store holds afterwards. testdata/flow/README.md names the sections.
func TestFlow(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(flowDir, "*.txtar"))
	if err != nil || len(files) < minStories {
		t.Fatalf("%d stories (%v), want at least %d", len(files), err, minStories)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(strings.ReplaceAll(name, "_", " "), func(t *testing.T) {
			t.Parallel()
			runStory(t, file)
		})
	}
}

// expected are the sections that a story's run writes, in their order.
var expected = []string{"decisions", "actions.jsonl", "comment.md", "store"}

func runStory(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(strings.Fields(string(archive.Comment))) < 3 {
		t.Fatalf("%s does not say what it tells", file)
	}
	story := readStory(t, archive)
	got := story.run(t)
	if *update {
		for _, name := range expected {
			archive.Files = replaced(archive.Files, name, got[name])
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range expected {
		if want := story.sections[name]; got[name] != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got[name], want)
		}
	}
}

func replaced(files []txtar.File, name, data string) []txtar.File {
	for i := range files {
		if files[i].Name == name {
			files[i].Data = []byte(data)
			return files
		}
	}
	return append(files, txtar.File{Name: name, Data: []byte(data)})
}

// run plays the story: it plans it once with the pieces that ReviewLocal is
// made of, so as to see each decision, then reviews for real, and holds that
// what was done is what was planned.
func (s *story) run(t *testing.T) map[string]string {
	w := s.build(t)
	before := w.storeBytes(t)
	planned := w.plan(t)
	if !bytes.Equal(before, w.storeBytes(t)) {
		t.Error("planning wrote to the store")
	}
	report, err := ReviewLocal(t.Context(), w.request)
	if err != nil {
		t.Fatal(err)
	}
	after := w.storeBytes(t)
	if w.request.DryRun && !bytes.Equal(before, after) {
		t.Error("a dry run changed the store's file")
	}
	if w.request.Stores != nil {
		planned.actions = append(planned.actions, keepLastReview(report)...)
	}
	performed := actionLines(t, actionsOf(report.Outcomes))
	if want := actionLines(t, planned.actions); performed != want {
		t.Errorf("performed\n%s\nbut planned\n%s", performed, want)
	}
	comment := render.Markdown(report.Items[0].Status).String()
	got := map[string]string{
		"decisions": planned.decisions + outcomeLines(report.Outcomes), "actions.jsonl": performed,
		"comment.md": comment, "store": w.describeStore(t),
	}
	w.neverShown(t, got, after)
	for _, name := range expected {
		got[name] = w.names.stable(got[name])
	}
	return got
}

// neverShown proves that no generated secret is in what is shown or stored.
func (w *world) neverShown(t *testing.T, got map[string]string, store []byte) {
	for name, secret := range w.secrets {
		for section, s := range got {
			if strings.Contains(s, secret) {
				t.Errorf("%s shows the %s", section, name)
			}
		}
		if bytes.Contains(store, []byte(secret)) {
			t.Errorf("the store's file holds the %s", name)
		}
	}
}

func actionsOf(outcomes []plan.Outcome) []plan.Action {
	var out []plan.Action
	for _, o := range outcomes {
		out = append(out, o.Action)
	}
	return out
}

// actionLines are planned actions as data, one a line.
func actionLines(t *testing.T, actions []plan.Action) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, a := range actions {
		if err := enc.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func outcomeLines(outcomes []plan.Outcome) string {
	var b strings.Builder
	for _, o := range outcomes {
		switch {
		case o.Done:
			fmt.Fprintf(&b, "%s: done\n", o.Action.Kind)
		case o.Err != nil:
			fmt.Fprintf(&b, "%s: failed\n", o.Action.Kind)
		default:
			fmt.Fprintf(&b, "%s: not done, %s\n", o.Action.Kind, o.Skipped)
		}
	}
	return b.String()
}

// planned is one change decided on and not acted on.
type planned struct {
	decisions string
	actions   []plan.Action
}

func (w *world) plan(t *testing.T) planned {
	var out planned
	var home Memory
	if w.request.Stores != nil {
		home = *w.request.Stores
	}
	err := withMemory(t.Context(), home, "it was switched off for this run", func(ctx context.Context, m *memoryFacts, problem string) error {
		subjects, _, err := chooseSubjects(ctx, w.request)
		if err != nil {
			return err
		}
		s := subjects[0]
		change, err := s.read(ctx)
		if err != nil {
			return err
		}
		set, err := newSettingsReader(w.clone).at(ctx, s.base)
		if err != nil {
			return err
		}
		f := gather(w.request, s, change, set, m, problem)
		who, _ := chooseReviewer(w.request, set)
		done, err := reviewChange(ctx, f, who)
		if err != nil {
			return err
		}
		out.actions = done.actions
		out.decisions, err = w.describeDecisions(ctx, f, done.status)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// describeDecisions says trust, policy and the verdict on every entry of the
// raw result, by position.
func (w *world) describeDecisions(ctx context.Context, f facts, s render.Status) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "trust %s\n", s.Trust.Scope)
	for _, r := range s.Trust.Reasons {
		fmt.Fprintf(&b, "  because %s\n", r.Text)
	}
	p := s.Policy
	fmt.Fprintf(&b, "memory on=%v reads=%v writes=%v approval_required=%v\n", p.Enabled, p.ReadScopes, p.WriteScopes, p.ApprovalRequired)
	for _, r := range s.PolicyReasons {
		fmt.Fprintf(&b, "  because %s\n", r.Text)
	}
	if s.MemoryOff != "" {
		fmt.Fprintf(&b, "  said as: %s\n", s.MemoryOff)
	}
	fmt.Fprintf(&b, "outcome %s\n", s.Outcome)
	for _, x := range s.Findings {
		fmt.Fprintf(&b, "finding %s %s %s:%d because=%v\n", x.ID, x.Severity, x.Path, x.Line, x.Because)
	}
	for reason, n := range s.Dropped {
		fmt.Fprintf(&b, "dropped %d: %s\n", n, reason)
	}
	if w.result == nil || s.Outcome == review.Failed {
		return b.String(), nil // nothing of an unfinished turn is judged
	}
	res, err := contract.DecodeResult(w.result)
	if err != nil {
		return "", err
	}
	verdict := computePolicy(f)
	snapshot, err := recall(ctx, f, verdict)
	if err != nil {
		return "", err
	}
	report := validate(f, verdict, computePolicy(f), snapshot, res.MemoryUsed)
	for _, r := range report.Reads {
		fmt.Fprintf(&b, "read[%d] %s\n", r.Position, verdictWord(string(r.Refused), "cited"))
	}
	for _, r := range report.Writes {
		fmt.Fprintf(&b, "proposed[%d] %s\n", r.Position, verdictWord(string(r.Refused), "accepted as "+string(r.Lesson.State)))
	}
	for _, r := range report.Refusals {
		fmt.Fprintf(&b, "refusal %s %s (%s): %s\n", r.Op, r.Target, r.Reason, r.Detail)
	}
	return b.String(), nil
}

func verdictWord(refused, accepted string) string {
	if refused != "" {
		return "refused: " + refused
	}
	return accepted
}
