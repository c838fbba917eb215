package githubtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// job is one job of a run with its runtime token and backend ids.
type job struct {
	s     *Server
	t     *testing.T
	token string

	backend m
}

func newJob(t *testing.T, s *Server, run Run) job {
	t.Helper()
	tok := s.RuntimeToken(run.Repo, run.ID)
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(tok, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims struct{ Scp string }
	if err := json.Unmarshal(raw, &claims); err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Fields(claims.Scp) {
		if ids := strings.Split(part, ":"); ids[0] == "Actions.Results" {
			return job{s: s, t: t, token: tok, backend: m{"workflow_run_backend_id": ids[1], "workflow_job_run_backend_id": ids[2]}}
		}
	}
	t.Fatalf("no Actions.Results in %q", claims.Scp)
	return job{}
}

func (j job) call(method string, fields m) answered {
	j.t.Helper()
	body := m{}
	for _, part := range []m{j.backend, fields} {
		for k, v := range part {
			body[k] = v
		}
	}
	return ask(j.t, j.token, "POST", strings.TrimSuffix(j.s.ResultsURL(), "/")+twirp+method, body)
}

func (j job) create(name string) string {
	j.t.Helper()
	got := j.call("CreateArtifact", m{"name": name, "version": 7, "mime_type": "application/zip"})
	at, _ := got.at("signed_upload_url").(string)
	if got.status != 200 || got.at("ok") != true || at == "" {
		j.t.Fatalf("CreateArtifact: %d %s", got.status, got.text)
	}
	return at
}

func (j job) put(at, comp string, body []byte, headers ...string) answered {
	j.t.Helper()
	return ask(j.t, "", "PUT", at+"&comp="+comp, body, append([]string{"x-ms-version", "2025-11-05"}, headers...)...)
}

func blockID(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "block-%06d", n))
}

func list(ids ...string) []byte {
	return []byte("<BlockList><Latest>" + strings.Join(ids, "</Latest><Latest>") + "</Latest></BlockList>")
}

func digestOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (j job) upload(name, data string) answered {
	j.t.Helper()
	at := j.create(name)
	for i, part := range []string{data[:len(data)/2], data[len(data)/2:]} {
		if got := j.put(at, "block&blockid="+url.QueryEscape(blockID(i)), []byte(part)); got.status != 201 {
			j.t.Fatalf("block: %d %s", got.status, got.text)
		}
	}
	if got := j.put(at, "blocklist", list(blockID(0), blockID(1)), "x-ms-blob-content-type", "application/zip"); got.status != 201 {
		j.t.Fatalf("block list: %d %s", got.status, got.text)
	}
	return j.call("FinalizeArtifact", m{"name": name, "size": itoa(len(data)), "hash": digestOf(data)})
}

func memoryRun(s *Server) Run {
	return s.AddRun(Run{Repo: hello, Event: "issue_comment"})
}

