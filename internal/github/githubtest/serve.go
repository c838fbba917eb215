package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds what a request may bring.
const maxBody = 256 << 20

const notAccessible = "Resource not accessible by integration"

// reply is an answer before it is sent.
type reply struct {
	status    int
	header    http.Header
	body      []byte
	cut, half bool
}

// request is one request with what was found out about it.
type request struct {
	*http.Request
	route *route
	p     map[string]string
	body  []byte
	tok   *token
	app   *App
	repo  *repo
	fault *Fault
}

func (q *request) num(name string) int64 {
	n, _ := strconv.ParseInt(q.p[name], 10, 64)
	return n
}

// decode reads a body that the description has already been held against.
func (q *request) decode(v any) { _ = json.Unmarshal(q.body, v) }

func answer(status int, v any) reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return reply{status: status, header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, body: body}
}

func ok(v any) reply      { return answer(http.StatusOK, v) }
func created(v any) reply { return answer(http.StatusCreated, v) }
func noContent() reply    { return reply{status: http.StatusNoContent, header: http.Header{}} }
func notFound() reply     { return fail(http.StatusNotFound, "Not Found") }

// fail is GitHub's error body. Errors are its errors list: texts, or objects.
func fail(status int, message string, errors ...any) reply {
	return failAt(status, message, "https://docs.github.com/rest", errors...)
}

func failAt(status int, message, page string, errors ...any) reply {
	body := map[string]any{"message": message, "status": strconv.Itoa(status), "documentation_url": page}
	if len(errors) > 0 {
		body["errors"] = errors
	}
	return answer(status, body)
}

func invalid(resource, field, code, message string) reply {
	e := map[string]any{"resource": resource, "field": field, "code": code}
	if message != "" {
		e["message"] = message
	}
	return fail(http.StatusUnprocessableEntity, "Validation Failed", e)
}

// host serves one of the three hosts.
func (s *Server) host(h Host) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		q := &request{Request: r, body: body}
		var a reply
		if err != nil {
			a = reply{cut: true}
		} else {
			q.route, q.p = s.match(h, r)
			a = s.serve(h, q)
		}
		s.record(h, q, a, start)
		a.send(w)
	})
}

func (s *Server) serve(h Host, q *request) reply {
	if q.route == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.violate("%s %s: no such route on the %s host", q.Method, shown(q.URL), h)
		return notFound()
	}
	name := q.route.name()
	if do := s.hook(name); do != nil {
		do()
	}
	f := s.wrong(h, q)
	s.mu.Lock()
	wait := s.latency
	s.mu.Unlock()
	sleep(q, wait+f.Latency)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, is := s.instead(h, &f); is {
		return a
	}
	a := s.carryOut(h, q, &f)
	if f.Done && f.Status != 0 {
		a = failOn(h, f.Status, plain(f.Status))
	}
	if f.Then != nil {
		f.Then()
	}
	switch {
	case f.Lose:
		return reply{cut: true}
	case f.Half:
		a.half = true
	}
	return a
}

func sleep(q *request, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-q.Context().Done():
	}
}

func (s *Server) carryOut(h Host, q *request, f *Fault) reply {
	if h != API {
		return q.route.handle(q)
	}
	q.fault = f
	a := s.rest(q)
	key := q.Method + " " + q.URL.RequestURI() + " " + q.Header.Get("Accept")
	if q.Method == http.MethodGet && a.status == http.StatusOK {
		if f.Stale {
			a = s.stale(q, key, a)
		} else if f.Behind == 0 && f.Without == 0 {
			s.replays[key] = reply{status: a.status, header: a.header.Clone(), body: a.body}
		}
		a = s.conditional(q, a)
	}
	s.limitHeaders(a.header)
	a.header.Set("Date", s.now.Format(http.TimeFormat))
	a.header.Set("X-GitHub-Request-Id", "TEST:"+strconv.Itoa(len(s.log)+1))
	a.header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	return a
}

