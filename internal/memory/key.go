package memory

import (
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// Key is a parsed, canonical memory key (page 3.4):
// "repo/<owner>/<name>/<namespace>/<key...>" or
// "tenant/<installation_id>/<namespace>/<key...>". Only ParseKey and
// NewRepoKey make one.
type Key string

// Coordinates are the owning coordinates that a key must start with.
type Coordinates struct {
	Owner          string // canonical case
	Name           string // canonical case
	RepositoryID   int64
	InstallationID int64 // 0: no tenant scope
}

// Limits of a key (page 3.4). The count of parts is that of the whole key,
// its owning coordinates included.
const (
	MaxKeyBytes = 256
	MaxKeyParts = 8
)

const (
	repoRoot   = "repo"
	tenantRoot = "tenant"
)

var (
	partForm  = text.Lazy(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	ownerForm = text.Lazy(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$`)
	nameForm  = text.Lazy(`^[A-Za-z0-9._-]{1,100}$`)
)

// KeyProblem says why a string is no key or no prefix. It is an error for
// those who parse a person's input, and the ground for "not_addressable"
// where a report is judged. It never repeats more than 80
// characters of the input, and no secret in it.
type KeyProblem struct {
	Value  string // the input, scrubbed and cut
	Detail string // what is wrong with it, without a full stop
}

// Error returns one sentence that names the key and what is wrong with it.
func (p *KeyProblem) Error() string {
	return "memory key " + strconv.Quote(p.Value) + ": " + p.Detail
}

func keyProblem(s, detail string) *KeyProblem {
	return &KeyProblem{Value: redact.Cut(s, 80), Detail: detail}
}

// ParseKey returns the key that s spells, or what is wrong with it (page
// 3.4). The case of owner and name is kept; Canonical sets it to that of the
// repository.
func ParseKey(s string) (Key, *KeyProblem) {
	parts, problem := splitKey(s)
	if problem != nil {
		return "", problem
	}
	rest, detail := checkCoordinates(parts)
	if detail != "" {
		return "", keyProblem(s, detail)
	}
	if len(rest) < 2 {
		return "", keyProblem(s, "write NAMESPACE/NAME, such as lessons/money: a namespace and at least one more part")
	}
	if detail := checkParts(rest); detail != "" {
		return "", keyProblem(s, detail)
	}
	return Key(s), nil
}

// NewRepoKey returns the key of rest ("<namespace>/<key...>") in the
// repository at c.
func NewRepoKey(c Coordinates, rest string) (Key, *KeyProblem) {
	return ParseKey(repoRoot + "/" + c.Owner + "/" + c.Name + "/" + rest)
}

// splitKey bounds s before anything else looks at it.
func splitKey(s string) ([]string, *KeyProblem) {
	switch {
	case s == "":
		return nil, keyProblem(s, "it is empty")
	case len(s) > MaxKeyBytes:
		return nil, keyProblem(s, "it is longer than 256 bytes")
	case strings.HasSuffix(s, "/"):
		return nil, keyProblem(s, "it ends with a slash")
	}
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return nil, keyProblem(s, "it holds a space, a control character or something outside ASCII")
		}
	}
	parts := strings.Split(s, "/")
	if len(parts) > MaxKeyParts {
		return nil, keyProblem(s, "it has more than 8 parts")
	}
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return nil, keyProblem(s, `it has an empty, "." or ".." part`)
		}
	}
	return parts, nil
}

// checkCoordinates returns the parts after the owning coordinates, or why
// there are no valid ones.
func checkCoordinates(parts []string) (rest []string, detail string) {
	switch parts[0] {
	case repoRoot:
		if len(parts) < 3 {
			return nil, "owner and name must follow repo/"
		}
		if !ownerForm.MatchString(parts[1]) {
			return nil, "its owner is no name that GitHub allows"
		}
		if !nameForm.MatchString(parts[2]) || strings.HasSuffix(strings.ToLower(parts[2]), ".git") {
			return nil, "its repository is no name that GitHub allows"
		}
		return parts[3:], ""
	case tenantRoot:
		if len(parts) < 2 || installationID(parts[1]) == 0 {
			return nil, "a positive installation id must follow tenant/"
		}
		return parts[2:], ""
	}
	return nil, "it must start with repo/<owner>/<name>/ or tenant/<installation_id>/"
}

func checkParts(parts []string) string {
	for _, part := range parts {
		if !partForm.MatchString(part) {
			return "each part of namespace and key starts with a-z or 0-9, has only a-z, 0-9, '.', '_' and '-', and at most 64 bytes"
		}
	}
	return ""
}

// installationID returns the positive id that s spells in its only decimal
// form, else 0.
func installationID(s string) int64 {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != s {
		return 0
	}
	return id
}

// String returns the whole key.
func (k Key) String() string { return string(k) }

// IsRepo says whether the key belongs to a repository and not to a tenant.
func (k Key) IsRepo() bool { return strings.HasPrefix(string(k), repoRoot+"/") }

// Owner returns the owner of a repository key, "" for a tenant key.
func (k Key) Owner() string { return k.repoPart(1) }

// Name returns the repository name of a repository key, "" for a tenant key.
func (k Key) Name() string { return k.repoPart(2) }

// InstallationID returns the id of a tenant key, 0 for a repository key.
func (k Key) InstallationID() int64 {
	parts := strings.Split(string(k), "/")
	if parts[0] != tenantRoot || len(parts) < 2 {
		return 0
	}
	return installationID(parts[1])
}

// Namespace returns the first part after the owning coordinates.
func (k Key) Namespace() string {
	namespace, _, _ := strings.Cut(k.afterCoordinates(), "/")
	return namespace
}

// Rest returns what follows the namespace.
func (k Key) Rest() string {
	_, rest, _ := strings.Cut(k.afterCoordinates(), "/")
	return rest
}

func (k Key) repoPart(i int) string {
	parts := strings.Split(string(k), "/")
	if parts[0] != repoRoot || len(parts) <= i {
		return ""
	}
	return parts[i]
}

func (k Key) afterCoordinates() string {
	n := 3 // tenant/<id>/
	if k.IsRepo() {
		n = 4 // repo/<owner>/<name>/
	}
	parts := strings.SplitN(string(k), "/", n)
	if len(parts) < n {
		return ""
	}
	return parts[n-1]
}

// Within says whether the key lies in the given scope at c: a repository key
// of that owner and name (without regard to case) for repo, a tenant key of
// that installation for tenant_shared. Any other scope owns no key.
func (k Key) Within(c Coordinates, scope contract.MemoryScope) bool {
	switch scope {
	case contract.ScopeRepo:
		return k.IsRepo() && c.Owner != "" && c.Name != "" &&
			strings.EqualFold(k.Owner(), c.Owner) && strings.EqualFold(k.Name(), c.Name)
	case contract.ScopeTenantShared:
		return c.InstallationID > 0 && k.InstallationID() == c.InstallationID
	}
	return false
}

// Canonical returns the key with owner and name in the case of c, where it
// lies in that repository; else the key as it is.
func (k Key) Canonical(c Coordinates) Key {
	if !k.Within(c, contract.ScopeRepo) {
		return k
	}
	return Key(repoRoot + "/" + c.Owner + "/" + c.Name + "/" + k.afterCoordinates())
}
