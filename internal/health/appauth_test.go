package health

import (
	"slices"
	"testing"
)

func TestAnAppIsGivenWholeAndItsKeyIsKept(t *testing.T) {
	const file, key = ".github/workflows/familiar.yml", "          memory-key: ${{ secrets.FAMILIAR_MEMORY_KEY }}\n"
	const id, secret = "          app-id: 1\n", "          app-private-key: ${{ secrets.K }}\n"
	for name, c := range map[string]struct{ with, permission, want string }{
		"id and key":                {id + secret, "      checks: write\n", ""},
		"no key":                    {id, "", "error key " + file + ":26: The job `review` has app-id without app-private-key."},
		"no id":                     {secret, "", "error key " + file + ":26: The job `review` has app-private-key without app-id."},
		"a key from a variable":     {id + "          app-private-key: ${{ vars.K }}\n", "", "error key " + file + ":27: The App's private key does not come from a secret."},
		"checks: write without one": {"", "      checks: write\n", "warning permissions " + file + ":14: The job `review` has the permission `checks: write`, which familiar does not use."},
	} {
		text := swap(t, base, key, key+c.with, "      actions: read\n", "      actions: read\n"+c.permission)
		got := lines(Workflows(factsOf("private", ParseWorkflow(file, []byte(text)), ParseWorkflow("sweep.yml", []byte(sweepFile)))))
		if want := []string{c.want}; c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	reads := swap(t, sweepFile, "actions: write", "actions: read")
	got := lines(Workflows(factsOf("private", ParseWorkflow(file, []byte(base)), ParseWorkflow("sweep.yml", []byte(reads)))))
	if want := []string{"warning permissions sweep.yml:10: The job `sweep`, which sweeps, may not delete artifacts."}; !slices.Equal(got, want) {
		t.Errorf("a sweep that only reads: %q", got)
	}
	w := ParseWorkflow(file, []byte(swap(t, base, key, key+id+secret)))
	f := RemoteFacts{Workflows: []Workflow{w}, RepoSecrets: Is([]string{"k"}), Environments: Is([]Environment{})}
	if got := lines(appKeys(f)); !slices.Equal(got, []string{"warning environment : K is a plain secret of the repository."}) {
		t.Errorf("a plain secret: %q", got)
	}
	f.RepoSecrets = Is([]string{})
	if got := lines(appKeys(f)); !slices.Equal(got, []string{"error key : There is no secret K."}) {
		t.Errorf("no secret: %q", got)
	}
}