func TestAnArtifactGoesUpByTheServiceAndComesDownByREST(t *testing.T) {
	s, _ := world(t)
	j := newJob(t, s, memoryRun(s))
	got := j.upload("familiar-memory-1296269", "the sealed zip")
	if got.status != 200 || got.at("ok") != true {
		t.Fatalf("FinalizeArtifact: %d %s", got.status, got.text)
	}
	id := got.at("artifact_id").(string)
	tok := s.Token("actions:read")
	listed := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/actions/artifacts?name=familiar-memory-1296269&per_page=100", nil)
	a := func(field string) any { return listed.at("artifacts", 0, field) }
	if itoa(int(a("id").(float64))) != id || a("digest") != digestOf("the sealed zip") || a("size_in_bytes") != 14.0 || a("expired") != false {
		t.Errorf("listed %s", listed.text)
	}
	moved := ask(t, tok, "GET", s.URL()+"/repos/octocat/hello/actions/artifacts/"+id+"/zip", nil)
	at := moved.header.Get("Location")
	if moved.status != 302 || !strings.HasPrefix(at, s.BlobURL()+"/download/") {
		t.Fatalf("zip: %d to %s", moved.status, at)
	}
	if got := ask(t, "", "GET", at, nil); got.status != 200 || got.text != "the sealed zip" || got.header.Get("Content-Type") != "application/zip" {
		t.Errorf("download: %d %q", got.status, got.text)
	}
	if got := ask(t, tok, "GET", at, nil); got.status != 401 {
		t.Errorf("download with a token: %d, want 401", got.status)
	}
	onlyViolation(t, s, "an Authorization header was sent to the blob host")
	if got := ask(t, "", "GET", strings.Replace(at, "sig=", "sig=x", 1), nil); got.status != 403 {
		t.Errorf("download with another signature: %d, want 403", got.status)
	}
	onlyViolation(t, s, "wrong signature")

	own := j.call("ListArtifacts", m{"name_filter": "familiar-memory-1296269"})
	if own.at("artifacts", 0, "database_id") != id || own.at("artifacts", 0, "size") != "14" {
		t.Errorf("ListArtifacts: %s", own.text)
	}
	signed := j.call("GetSignedArtifactURL", m{"name": "familiar-memory-1296269"})
	if got := ask(t, "", "GET", signed.at("signed_url").(string), nil); got.text != "the sealed zip" {
		t.Errorf("signed download: %d %q", got.status, got.text)
	}
	if got := j.call("DeleteArtifact", m{"name": "familiar-memory-1296269"}); got.at("artifact_id") != id || len(s.Artifacts(hello, "")) != 0 {
		t.Errorf("DeleteArtifact: %s, left %d", got.text, len(s.Artifacts(hello, "")))
	}
	for _, e := range s.Log() {
		if strings.Contains(e.Path, "sig=") && !strings.Contains(e.Path, "sig=%2A%2A%2A") {
			t.Errorf("the log shows a signature: %s", e.Path)
		}
	}
}

func TestANameIsTakenOncePerRunAndAttempt(t *testing.T) {
	s, _ := world(t)
	run := memoryRun(s)
	newJob(t, s, run).upload("m", "one")
	again := newJob(t, s, run)
	if got := again.call("CreateArtifact", m{"name": "m", "version": 7}); got.status != 409 || got.at("code") != "already_exists" {
		t.Errorf("second job of the run: %d %s", got.status, got.text)
	}
	again.create("m-again")
	run.Attempt = 2
	s.AddRun(run)
	if got := newJob(t, s, run).upload("m", "two"); got.status != 200 {
		t.Errorf("second attempt: %d %s", got.status, got.text)
	}
	if got := newJob(t, s, memoryRun(s)).upload("m", "three"); got.status != 200 {
		t.Errorf("another run: %d %s", got.status, got.text)
	}
	if got := s.Artifacts(hello, "m"); len(got) != 3 || string(got[0].Data) != "three" {
		t.Errorf("%d artifacts, newest %q", len(got), got[0].Data)
	}
}

