package githubtest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Artifact describes an artifact. Zero values: next id, the clock's time,
// ninety days of life, the true digest and size of Data.
type Artifact struct {
	Repo                 string
	ID                   int64
	Name                 string
	Run                  int64
	Data                 []byte // the zip
	Digest               string // as listed; NoDigest leaves it out
	Size                 int64
	Expired              bool
	CreatedAt, ExpiresAt time.Time
}

// NoDigest as a digest stands for artifacts from before GitHub kept one.
const NoDigest = "none"

type artifact struct {
	Artifact
	run    *Run
	hidden int // listings that do not show it yet
}

// AddArtifact stores an artifact of a run that was added, past the results
// service, and returns its id.
func (s *Server) AddArtifact(a Artifact) int64 {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.must(a.Repo)
	run, ok := r.runs[a.Run]
	if !ok {
		s.t.Fatalf("githubtest: no run %d in %s; add it first", a.Run, a.Repo)
	}
	return s.keep(r, run, a).ID
}

func (s *Server) keep(r *repo, run *Run, a Artifact) *artifact {
	if a.ID == 0 {
		a.ID = s.id()
	}
	if a.CreatedAt.IsZero() {
		a.CreatedAt = s.tick()
	}
	if a.ExpiresAt.IsZero() {
		a.ExpiresAt = a.CreatedAt.Add(90 * 24 * time.Hour)
	}
	sum := sha256.Sum256(a.Data)
	a.Digest = cmp.Or(a.Digest, "sha256:"+hex.EncodeToString(sum[:]))
	a.Size = cmp.Or(a.Size, int64(len(a.Data)))
	a.Repo = r.FullName()
	in := &artifact{Artifact: a, run: run}
	r.artifacts = append(r.artifacts, in)
	return in
}

// Artifacts are a repository's artifacts of a name (of every name if empty),
// newest first, whether or not listings show them yet.
func (s *Server) Artifacts(repo, name string) []Artifact {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Artifact
	for _, a := range s.must(repo).artifacts {
		if name == "" || a.Name == name {
			copied := a.Artifact
			copied.Data = bytes.Clone(a.Data)
			copied.Expired = a.expired(s.now)
			out = append(out, copied)
		}
	}
	slices.Reverse(out)
	return out
}

// ExpireArtifact ends an artifact's life: it is listed as expired, and its
// download answers 410.
func (s *Server) ExpireArtifact(repo string, id int64) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustArtifact(repo, id).Expired = true
}

// DeleteArtifact removes an artifact.
func (s *Server) DeleteArtifact(repo string, id int64) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustArtifact(repo, id)
	s.must(repo).dropArtifact(id)
}

// TamperArtifact replaces what an artifact's download delivers, and leaves
// the listed digest and size.
func (s *Server) TamperArtifact(repo string, id int64, data []byte) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustArtifact(repo, id).Data = data
}

// ListLag makes each artifact that is finalized from now on stay out of the
// next n listings of its repository.
func (s *Server) ListLag(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lag = n
}

func (r *repo) dropArtifact(id int64) {
	r.artifacts = slices.DeleteFunc(r.artifacts, func(a *artifact) bool { return a.ID == id })
}

func (r *repo) artifact(id int64) *artifact {
	i := slices.IndexFunc(r.artifacts, func(a *artifact) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return r.artifacts[i]
}

func (s *Server) mustArtifact(repo string, id int64) *artifact {
	s.t.Helper()
	a := s.must(repo).artifact(id)
	if a == nil {
		s.t.Fatalf("githubtest: no artifact %d in %s", id, repo)
	}
	return a
}

func (a *artifact) expired(now time.Time) bool { return a.Expired || !now.Before(a.ExpiresAt) }
