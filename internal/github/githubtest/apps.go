package githubtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// App is a GitHub App with one installation.
type App struct {
	ID             int64
	Slug           string
	InstallationID int64
	Repos          []string // full names; none: it is installed nowhere
	Permissions    []string // as in Token
	PEM            []byte   // private key, filled in by AddApp

	bot   *User
	perms map[string]string
	ids   []int64
}

// signer is one key for all Apps of a process, since making one is slow.
var signer = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// AddApp makes an App, its bot account "<slug>[bot]" and its installation,
// and returns it with its private key.
func (s *Server) AddApp(a App) App {
	s.t.Helper()
	key, err := signer()
	if err != nil {
		s.t.Fatalf("githubtest: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.ID == 0 {
		a.ID = s.id()
	}
	if a.InstallationID == 0 {
		a.InstallationID = s.id()
	}
	a.PEM = pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	a.perms = s.parsePerms(a.Permissions)
	a.bot = s.someone(a.Slug + "[bot]")
	for _, name := range a.Repos {
		a.ids = append(a.ids, s.must(name).ID)
	}
	s.apps[a.ID] = &a
	return a
}

// verifyJWT checks what an App signs for itself. Its times are of the real
// clock, since the App's library takes them from there.
func (s *Server) verifyJWT(value string) (*App, error) {
	key, err := signer()
	if err != nil {
		return nil, err
	}
	var claims jwt.RegisteredClaims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}))
	if _, err := parser.ParseWithClaims(value, &claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil }); err != nil {
		return nil, fmt.Errorf("the App's JWT: %w", err)
	}
	id, err := strconv.ParseInt(claims.Issuer, 10, 64)
	app := s.apps[id]
	switch {
	case err != nil || app == nil:
		return nil, fmt.Errorf("the App's JWT names the unknown App %q", claims.Issuer)
	case claims.ExpiresAt == nil || claims.IssuedAt == nil:
		return nil, errors.New("the App's JWT lacks iat or exp")
	case claims.ExpiresAt.After(time.Now().Add(10*time.Minute + 5*time.Second)):
		return nil, errors.New("the App's JWT is good for more than ten minutes")
	}
	return app, nil
}

func (s *Server) getInstallation(q *request) reply {
	if !slices.Contains(q.app.ids, q.repo.ID) {
		return notFound()
	}
	return ok(map[string]any{
		"id": q.app.InstallationID, "app_id": q.app.ID, "app_slug": q.app.Slug,
		"account": account(q.repo.owner), "target_id": q.repo.owner.ID, "target_type": q.repo.owner.Type,
		"permissions": q.app.perms, "events": []string{}, "repository_selection": "selected",
		"created_at": stamp(Epoch), "updated_at": stamp(Epoch), "suspended_at": nil,
	})
}

func (s *Server) createInstallationToken(q *request) reply {
	if q.num("installation_id") != q.app.InstallationID {
		return notFound()
	}
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	q.decode(&in)
	tok := &token{value: "gh" + "s_" + secret(36), actor: q.app.bot, app: q.app, perms: maps.Clone(q.app.perms), repos: q.app.ids}
	if in.Permissions != nil {
		tok.perms = map[string]string{"metadata": "read"}
		for scope, level := range in.Permissions {
			if has := q.app.perms[scope]; has != level && has != "write" {
				return fail(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
			tok.perms[scope] = level
		}
	}
	if in.Repositories != nil || in.RepositoryIDs != nil {
		tok.repos = []int64{}
		for _, id := range q.app.ids {
			r := s.byID[id]
			named := slices.ContainsFunc(in.Repositories, func(n string) bool { return strings.EqualFold(n, r.Name) })
			if named || slices.Contains(in.RepositoryIDs, id) {
				tok.repos = append(tok.repos, id)
			}
		}
		if len(tok.repos) != len(in.Repositories)+len(in.RepositoryIDs) {
			return fail(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	s.tokens[tok.value] = tok
	return created(map[string]any{"token": tok.value, "expires_at": stamp(time.Now().Add(time.Hour)),
		"permissions": tok.perms, "repository_selection": "selected"})
}
