package githubtest

import (
	"encoding/base64"
	"fmt"
	"time"
)

// The JSON shapes of GitHub's answers: the fields that have meaning here,
// each with GitHub's name and type.

type object = map[string]any

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func nodeID(kind string, id int64) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "0:%s%d", kind, id))
}

// account is a user, or null for one that is gone.
func account(u *User) any {
	if u == nil {
		return nil
	}
	return object{"login": u.Login, "id": u.ID, "node_id": nodeID("User", u.ID), "type": u.Type,
		"site_admin": false, "url": "https://api.github.com/users/" + u.Login,
		"html_url": "https://github.com/" + u.Login, "avatar_url": ""}
}

func (s *Server) repository(r *repo) any {
	if r == nil {
		return nil
	}
	return object{"id": r.ID, "node_id": nodeID("Repository", r.ID), "name": r.Name, "full_name": r.FullName(),
		"owner": account(r.owner), "private": r.Visibility != "public", "fork": r.Fork,
		"html_url": "https://github.com/" + r.FullName(), "url": s.api.URL + "/repos/" + r.FullName()}
}

func (s *Server) fullRepository(r *repo) any {
	o := s.repository(r).(object)
	o["visibility"], o["default_branch"], o["archived"] = r.Visibility, r.DefaultBranch, false
	o["disabled"], o["has_issues"] = false, true
	return o
}

func (s *Server) labelShapes(th *thread) []any {
	out := []any{}
	for _, name := range th.labels {
		out = append(out, labelShape(*th.repo.label(name)))
	}
	return out
}

func labelShape(l labelDef) any {
	return object{"id": l.id, "node_id": nodeID("Label", l.id), "name": l.name, "color": l.color,
		"description": l.description, "default": false}
}

// association is what a payload says of an author. It is wrong for private
// members on GitHub too, so that nothing may be decided by it.
func association(r *repo, u *User) string {
	if u == nil {
		return "NONE"
	}
	if u.ID == r.OwnerID {
		return "OWNER"
	}
	if _, ok := r.roles[fold(u.Login)]; ok {
		return "CONTRIBUTOR"
	}
	return "NONE"
}

func (s *Server) issueShape(th *thread) any {
	o := object{"id": th.id, "node_id": nodeID("Issue", th.id), "number": th.number, "title": th.title,
		"body": th.body, "state": th.state, "locked": false, "user": account(th.author),
		"labels": s.labelShapes(th), "comments": len(th.comments), "created_at": stamp(th.created),
		"updated_at": stamp(th.updated), "closed_at": nil, "author_association": association(th.repo, th.author),
		"url":      fmt.Sprintf("%s/repos/%s/issues/%d", s.api.URL, th.repo.FullName(), th.number),
		"html_url": fmt.Sprintf("https://github.com/%s/issues/%d", th.repo.FullName(), th.number)}
	if th.state == "closed" {
		o["closed_at"] = stamp(th.updated)
	}
	if th.pull != nil {
		o["html_url"] = fmt.Sprintf("https://github.com/%s/pull/%d", th.repo.FullName(), th.number)
		o["draft"] = th.pull.draft
		o["pull_request"] = object{"url": s.pullURL(th), "html_url": o["html_url"], "diff_url": nil, "patch_url": nil}
	}
	return o
}

func (s *Server) pullURL(th *thread) string {
	return fmt.Sprintf("%s/repos/%s/pulls/%d", s.api.URL, th.repo.FullName(), th.number)
}

// pullShape is a pull request as lists show it.
func (s *Server) pullShape(th *thread) any {
	p := th.pull
	o := object{"id": p.id, "node_id": nodeID("PullRequest", p.id), "number": th.number, "title": th.title,
		"body": th.body, "state": th.state, "locked": false, "draft": p.draft, "user": account(th.author),
		"labels": s.labelShapes(th), "created_at": stamp(th.created), "updated_at": stamp(th.updated),
		"closed_at": nil, "merged_at": nil, "merge_commit_sha": p.headSHA, "url": s.pullURL(th),
		"html_url":           fmt.Sprintf("https://github.com/%s/pull/%d", th.repo.FullName(), th.number),
		"author_association": association(th.repo, th.author),
		"head": object{"label": p.headOwner.Login + ":" + p.headRef, "ref": p.headRef, "sha": p.headSHA,
			"user": account(p.headOwner), "repo": s.repository(p.headRepo)},
		"base": object{"label": th.repo.Owner + ":" + p.baseRef, "ref": p.baseRef, "sha": p.baseSHA,
			"user": account(th.repo.owner), "repo": s.fullRepository(th.repo)}}
	if th.state == "closed" {
		o["closed_at"] = stamp(th.updated)
	}
	if p.merged {
		o["merged_at"] = stamp(th.updated)
	}
	return o
}

func (s *Server) fullPullShape(th *thread) any {
	p := th.pull
	o := s.pullShape(th).(object)
	added, deleted := 0, 0
	for _, f := range p.files {
		added, deleted = added+f.Additions, deleted+f.Deletions
	}
	o["merged"], o["mergeable"], o["comments"], o["review_comments"] = p.merged, th.state == "open", len(th.comments), len(p.comments)
	o["commits"], o["changed_files"], o["additions"], o["deletions"] = len(p.heads), len(p.files), added, deleted
	o["maintainer_can_modify"] = p.headRepo != nil && p.headRepo != th.repo
	return o
}

func (s *Server) commentShape(c *Comment) any {
	o := object{"id": c.ID, "node_id": nodeID("IssueComment", c.ID), "body": c.Body, "user": account(c.user),
		"created_at": stamp(c.CreatedAt), "updated_at": stamp(c.UpdatedAt),
		"author_association": association(c.on.repo, c.user),
		"url":                fmt.Sprintf("%s/repos/%s/issues/comments/%d", s.api.URL, c.on.repo.FullName(), c.ID),
		"issue_url":          fmt.Sprintf("%s/repos/%s/issues/%d", s.api.URL, c.on.repo.FullName(), c.on.number),
		"html_url":           fmt.Sprintf("https://github.com/%s/issues/%d#issuecomment-%d", c.on.repo.FullName(), c.on.number, c.ID),
		"reactions":          reactionCounts(c.Reactions)}
	if c.on.pull != nil {
		o["html_url"] = fmt.Sprintf("https://github.com/%s/pull/%d#issuecomment-%d", c.on.repo.FullName(), c.on.number, c.ID)
	}
	if c.app != nil {
		o["performed_via_github_app"] = appShape(c.app)
	}
	return o
}

func appShape(a *App) any {
	return object{"id": a.ID, "slug": a.Slug, "name": a.Slug, "node_id": nodeID("App", a.ID)}
}

var reactionNames = []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}

func reactionCounts(all []Reaction) object {
	o := object{"url": "", "total_count": len(all)}
	for _, name := range reactionNames {
		o[name] = 0
	}
	for _, r := range all {
		o[r.Content] = o[r.Content].(int) + 1
	}
	return o
}

func reactionShape(r Reaction) any {
	return object{"id": r.ID, "node_id": nodeID("Reaction", r.ID), "user": account(r.user), "content": r.Content,
		"created_at": stamp(r.at)}
}
