package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// exampleStep is what a step of a workflow to copy says.
type exampleStep struct {
	Uses, Run string
	With, Env map[string]string
}

// exampleJob is the job `review` of a workflow to copy.
func exampleJob(t *testing.T, file string) (filter string, types []string, steps []exampleStep) {
	t.Helper()
	var w struct {
		On struct {
			Target struct{ Types []string } `yaml:"pull_request_target"`
		}
		Jobs struct {
			Review struct {
				If    string
				Steps []exampleStep
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../examples/"+file)), &w); err != nil {
		t.Fatal(err)
	}
	return w.Jobs.Review.If, w.On.Target.Types, w.Jobs.Review.Steps
}

// TestTheModelsExampleAsksTheModel: the inputs of the workflow to copy, with
// the address and the key of a stand-in, and the filter of the job that it
// takes the place of.
func TestTheModelsExampleAsksTheModel(t *testing.T) {
	filter, types, steps := exampleJob(t, "reviewers/models.yml")
	want, wantTypes, _ := exampleJob(t, "private/familiar.yml")
	if want = strings.TrimPrefix(want, "github.event_name == 'pull_request_target' && "); filter != want || strings.Join(types, " ") != strings.Join(wantTypes, " ") {
		t.Errorf("it starts on %v if %s\nand the job that it replaces on %v if %s", types, filter, wantTypes, want)
	}
	if len(steps) != 1 || steps[0].With["memory-key"] != "${{ secrets.FAMILIAR_MEMORY_KEY }}" || steps[0].With["model-api-key"] != "${{ secrets.MODEL_API_KEY }}" {
		t.Fatalf("steps %+v", steps)
	}
	c := newChat(t, "services/retry.go", chatEnd)
	inputs := steps[0].With
	inputs["model-endpoint"] = strings.Replace(inputs["model-endpoint"], "https://models.example.com", c.URL, 1)
	inputs["model-api-key"] = "key-of-the-stand-in"
	r := newRunner(t)
	inputs["memory-key"] = r.key
	p := r.pull("mara", map[string]string{"services/retry.go": retry})
	got := r.run("pull_request_target", "mara", r.openedPayload(p, "mara"), inputs)
	if got.status != 0 || got.outputs["findings"] != "1" || c.times() != 1 || c.keys[0] != "Bearer key-of-the-stand-in" {
		t.Fatalf("exit %d, asked %d times, outputs %v\n%s", got.status, c.times(), got.outputs, got.log)
	}
	if !strings.Contains(c.asked[0], `"stream":true`) || !strings.Contains(c.asked[0], inputs["model"]) {
		t.Errorf("asked\n%s", c.asked[0])
	}
	page := read(t, "../../docs/data-boundary.md")
	for _, name := range []string{"runtime", "model-endpoint", "model", "model-api-key"} {
		if !strings.Contains(page, "\n          "+name+": ") {
			t.Errorf("docs/data-boundary.md does not show the input %s", name)
		}
	}
	if !strings.Contains(page, "examples/reviewers/models.yml") {
		t.Error("docs/data-boundary.md does not name the workflow")
	}
}

// TestTheHeadlessExampleRunsAReviewerOfTheContract: the script of the workflow
// to copy between prepare and publish, for a review, one that gave up and one that failed.
func TestTheHeadlessExampleRunsAReviewerOfTheContract(t *testing.T) {
	_, _, steps := exampleJob(t, "reviewers/coven-code.yml")
	script, form := exampleStep{}, ""
	for _, s := range steps {
		if s.Run != "" {
			script = s
		}
		if s.With["operation"] == "publish" {
			form = s.With["arguments"]
		}
	}
	answer, err := filepath.Abs("../runtime/adapt/testdata/coven-code.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, reviewer string
		ends           bool // the step
		findings       string
	}{
		{"a review", `cp "$ANSWER" "$5"`, true, "1"},
		{"exit code 1: it gave up", `sed 's/"status": "success"/"status": "failure", "exit_reason": "infra_error"/' "$ANSWER" > "$5"; exit 1`, true, "0"},
		{"exit code 2: it failed", `cp "$ANSWER" "$5"; exit 2`, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			p := r.pull("mara", map[string]string{"services/retry.go": retry})
			r.newRun("pull_request_target")
			j := r.newJob("")
			prepared := j.does(p, "mara", map[string]string{"operation": "prepare"})
			j.writes(prepared, nil)
			tools := t.TempDir()
			head := "#!/bin/sh\n[ \"$1 $2 $4\" = '--headless --context --output' ] && grep -q memory_policy \"$3\" || exit 9\n"
			if err := os.WriteFile(filepath.Join(tools, script.Env["REVIEWER"]), []byte(head+c.reviewer+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			step := exec.Command("bash", "-e", "-c", script.Run)
			step.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "ANSWER="+answer, "REVIEWER="+script.Env["REVIEWER"],
				"BRIEF="+prepared.outputs["brief-path"], "RESULT="+prepared.outputs["result-path"])
			if out, err := step.CombinedOutput(); (err == nil) != c.ends {
				t.Fatalf("the step: %v\n%s", err, out)
			}
			if !c.ends {
				return
			}
			got := j.does(p, "mara", map[string]string{"operation": "publish", "arguments": form})
			if got.outputs["findings"] != c.findings || (got.status == 0) != (c.findings == "1") {
				t.Errorf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
			}
		})
	}
}
