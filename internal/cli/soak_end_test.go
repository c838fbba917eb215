package cli

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/familiarhq/familiar/internal/github/githubtest"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// holdsTheModel compares all there is with the model, when all is quiet.
func (s *soak) holdsTheModel(when string) {
	st := s.wholeStore()
	if st == nil {
		s.t.Fatalf("%s: there is no memory", when)
	}
	defer func() { _ = st.Close() }() // a copy
	s.settleAll(when, st)
	s.learnIDs(st)
	s.sameLessons(when, st)
	s.nothingErasedIsLeft(when)
	s.saidOnce(when)
}

// wholeStore is what all living containers hold together.
func (s *soak) wholeStore() (whole *store.Store) {
	keys, err := vault.ParseKeys(s.r.key)
	if err != nil {
		s.t.Fatal(err)
	}
	id := store.Identity{RepositoryID: 501, Owner: "lumen", Name: "ledger"}
	var all []githubtest.Artifact
	for _, name := range []string{memoryName, memoryName + "-again"} {
		all = append(all, s.r.server.Artifacts(s.r.repo, name)...)
	}
	slices.SortFunc(all, func(a, b githubtest.Artifact) int { return cmp.Compare(b.ID, a.ID) })
	for _, a := range all {
		opened, err := vault.Open(a.Data, keys, vault.Expect{RepositoryID: 501, AnyStore: true, ListedAt: a.CreatedAt})
		if err != nil {
			s.t.Fatalf("container %d does not open: %v", a.ID, err)
		}
		path := filepath.Join(s.t.TempDir(), "store.db")
		if err := os.WriteFile(path, opened.SQLite, 0o600); err != nil {
			s.t.Fatal(err)
		}
		st, err := store.Open(background, path, id)
		if err != nil {
			s.t.Fatalf("container %d: %v", a.ID, err)
		}
		if whole == nil {
			if _, err := st.DropLater(background, a.CreatedAt); err != nil { // as every run does that begins with it
				s.t.Fatal(err)
			}
			whole = st
			continue
		}
		_, err = whole.Merge(background, st, store.MergeRules{SealedAt: a.CreatedAt, AnyStore: true})
		if err := cmp.Or(err, st.Close()); err != nil {
			s.t.Fatalf("container %d does not merge: %v", a.ID, err)
		}
	}
	return whole
}

// learnIDs finds out the ids of proposals.
func (s *soak) learnIDs(st *store.Store) {
	all := s.versions(st)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lessons {
		for _, v := range all {
			if l.id == "" && v.Text == l.text {
				l.id = v.DocumentID
			}
		}
	}
}

