package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// repositorySteps are about the repository as a whole: the dashboard and its
// boxes, the clock, operations by hand, containers that go missing.
func repositorySteps() map[string]storyStep {
	return map[string]storyStep{
		"tick": (*story).tick, "untick": (*story).untick, "scrawl": (*story).scrawl, "sweep-bare": (*story).runBareSweep, "lose": (*story).loseNewest,
		"rerun-tick": (*story).runTick, "foreign": (*story).plantForeign, "ask": (*story).runOperation,
	}
}

// repositoryChecks are what is held of it.
func repositoryChecks() map[string]storyStep {
	return map[string]storyStep{
		"dashboard": (*story).isDashboard, "dashboards": (*story).isDashboards, "artifacts": (*story).isArtifacts, "repo-labels": (*story).isRepoLabels,
		"writes": (*story).isWrites, "unsaid": (*story).notInSummary, "issue-says": (*story).issueSays,
	}
}

// board is the number of the dashboard, 0 if there is none.
func (s *story) board() int {
	for _, n := range s.server.IssuesBy(s.repo, s.author()) {
		if strings.HasPrefix(s.server.IssueBody(s.repo, n), "<!-- familiar:dashboard") || s.server.IssueState(s.repo, n) == "closed" {
			s.threads["dashboard"] = n
			return n
		}
	}
	return 0
}

var (
	boardTag = regexp.MustCompile(`(<!-- familiar:dashboard v1 \S+) [0-9a-f]{64} -->`)
	boardSaw = regexp.MustCompile(`<!-- familiar:seen v1 (\d+) [0-9a-f]{64} [0-9a-f]{64} -->`)
	aBox     = regexp.MustCompile(`(<!-- familiar:box \S+ \S+) [0-9a-f]{64} -->`)
)

// isDashboard holds the dashboard issue: FILE.
func (s *story) isDashboard(w []string) {
	s.takes(w, 1, 1)
	n := s.board()
	if n == 0 {
		s.golden(w[0], "(none)")
		return
	}
	body := boardTag.ReplaceAllString(s.server.IssueBody(s.repo, n), "$1 TAG -->")
	body = boardSaw.ReplaceAllString(body, "<!-- familiar:seen v1 $1 DIGEST MAC -->")
	body = aBox.ReplaceAllString(body, "$1 TAG -->")
	s.golden(w[0], fmt.Sprintf("%s, %s\n\n%s", s.server.IssueState(s.repo, n), strings.Join(s.server.Labels(s.repo, n), " "), body))
}

// isDashboards holds how many issues the action opened.
func (s *story) isDashboards(w []string) {
	s.takes(w, 1, 1)
	if n := len(s.server.IssuesBy(s.repo, s.author())); strconv.Itoa(n) != w[0] {
		s.t.Errorf("line %d: %d dashboards, want %s\n%s", s.line, n, w[0], s.last.log)
	}
}

// tick ticks boxes of the dashboard as somebody does, and runs the action for
// it: LOGIN "retire m-ID"...
func (s *story) tick(w []string) {
	w, o := s.options(w)
	s.takes(w, 2, 9)
	before := s.dashboardBody()
	after := before
	for _, box := range w[1:] {
		after = s.toggled(after, box, "- [ ] ", "- [x] ")
	}
	s.edited(w[0], before, after, o)
}

// untick takes a tick back, without a run.
func (s *story) untick(w []string) {
	s.takes(w, 2, 2)
	s.server.EditIssueBody(s.repo, s.board(), s.toggled(s.dashboardBody(), w[1], "- [x] ", "- [ ] "))
}

func (s *story) dashboardBody() string {
	n := s.board()
	if n == 0 {
		s.fatalf("there is no dashboard")
	}
	return s.server.IssueBody(s.repo, n)
}

func (s *story) toggled(body, box, from, to string) string {
	found := false
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, from) && strings.Contains(line, "<!-- familiar:box "+s.real(box)+"@") {
			lines[i], found = to+strings.TrimPrefix(line, from), true
		}
	}
	if !found {
		s.fatalf("the dashboard has no box %q to change:\n%s", box, body)
	}
	return strings.Join(lines, "\n")
}

// scrawl changes words of the dashboard, and runs the action for it: LOGIN
// "WORDS" "OTHER WORDS" [BOX].
func (s *story) scrawl(w []string) {
	w, o := s.options(w)
	s.takes(w, 3, 4)
	before := s.dashboardBody()
	after := strings.Replace(before, w[1], w[2], 1)
	if after == before {
		s.fatalf("the dashboard does not say %q:\n%s", w[1], before)
	}
	if len(w) == 4 {
		after = s.toggled(after, w[3], "- [ ] ", "- [x] ")
	}
	s.edited(w[0], before, after, o)
}

// edited edits the dashboard and runs the action for that.
func (s *story) edited(login, before, after string, o runOptions) {
	n := s.board()
	s.server.EditIssueBody(s.repo, n, after)
	s.posted["tick"] = map[string]any{
		"action": "edited", "repository": s.described(), "sender": s.account(login), "changes": map[string]any{"body": map[string]any{"from": before}},
		"issue": map[string]any{"number": n, "title": "x", "state": "open", "user": s.account(s.author()), "body": after,
			"updated_at": s.server.Now().UTC().Format(time.RFC3339)},
	}
	s.starts("issues", login, s.posted["tick"], o)
}

