package cli

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// storeSteps are of stories that end with the store itself.
func storeSteps() map[string]storyStep {
	return map[string]storyStep{"binary": (*story).runsBinary, "discard": (*story).discard}
}

// storeChecks open what lies on GitHub as its owner does: with age, zstd and
// sqlite3, without us.
func storeChecks() map[string]storyStep {
	return map[string]storyStep{"store": (*story).isStore, "absent": (*story).isAbsent}
}

// runsBinary has every run from here on be a process of the built action, at
// the time of the machine.
func (s *story) runsBinary(w []string) {
	s.takes(w, 0, 0)
	s.runner.clock = nil
	s.server.SetNow(time.Now().Truncate(time.Second))
}

// discard deletes the artifacts of a name, as a person does under Actions: NAME.
func (s *story) discard(w []string) {
	s.takes(w, 1, 1)
	for _, a := range s.server.Artifacts(s.repo, w[0]) {
		s.server.DeleteArtifact(s.repo, a.ID)
	}
}

// storeQuestions are what sqlite3 is asked of the final store: everything in it
// but times, digests and what is derived. Each answers in lines of JSON.
var storeQuestions = []string{
	`SELECT json_object('lesson', v.document_id || '@' || v.number, 'key', d.key, 'class', d.class, 'state', v.state, 'by', v.state_op, 'text', v.text,
  'creator', v.creator_login, 'source', v.source, 'pull', v.pull_request, 'approved', v.approved, 'confirmed_by', v.confirmed_by_login,
  'paths', json(v.paths), 'rule', json(v.rule), 'used', d.last_used <> '')
 FROM versions v JOIN documents d USING (repository_id, document_id) ORDER BY v.id`,
	`SELECT json_object('denied', scope || '/' || prefix, 'by', by_login,
  'lifted_by', (SELECT l.by_login FROM lifts l WHERE l.revocation_id = r.id)) FROM revocations r ORDER BY prefix, at`,
	`SELECT json_object('refused', op, 'reason', reason, 'target', target, 'by', actor_login) FROM audit WHERE reason <> '' ORDER BY at, op, target`,
	`SELECT json_object('cause', op, 'reason', reason, 'times', count(*)) FROM causes GROUP BY op, reason ORDER BY op, reason`,
	`SELECT json_object('audit', op, 'reason', reason, 'times', count(*)) FROM audit GROUP BY op, reason ORDER BY op, reason`,
	`SELECT json_object('generation', generation, 'fingerprints', (SELECT count(*) FROM fingerprints), 'purges', (SELECT count(*) FROM purges),
  'uses', (SELECT count(*) FROM uses), 'displays', (SELECT count(*) FROM displays), 'indexed', (SELECT count(*) FROM recall_docsize), 'check', (SELECT * FROM pragma_integrity_check)) FROM store`,
}

// isStore holds the whole store of the newest container: FILE.
func (s *story) isStore(w []string) {
	s.takes(w, 1, 1)
	var newest githubtest.Artifact
	for _, a := range s.server.Artifacts(s.repo, "") {
		if strings.HasPrefix(a.Name, "familiar-memory-") && a.ID > newest.ID {
			newest = a
		}
	}
	members := s.unsealed(newest)
	path := filepath.Join(s.t.TempDir(), "memory.db")
	if err := os.WriteFile(path, members["memory.sealed"], 0o600); err != nil {
		s.fatalf("%v", err)
	}
	var lines []string
	for _, q := range storeQuestions {
		out := strings.TrimSpace(string(s.piped(nil, "sqlite3", "-readonly", path, q)))
		if out == "" {
			continue
		}
		told := strings.Split(s.told(out), "\n")
		slices.SortStableFunc(told[:len(told)-1], func(a, b string) int { // lessons of one event come in no certain order
			named := func(line string) int { return slices.Index(lessonNames, documentID.FindString(line)) }
			return named(a) - named(b)
		})
		lines = append(lines, told[:len(told)-1]...)
	}
	s.golden(w[0], strings.Join(lines, "\n"))
}

// isAbsent holds that no artifact holds a word, as it lies on GitHub or opened:
// WORD...
func (s *story) isAbsent(w []string) {
	s.takes(w, 1, 9)
	all := s.server.Artifacts(s.repo, "")
	if len(all) == 0 {
		s.fatalf("there is no artifact")
	}
	for _, a := range all {
		inside := s.unsealed(a)
		inside["as it lies there"] = a.Data
		for _, name := range slices.Sorted(maps.Keys(inside)) {
			for _, word := range w {
				if bytes.Contains(bytes.ToLower(inside[name]), []byte(word)) {
					s.t.Errorf("line %d: %q stands in %s of the artifact %s", s.line, word, name, a.Name)
				}
			}
		}
	}
}

// unsealed are the members of an artifact, those that are sealed opened by age
// and zstd.
func (s *story) unsealed(a githubtest.Artifact) map[string][]byte {
	key := filepath.Join(s.t.TempDir(), "key.txt")
	if err := os.WriteFile(key, []byte(s.runner.key+"\n"), 0o600); err != nil {
		s.fatalf("%v", err)
	}
	out := map[string][]byte{}
	for _, m := range unzipped(s.t, a.Data) {
		if m.name == "memory.sealed" || strings.HasSuffix(m.name, ".zst.age") {
			m.data = s.piped(s.piped(m.data, "age", "-d", "-i", key), "zstd", "-dq", "-c")
		}
		out[m.name] = m.data
	}
	return out
}

func (s *story) piped(input []byte, name string, args ...string) []byte {
	cmd := exec.Command(name, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &complaint
	if err := cmd.Run(); err != nil {
		s.fatalf("%s: %v: %s", name, err, complaint.String())
	}
	return out.Bytes()
}
