package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/vault"
)

// What people and machines do in a story.
func worldSteps() map[string]storyStep {
	return map[string]storyStep{
		"public": (*story).makePublic, "main": (*story).pushMain, "key": (*story).setKey, "token": (*story).setToken,
		"grant": (*story).grant, "issue": (*story).openIssue, "pull": (*story).openPull, "push": (*story).pushPull, "close": (*story).closeThread,
		"post": (*story).post, "edit": (*story).editPosted, "delete": (*story).deletePosted, "reply": (*story).replyInline,
		"label": (*story).putLabel, "unlabel": (*story).takeLabel, "advance": (*story).advance, "rename": (*story).rename,
		"fault": (*story).fault, "calm": (*story).calm, "latency": (*story).latency,
	}
}

func (s *story) makePublic([]string) {
	s.public = true
	s.server.SetVisibility(s.repo, "public")
}

func (s *story) pushMain(w []string) {
	s.takes(w, 1, 1)
	s.head(s.server.Push(s.repo, "main", s.folder(w[0])))
}

// key none takes the memory away, key new is another one, key rotated adds one
// that seals from now on, and key oldest takes all but the first away again.
func (s *story) setKey(w []string) {
	s.takes(w, 1, 1)
	s.keys++
	fresh, _, err := vault.NewKey(strings.NewReader(strings.Repeat("another source of bytes for test "+strconv.Itoa(s.keys)+" ", 4)))
	if err != nil {
		s.fatalf("no key: %v", err)
	}
	switch w[0] {
	case "none":
		s.runner.key = ""
	case "new":
		s.runner.key = fresh
	case "oldest":
		lines := strings.Split(s.runner.key, "\n")
		s.runner.key = lines[len(lines)-1]
	case "rotated":
		s.runner.key = fresh + "\n" + s.runner.key
	default:
		s.fatalf("key takes none, new, oldest or rotated")
	}
}

func (s *story) setToken(w []string) {
	if len(w) == 1 && w[0] == "full" {
		s.token = s.server.FullToken()
		return
	}
	s.token = s.server.Token(w...)
}

func (s *story) grant(w []string) {
	s.takes(w, 2, 2)
	s.server.Grant(s.repo, w[0], w[1])
}

func (s *story) openIssue(w []string) {
	s.takes(w, 3, 3)
	s.threads[w[0]] = s.server.AddIssue(githubtest.Issue{Repo: s.repo, Title: w[2], Author: w[1]})
}

// openPull opens a pull request: NAME AUTHOR FOLDER, and fork for one from
// the author's own copy.
func (s *story) openPull(w []string) {
	s.takes(w, 3, 4)
	spec := githubtest.PullSpec{Repo: s.repo, Title: "A change", Author: w[1], BaseRef: "main", Head: s.folder(w[2])}
	if len(w) == 4 && w[3] == "fork" {
		spec.HeadRepo, spec.HeadRef = w[1]+"/ledger", "topic"
		s.server.AddRepo(githubtest.Repo{Owner: w[1], Name: "ledger", ID: 9000 + s.people[w[1]], OwnerID: s.people[w[1]], OwnerType: "User", Visibility: "public", DefaultBranch: "main", Fork: true})
	} else if len(w) == 4 {
		s.fatalf("pull takes fork as its last word")
	}
	p := s.server.AddPull(spec)
	s.threads[w[0]], s.pulls[p.Number] = p.Number, true
	s.head(p.HeadSHA)
}

func (s *story) pushPull(w []string) {
	s.takes(w, 2, 2)
	s.head(s.server.PushPull(s.repo, s.thread(w[0]), s.folder(w[1])).HeadSHA)
}

func (s *story) closeThread(w []string) {
	s.takes(w, 1, 1)
	s.server.Close(s.repo, s.thread(w[0]))
}

func (s *story) thread(name string) int {
	n, ok := s.threads[name]
	if !ok {
		s.fatalf("no issue or pull request is called %s", name)
	}
	return n
}

// text is what somebody types: a file of the story, without its last line end.
func (s *story) text(name string) string { return s.real(strings.TrimRight(s.data(name), "\n")) }

