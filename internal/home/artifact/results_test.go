package artifact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/home"
)

// runtimeToken has the form of a job's token; it is made here.
func runtimeToken(scope string) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	claims, _ := json.Marshal(map[string]any{"scp": scope})
	return part(`{"alg":"RS256"}`) + "." + part(string(claims)) + "." + part(strings.Repeat("s", 40))
}

const scope = "Actions.GenericRead:0 Actions.Results:run-1:job-2 Actions.UploadArtifacts:0/1:x/y"

// service is a small results service and blob store in one.
type service struct {
	*Service
	mu    sync.Mutex
	seen  []string
	slept []time.Duration
	masks []string
	put   map[string]string
	body  map[string]any // of the last call
}

func newService(t *testing.T, answer func(method string, n int) (int, string), change ...func(*ServiceOptions)) *service {
	t.Helper()
	s := &service{put: map[string]string{}}
	counts := map[string]int{}
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		method := strings.TrimPrefix(r.URL.Path, servicePath)
		if r.Method == http.MethodPut {
			method = r.URL.Query().Get("comp")
			if r.Header.Get("Authorization") != "" {
				t.Error("a token was sent to the blob store")
			}
		}
		s.seen = append(s.seen, method)
		counts[method]++
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			s.body = map[string]any{}
			_ = json.Unmarshal(body, &s.body)
		} else {
			s.put[method+r.URL.Query().Get("blockid")] = string(body)
		}
		status, text := answer(method, counts[method])
		if status == 0 {
			status = 200
			text = map[string]string{"CreateArtifact": `{"ok":true,"signed_upload_url":"` + srv.URL + `/blob?se=1&` + "sig=" + `a%2Bb%3D"}`,
				"FinalizeArtifact": `{"ok":true,"artifact_id":"77"}`, "DeleteArtifact": `{"ok":true}`}[method]
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	o := ServiceOptions{URL: srv.URL + "/some/path", Token: runtimeToken(scope), Now: func() time.Time { return day },
		Sleep: func(ctx context.Context, d time.Duration) error { s.slept = append(s.slept, d); return ctx.Err() },
		Mask:  func(v string) { s.masks = append(s.masks, v) }}
	for _, f := range change {
		f(&o)
	}
	made, err := NewService(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Service = made
	return s
}

func fine(string, int) (int, string) { return 0, "" }

func TestAnUploadSpeaksTheServicesProtocol(t *testing.T) {
	s := newService(t, fine, func(o *ServiceOptions) { o.Days, o.MaxDays = 400, 30 })
	id, err := s.Upload(t.Context(), "familiar-memory-7", []byte("zip bytes"))
	if err != nil || id != 77 {
		t.Fatalf("Upload = %d, %v", id, err)
	}
	if want := []string{"CreateArtifact", "block", "blocklist", "FinalizeArtifact"}; !slices.Equal(s.seen, want) {
		t.Errorf("calls %v", s.seen)
	}
	want := map[string]any{"name": "familiar-memory-7", "size": "9", "hash": "sha256:" + home.Digest([]byte("zip bytes")), "workflow_run_backend_id": "run-1", "workflow_job_run_backend_id": "job-2"}
	if fmt.Sprint(s.body) != fmt.Sprint(want) {
		t.Errorf("finalize %v, want %v", s.body, want)
	}
	if !slices.Equal(s.masks, []string{"a%2Bb%3D", "a+b="}) {
		t.Errorf("masked %q", s.masks)
	}
	for key, block := range s.put {
		if id, ok := strings.CutPrefix(key, "block"); ok && id != "list" {
			if block != "zip bytes" || !strings.Contains(s.put["blocklist"], "<Latest>"+id+"</Latest>") {
				t.Errorf("block %q is %q, list %q", id, block, s.put["blocklist"])
			}
		}
	}
}

func TestTheLifetimeIsAskedForWithinTheRepositorysCap(t *testing.T) {
	for name, c := range map[string]struct {
		days, most int
		want       any
	}{"as asked": {30, 90, "2026-12-02T09:00:00Z"}, "capped": {400, 30, "2026-12-02T09:00:00Z"}, "no cap is known": {30, 0, "2026-12-02T09:00:00Z"}, "left to the repository": {0, 90, nil}} {
		s := newService(t, func(method string, n int) (int, string) {
			if method == "CreateArtifact" {
				return 400, `{"code":"invalid_argument","msg":"stop here"}`
			}
			return 0, ""
		}, func(o *ServiceOptions) { o.Days, o.MaxDays = c.days, c.most })
		_, err := s.Upload(t.Context(), "x", nil)
		if err == nil || s.body["expires_at"] != c.want || s.body["version"] != 7.0 || s.body["mime_type"] != "application/zip" {
			t.Errorf("%s: %v, %v", name, s.body, err)
		}
	}
}

func TestCallsAreRepeatedAsTheServiceWantsIt(t *testing.T) {
	for _, status := range []int{429, 500, 502, 503, 504} {
		s := newService(t, func(method string, n int) (int, string) {
			if method == "CreateArtifact" && n < attempts {
				return status, `{"code":"unavailable","msg":"later"}`
			}
			return 0, ""
		})
		if _, err := s.Upload(t.Context(), "x", []byte("y")); err != nil {
			t.Errorf("%d: %v", status, err)
		}
		base := 3 * time.Second
		for i, d := range s.slept {
			if d < base*3/4 || d > base*5/4 {
				t.Errorf("%d: pause %d is %s around %s", status, i, d, base)
			}
			base = base * 3 / 2
		}
	}
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"400":                {400, `{"msg":"no"}`},
		"401":                {401, `{"msg":"no"}`},
		"a redirect":         {302, ``},
		"insufficient usage": {429, `{"code":"resource_exhausted","msg":"Insufficient usage to store artifacts"}`},
	} {
		s := newService(t, func(method string, n int) (int, string) { return c.status, c.body })
		if _, err := s.Upload(t.Context(), "x", []byte("y")); err == nil || len(s.seen) != 1 || len(s.slept) != 0 {
			t.Errorf("%s: %v after %v", name, err, s.seen)
		}
	}
}