func TestTheResultsServiceRefusesWhatIsNotItsProtocol(t *testing.T) {
	s, _ := world(t)
	j := newJob(t, s, memoryRun(s))
	other := newJob(t, s, memoryRun(s))
	fine := m{"name": "a", "version": 7}
	with := func(more m) m {
		out := m{}
		for _, part := range []m{fine, more} {
			for k, v := range part {
				out[k] = v
			}
		}
		return out
	}
	api := j
	api.token = s.FullToken()
	for _, c := range []struct {
		name   string
		j      job
		method string
		body   m
		status int
		words  string
	}{
		{"the API's token", api, "CreateArtifact", fine, 401, "unknown runtime token"},
		{"the ids of another job", j, "CreateArtifact", with(other.backend), 403, "backend ids"},
		{"a field in camel case", j, "CreateArtifact", with(m{"mimeType": "application/zip"}), 400, "mimeType is unknown"},
		{"a version as text", j, "CreateArtifact", m{"name": "a", "version": "7"}, 400, "version has the wrong type"},
		{"a version that never was", j, "CreateArtifact", m{"name": "a", "version": 5}, 400, "version 5"},
		{"no name", j, "CreateArtifact", m{"version": 7}, 400, "name is missing"},
		{"a name with a slash", j, "CreateArtifact", with(m{"name": "a/b"}), 400, ""},
		{"a life beyond ninety days", j, "CreateArtifact", with(m{"expires_at": time.Now().Add(100 * 24 * time.Hour).Format(time.RFC3339)}), 400, ""},
		{"a size as a number", j, "FinalizeArtifact", m{"name": "a", "size": 3, "hash": digestOf("abc")}, 400, "size has the wrong type"},
		{"nothing that was made", j, "FinalizeArtifact", m{"name": "z", "size": "3", "hash": digestOf("abc")}, 404, ""},
		{"an address of nothing", j, "GetSignedArtifactURL", m{"name": "z"}, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.j.call(c.method, c.body)
			if got.status != c.status {
				t.Errorf("%d %s, want %d", got.status, got.text, c.status)
			}
			if c.words != "" {
				onlyViolation(t, s, c.words)
			}
		})
	}
	s.Revoke(j.token)
	if got := j.call("CreateArtifact", fine); got.status != 401 || got.at("code") != "unauthenticated" {
		t.Errorf("an ended runtime token: %d %s", got.status, got.text)
	}
	if got := ask(t, other.token, "GET", s.URL()+"/repos/octocat/hello", nil); got.status != 401 {
		t.Errorf("a runtime token at the API: %d", got.status)
	}
	onlyViolation(t, s, "the runtime token was sent to the API")
}

func TestTheBlobHostRefusesUploadsOutOfOrder(t *testing.T) {
	s, _ := world(t)
	j := newJob(t, s, memoryRun(s))
	at := j.create("a")
	ids := []string{blockID(0), blockID(1)}
	zip := []string{"x-ms-blob-content-type", "application/zip"}
	finalize := func(size, hash string) func() answered {
		return func() answered { return j.call("FinalizeArtifact", m{"name": "a", "size": size, "hash": hash}) }
	}
	put := func(comp string, body []byte, headers ...string) func() answered {
		return func() answered { return j.put(at, comp, body, headers...) }
	}
	for _, c := range []struct {
		name   string
		do     func() answered
		status int
		words  string
	}{
		{"final before anything was put", finalize("3", digestOf("abc")), 412, "before the block list"},
		{"a block list of unknown blocks", put("blocklist", list(ids[0]), zip...), 400, "never put"},
		{"a block id that is no base64", put("block&blockid=!", []byte("abc")), 400, "not base64"},
		{"a block with a token", put("block&blockid="+ids[0], []byte("abc"), "Authorization", "Bearer x"), 401, "Authorization"},
		{"a block without a version", func() answered { return ask(t, "", "PUT", at+"&comp=block&blockid="+ids[0], []byte("abc")) }, 400, "x-ms-version"},
		{"a blob in one piece", put("", []byte("abc"), "x-ms-blob-type", "BlockBlob"), 400, "comp="},
		{"a block of no bytes", put("block&blockid="+ids[0], []byte{}), 413, "0 bytes"},
		{"a block too large", put("block&blockid="+ids[0], make([]byte, maxBlock+1)), 413, "take 1 to"},
		{"the second block first", put("block&blockid="+ids[1], []byte("c")), 201, ""},
		{"the first block", put("block&blockid="+ids[0], []byte("ab")), 201, ""},
		{"an id of another length", put("block&blockid="+base64.StdEncoding.EncodeToString([]byte("x")), []byte("d")), 400, "different lengths"},
		{"a list that is no XML", put("blocklist", []byte("[]"), zip...), 400, "no XML"},
		{"a list without the type of the whole", put("blocklist", list(ids...)), 400, "x-ms-blob-content-type"},
		{"a list that forgets a block", put("blocklist", list(ids[0]), zip...), 201, "1 of 2 blocks"},
		{"the list", put("blocklist", list(ids...), zip...), 201, ""},
		{"a wrong size", finalize("4", digestOf("abc")), 400, "size"},
		{"a wrong hash", finalize("3", digestOf("abd")), 400, "hash"},
		{"all right, in the order of the list", finalize("3", digestOf("abc")), 200, ""},
		{"final twice", finalize("3", digestOf("abc")), 409, ""},
		{"a block after the end", put("block&blockid="+ids[0], []byte("zz")), 409, "final"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.do()
			if got.status != c.status {
				t.Errorf("%d %s, want %d", got.status, got.text, c.status)
			}
			if c.words != "" {
				onlyViolation(t, s, c.words)
			}
		})
	}
	if got := s.Artifacts(hello, "a"); len(got) != 1 || string(got[0].Data) != "abc" {
		t.Errorf("stored %+v", got)
	}
}

