package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/familiarhq/familiar/internal/contract"
)

// visible are the commands that people see, the root first.
func visible(cmd *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, visible(sub)...)
		}
	}
	return out
}

func TestEveryCommandHasAManualPageWithAllItsOptions(t *testing.T) {
	root := newRoot(Env{})
	pages := manPages(root)
	commands := visible(root)
	if len(pages) != len(commands) || len(commands) < 15 {
		t.Fatalf("%d pages for %d commands", len(pages), len(commands))
	}
	for _, cmd := range commands {
		page := pages[manName(cmd)+".1"]
		for _, want := range []string{".SH NAME\n" + roff(manName(cmd)) + ` \- `, ".SH EXIT STATUS\n", roff(cmd.UseLine())} {
			if !strings.Contains(page, want) && cmd.Runnable() {
				t.Errorf("%s: the page lacks %q", cmd.CommandPath(), want)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("%s: the page lacks --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !strings.Contains(page, roff(manName(sub)+"(1)")) {
				t.Errorf("%s: the page does not lead to %s", cmd.CommandPath(), manName(sub))
			}
		}
	}
}

// requests are what a page may begin a line with.
var requests = regexp.MustCompile(`^\.(?:TH|SH|TP|PP|B|BR|nf|fi|nh|ad)\b`)

func TestNothingInAPageIsTakenForARequest(t *testing.T) {
	hostile := ".so /etc/passwd\n'nx\n\\*(xx \\fBbold\n\n.\n\ttab 'quoted' `code` a-b ~ ^"
	cmd := &cobra.Command{
		Use: `x "\"`, Short: hostile, Long: hostile + "\n\n  .so indented\n\n" + hostile, Example: hostile, Run: func(*cobra.Command, []string) {},
	}
	cmd.Flags().String("flag", "", "takes `.de`\n.so usage")
	for line := range strings.SplitSeq(manPage(cmd), "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !requests.MatchString(line) {
			t.Errorf("a line that troff obeys: %s", line)
		}
		if rest := regexp.MustCompile(`\\(?:[&e-]|\(aq|\(ga|\(ha|\(ti|\(dq)`).ReplaceAllString(line, ""); strings.Contains(rest, `\`) {
			t.Errorf("an escape that is not ours: %s", line)
		}
	}
	if got, want := roff("a.b\n.c\n\\d-e"), "a.b\n\\&.c\n\\ed\\-e"; got != want {
		t.Errorf("roff = %q, want %q", got, want)
	}
}

func TestPagesAreTheSameEachTime(t *testing.T) {
	first, second := manPages(newRoot(Env{})), manPages(newRoot(Env{}))
	for name, page := range first {
		if second[name] != page {
			t.Errorf("%s differs from one making to the next", name)
		}
	}
}

// TestTheEnvironmentIsDocumented: what the command line reads of the
// environment is in the page.
func TestTheEnvironmentIsDocumented(t *testing.T) {
	var documented []string
	for _, row := range environment {
		documented = append(documented, strings.Split(row[0], ", ")...)
	}
	for _, file := range []string{"local.go", "replay.go", "env.go"} {
		for _, m := range regexp.MustCompile(`Getenv\("([A-Z_]+)"\)`).FindAllStringSubmatch(read(t, file), -1) {
			// GITHUB_... of a run are the flags' defaults inside a job; TERM is everybody's.
			if name := m[1]; !slices.Contains(documented, name) && name != "TERM" && !strings.HasPrefix(name, "GITHUB_") {
				t.Errorf("%s reads %s, which familiar(1) does not name", file, name)
			}
		}
	}
}

func TestAVersionIsATagOrDev(t *testing.T) {
	for _, c := range []struct{ name, module, want string }{
		{"a tag", "v1.2.3", "v1.2.3"},
		{"a prerelease", "v1.2.3-rc.1", "v1.2.3-rc.1"},
		{"a commit without a tag", "v0.0.0-20261130102309-724bdc40abcd", "dev"},
		{"a commit after a tag", "v1.2.4-0.20261130102309-724bdc40abcd", "dev"},
		{"a commit after a prerelease", "v1.2.3-rc.1.0.20261130102309-724bdc40abcd", "dev"},
		{"a tag with changes", "v1.2.3+dirty", "dev"},
		{"a commit with changes", "v0.0.0-20261130102309-724bdc40abcd+dirty", "dev"},
		{"outside a module", "(devel)", "dev"},
		{"nothing", "", "dev"},
	} {
		if got := tagged(c.module); got != c.want {
			t.Errorf("%s: tagged(%q) = %q, want %q", c.name, c.module, got, c.want)
		}
	}
}

func TestClosedSetsAreCompletedWithWordsThatAreTaken(t *testing.T) {
	for _, w := range severityWords {
		if _, ok := contract.ParseSeverity(w); !ok {
			t.Errorf("%q is no severity", w)
		}
	}
	if len(severityWords) != contract.SeverityCritical.Rank() {
		t.Errorf("%d severities of %d", len(severityWords), contract.SeverityCritical.Rank())
	}
	for _, w := range closedSets["trust"] {
		if _, ok := contract.ParseTrustScope(w); !ok {
			t.Errorf("%q is no trust scope", w)
		}
	}
	if got := firstLine(strings.Repeat("ä", 61) + "\nmore"); len([]rune(got)) != 60 || !strings.HasSuffix(got, "...") {
		t.Errorf("a long text is shown as %q", got)
	}
}