func TestWhatTheServiceSaysDecidesWhatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		status int
		body   string
		want   error
	}{
		"a name that is taken":          {"CreateArtifact", 409, `{"code":"already_exists","msg":"taken"}`, ErrTaken},
		"finalized without an id":       {"FinalizeArtifact", 200, `{"ok":true}`, ErrUncertain},
		"finalized with an id of zero":  {"FinalizeArtifact", 200, `{"ok":true,"artifact_id":"0"}`, ErrUncertain},
		"finalized, unreadable":         {"FinalizeArtifact", 200, `<html>`, ErrUncertain},
		"finalized, endless answer":     {"FinalizeArtifact", 200, strings.Repeat(" ", answerBytes+5), ErrUncertain},
		"not finalized":                 {"FinalizeArtifact", 200, `{"ok":false}`, nil},
		"refused to finalize":           {"FinalizeArtifact", 400, `{"msg":"size"}`, nil},
		"finalized for ever failing":    {"FinalizeArtifact", 503, ``, ErrUncertain},
		"not created":                   {"CreateArtifact", 200, `{"ok":false}`, nil},
		"created without an address":    {"CreateArtifact", 200, `{"ok":true,"signed_upload_url":""}`, nil},
		"created with a plain address":  {"CreateArtifact", 200, `{"ok":true,"signed_upload_url":"http://blob.example/x?` + "sig=" + `1"}`, nil},
		"created with an odd address":   {"CreateArtifact", 200, `{"ok":true,"signed_upload_url":":"}`, nil},
		"created with an unread answer": {"CreateArtifact", 200, `{"ok":`, nil},
	} {
		s := newService(t, func(method string, n int) (int, string) {
			if method == c.method {
				return c.status, c.body
			}
			return 0, ""
		})
		_, err := s.Upload(t.Context(), "x", []byte("y"))
		switch {
		case err == nil:
			t.Errorf("%s: no error", name)
		case c.want != nil && !errors.Is(err, c.want), c.want == nil && (errors.Is(err, ErrTaken) || errors.Is(err, ErrUncertain)):
			t.Errorf("%s: %v, want %v", name, err, c.want)
		case strings.Contains(err.Error(), "sig="):
			t.Errorf("%s: %q holds a signature", name, err)
		}
	}
}

