package models

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

const testKey = "key-for-the-stand-in"

// endpoint is a strict stand-in for a chat endpoint: it checks every request
// as a provider would, and answers the n-th by the n-th of its plays, the last
// one from then on.
type endpoint struct {
	*httptest.Server
	t     *testing.T
	plays []play

	mu       sync.Mutex
	requests []map[string]any
	raw      []string
}

// play is one answer.
type play func(w http.ResponseWriter, r *http.Request, request map[string]any)

func newEndpoint(t *testing.T, plays ...play) *endpoint {
	t.Helper()
	e := &endpoint{t: t, plays: plays}
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client gave up
	}
	var request map[string]any
	if err := json.Unmarshal(data, &request); err != nil {
		e.t.Errorf("the request is no JSON: %v", err)
	}
	if problem := strictRequest(r, request); problem != "" {
		e.t.Errorf("the request is refused: %s", problem)
		http.Error(w, problem, http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	n := len(e.requests)
	e.requests, e.raw = append(e.requests, request), append(e.raw, string(data))
	e.mu.Unlock()
	e.plays[min(n, len(e.plays)-1)](w, r, request)
}

// requestKeys are all that a request may hold.
var requestKeys = []string{"model", "messages", "stream", "stream_options", "response_format", "max_tokens", "max_completion_tokens"}

func strictRequest(r *http.Request, request map[string]any) string {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || r.URL.RawQuery != "":
		return "asked by " + r.Method + " " + r.URL.String()
	case r.Header.Get("Authorization") != "Bearer "+testKey:
		return "the key is not the endpoint's"
	case r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept") != "text/event-stream":
		return "wrong content type"
	case r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "":
		return "headers that nobody asked for"
	case request["stream"] != true || request["model"] != "model-1":
		return "no stream, or another model"
	}
	for k := range request {
		if !slices.Contains(requestKeys, k) {
			return "unknown key " + k
		}
	}
	messages, _ := request["messages"].([]any)
	if len(messages) != 2 {
		return "not one system and one user message"
	}
	for i, role := range []string{"system", "user"} {
		m, _ := messages[i].(map[string]any)
		if m["role"] != role || m["content"] == "" || len(m) != 2 {
			return "message " + role + " is malformed"
		}
	}
	return ""
}

func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.requests)
}

// message returns the content of a message of the n-th request.
func (e *endpoint) message(n int, role string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.requests[n]["messages"].([]any) {
		if m := m.(map[string]any); m["role"] == role {
			return m["content"].(string)
		}
	}
	return ""
}

// Pieces of a stream.

func delta(text string) string {
	data, _ := json.Marshal(text) // a string always is JSON
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"system_fingerprint\":\"f\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", data)
}

func finish(reason string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reason)
}

const (
	usageOnly = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":700,\"completion_tokens\":50,\"total_tokens\":750}}\n\n"
	done      = "data: [DONE]\n\n"
)

// goodAnswer has one finding on the line that the test change adds.
const goodAnswer = `{"summary":"Waits before it tries again.","findings":[{"severity":"high","file":"services/retry.go","line":3,"title":"Sleeps while it holds the lock","body":"Every other caller waits.","recommendation":"Unlock first.","lessons":["m-00000001@1"]}],"proposed_lessons":[]}`

// stream plays pieces, each flushed by itself.
func stream(pieces ...string) play {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, p := range pieces {
			_, _ = io.WriteString(w, p) // the client may have gone, as it should
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// good is a well-behaved answer in several pieces.
func good(answer string) play {
	return stream(": warming up\n\n", delta(""), delta(answer[:len(answer)/2]), delta(answer[len(answer)/2:]), finish("stop"), usageOnly, done)
}

// status plays an error of HTTP.
func status(code int, body string, header ...string) play {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func apiError(message, code string) string {
	data, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "code": code}})
	return string(data)
}

// cut plays pieces and then closes the connection in the middle.
func cutOff(pieces ...string) play {
	return func(w http.ResponseWriter, r *http.Request, request map[string]any) {
		stream(pieces...)(w, r, request)
		panic(http.ErrAbortHandler)
	}
}

// silent plays pieces and then nothing, until the client goes.
func silent(pieces ...string) play {
	return func(w http.ResponseWriter, r *http.Request, request map[string]any) {
		stream(pieces...)(w, r, request)
		<-r.Context().Done()
	}
}
