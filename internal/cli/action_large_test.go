package cli

import (
	"fmt"
	"strings"
	"testing"
)

// manyFiles is a change of more files than GitHub lists: over 100,000 added
// lines, one file whose patch GitHub leaves out, one that a program wrote, and
// conflict markers where they matter most and where they matter least.
func manyFiles() map[string]string {
	files := map[string]string{}
	body := strings.Repeat("\treturn shop.Total(cart.Items, currency) // adds what is in the cart\n", 34)
	for n := range 3005 {
		files[fmt.Sprintf("pkg/part%04d.go", n)] = fmt.Sprintf("package pkg\n\nfunc part%d() int {\n%s}\n", n, body)
	}
	marked := "<<<<<<< HEAD\nvar a = 1\n=======\nvar a = 2\n>>>>>>> topic\n"
	files["docs/guide.md"] = marked
	files["internal/auth/login.go"] = "package auth\n\n" + marked
	files["data/huge.sql"] = strings.Repeat("INSERT INTO prices VALUES (1);\n", 25_000)
	return files
}

// TestAChangeOfThousandsOfFilesInTheWholeBinary: bounded memory, an honest
// outcome, and what was left out by name and number.
func TestAChangeOfThousandsOfFilesInTheWholeBinary(t *testing.T) {
	const most = 300 // MB at the peak, as page 8.3 has it for the largest store
	r := newRunner(t)
	p := r.pull("mara", manyFiles())
	cost := newProcesses(t)
	r.through = cost.through
	r.server.ResetLog()
	got := r.opened(p, "mara")
	if got.status != 0 || got.outputs["outcome"] != "partly_reviewed" || got.outputs["findings"] != "2" {
		t.Fatalf("exit %d, outputs %v\n%s", got.status, got.outputs, got.log)
	}
	cost.note(t)
	peak := cost.all[0].PeakMB
	t.Logf("%.0f MB at the peak, %d calls", peak, r.server.Calls())
	if peak > most {
		t.Errorf("%.0f MB at the peak, more than %d", peak, most)
	}
	said := strings.Join(r.ours(p.Number), "\n")
	for _, want := range []string{
		"2 findings", "**F1** high · `docs/guide.md:1`", "`internal/auth/login.go:3`",
		"GitHub lists 3000 of the 3008 changed files; 8 were not read", "`data/huge.sql`", "GitHub shows none of its 25000 changed lines",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if n := len([]rune(said)); n > 65_536 {
		t.Errorf("the comment has %d characters", n)
	}
}