func TestRemoveTakesGoneForRemoved(t *testing.T) {
	for status, want := range map[int]bool{200: true, 404: true, 403: false} {
		s := newService(t, func(method string, n int) (int, string) {
			if status == 200 {
				return 0, ""
			}
			return status, `{"msg":"x"}`
		})
		if err := s.Remove(t.Context(), "x"); (err == nil) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
	s := newService(t, func(string, int) (int, string) { return 200, `{"ok":false}` })
	if err := s.Remove(t.Context(), "x"); err == nil {
		t.Error("a deletion that was not done is none")
	}
}

func TestTheServicesTextsHoldNoToken(t *testing.T) {
	token := runtimeToken(scope)
	s := newService(t, func(string, int) (int, string) { return 400, `{"msg":"bad\n` + token + `"}` })
	_, err := s.Upload(t.Context(), "x", []byte("y"))
	if err == nil || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "[hidden]") {
		t.Errorf("error %q", err)
	}
	if _, err := s.Upload(t.Context(), "a/b", nil); err == nil || !strings.Contains(err.Error(), "no name of an artifact") {
		t.Errorf("a name with a slash: %v", err)
	}
}

func TestWhatAJobLacksIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ url, token, text string }{
		"nothing":             {"", "", "ACTIONS_RESULTS_URL"},
		"no token":            {"https://results.example/", "", "ACTIONS_RUNTIME_TOKEN"},
		"plain http":          {"http://results.example/", runtimeToken(scope), "no https address"},
		"no address":          {"results", runtimeToken(scope), "no https address"},
		"not a token":         {"https://results.example/", "abc", "no token of a running job"},
		"no scope":            {"https://results.example/", runtimeToken("Actions.GenericRead:0"), "Actions.Results"},
		"two parts":           {"https://results.example/", runtimeToken("Actions.Results:run"), "Actions.Results"},
		"four parts":          {"https://results.example/", runtimeToken("Actions.Results:a:b:c"), "Actions.Results"},
		"an empty part":       {"https://results.example/", runtimeToken("Actions.Results::b"), "Actions.Results"},
		"a scope of likeness": {"https://results.example/", runtimeToken("XActions.Results:a:b"), "Actions.Results"},
	} {
		_, err := NewService(ServiceOptions{URL: c.url, Token: c.token})
		if home.KindOf(err) != home.Unwritable || !strings.Contains(err.Error(), c.text) || c.token != "" && strings.Contains(err.Error(), c.token) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, err := NewService(ServiceOptions{URL: "https://results.example/deep/path", Token: runtimeToken(scope)}); err != nil || s.origin != "https://results.example" || s.backend != (backend{"run-1", "job-2"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzBackendOf(f *testing.F) {
	f.Add(runtimeToken(scope))
	f.Add(runtimeToken(""))
	f.Add("a.b.c")
	f.Add("..")
	f.Add("a." + base64.RawURLEncoding.EncodeToString([]byte(`{"scp":7}`)) + ".c")
	f.Fuzz(func(t *testing.T, token string) {
		b, err := backendOf(token)
		if (err == nil) != (b.run != "" && b.job != "") {
			t.Errorf("%+v, %v", b, err)
		}
		if strings.ContainsAny(b.run+b.job, ": ") {
			t.Errorf("%+v", b)
		}
	})
}