// runTick runs the action for the last edit once more.
func (s *story) runTick(w []string) {
	w, o := s.options(w)
	s.takes(w, 1, 1)
	s.starts("issues", w[0], s.posted["tick"], o)
}

// runBareSweep runs the clock with a payload that names no repository.
func (s *story) runBareSweep(w []string) {
	w, o := s.options(w)
	s.takes(w, 0, 0)
	s.starts("schedule", "mara", map[string]any{"schedule": "17 3 * * *"}, o)
}

// runOperation starts an operation by hand: LOGIN OPERATION [ARGUMENT...],
// where SNAPSHOT is the id of the last snapshot.
// Who an input names is beside the point; the story names a stranger.
func (s *story) runOperation(w []string) {
	w, o := s.options(w)
	s.takes(w, 2, 9)
	o.inputs["operation"] = w[1]
	for i := range w {
		w[i] = s.real(w[i])
		if w[i] == "SNAPSHOT" {
			all := s.server.Artifacts(s.repo, "familiar-snapshot-501")
			if len(all) == 0 {
				s.fatalf("there is no snapshot")
			}
			w[i] = itoa(all[len(all)-1].ID)
		}
	}
	if len(w) > 2 {
		o.inputs["arguments"] = strings.Join(w[2:], "\n")
	}
	s.starts("workflow_dispatch", w[0], map[string]any{
		"repository": s.described(), "sender": s.account(w[0]), "inputs": map[string]any{"actor": "ada", "operation": w[1]}, "ref": "refs/heads/main", "workflow": workflow,
	}, o)
}

// loseNewest deletes the newest N containers, as an attacker or an accident
// does.
func (s *story) loseNewest(w []string) {
	s.takes(w, 1, 1)
	times, err := strconv.Atoi(w[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	for range times {
		var newest githubtest.Artifact
		for _, name := range []string{"familiar-memory-501", "familiar-memory-501-again"} {
			for _, a := range s.server.Artifacts(s.repo, name) {
				if a.ID > newest.ID {
					newest = a
				}
			}
		}
		if newest.ID == 0 {
			s.fatalf("there is no container left")
		}
		s.server.DeleteArtifact(s.repo, newest.ID)
	}
}

// plantForeign puts an artifact under our name that comes from another
// repository.
func (s *story) plantForeign(w []string) {
	s.takes(w, 0, 0)
	run := s.server.AddRun(githubtest.Run{Repo: s.repo, Name: "x", Path: workflow, Event: "pull_request", HeadBranch: "topic", HeadSHA: s.server.Head(s.repo, "main"), HeadRepo: s.foreignRepo(), Actor: "stranger"})
	s.server.AddArtifact(githubtest.Artifact{Repo: s.repo, Name: "familiar-memory-501", Run: run.ID, Data: []byte("not ours")})
}

func (s *story) foreignRepo() string {
	s.server.AddRepo(githubtest.Repo{Owner: "stranger", Name: "ledger", ID: 999, OwnerID: 13, OwnerType: "User", Visibility: "public", DefaultBranch: "main", Fork: true})
	return "stranger/ledger"
}

// isArtifacts holds how many artifacts of a name there are: NAME N.
func (s *story) isArtifacts(w []string) {
	s.takes(w, 2, 2)
	if n := len(s.server.Artifacts(s.repo, w[0])); strconv.Itoa(n) != w[1] {
		s.t.Errorf("line %d: %d artifacts %s, want %s\n%s", s.line, n, w[0], w[1], s.last.log)
	}
}

// isRepoLabels holds the labels of the repository.
func (s *story) isRepoLabels(w []string) {
	if got := strings.Join(s.server.RepoLabels(s.repo), " "); got != strings.Join(w, " ") {
		s.t.Errorf("line %d: the labels are %q, want %q", s.line, got, strings.Join(w, " "))
	}
}

// isWrites holds how much the last run wrote through the API and the results
// service.
func (s *story) isWrites(w []string) {
	s.takes(w, 1, 1)
	if n := s.server.Writes(); strconv.Itoa(n) != w[0] {
		for _, e := range s.server.Log() {
			s.t.Logf("%-7s %-6s %s", e.Host, e.Method, e.Path)
		}
		s.t.Errorf("line %d: %d writes, want %s\n%s", s.line, n, w[0], s.last.log)
	}
}

// notInSummary holds that a text is neither in the summary nor in the log.
func (s *story) notInSummary(w []string) {
	s.takes(w, 1, 1)
	if strings.Contains(s.last.summary+s.last.log, s.real(w[0])) {
		s.t.Errorf("line %d: %q is said:\n%s\n%s", s.line, w[0], s.last.log, s.last.summary)
	}
}

// issueSays holds a part of the dashboard's text.
func (s *story) issueSays(w []string) {
	s.takes(w, 1, 1)
	s.contains("the dashboard", s.server.IssueBody(s.repo, s.board()), w[0])
}
