package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// failure is why a request brought no turn.
type failure struct {
	why     string // for people
	theirs  string // what the endpoint says; untrusted
	status  int    // of HTTP; 0: there was no answer
	limited bool   // the endpoint asks for patience
	retry   bool
	wait    time.Duration // asked by Retry-After; 0: not asked
	sent    bool          // the request was taken, so it may be charged
	read    int           // bytes of text that came back
}

func (f *failure) Error() string { return f.why }

// features are what an endpoint may not have; each is dropped when it is
// refused, and the request is made again without it.
type features struct {
	format    format
	usage     bool // stream_options
	maxTokens string
}

type format string

const (
	bySchema format = "json_schema"
	byObject format = "json_object"
	byPrompt format = "text" // the schema stands in the prompt in any case
)

func allFeatures() features {
	return features{format: bySchema, usage: true, maxTokens: "max_completion_tokens"}
}

// without returns the features that are left after a refusal, and whether the
// refusal was about one of them.
func (f features) without(status int, body string) (features, bool) {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity && status != http.StatusNotImplemented {
		return f, false
	}
	body = strings.ToLower(body)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(body, w) {
				return true
			}
		}
		return false
	}
	switch {
	case f.usage && has("stream_options", "include_usage"):
		f.usage = false
	case f.maxTokens == "max_completion_tokens" && has("max_completion_tokens"):
		f.maxTokens = "max_tokens"
	case f.maxTokens == "max_tokens" && has("max_tokens") && !has("maximum context"):
		f.maxTokens = ""
	case f.format == bySchema && has("response_format", "json_schema", "structured output", "strict"):
		f.format = byObject
	case f.format == byObject && has("response_format", "json_object"):
		f.format = byPrompt
	default:
		return f, false
	}
	return f, true
}

// tooLong says whether a refusal is about the length of the prompt.
func tooLong(f *failure) bool {
	if f.status == http.StatusRequestEntityTooLarge {
		return true
	}
	said := strings.ToLower(f.theirs)
	return f.status == http.StatusBadRequest && (strings.Contains(said, "context_length") || strings.Contains(said, "context length") ||
		strings.Contains(said, "maximum context") || strings.Contains(said, "too many tokens") || strings.Contains(said, "prompt is too long"))
}

// message is one part of a request.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func body(model string, p prompt, f features, output int) ([]byte, error) {
	request := map[string]any{
		"model": model, "stream": true,
		"messages": []message{{"system", p.system}, {"user", p.user}},
	}
	switch f.format {
	case bySchema:
		request["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "review", "strict": true, "schema": schema()}}
	case byObject:
		request["response_format"] = map[string]any{"type": "json_object"}
	}
	if f.usage {
		request["stream_options"] = map[string]any{"include_usage": true}
	}
	if f.maxTokens != "" {
		request[f.maxTokens] = output
	}
	return json.Marshal(request)
}

// client asks one endpoint.
type client struct {
	url, key string
	http     *http.Client
	read     time.Duration // for one read, and for the first byte
	now      func() time.Time
}

// errSlow is the cause of a request that was ended for its silence.
var errSlow = errors.New("silence")

// ask makes one request and joins its answer.
func (c client) ask(ctx context.Context, data []byte) (turn, *failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.read, func() { cancel(errSlow) })
	defer silence.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(data))
	if err != nil {
		return turn{}, &failure{why: "the model endpoint is no URL"}
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("User-Agent", "familiar")
	answer, err := c.http.Do(request)
	if err != nil {
		f := c.broken(ctx, err, 0)
		var op *net.OpError
		f.sent = !errors.As(err, &op) || op.Op != "dial"
		if !f.sent && context.Cause(ctx) == nil { // an address or a name that is wrong is the reader's to mend
			f.why = fmt.Sprintf("no connection to the endpoint at %s: %s", request.URL.Host, op.Err)
		}
		return turn{}, f
	}
	defer func() { _ = answer.Body.Close() }() // read to its end, or given up
	if f := c.refused(answer); f != nil {
		return turn{}, f
	}
	t, n, err := join(patient{r: answer.Body, timer: silence, within: c.read})
	if err != nil {
		return turn{}, c.broken(ctx, err, n)
	}
	return t, nil
}

// patient gives each read its own time.
type patient struct {
	r      io.Reader
	timer  *time.Timer
	within time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	p.timer.Reset(p.within)
	return p.r.Read(b)
}

// refused says why an answer is no stream, or nil.
func (c client) refused(a *http.Response) *failure {
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	stream := err == nil && kind == "text/event-stream"
	encoded := a.Header.Get("Content-Encoding") != "" && a.Header.Get("Content-Encoding") != "identity"
	switch {
	case a.StatusCode == http.StatusOK && stream && !encoded:
		return nil
	case a.StatusCode == http.StatusOK:
		return &failure{why: "the endpoint does not answer with a stream of events (text/event-stream), as a request with \"stream\": true asks for", status: a.StatusCode, sent: true}
	case a.StatusCode >= 300 && a.StatusCode < 400:
		return &failure{why: fmt.Sprintf("the endpoint answers with a redirect (HTTP %d), which is not followed; give the address it leads to", a.StatusCode), status: a.StatusCode}
	}
	f := &failure{status: a.StatusCode, theirs: errorText(a.Body), wait: c.retryAfter(a.Header.Get("Retry-After"))}
	switch {
	case a.StatusCode == http.StatusTooManyRequests:
		f.why, f.limited, f.retry = "the endpoint limits how often it is asked (HTTP 429)", true, true
	case a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden:
		f.why = fmt.Sprintf("the endpoint refuses the key (HTTP %d)", a.StatusCode)
	case a.StatusCode >= 500 || a.StatusCode == http.StatusRequestTimeout:
		f.why, f.retry = fmt.Sprintf("the endpoint failed (HTTP %d)", a.StatusCode), true
	default:
		f.why = fmt.Sprintf("the endpoint refuses the request (HTTP %d)", a.StatusCode)
	}
	return f
}

// maxErrorText bounds what is read of an error.
const maxErrorText = 16 << 10

func errorText(r io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(r, maxErrorText)) // what came before a break is what there is
	var e struct {
		Error struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
			Param   any    `json:"param"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &e) == nil && e.Error.Message != "" {
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Error.Message, word(e.Error.Code), word(e.Error.Param)))
	}
	return string(data)
}

func word(v any) string {
	s, _ := v.(string)
	return s
}

// retryAfter reads the header in both of its forms.
func (c client) retryAfter(v string) time.Duration {
	v = strings.TrimSpace(v)
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return time.Duration(min(n, 1<<20)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(c.now()), 0)
	}
	return 0
}

// broken says how a stream ended that did not end as it must.
func (c client) broken(ctx context.Context, err error, n int) *failure {
	f := &failure{sent: true, read: n, retry: true}
	var u errUnfinished
	switch cause := context.Cause(ctx); {
	case errors.As(err, &u):
		f.why, f.retry = u.why, !u.final
	case errors.Is(cause, errSlow):
		f.why = fmt.Sprintf("the endpoint was silent for %s", c.read)
	case errors.Is(cause, context.DeadlineExceeded):
		f.why, f.retry = "the review took longer than it may", false
	case cause != nil:
		f.why, f.retry = "the review was ended", false
	default:
		f.why = "the connection to the endpoint broke off"
	}
	return f
}
