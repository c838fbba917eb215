package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/vault"
)

// TestAMemoryKnowsTheCredentialsThatOpenedIt: the token in use and the key, of
// the environment or of a file, are what no lesson may hold.
func TestAMemoryKnowsTheCredentialsThatOpenedIt(t *testing.T) {
	t.Parallel()
	key, _, err := vault.NewKey(strings.NewReader(strings.Repeat("some bytes for a key of this test", 4)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key.txt"), []byte("# made today\n"+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	token := "a-token-" + strings.Repeat("x7", 8)
	env := Env{Dir: dir, Getenv: func(name string) string { return map[string]string{"GH_TOKEN": token}[name] }}
	f := &memoryFlags{keyFile: "key.txt"}
	if _, err := f.keys(env); err != nil {
		t.Fatal(err)
	}
	live := f.live(env)()
	if !slices.Contains(live, token) {
		t.Error("the token is not among them")
	}
	finder := redact.NewFinder(live...)
	for _, secret := range []string{key, token} {
		if len(finder.FindSecrets("it is "+secret)) == 0 {
			t.Errorf("%.12s... may stand in a lesson", secret)
		}
	}
}
