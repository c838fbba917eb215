package githubtest

import (
	"sort"
	"strings"
)

// Ghost as an author stands for a deleted account: GitHub answers user null.
const Ghost = "\x00ghost"

// User is an account. Type is User, Bot, Organization or Mannequin.
type User struct {
	Login string
	ID    int64
	Type  string
}

// AddUser makes an account. An id of 0 takes the next free one; an empty type
// is User. Adding a login again changes its id and type.
func (s *Server) AddUser(login string, id int64, typ string) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.addUser(login, id, typ)
}

func (s *Server) addUser(login string, id int64, typ string) *User {
	if id == 0 {
		id = s.id()
	}
	if typ == "" {
		typ = "User"
	}
	u := &User{Login: login, ID: id, Type: typ}
	s.users[fold(login)] = u
	return u
}

// someone finds an account that a test names, and makes it on first sight: a
// login that ends in [bot] becomes a Bot. An empty login is mara's.
func (s *Server) someone(login string) *User {
	if login == Ghost {
		return nil
	}
	if login == "" {
		login = "mara"
	}
	if u, ok := s.users[fold(login)]; ok {
		return u
	}
	typ := "User"
	if strings.HasSuffix(login, "[bot]") {
		typ = "Bot"
	}
	return s.addUser(login, 0, typ)
}

// Role is what a repository grants a collaborator.
type Role struct {
	Base   string // admin, maintain, write, triage or read
	Custom string // name of a custom role that is based on it; empty: none
}

// Grant makes the login a collaborator with one of GitHub's five roles:
// admin, maintain, write, triage, read.
func (s *Server) Grant(repo, login, role string) { s.grant(repo, login, Role{Base: role}) }

// GrantCustom makes the login a collaborator through an organisation's custom
// role of the given name, which is based on one of the five.
func (s *Server) GrantCustom(repo, login, name, base string) {
	s.grant(repo, login, Role{Base: base, Custom: name})
}

func (s *Server) grant(repo, login string, role Role) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := legacy[role.Base]; !ok {
		s.t.Fatalf("githubtest: %q is no role; take admin, maintain, write, triage or read", role.Base)
	}
	s.must(repo).roles[fold(s.someone(login).Login)] = role
}

// Ungrant takes a collaborator's role away.
func (s *Server) Ungrant(repo, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.must(repo).roles, fold(login))
}

// AddMember makes the login a member of the organisation: internal
// repositories of the organisation become readable to it.
func (s *Server) AddMember(org, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[fold(org)+"/"+fold(s.someone(login).Login)] = true
}

// Collaborators lists who has a role, sorted by login in lower case.
func (s *Server) Collaborators(repo string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for login := range s.must(repo).roles {
		out = append(out, login)
	}
	sort.Strings(out)
	return out
}

// legacy maps a role to the old permission field: maintain reads as write,
// triage as read.
var legacy = map[string]string{
	"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read",
}
