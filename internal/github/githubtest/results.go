package githubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const twirp = "/twirp/github.actions.results.api.v1.ArtifactService/"

// maxJobArtifacts is how many artifacts one job may make.
const maxJobArtifacts = 500

func (s *Server) resultsRoutes() []*route {
	r := func(method string, fields []string, h func(*request, *runtime, object) reply) *route {
		rt := &route{host: Results, method: http.MethodPost, template: twirp + method}
		rt.handle = func(q *request) reply { return s.twirp(q, fields, h) }
		return rt
	}
	return []*route{
		r("CreateArtifact", []string{"name", "expires_at?", "version", "mime_type?"}, s.twirpCreate),
		r("FinalizeArtifact", []string{"name", "size", "hash"}, s.twirpFinalize),
		r("ListArtifacts", []string{"name_filter?", "id_filter?"}, s.twirpList),
		r("GetSignedArtifactURL", []string{"name"}, s.twirpSign),
		r("DeleteArtifact", []string{"name"}, s.twirpDelete),
	}
}

// twirpFail is an error as Twirp sends it.
func twirpFail(status int, code, msg string) reply {
	return answer(status, object{"code": code, "msg": msg})
}

// twirp checks what all methods share: the runtime token, JSON, exactly the
// method's fields, and the backend ids of the token's scp claim. The service
// takes more forms than this; ours are the ones its own client sends.
func (s *Server) twirp(q *request, fields []string, h func(*request, *runtime, object) reply) reply {
	rt, bad := s.runtimeOf(q)
	if rt == nil {
		return bad
	}
	in, complaint := twirpBody(q, fields)
	if complaint != "" {
		s.violate("%s: %s", q.route.name(), complaint)
		return twirpFail(http.StatusBadRequest, "invalid_argument", complaint)
	}
	if in["workflow_run_backend_id"] != rt.runBackend || in["workflow_job_run_backend_id"] != rt.jobBackend {
		s.violate("%s: the backend ids are not the token's", q.route.name())
		return twirpFail(http.StatusForbidden, "permission_denied", "the backend ids are not those of the token")
	}
	if name, ok := in["name"].(string); ok && (name == "" || strings.ContainsAny(name, "\":<>|*?\r\n\\/")) {
		return twirpFail(http.StatusBadRequest, "invalid_argument", "the artifact name is not valid")
	}
	return h(q, rt, in)
}

func (s *Server) runtimeOf(q *request) (*runtime, reply) {
	value, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	rt := s.runtimes[value]
	switch {
	case !ok:
		s.violate("%s: no runtime token", q.route.name())
	case rt == nil:
		s.violate("%s: unknown runtime token", q.route.name())
	case rt.revoked:
	default:
		return rt, reply{}
	}
	return nil, twirpFail(http.StatusUnauthorized, "unauthenticated", "the token is not valid")
}

// twirpBody decodes a request. Names with ? may be left out.
func twirpBody(q *request, fields []string) (object, string) {
	if t, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type")); t != "application/json" {
		return nil, fmt.Sprintf("Content-Type %q where JSON is due", q.Header.Get("Content-Type"))
	}
	var in object
	dec := json.NewDecoder(bytes.NewReader(q.body))
	dec.UseNumber()
	if err := dec.Decode(&in); err != nil {
		return nil, "the body is not JSON"
	}
	fields = append([]string{"workflow_run_backend_id", "workflow_job_run_backend_id"}, fields...)
	for _, f := range fields {
		name, optional := strings.CutSuffix(f, "?")
		if _, ok := in[name]; !ok && !optional {
			return nil, "field " + name + " is missing"
		}
	}
	for k, v := range in {
		if !slices.Contains(fields, k) && !slices.Contains(fields, k+"?") {
			return nil, "field " + k + " is unknown"
		}
		_, number := v.(json.Number)
		if _, text := v.(string); k == "version" && !number || k != "version" && !text {
			return nil, "field " + k + " has the wrong type; 64-bit numbers are texts"
		}
	}
	return in, ""
}

func (s *Server) twirpCreate(q *request, rt *runtime, in object) reply {
	name := in["name"].(string)
	if v := in["version"].(json.Number).String(); v != "4" && v != "7" {
		s.violate("%s: version %s", q.route.name(), v)
		return twirpFail(http.StatusBadRequest, "invalid_argument", "unsupported version")
	}
	expires, bad := s.lifetime(in)
	if bad != nil {
		return *bad
	}
	job := 0
	for _, u := range s.uploads {
		if u.rt.runBackend == rt.runBackend && u.name == name && !u.deleted {
			return twirpFail(http.StatusConflict, "already_exists", "an artifact with this name already exists on the workflow run")
		}
		if u.rt.jobBackend == rt.jobBackend {
			job++
		}
	}
	if job >= maxJobArtifacts {
		return twirpFail(http.StatusTooManyRequests, "resource_exhausted", "too many artifacts for this job")
	}
	u := &upload{key: secret(24), sig: secret(43), name: name, rt: rt, expires: expires, blocks: map[string][]byte{}}
	s.uploads[u.key] = u
	s.tick()
	return ok(object{"ok": true, "signed_upload_url": s.signUpload(u)})
}