// stale is what a list answered the last time, or the empty list.
func (s *Server) stale(q *request, key string, now reply) reply {
	if before, ok := s.replays[key]; ok {
		return reply{status: before.status, header: before.header.Clone(), body: before.body}
	}
	switch {
	case bytes.HasPrefix(now.body, []byte("[")):
		return ok([]any{})
	case strings.HasSuffix(q.route.template, "/actions/artifacts"):
		return ok(map[string]any{"total_count": 0, "artifacts": []any{}})
	}
	return now
}

// conditional gives a body its ETag and answers 304 to whoever has it. A 304
// does not count against the limit.
func (s *Server) conditional(q *request, a reply) reply {
	sum := sha256.Sum256(a.body)
	tag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	if slices.Contains(strings.Split(q.Header.Get("If-None-Match"), ", "), tag) {
		s.limit.remaining++
		a = reply{status: http.StatusNotModified, header: http.Header{}}
	}
	a.header.Set("ETag", tag)
	a.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	return a
}

func (s *Server) record(h Host, q *request, a reply, start time.Time) {
	e := Entry{Host: h, Method: q.Method, Path: shown(q.URL), Status: a.status, Start: start}
	if q.route != nil {
		e.Route = q.route.name()
	}
	if q.tok != nil && q.tok.actor != nil {
		e.Actor = q.tok.actor.Login
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.End = time.Now()
	s.log = append(s.log, e)
}

// shown is an address for the log, without its signature.
func shown(u *url.URL) string {
	v := u.Query()
	if !v.Has("sig") {
		return u.RequestURI()
	}
	v.Set("sig", "***")
	return u.EscapedPath() + "?" + v.Encode()
}

func (a reply) send(w http.ResponseWriter) {
	if a.cut {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	if a.status == http.StatusNotModified || a.status == http.StatusNoContent {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(a.status)
	if a.half {
		_, _ = w.Write(a.body[:len(a.body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(a.body)
}

// page cuts a list to the page that was asked for and says in Link where the
// others are, by repository id, as GitHub does.
func page[T any](q *request, s *Server, items []T) ([]T, http.Header) {
	per, at := 30, 1
	if n, err := strconv.Atoi(q.URL.Query().Get("per_page")); err == nil && n > 0 {
		per = min(n, 100)
		if n > 100 {
			s.violate("%s: per_page %d, GitHub gives 100 at most and says nothing", q.route.name(), n)
		}
	}
	if n, err := strconv.Atoi(q.URL.Query().Get("page")); err == nil && n > 0 {
		at = n
	}
	last := max((len(items)+per-1)/per, 1)
	h := http.Header{}
	var links []string
	link := func(n int, rel string) {
		v := q.URL.Query()
		v.Set("page", strconv.Itoa(n))
		rest := strings.SplitN(strings.TrimPrefix(q.URL.EscapedPath(), "/"), "/", 4)
		path := q.URL.EscapedPath()
		if q.repo != nil && rest[0] == "repos" && len(rest) == 4 {
			path = fmt.Sprintf("/repositories/%d/%s", q.repo.ID, rest[3])
		}
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, s.api.URL, path, v.Encode(), rel))
	}
	if at > 1 {
		link(at-1, "prev")
	}
	if at < last {
		link(at+1, "next")
		link(last, "last")
	}
	if at > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		h.Set("Link", strings.Join(links, ", "))
	}
	from := min((at-1)*per, len(items))
	return items[from:min(from+per, len(items))], h
}

// listed answers one page of a list, each item in its JSON shape.
func listed[T any](q *request, s *Server, items []T, shape func(T) any) reply {
	part, h := page(q, s, items)
	out := make([]any, 0, len(part))
	for _, item := range part {
		out = append(out, shape(item))
	}
	a := ok(out)
	maps.Copy(a.header, h)
	return a
}