func TestArtifactsThatAreExpiredTamperedForeignOrNotListedYet(t *testing.T) {
	s, p := world(t)
	s.AddRepo(Repo{Owner: "mallory", OwnerType: "User", Name: "hello", ID: 55, Fork: true})
	fork := s.AddRun(Run{Repo: hello, HeadRepo: "mallory/hello", Event: "pull_request", HeadSHA: p.HeadSHA})
	run := memoryRun(s)
	old := s.AddArtifact(Artifact{Repo: hello, Name: "m", Run: run.ID, Data: []byte("old"), Digest: NoDigest})
	foreign := s.AddArtifact(Artifact{Repo: hello, Name: "m", Run: fork.ID, Data: []byte("evil")})
	tok := s.Token("actions:write")
	base := s.URL() + "/repos/octocat/hello/actions/artifacts"
	list := func() answered { return ask(t, tok, "GET", base+"?name=m", nil) }

	got := list()
	if got.at("artifacts", 0, "id") != float64(foreign) || got.at("artifacts", 0, "workflow_run", "head_repository_id") != 55.0 {
		t.Errorf("A1: newest first with its head repository: %s", got.text)
	}
	if got.at("artifacts", 1, "digest") != nil {
		t.Errorf("A15: digest %v, want none", got.at("artifacts", 1, "digest"))
	}
	s.ExpireArtifact(hello, old)
	if got := ask(t, tok, "GET", base+"/"+itoa(int(old))+"/zip", nil); got.status != 410 || got.at("message") != "Artifact has expired" {
		t.Errorf("A10: expired: %d %s", got.status, got.text)
	}
	if list().at("artifacts", 1, "expired") != true {
		t.Error("A10: not listed as expired")
	}
	s.Advance(91 * 24 * time.Hour)
	if list().at("artifacts", 0, "expired") != true {
		t.Error("an artifact does not expire with the clock")
	}

	s.ListLag(2)
	j := newJob(t, s, run)
	j.upload("m", "fresh")
	for i, want := range []float64{2, 2, 3} {
		if got := list(); got.at("total_count") != want {
			t.Errorf("A16: listing %d has %v, want %v", i+1, got.at("total_count"), want)
		}
	}
	fresh := s.Artifacts(hello, "m")[0].ID
	s.TamperArtifact(hello, fresh, []byte("other bytes"))
	at := ask(t, tok, "GET", base+"/"+itoa(int(fresh))+"/zip", nil).header.Get("Location")
	if got := ask(t, "", "GET", at, nil); got.text != "other bytes" || list().at("artifacts", 0, "digest") != digestOf("fresh") {
		t.Errorf("A15: tampered: %q under %v", got.text, list().at("artifacts", 0, "digest"))
	}
	s.DeleteArtifact(hello, fresh)
	if got := ask(t, "", "GET", at, nil); got.status != 404 {
		t.Errorf("a deleted artifact is still delivered: %d", got.status)
	}
}
