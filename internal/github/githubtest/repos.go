package githubtest

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Repo describes a repository. Zero values: id taken from the counter, public,
// default branch main, owned by an organisation, no files.
type Repo struct {
	Owner, Name   string
	ID            int64
	OwnerID       int64
	OwnerType     string // Organization or User
	Visibility    string // public, internal or private
	DefaultBranch string
	Fork          bool
	Files         map[string]string // of the default branch's first commit
}

// FullName is owner/name, the way all calls name a repository.
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

type repo struct {
	Repo
	owner     *User
	refs      map[string]string // heads/main -> commit
	roles     map[string]Role
	threads   map[int]*thread
	labels    []labelDef
	runs      map[int64]*Run
	artifacts []*artifact
	checks    []*CheckRun
	setup     Setup
	lastNum   int
}

type commit struct {
	sha     string
	parents []string
	files   map[string]string
	message string
	at      time.Time
}

// AddRepo makes a repository with one commit on its default branch and
// returns its description with every field filled in.
func (s *Server) AddRepo(r Repo) Repo {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Owner == "" || r.Name == "" {
		s.t.Fatalf("githubtest: a repository needs an owner and a name")
	}
	r.Visibility = cmp.Or(r.Visibility, "public")
	r.DefaultBranch = cmp.Or(r.DefaultBranch, "main")
	r.OwnerType = cmp.Or(r.OwnerType, "Organization")
	if r.ID == 0 {
		r.ID = s.id()
	}
	owner, ok := s.users[fold(r.Owner)]
	if !ok {
		owner = s.addUser(r.Owner, r.OwnerID, r.OwnerType)
	}
	r.OwnerID, r.OwnerType = owner.ID, owner.Type
	in := &repo{Repo: r, owner: owner, refs: map[string]string{}, roles: map[string]Role{},
		threads: map[int]*thread{}, runs: map[int64]*Run{}}
	if owner.Type == "User" {
		in.roles[fold(owner.Login)] = Role{Base: "admin"}
	}
	in.refs["heads/"+r.DefaultBranch] = s.commit(nil, r.Files, "first commit")
	s.repos[fold(r.FullName())] = in
	s.byID[r.ID] = in
	delete(s.moved, fold(r.FullName()))
	return r
}

// SetVisibility makes a repository public, internal or private.
func (s *Server) SetVisibility(repo, visibility string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.must(repo).Visibility = visibility
}

// Rename moves a repository to a new full name. The old one answers 301 to
// /repositories/{id}/..., for writes too, until a new repository takes it.
func (s *Server) Rename(from, to string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(from)
	owner, name, ok := strings.Cut(to, "/")
	if !ok {
		s.t.Fatalf("githubtest: %q is not owner/name", to)
	}
	delete(s.repos, fold(from))
	s.moved[fold(from)] = r.ID
	if fold(owner) != fold(r.Owner) {
		r.owner = s.someone(owner)
		r.OwnerID, r.OwnerType = r.owner.ID, r.owner.Type
	}
	r.Owner, r.Name = owner, name
	s.repos[fold(to)] = r
}

// Push commits changes on a branch (made from the default branch on first
// sight) and returns the new head. Open pull requests from that branch follow.
func (s *Server) Push(repo, branch string, changed map[string]string, removed ...string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(repo)
	sha := s.push(r, branch, changed, removed)
	s.follow(r, branch, sha)
	return sha
}

func (s *Server) push(r *repo, branch string, changed map[string]string, removed []string) string {
	parent, ok := r.refs["heads/"+branch]
	if !ok {
		parent = r.refs["heads/"+r.DefaultBranch]
	}
	files := maps.Clone(s.commits[parent].files)
	for _, p := range removed {
		delete(files, p)
	}
	maps.Copy(files, changed)
	s.tick()
	sha := s.commit([]string{parent}, files, "change "+branch)
	r.refs["heads/"+branch] = sha
	return sha
}

// Merge makes a branch's head part of another branch by a merge commit, and
// returns that commit.
func (s *Server) Merge(repo, into, head string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(repo)
	h, ok := s.resolve(r, head)
	base, known := s.resolve(r, into)
	if !ok || !known {
		s.t.Fatalf("githubtest: Merge of %s into %s: one of them is unknown", head, into)
	}
	s.tick()
	sha := s.commit([]string{base, h}, maps.Clone(s.commits[h].files), "merge")
	r.refs["heads/"+into] = sha
	return sha
}

// SetRef points a reference ("heads/x", "tags/v1") at a commit.
func (s *Server) SetRef(repo, ref, sha string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.commits[sha]; !ok {
		s.t.Fatalf("githubtest: SetRef to the unknown commit %q", sha)
	}
	s.must(repo).refs[ref] = sha
}

// Head is the commit of a branch, or of the default branch if the name is
// empty.
func (s *Server) Head(repo, branch string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(repo)
	return r.refs["heads/"+cmp.Or(branch, r.DefaultBranch)]
}

// must finds a repository that a test names.
func (s *Server) must(name string) *repo {
	s.t.Helper()
	r, ok := s.repos[fold(name)]
	if !ok {
		s.t.Fatalf("githubtest: no repository %q; add it first", name)
	}
	return r
}

// commit stores a tree and returns its name, which depends on content,
// parents, message and time alone.
func (s *Server) commit(parents []string, files map[string]string, message string) string {
	h := sha1.New()
	fmt.Fprintf(h, "%q %q %d\n", parents, message, s.now.Unix())
	for _, p := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %s\n", p, blobSHA(files[p]))
	}
	sha := hex.EncodeToString(h.Sum(nil))
	if files == nil {
		files = map[string]string{}
	}
	s.commits[sha] = &commit{sha: sha, parents: parents, files: files, message: message, at: s.now}
	return sha
}

// resolve turns a branch, tag, full reference or commit into a commit.
func (s *Server) resolve(r *repo, ref string) (string, bool) {
	if ref == "" || ref == "HEAD" {
		ref = r.DefaultBranch
	}
	ref = strings.TrimPrefix(ref, "refs/")
	for _, name := range []string{"heads/" + ref, "tags/" + ref, ref} {
		if sha, ok := r.refs[name]; ok {
			return sha, true
		}
	}
	_, ok := s.commits[ref]
	return ref, ok
}

// history lists a commit and everything it was made from, newest first.
func (s *Server) history(sha string) []string {
	var out []string
	seen := map[string]bool{}
	for queue := []string{sha}; len(queue) > 0; queue = queue[1:] {
		c, ok := s.commits[queue[0]]
		if !ok || seen[c.sha] {
			continue
		}
		seen[c.sha] = true
		out = append(out, c.sha)
		queue = append(queue, c.parents...)
	}
	return out
}

// mergeBase is the newest commit of head's history that is in base's too; "":
// they have nothing in common.
func (s *Server) mergeBase(base, head string) string {
	inBase := s.history(base)
	for _, sha := range s.history(head) {
		if slices.Contains(inBase, sha) {
			return sha
		}
	}
	return ""
}

// blobSHA is git's name for a file's content.
func blobSHA(content string) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00%s", len(content), content)
	return hex.EncodeToString(h.Sum(nil))
}