// post writes a comment: NAME THREAD LOGIN FILE. Its event is kept, so that a
// run for it sees what GitHub sent then. FILE "=words" is the words themselves.
func (s *story) post(w []string) {
	s.takes(w, 4, 4)
	var body string
	if words, ok := strings.CutPrefix(w[3], "="); ok {
		body = s.real(words)
	} else {
		body = s.text(w[3])
	}
	c := s.server.Comment(s.repo, s.thread(w[1]), w[2], body)
	s.ids[w[0]] = c.ID
	issue := map[string]any{"number": c.Number, "title": "x", "state": "open", "user": s.account("mara")}
	if s.isPull(c.Number) {
		issue["pull_request"] = map[string]any{"url": "https://api.github.com/repos/" + s.repo + "/pulls/" + strconv.Itoa(c.Number)}
	}
	at := c.CreatedAt.UTC().Format(time.RFC3339)
	s.posted[w[0]] = map[string]any{
		"action": "created", "repository": s.described(), "sender": s.account(w[2]), "issue": issue,
		"comment": map[string]any{
			"id": c.ID, "body": body, "html_url": "https://github.com/" + s.repo + "/issues/" + strconv.Itoa(c.Number) + "#issuecomment-" + itoa(c.ID),
			"user": s.account(w[2]), "created_at": at, "updated_at": at,
		},
	}
}

func (s *story) commentID(name string) int64 {
	id, ok := s.ids[name]
	if !ok {
		s.fatalf("no comment is called %s", name)
	}
	return id
}

func (s *story) editPosted(w []string) {
	s.takes(w, 3, 3)
	s.server.EditComment(s.commentID(w[0]), w[1], s.text(w[2]))
}

func (s *story) deletePosted(w []string) {
	s.takes(w, 1, 1)
	s.server.DeleteComment(s.commentID(w[0]))
}

// replyInline answers the Nth comment on a line: PULL N LOGIN FILE.
func (s *story) replyInline(w []string) {
	s.takes(w, 4, 4)
	all := s.server.PullComments(s.repo, s.thread(w[0]))
	n, err := strconv.Atoi(w[1])
	if err != nil || n < 1 || n > len(all) {
		s.fatalf("there are %d comments on lines", len(all))
	}
	s.server.ReplyInline(all[n-1].ID, w[2], s.text(w[3]))
}

func (s *story) putLabel(w []string) {
	s.takes(w, 3, 3)
	s.server.Label(s.repo, s.thread(w[0]), w[1], w[2])
}

func (s *story) takeLabel(w []string) {
	s.takes(w, 3, 3)
	s.server.Unlabel(s.repo, s.thread(w[0]), w[1], w[2])
}

func (s *story) advance(w []string) {
	s.takes(w, 1, 1)
	d, err := time.ParseDuration(w[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	s.server.Advance(d)
}

func (s *story) rename(w []string) {
	s.takes(w, 1, 1)
	s.server.Rename(s.repo, w[0])
	s.repo = w[0]
}

// fault makes a route fail: ROUTE EFFECT [TIMES] [after=N], where EFFECT is a status,
// cut, lose, secondary or primary, and TIMES is 1 or always; after=N lets N
// requests pass first.
func (s *story) fault(w []string) {
	s.takes(w, 2, 4)
	after := 0
	if n, ok := strings.CutPrefix(w[len(w)-1], "after="); ok {
		after, _ = strconv.Atoi(n)
		w = w[:len(w)-1]
	}
	f := map[string]githubtest.Fault{
		"cut": {Cut: true}, "lose": {Lose: true}, "stale": {Stale: true},
		"secondary": {Secondary: true, RetryAfter: time.Second}, "primary": {Primary: true, RetryAfter: 2 * time.Hour},
	}
	effect, ok := f[w[1]]
	if !ok {
		status, err := strconv.Atoi(w[1])
		if err != nil {
			s.fatalf("no fault %s", w[1])
		}
		effect = githubtest.Fault{Status: status}
	}
	times := 1
	if len(w) == 3 {
		if times, _ = strconv.Atoi(w[2]); w[2] == "always" {
			times = githubtest.Always
		}
	}
	effect.After = after
	s.server.Fault(w[0], effect, times)
}

func (s *story) calm([]string) { s.server.ClearFaults() }

func (s *story) latency(w []string) {
	s.takes(w, 1, 1)
	d, err := time.ParseDuration(w[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	s.server.Latency(d)
}

func (s *story) account(login string) map[string]any {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	if s.people[login] == 0 {
		s.people[login] = s.server.AddUser(login, 0, kind).ID
	}
	return map[string]any{"id": s.people[login], "login": login, "type": kind}
}

// described is the repository as the payload of an event tells it.
func (s *story) described() map[string]any {
	owner, name, _ := strings.Cut(s.repo, "/")
	visibility := "private"
	if s.public {
		visibility = "public"
	}
	return map[string]any{
		"id": 501, "name": name, "full_name": s.repo, "private": !s.public, "visibility": visibility, "default_branch": "main",
		"owner": map[string]any{"id": 77, "login": owner, "type": "Organization"},
	}
}
