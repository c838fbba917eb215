package gitrepo

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// Identity says which repository a clone is of, as far as the clone knows. None
// of it is proof: it names a local store and nothing else.
type Identity struct {
	Owner string // "local" where there is no origin
	Name  string
	Host  string // "" where the origin is a folder or there is none
	URL   string // of origin, without credentials; "" where there is none
}

// Identity reads owner and name from origin's URL, else from the folder's name.
func (r *Repo) Identity(ctx context.Context) (Identity, error) {
	remote, err := r.RemoteURL(ctx)
	if err != nil {
		return Identity{}, err
	}
	id := identityOf(remote, filepath.Base(r.root))
	if r.bare && remote == "" {
		id.Name = repoName(strings.TrimSuffix(filepath.Base(r.gitDir), ".git"), "repository")
	}
	return id, nil
}

// CloneURL is the address of the repository in a form that a brief takes: HTTPS
// without credentials where origin has a host, else the folder as a file URL.
func (r *Repo) CloneURL(id Identity) string {
	host, path := splitRemote(id.URL)
	u := url.URL{Scheme: "https", Host: host, Path: "/" + strings.Trim(path, "/")}
	if !hostForm.MatchString(host) {
		u = url.URL{Scheme: "file", Path: filepath.ToSlash(r.root)}
	}
	// "@" may stand in a path, but a brief takes it for the end of a user.
	return strings.ReplaceAll(u.String(), "@", "%40")
}

var hostForm = text.Lazy(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)

func identityOf(remote, folder string) Identity {
	id := Identity{Owner: "local", Name: repoName(folder, "repository"), URL: remote}
	host, path := splitRemote(remote)
	parts := strings.Split(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
	if host == "" || len(parts) < 2 {
		return id
	}
	id.Host = host
	id.Owner = repoName(parts[len(parts)-2], "local")
	id.Name = repoName(parts[len(parts)-1], id.Name)
	return id
}

// splitRemote reads "https://host/path", "ssh://user@host/path" and
// "user@host:path". A folder has no host.
func splitRemote(remote string) (host, path string) {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return "", ""
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			return strings.ToLower(u.Hostname()), u.Path // its port is not one of the web
		}
		return strings.ToLower(u.Host), u.Path
	}
	before, after, ok := strings.Cut(remote, ":")
	if !ok || strings.Contains(before, "/") || len(before) < 2 {
		return "", ""
	}
	return strings.ToLower(before[strings.LastIndexByte(before, '@')+1:]), after
}

// repoName keeps what GitHub allows in a name.
func repoName(s, otherwise string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			b.WriteRune(c)
		default:
			b.WriteByte('-')
		}
		if b.Len() == 100 {
			break
		}
	}
	if name := strings.Trim(b.String(), "-."); name != "" {
		return name
	}
	return otherwise
}

// RemoteURL is the URL of origin without user, password, query and fragment; ""
// where there is no origin. Rewriting by the configuration (insteadOf) is not
// followed: the URL is shown, never used.
func (r *Repo) RemoteURL(ctx context.Context) (string, error) {
	a, err := r.ask(ctx, objects, "config", "--get", "remote.origin.url")
	if err != nil || a.code > 1 {
		return "", r.failed("the URL of origin", a.err, err)
	}
	return stripCredentials(strings.TrimSpace(a.out)), nil
}

// maxRemote bounds a remote's URL, in bytes.
const maxRemote = 400

// stripCredentials takes out whatever of a remote's URL could be a secret. What
// cannot be read as a URL and holds an "@" is dropped whole.
func stripCredentials(remote string) string {
	switch {
	case remote == "" || len(remote) > maxRemote || strings.ContainsFunc(remote, unprintable):
		return ""
	case strings.Contains(remote, "://"):
		u, err := url.Parse(remote)
		if err != nil {
			return ""
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		u.ForceQuery = false
		return u.String()
	case strings.Contains(remote, "::"):
		return "" // a remote helper's own syntax
	}
	if host, path := splitRemote(remote); host != "" {
		return host + ":" + path
	}
	return remote
}

// RootCommit is the oldest commit on HEAD's first-parent line, which a rename
// of folder or remote does not change; "" where history is cut or absent. It
// walks the whole line: about a second for 50,000 commits.
func (r *Repo) RootCommit(ctx context.Context) (string, error) {
	if r.shallow {
		return "", nil
	}
	a, err := r.ask(ctx, objects, "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
	if err != nil {
		return "", r.failed("the first commit", a.err, err)
	}
	if sha := strings.TrimSpace(a.out); a.code == 0 && isSHA(sha) {
		return sha, nil
	}
	return "", nil
}
