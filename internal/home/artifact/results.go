package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/text"
)

// ServiceOptions are what the runner gives a job.
type ServiceOptions struct {
	URL   string // ACTIONS_RESULTS_URL; only its origin counts
	Token string // ACTIONS_RUNTIME_TOKEN
	// Days of lifetime that are asked for; 0 leaves it to the repository.
	// MaxDays is GITHUB_RETENTION_DAYS, 0 if not known.
	Days, MaxDays int
	Transport     http.RoundTripper // nil for one of our own
	// Mask hides a value from the log; it gets the signature of each signed
	// address, as it is and encoded, before the address is used. Not nil.
	Mask  func(secret string)
	Sleep func(ctx context.Context, d time.Duration) error // nil for the real thing
	Now   func() time.Time                                 // nil for time.Now
}

// Service uploads artifacts of the running job. It is an Uploader.
type Service struct {
	o       ServiceOptions
	origin  string
	backend backend
	http    *http.Client
	jitter  func() float64
}

var _ Uploader = (*Service)(nil)

// NewService returns the service. Nothing is asked yet. The error names what
// the job lacks; Enterprise Server has no such service.
func NewService(o ServiceOptions) (*Service, error) {
	bad := func(detail, fix string) error {
		return &home.Error{Kind: home.Unwritable, Where: "the artifact service", Detail: detail, Fix: fix}
	}
	if o.URL == "" || o.Token == "" {
		return nil, bad("ACTIONS_RESULTS_URL or ACTIONS_RUNTIME_TOKEN is not set",
			"Memory can be saved only by a container action on github.com or *.ghe.com; run it as one.")
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || !secure(u) {
		return nil, bad("ACTIONS_RESULTS_URL is no https address", "Leave it as the runner sets it.")
	}
	ids, err := backendOf(o.Token)
	if err != nil {
		return nil, bad(err.Error(), "Leave it as the runner sets it.")
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	lastHop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Service{o: o, origin: u.Scheme + "://" + u.Host, backend: ids, jitter: rand.Float64,
		http: &http.Client{Transport: o.Transport, CheckRedirect: lastHop}}, nil
}

func secure(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

const (
	servicePath = "/twirp/github.actions.results.api.v1.ArtifactService/"
	attempts    = 5
	firstPause  = 3 * time.Second
	callTime    = time.Minute
	answerBytes = 64 << 10
)

// Upload stores an artifact: create, blocks, block list, finalize. The bytes
// are a zip already and are stored as they are.
func (s *Service) Upload(ctx context.Context, name string, data []byte) (int64, error) {
	return s.UploadFor(ctx, name, data, s.o.Days)
}

// UploadFor is Upload with a lifetime of its own, in days; 0 leaves it to the
// repository, whose longest holds.
func (s *Service) UploadFor(ctx context.Context, name string, data []byte, days int) (int64, error) {
	if err := validName(name); err != nil {
		return 0, err
	}
	req := map[string]any{"name": name, "version": 7, "mime_type": "application/zip"}
	if days := s.days(days); days > 0 {
		req["expires_at"] = s.o.Now().Add(time.Duration(days) * 24 * time.Hour).UTC().Format(time.RFC3339)
	}
	var created struct {
		OK  bool   `json:"ok"`
		URL string `json:"signed_upload_url"`
	}
	if err := s.call(ctx, "CreateArtifact", req, &created); err != nil {
		return 0, err
	}
	if !created.OK {
		return 0, errors.New("the artifact service did not create it")
	}
	if err := s.putBlob(ctx, created.URL, data); err != nil {
		return 0, err
	}
	return s.finalize(ctx, name, data)
}

// finalize tells the service that the bytes are there. Where its answer is
// lost, or a repeated call is refused because the first one was taken, only
// the listing can tell.
func (s *Service) finalize(ctx context.Context, name string, data []byte) (int64, error) {
	req := map[string]any{"name": name, "size": strconv.Itoa(len(data)), "hash": digestPrefix + home.Digest(data)}
	var done struct {
		OK bool   `json:"ok"`
		ID number `json:"artifact_id"`
	}
	err := s.call(ctx, "FinalizeArtifact", req, &done)
	var failed *serviceError
	switch {
	case err == nil && done.OK && done.ID > 0:
		return int64(done.ID), nil
	case err == nil && done.OK, errors.As(err, &failed) && (failed.lost || failed.repeated):
		return 0, ErrUncertain
	case err != nil:
		return 0, err
	}
	return 0, errors.New("the artifact service did not take it")
}

// Remove deletes this run's artifact of a name; one that is gone is removed.
func (s *Service) Remove(ctx context.Context, name string) error {
	var done struct {
		OK bool `json:"ok"`
	}
	err := s.call(ctx, "DeleteArtifact", map[string]any{"name": name}, &done)
	var failed *serviceError
	switch {
	case errors.As(err, &failed) && failed.status == http.StatusNotFound:
		return nil
	case err == nil && !done.OK:
		return errors.New("the artifact service did not delete it")
	}
	return err
}

// days is the lifetime to ask for, capped by the repository's.
func (s *Service) days(asked int) int {
	if s.o.MaxDays > 0 && asked > s.o.MaxDays {
		return s.o.MaxDays
	}
	return asked
}

// validName holds to what the service takes.
func validName(name string) error {
	if name == "" || strings.ContainsAny(name, "\":<>|*?\r\n\\/") {
		return fmt.Errorf("%q is no name of an artifact", name)
	}
	return nil
}

// number is a 64-bit number, which the service writes as a text.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || v < 0 {
		return errors.New("no number")
	}
	*n = number(v)
	return nil
}

// serviceError is a call that failed for good.
type serviceError struct {
	what     string
	status   int  // 0: no answer
	repeated bool // not the first attempt: an earlier one may have been taken
	lost     bool // no answer, or one that says nothing of the outcome
	detail   string
}

func (e *serviceError) Error() string { return e.what + ": " + e.detail }

// Is lets errors.Is tell a name that is taken. On a repeated call it may be
// our own first attempt that took it: the other name serves as well.
func (e *serviceError) Is(target error) bool {
	return target == ErrTaken && e.status == http.StatusConflict && e.what == "CreateArtifact"
}

// call asks the service, with its own rules of repeating.
func (s *Service) call(ctx context.Context, method string, req map[string]any, out any) error {
	req["workflow_run_backend_id"], req["workflow_job_run_backend_id"] = s.backend.run, s.backend.job
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	header := http.Header{"Authorization": {"Bearer " + s.o.Token}, "Content-Type": {"application/json"}}
	answer, err := s.send(ctx, method, http.MethodPost, s.origin+servicePath+method, header, body)
	if err != nil {
		return err
	}
	if json.Unmarshal(answer, out) != nil {
		return &serviceError{what: method, lost: true, detail: "the answer cannot be read"}
	}
	return nil
}

// send makes one call of either host, repeated on failures of the moment.
func (s *Service) send(ctx context.Context, what, method, address string, header http.Header, body []byte) ([]byte, error) {
	for n := 0; ; n++ {
		answer, err := s.once(ctx, what, method, address, header, body)
		if err == nil {
			return answer, nil
		}
		err.repeated = n > 0
		if ctx.Err() != nil {
			err.detail = "the run was cancelled"
			return nil, err
		}
		if !err.momentary() || n+1 >= attempts {
			return nil, err
		}
		if s.o.Sleep(ctx, s.pause(n)) != nil {
			err.detail = "the run was cancelled"
			return nil, err
		}
	}
}

// pause before the next attempt: 3 s, then half as much again each time, give
// or take a quarter.
func (s *Service) pause(n int) time.Duration {
	d := firstPause
	for range n {
		d = d * 3 / 2
	}
	return d*3/4 + time.Duration(s.jitter()*float64(d/2))
}

func (e *serviceError) momentary() bool {
	switch e.status {
	case 0, 429, 500, 502, 503, 504:
		return !strings.Contains(strings.ToLower(e.detail), "insufficient usage")
	}
	return false
}

func (s *Service) once(ctx context.Context, what, method, address string, header http.Header, body []byte) ([]byte, *serviceError) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, &serviceError{what: what, detail: "its address cannot be used", status: http.StatusBadRequest}
	}
	req.Header = header.Clone()
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, &serviceError{what: what, lost: true, detail: "the connection failed: " + s.reason(err)}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerBytes+1))
	switch {
	case resp.StatusCode/100 != 2:
		return nil, &serviceError{what: what, status: resp.StatusCode, lost: resp.StatusCode >= 500, detail: s.said(resp.StatusCode, answer)}
	case err != nil:
		return nil, &serviceError{what: what, lost: true, detail: "the answer was cut"}
	case len(answer) > answerBytes:
		return nil, &serviceError{what: what, status: http.StatusRequestEntityTooLarge, lost: true, detail: "the answer is too large"}
	}
	return answer, nil
}

// said is what the service says of a failure. The blob store's answers are
// not shown: they repeat the signed address.
func (s *Service) said(status int, answer []byte) string {
	text := fmt.Sprintf("it answered %d", status)
	var twirp struct{ Code, Msg string }
	if json.Unmarshal(answer, &twirp) != nil || twirp.Msg == "" {
		return text
	}
	return text + ": " + s.clean(twirp.Msg)
}

// clean makes the service's words fit for a text of ours. What must not be
// shown goes first: a cut secret would no longer be found.
func (s *Service) clean(msg string) string {
	msg = strings.ReplaceAll(msg, s.o.Token, "[hidden]")
	msg = signature.ReplaceAllString(msg, "[hidden]")
	out := []rune(strings.ToValidUTF8(msg, "?"))
	for i, r := range out {
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
			out[i] = ' '
		}
	}
	return string(out[:min(len(out), 200)])
}

var signature = text.Lazy(`(?i)\bsig(?:=|%3D)[^&\s"'<>]+`)

// reason is why a connection failed, without the address that net/http puts
// before it.
func (s *Service) reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it was cut"
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + " failed"
	}
	return "no answer"
}