// lifetime reads expires_at, which may not lie beyond the retention of ninety
// days.
func (s *Server) lifetime(in object) (time.Time, *reply) {
	most := s.now.Add(90 * 24 * time.Hour)
	text, given := in["expires_at"].(string)
	if !given {
		return most, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		a := twirpFail(http.StatusBadRequest, "malformed", "expires_at is not RFC 3339")
		return at, &a
	}
	life := at.Sub(s.now)
	if life <= 0 || life > 90*24*time.Hour+time.Minute {
		a := twirpFail(http.StatusBadRequest, "invalid_argument", "expires_at is beyond the retention limit")
		return at, &a
	}
	return at, nil
}

func (s *Server) uploadOf(rt *runtime, name string) *upload {
	for _, u := range s.uploads {
		if u.rt.runBackend == rt.runBackend && u.name == name && !u.deleted {
			return u
		}
	}
	return nil
}

func (s *Server) twirpFinalize(q *request, rt *runtime, in object) reply {
	u := s.uploadOf(rt, in["name"].(string))
	size, err := strconv.ParseInt(in["size"].(string), 10, 64)
	switch {
	case u == nil:
		return twirpFail(http.StatusNotFound, "not_found", "no such artifact was created in this run")
	case u.id != 0:
		return twirpFail(http.StatusConflict, "already_exists", "the artifact is final")
	case !u.committed:
		s.violate("%s: finalized before the block list was committed", q.route.name())
		return twirpFail(http.StatusPreconditionFailed, "failed_precondition", "nothing was uploaded")
	case err != nil || size != int64(len(u.data)):
		s.violate("%s: size %q of %d bytes", q.route.name(), in["size"], len(u.data))
		return twirpFail(http.StatusBadRequest, "invalid_argument", "the size is not that of the upload")
	case in["hash"] != u.digest():
		s.violate("%s: hash %q is not that of the upload", q.route.name(), in["hash"])
		return twirpFail(http.StatusBadRequest, "invalid_argument", "the hash is not that of the upload")
	}
	a := s.keep(rt.repo, rt.run, Artifact{Name: u.name, Run: rt.run.ID, Data: u.data, ExpiresAt: u.expires})
	a.hidden = s.lag
	u.id = a.ID
	return ok(object{"ok": true, "artifact_id": strconv.FormatInt(a.ID, 10)})
}

// twirpList lists the run's own artifacts, unlike REST without delay.
func (s *Server) twirpList(q *request, rt *runtime, in object) reply {
	out := []object{}
	for _, a := range rt.repo.artifacts {
		u := s.finalized(a.ID)
		if u == nil || u.rt.runBackend != rt.runBackend {
			continue
		}
		id := strconv.FormatInt(a.ID, 10)
		if f, given := in["name_filter"]; given && f != a.Name {
			continue
		}
		if f, given := in["id_filter"]; given && f != id {
			continue
		}
		out = append(out, object{"workflow_run_backend_id": u.rt.runBackend, "workflow_job_run_backend_id": u.rt.jobBackend,
			"database_id": id, "name": a.Name, "size": strconv.FormatInt(a.Size, 10), "created_at": stamp(a.CreatedAt), "digest": a.Digest})
	}
	return ok(object{"artifacts": out})
}

// finalized is the upload that became an artifact.
func (s *Server) finalized(id int64) *upload {
	for _, u := range s.uploads {
		if u.id == id && id != 0 {
			return u
		}
	}
	return nil
}

func (s *Server) twirpSign(q *request, rt *runtime, in object) reply {
	u := s.uploadOf(rt, in["name"].(string))
	if u == nil || u.id == 0 {
		return twirpFail(http.StatusNotFound, "not_found", "no such artifact in this run")
	}
	return ok(object{"name": u.name, "signed_url": s.signDownload(u.id, rt.value)})
}

func (s *Server) twirpDelete(q *request, rt *runtime, in object) reply {
	u := s.uploadOf(rt, in["name"].(string))
	if u == nil || u.id == 0 {
		return twirpFail(http.StatusNotFound, "not_found", "no such artifact in this run")
	}
	s.tick()
	u.deleted = true
	rt.repo.dropArtifact(u.id)
	return ok(object{"ok": true, "artifact_id": strconv.FormatInt(u.id, 10)})
}