func (s *soak) versions(st *store.Store) []memory.Version {
	all, err := st.List(background, store.Filter{States: memory.States(), Limit: 100000})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// settleAll asks the store what became of the deeds that no run of their own
// settled. After the storm every command is dealt with.
func (s *soak) settleAll(when string, st *store.Store) {
	for _, d := range s.open() {
		switch {
		case d.event == "workflow_dispatch":
			s.t.Errorf("%s: started by hand again and again, %v was never done", when, d.inputs)
		case d.event == "issue_comment":
			s.settleLate(when, st, d)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deeds {
		if d.body != "" && d.done && (d.must == "done" && d.refused || d.must == "refused" && !d.refused) {
			c, _, err := st.Cause(background, causeOfComment(d.comment, d.target))
			if d.must == "done" && c.Reason == memory.ReasonUnknownID {
				s.faults["refused for a stale list"]++ // said to the person, and nothing was changed
			} else {
				s.t.Errorf("%s: %q by %s on #%d had to be %s; refused is %v (%+v, %v)", when, d.body, d.login, d.thread, d.must, d.refused, c, err)
			}
			d.must = ""
		}
	}
}

// settleLate looks for what a command left when its run gave no answer.
func (s *soak) settleLate(when string, st *store.Store, d *deed) {
	rocket, confused := s.reactions(d)
	c, known, err := st.Cause(background, causeOfComment(d.comment, d.target))
	if err != nil {
		s.t.Fatal(err)
	}
	switch {
	case d.must == "reply" && (rocket || len(s.replies(d)) > 0):
		s.settle(d, false)
	case confused, known && c.Reason != "":
		s.settle(d, true)
	case known:
		s.settle(d, false)
	default:
		s.t.Errorf("%s: nobody ever dealt with %q by %s on #%d (%v)", when, d.body, d.login, d.thread, s.r.server.Reactions(d.comment))
		s.settle(d, true)
	}
}

// sameLessons compares the store with the model, lesson by lesson.
func (s *soak) sameLessons(when string, st *store.Store) {
	got, latest := map[string]string{}, map[string]int{}
	active := map[string]int{}
	for _, v := range s.versions(st) {
		if v.State == memory.Active {
			if active[v.DocumentID]++; active[v.DocumentID] > 1 {
				s.t.Errorf("%s: %s has several active versions", when, v.DocumentID)
			}
		}
		if v.Number <= latest[v.DocumentID] {
			continue
		}
		latest[v.DocumentID] = v.Number
		got[v.DocumentID] = fmt.Sprintf("%s %s: %s", v.ID(), v.State, v.Text)
		if v.State == memory.Tombstoned {
			got[v.DocumentID] = fmt.Sprintf("%s %s", v.DocumentID, v.State)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lessons {
		if i := slices.IndexFunc(l.possible, func(st memory.State) bool { l.state = st; return got[l.id] == l.wants() }); i >= 0 {
			l.possible = nil
		}
		if l.pull != 0 && l.state == memory.Active && l.owner == "" {
			l.owner = "noor"
		}
		switch {
		case l.state == memory.Purged:
			if got[l.id] != "" {
				s.t.Errorf("%s: purged, and there: %s", when, got[l.id])
			}
		case got[l.id] != l.wants():
			s.t.Errorf("%s: the store holds %q\nthe model        %q", when, got[l.id], l.wants())
		}
		delete(got, l.id)
	}
	for _, line := range got {
		if !s.unheard(line) {
			s.t.Errorf("%s: in the store, and not in the model: %s%s", when, line, s.askedBy(line))
		}
	}
}

// askedBy says which deed a line of the store comes from, for whoever reads a
// failure. The caller holds mu.
func (s *soak) askedBy(line string) (out string) {
	_, text, _ := strings.Cut(line, ": ")
	for _, d := range s.deeds {
		if text != "" && strings.Contains(d.body, text) {
			out += fmt.Sprintf("\n%q by %s on #%d, run %d, attempts %d: done %v, refused %v, %v", d.body, d.login, d.thread, d.run, d.attempt, d.done, d.refused, s.r.server.Reactions(d.comment))
		}
	}
	return out
}

// unheard takes in a proposal whose run died before it could say that it was
// stored.
func (s *soak) unheard(line string) bool {
	for _, l := range s.proposals {
		if strings.HasSuffix(line, " review_required: "+l.text) {
			l.id = documentID.FindString(line)
			s.lessons = append(s.lessons, l)
			return true
		}
	}
	return false
}

// nothingErasedIsLeft searches the bytes of every artifact, unpacked, for what
// was forgotten and purged.
func (s *soak) nothingErasedIsLeft(when string) {
	erased := s.erased()
	for _, a := range s.r.server.Artifacts(s.r.repo, "") {
		for name, data := range s.unpacked(a) {
			for _, token := range erased {
				if bytes.Contains(data, []byte(token[3:])) { // an index may leave out how a word begins
					s.t.Errorf("%s: artifact %d (%s, made %s) still holds %q in %s", when, a.ID, a.Name, a.CreatedAt.Format(time.DateTime), token, name)
				}
			}
		}
	}
}

// unpacked are the bytes of an artifact's members, decrypted and decompressed.
func (s *soak) unpacked(a githubtest.Artifact) map[string][]byte {
	identity, err := age.ParseX25519Identity(s.r.key)
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, m := range unzipped(s.t, a.Data) {
		data := m.data
		if bytes.HasPrefix(data, []byte("age-encryption.org/")) {
			plain, err := age.Decrypt(bytes.NewReader(data), identity)
			if err != nil {
				s.t.Fatalf("artifact %d, %s: %v", a.ID, m.name, err)
			}
			if data, err = io.ReadAll(plain); err != nil {
				s.t.Fatalf("artifact %d, %s: %v", a.ID, m.name, err)
			}
		}
		if bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			r, err := zstd.NewReader(nil)
			if err == nil {
				data, err = r.DecodeAll(data, nil)
				r.Close()
			}
			if err != nil {
				s.t.Fatalf("artifact %d, %s: %v", a.ID, m.name, err)
			}
		}
		out[m.name] = data
	}
	return out
}

var (
	aReply   = regexp.MustCompile(`^<!-- familiar:reply v1 (\d+)`)
	aFinding = regexp.MustCompile(`^<!-- familiar:finding v1 ([A-Za-z0-9+/]+)`)
)

// replies are what answers a comment in a comment of its own.
func (s *soak) replies(d *deed) (out []string) {
	for _, body := range s.r.ours(d.thread) {
		if m := aReply.FindStringSubmatch(body); m != nil && m[1] == itoa(d.comment) {
			out = append(out, body)
		}
	}
	return out
}

// doubledReplies are the threads on which one comment has two replies.
func (s *soak) doubledReplies() (threads []int) {
	s.mu.Lock()
	deeds := slices.Clone(s.deeds)
	s.mu.Unlock()
	for _, d := range deeds {
		if d.body != "" && len(s.replies(d)) > 1 && !slices.Contains(threads, d.thread) {
			threads = append(threads, d.thread)
		}
	}
	return threads
}

// saidOnce holds that nothing was written twice: one status comment a thread,
// one reply a command, one comment a finding, one dashboard.
func (s *soak) saidOnce(when string) {
	for _, n := range append(slices.Clone(s.issues), s.pulls...) {
		status := 0
		for _, body := range s.r.ours(n) {
			if strings.HasPrefix(body, "<!-- familiar:status v1 ") {
				status++
			}
		}
		if status > 1 {
			s.t.Errorf("%s: %d status comments on #%d:\n%s", when, status, n, strings.Join(s.r.ours(n), "\n-----\n"))
		}
	}
	if boards := slices.DeleteFunc(s.r.server.IssuesBy(s.r.repo, "github-actions[bot]"), func(n int) bool { return s.r.server.IssueState(s.r.repo, n) != "open" }); len(boards) > 1 {
		s.t.Errorf("%s: %d dashboards are open: %v", when, len(boards), boards)
	}
	for _, n := range s.pulls {
		for _, body := range s.doubledLines(n) {
			s.t.Errorf("%s: one finding has two comments on #%d:\n%s", when, n, body)
		}
	}
	s.mu.Lock()
	deeds := slices.Clone(s.deeds)
	s.mu.Unlock()
	for _, d := range deeds {
		if d.body == "" {
			continue
		}
		if got := s.replies(d); len(got) > 1 || d.must == "reply" && len(got) == 0 {
			s.t.Errorf("%s: %d replies to %q of %s on #%d", when, len(got), d.body, d.login, d.thread)
		}
	}
}

// doubledLines are the second comments on one finding of a pull request.
func (s *soak) doubledLines(n int) (out []string) {
	said := map[string]bool{}
	for _, c := range s.r.server.PullComments(s.r.repo, n) {
		m := aFinding.FindStringSubmatch(c.Body)
		if m == nil {
			continue
		}
		var ref struct{ Fingerprint, Path string }
		data, err := base64.RawStdEncoding.DecodeString(m[1])
		if err == nil {
			err = json.Unmarshal(data, &ref)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if said[ref.Fingerprint+ref.Path] {
			out = append(out, c.Body)
		}
		said[ref.Fingerprint+ref.Path] = true
	}
	return out
}
