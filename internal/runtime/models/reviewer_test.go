package models

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

const testDiff = `diff --git a/services/retry.go b/services/retry.go
--- a/services/retry.go
+++ b/services/retry.go
@@ -1,2 +1,4 @@ func retry() {
 package services
 
+func retry() { time.Sleep(second) }
+// ends
diff --git a/docs/logo.png b/docs/logo.png
new file mode 100644
Binary files /dev/null and b/docs/logo.png differ
`

func testJob(t *testing.T, text string) runtime.Job {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/contract/brief-review-nested-policy.json")
	if err != nil {
		t.Fatal(err)
	}
	brief, err := contract.DecodeBrief(data)
	if err != nil {
		t.Fatal(err)
	}
	files, omitted, err := diff.Parse(strings.NewReader(text), diff.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	profile := "What the maintainers care about: locks."
	brief.AuditInstruction = &profile
	return runtime.Job{
		Brief: brief, Change: diff.Change{Title: "Wait before a retry", Files: files, Omitted: omitted},
		Snapshot: memory.Snapshot{Lessons: []memory.Version{{
			DocumentID: "m-00000001", Number: 1, Key: "repo/acme/shop/lessons/locks", Scope: contract.ScopeRepo, Text: "never sleep under a lock", State: memory.Active,
		}}},
	}
}

// options ask e without waiting, and note the pauses that were asked for.
func options(e *endpoint, pauses *[]time.Duration) Options {
	return Options{
		Endpoint: e.URL + "/v1", Key: testKey, Model: "model-1", TokensPerRun: 200_000, TokensPerDay: 2_000_000,
		Wait: func(_ context.Context, d time.Duration) error {
			if pauses != nil {
				*pauses = append(*pauses, d)
			}
			return nil
		},
	}
}

func reviewWith(t *testing.T, o Options, job runtime.Job) runtime.Output {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Review(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAFinishedTurnIsAReview(t *testing.T) {
	e := newEndpoint(t, good(goodAnswer))
	out := reviewWith(t, options(e, nil), testJob(t, testDiff))
	if out.Outcome != runtime.Finished || out.Detail != "" {
		t.Fatalf("%q: %s", out.Outcome, out.Detail)
	}
	if len(out.Candidates) != 1 {
		t.Fatalf("candidates %+v", out.Candidates)
	}
	c := out.Candidates[0]
	if c.Path != "services/retry.go" || c.Line != 3 || c.Severity != contract.SeverityHigh || c.Recommendation != "Unlock first." || c.Because[0] != "m-00000001@1" {
		t.Errorf("candidate %+v", c)
	}
	if out.Summary != "Waits before it tries again." {
		t.Errorf("summary %q", out.Summary)
	}
	if len(out.Reviewed) != 1 || out.Reviewed[0] != "services/retry.go" || len(out.Left) != 0 {
		t.Errorf("reviewed %v, left %v", out.Reviewed, out.Left)
	}
	want := runtime.Usage{Model: "model-1", Input: 700, Output: 50, Turns: 1}
	if out.Usage != want {
		t.Errorf("usage %+v, want %+v", out.Usage, want)
	}
	if out.MemoryUsed == nil || len(out.MemoryUsed.Read) != 1 || out.MemoryUsed.Read[0].ID != "repo/acme/shop/lessons/locks" || len(out.MemoryUsed.Proposed) != 0 {
		t.Errorf("memory used %+v", out.MemoryUsed)
	}
	if e.count() != 1 {
		t.Errorf("%d requests", e.count())
	}
}

// unfinishedPlays are the ways in which a stream is no finished turn.
var unfinishedPlays = []struct {
	name string
	play play
	why  string
}{
	{"A101: the stream ends without [DONE]", stream(delta(goodAnswer), finish("stop")), "broke off before [DONE]"},
	{"A101: data follows [DONE]", stream(delta(goodAnswer), finish("stop"), done, delta("more")), "data follows the end of the answer"},
	{"A101: a second [DONE]", stream(delta(goodAnswer), finish("stop"), done, done), "data follows the end of the answer"},
	{"A101: a comment follows [DONE]", stream(delta(goodAnswer), finish("stop"), done, ": still here\n\n"), "data follows the end of the answer"},
	{"A101: data without its end follows [DONE]", stream(delta(goodAnswer), finish("stop"), done, "data: x"), "data follows the end of the answer"},
	{"A101: text follows the finish reason", stream(delta(goodAnswer), finish("stop"), delta("and"), done), "data follows the finish reason"},
	{"two finish reasons", stream(delta(goodAnswer), finish("stop"), finish("stop"), done), "two finish reasons"},
	{"two different finish reasons", stream(delta(goodAnswer), finish("length"), finish("stop"), done), "two finish reasons"},
	{"no finish reason", stream(delta(goodAnswer), done), "ends without a finish reason"},
	{"no event at all", stream(), "broke off before [DONE]"},
	{"the connection closes early", cutOff(delta(goodAnswer)), "the connection to the endpoint broke off"},
	{"the connection closes before any byte", cutOff(), "broke off"},
	{"the connection closes after the finish reason", cutOff(delta(goodAnswer), finish("stop")), "the connection to the endpoint broke off"},
	{"two chunks of usage", stream(delta(goodAnswer), finish("stop"), usageOnly, usageOnly, done), "two counts of its usage"},
	{"usage before the finish reason", stream(usageOnly, delta(goodAnswer), finish("stop"), done), "usage comes before the finish reason"},
	{"an empty chunk between the finish reason and the end", stream(delta(goodAnswer), finish("stop"), "data: {\"choices\":[]}\n\n", done), "data follows the finish reason"},
	{"an event of another kind after the finish reason", stream(delta(goodAnswer), finish("stop"), "event: progress\ndata: {}\n\n", done), "follows the finish reason"},
	{"the length limit of the model", stream(delta(goodAnswer), finish("length"), done), "cut at the length limit"},
	{"a finish reason that nobody knows", stream(delta(goodAnswer), finish("tool_calls"), done), "no end of a review"},
	{"a call of a tool", stream("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{}]}}]}\n\n", finish("stop"), done), "called a tool"},
	{"two choices", stream("data: {\"choices\":[{\"index\":0,\"delta\":{}},{\"index\":1,\"delta\":{}}]}\n\n", finish("stop"), done), "more than one choice"},
	{"a choice of another index", stream("data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}}]}\n\n", finish("stop"), done), "more than one choice"},
	{"an error in the middle", stream(delta("{"), "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", finish("stop"), done), "reported an error in the middle"},
	{"an event of an error", stream(delta("{"), "event: error\ndata: {}\n\n", finish("stop"), done), "reported an error in the middle"},
	{"an event that is no JSON", stream("data: {\"choices\":[\n\n", finish("stop"), done), "no JSON of a chat completion"},
	{"an event that is JSON of another form", stream("data: {\"choices\":7}\n\n", finish("stop"), done), "no JSON of a chat completion"},
	{"A65: a key in another case", stream("data: {\"Choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n", finish("stop"), done), "key in another case"},
	{"a field of the stream that is no data", stream("id: 7\n", delta(goodAnswer), finish("stop"), done), "a field that is no data"},
	{"a line without a field", stream("choices\n\n", delta(goodAnswer), finish("stop"), done), "a field that is no data"},
	{"an answer of more than 16 MiB", flood(delta(strings.Repeat("x", 60_000))), "longer than 16 MiB"},
	{"comments of more than 16 MiB", flood(": " + strings.Repeat("x", 60_000) + "\n"), "longer than 16 MiB"},
	{"one line without an end", flood(strings.Repeat("x", 60_000)), "one line of the answer is longer"},
	{"one event without an end", flood("data: " + strings.Repeat("x", 60_000) + "\n"), "one event of the answer is longer"},
	{"text that is no JSON", stream(delta("I looked at it, and it is fine."), finish("stop"), done), "not what was asked for"},
	{"nothing said", stream(finish("stop"), done), "not what was asked for"},
	{"JSON of a wrong schema", stream(delta(`{"summary":"x","findings":[{"severity":"terrible"}],"proposed_lessons":[]}`), finish("stop"), done), "not what was asked for"},
	{"a severity that is none", stream(delta(strings.Replace(goodAnswer, `"high"`, `"blocker"`, 1)), finish("stop"), done), "not what was asked for"},
	{"a key that nobody asked for", stream(delta(strings.Replace(goodAnswer, `{"summary"`, `{"approved":true,"summary"`, 1)), finish("stop"), done), "not what was asked for"},
	{"A65: a key twice", stream(delta(strings.Replace(goodAnswer, `{"summary"`, `{"summary":"a","summary"`, 1)), finish("stop"), done), "not what was asked for"},
	{"data after the JSON", stream(delta(goodAnswer+" {}"), finish("stop"), done), "not what was asked for"},
	{"a list of findings without end", stream(delta(`{"summary":"","proposed_lessons":[],"findings":[`+strings.TrimSuffix(strings.Repeat(`{"severity":"low","file":"a","line":null,"title":"t","body":"b","recommendation":null,"lessons":[]},`, maxFindings+1), ",")+`]}`), finish("stop"), done), "101 findings, more than 100"},
	{"an answer in one piece", status(http.StatusOK, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`), "does not answer with a stream"},
	{"a page of a proxy", func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>sign in</html>")
	}, "does not answer with a stream"},
	{"a compressed stream", func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, delta(goodAnswer)+finish("stop")+done)
	}, "does not answer with a stream"},
	{"an empty success", status(http.StatusNoContent, ""), "refuses the request (HTTP 204)"},
	{"a server that fails", status(http.StatusBadGateway, "bad gateway"), "failed (HTTP 502): bad gateway"},
	{"a key that is refused", status(http.StatusUnauthorized, apiError("no such key", "invalid_api_key")), "refuses the key (HTTP 401): no such key"},
	{"a model that is not there", status(http.StatusNotFound, apiError("no such model", "")), "refuses the request (HTTP 404): no such model"},
}

// flood plays a piece until the client has had enough.
func flood(piece string) play {
	return func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 400 {
			if _, err := io.WriteString(w, piece); err != nil || r.Context().Err() != nil {
				return
			}
		}
	}
}

func TestAnythingElseIsAnUnfinishedTurnAndNothingOfItIsUsed(t *testing.T) {
	for _, c := range unfinishedPlays {
		t.Run(c.name, func(t *testing.T) {
			e := newEndpoint(t, c.play)
			out := reviewWith(t, options(e, nil), testJob(t, testDiff))
			if out.Outcome != runtime.Infra || !strings.Contains(out.Detail, c.why) {
				t.Errorf("%q %q, want infra with %q", out.Outcome, out.Detail, c.why)
			}
			if out.Candidates != nil || out.MemoryUsed != nil || out.Reviewed != nil || out.Summary != "" {
				t.Errorf("an unfinished turn hands on %+v", out)
			}
			if e.count() != 1 {
				t.Errorf("%d requests without retries", e.count())
			}
		})
	}
}

func TestWaysToFinishThatAreAllRight(t *testing.T) {
	for _, c := range []struct {
		name string
		play play
		want runtime.Usage
	}{
		{"without usage", stream(delta(goodAnswer), finish("stop"), done), runtime.Usage{Estimated: true}},
		{"usage in the chunk that finishes", stream(delta(goodAnswer), `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`+"\n\n", done), runtime.Usage{Input: 9, Output: 3}},
		{"a greeting without choices", stream("data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n", delta(goodAnswer), finish("stop"), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
		{"comments, blank lines and carriage returns", stream(": ping\r\n\r\n\r\n", strings.ReplaceAll(delta(goodAnswer), "\n", "\r\n"), ": ping\n\n", finish("stop"), ": ping\n\n", usageOnly, "data: [DONE]\r\n\r\n\r\n"), runtime.Usage{Input: 700, Output: 50}},
		{"progress of another kind before the finish reason", stream("event: progress\ndata: {\"step\":1}\n\n", delta(goodAnswer), finish("stop"), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
		{"no blank line at the very end", stream(delta(goodAnswer), finish("stop"), usageOnly, "data: [DONE]"), runtime.Usage{Input: 700, Output: 50}},
		{"a field without a space", stream(strings.Replace(delta(goodAnswer), "data: ", "data:", 1), finish("stop"), usageOnly, "data:[DONE]\n\n"), runtime.Usage{Input: 700, Output: 50}},
		{"an event over several lines of data", stream(strings.Replace(delta(goodAnswer), `,"choices"`, ",\ndata: \"choices\"", 1), finish("stop"), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
		{"text and finish reason in one chunk", stream(strings.Replace(delta(goodAnswer), `"finish_reason":null`, `"finish_reason":"stop"`, 1), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
		{"a line longer than the buffer", stream(delta(goodAnswer+strings.Repeat(" ", 100_000)), finish("stop"), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
		{"a code fence around the JSON", stream(delta("```json\n"+goodAnswer+"\n```"), finish("stop"), usageOnly, done), runtime.Usage{Input: 700, Output: 50}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := reviewWith(t, options(newEndpoint(t, c.play), nil), testJob(t, testDiff))
			if out.Outcome != runtime.Finished || len(out.Candidates) != 1 {
				t.Fatalf("%q: %s, %d candidates", out.Outcome, out.Detail, len(out.Candidates))
			}
			if out.Usage.Estimated != c.want.Estimated || !c.want.Estimated && (out.Usage.Input != c.want.Input || out.Usage.Output != c.want.Output) {
				t.Errorf("usage %+v, want %+v", out.Usage, c.want)
			}
			if out.Usage.Total() == 0 {
				t.Error("the review cost nothing")
			}
		})
	}
}

func TestAModelThatDeclinesGivesUpAndIsNotAskedAgain(t *testing.T) {
	for _, c := range []struct {
		name, want string
		play       play
	}{
		{"in words of its own", "the model declined to review this change: I cannot help with that.",
			stream("data: {\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"I cannot help with that.\"}}]}\n\n", finish("stop"), usageOnly, done)},
		{"by its filter", "the model declined to review this change: its content filter ended the answer", stream(delta("{"), finish("content_filter"), usageOnly, done)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEndpoint(t, c.play)
			o := options(e, nil)
			o.Retries = 3
			out := reviewWith(t, o, testJob(t, testDiff))
			if out.Outcome != runtime.GaveUp || out.Detail != c.want || e.count() != 1 {
				t.Errorf("%q %q after %d requests", out.Outcome, out.Detail, e.count())
			}
			if out.Usage.Input != 700 {
				t.Errorf("usage %+v", out.Usage)
			}
		})
	}
}

func TestSilenceAndDripEndAReview(t *testing.T) {
	t.Run("no byte at all", func(t *testing.T) {
		o := options(newEndpoint(t, silent()), nil)
		o.Read = 50 * time.Millisecond
		out := reviewWith(t, o, testJob(t, testDiff))
		if out.Outcome != runtime.Infra || out.Detail != "the endpoint was silent for 50ms" {
			t.Errorf("%q %q", out.Outcome, out.Detail)
		}
	})
	t.Run("no byte after the finish reason", func(t *testing.T) {
		o := options(newEndpoint(t, silent(delta(goodAnswer), finish("stop"))), nil)
		o.Read = 50 * time.Millisecond
		out := reviewWith(t, o, testJob(t, testDiff))
		if out.Outcome != runtime.Infra || out.Detail != "the endpoint was silent for 50ms" || out.Candidates != nil {
			t.Errorf("%q %q", out.Outcome, out.Detail)
		}
	})
	t.Run("no header", func(t *testing.T) {
		o := options(newEndpoint(t, func(_ http.ResponseWriter, r *http.Request, _ map[string]any) { <-r.Context().Done() }), nil)
		o.Read = 50 * time.Millisecond
		if out := reviewWith(t, o, testJob(t, testDiff)); out.Detail != "the endpoint was silent for 50ms" {
			t.Errorf("%q", out.Detail)
		}
	})
	t.Run("a slow drip that never pauses for long", func(t *testing.T) {
		drip := func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, ":\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}
		o := options(newEndpoint(t, drip), nil)
		o.Total, o.Retries = 200*time.Millisecond, 3
		out := reviewWith(t, o, testJob(t, testDiff))
		if out.Outcome != runtime.Infra || out.Detail != "the review took longer than it may" {
			t.Errorf("%q %q", out.Outcome, out.Detail)
		}
	})
	t.Run("the limits are those of page 7.2", func(t *testing.T) {
		r, err := New(options(newEndpoint(t, good(goodAnswer)), nil))
		if err != nil || r.options.Read != 45*time.Second || r.options.Total != 20*time.Minute || maxStream != 16<<20 {
			t.Errorf("%v, %v, %d, %v", r.options.Read, r.options.Total, maxStream, err)
		}
	})
	t.Run("a run that is ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := newEndpoint(t, func(_ http.ResponseWriter, r *http.Request, _ map[string]any) { cancel(); <-r.Context().Done() })
		r, err := New(options(e, nil))
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Review(ctx, testJob(t, testDiff))
		if err != nil || out.Outcome != runtime.Infra || out.Detail != "the review was ended" {
			t.Errorf("%q %q %v", out.Outcome, out.Detail, err)
		}
	})
}

func TestRetriesHonourRetryAfter(t *testing.T) {
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		plays   []play
		retries int
		want    runtime.Outcome
		pauses  []time.Duration
		detail  string
	}{
		{"429 with seconds", []play{status(429, apiError("slow down", ""), "Retry-After", "7"), good(goodAnswer)}, 2, runtime.Finished, []time.Duration{7 * time.Second}, ""},
		{"429 with a date", []play{status(429, "", "Retry-After", now.Add(90*time.Second).Format(http.TimeFormat)), good(goodAnswer)}, 2, runtime.Finished, []time.Duration{90 * time.Second}, ""},
		{"429 without a word", []play{status(429, ""), status(429, ""), good(goodAnswer)}, 2, runtime.Finished, []time.Duration{2 * time.Second, 4 * time.Second}, ""},
		{"429 with nonsense", []play{status(429, "", "Retry-After", "soon"), good(goodAnswer)}, 2, runtime.Finished, []time.Duration{2 * time.Second}, ""},
		{"503 with seconds", []play{status(503, "", "Retry-After", "3"), good(goodAnswer)}, 2, runtime.Finished, []time.Duration{3 * time.Second}, ""},
		{"429 for longer than the review has", []play{status(429, apiError("quota", ""), "Retry-After", "3600")}, 2, runtime.Limited, nil,
			"the endpoint limits how often it is asked (HTTP 429): quota; it asks for a pause of 1h0m0s, and this review does not have that long"},
		{"429 each time", []play{status(429, apiError("slow down", ""))}, 2, runtime.Limited, []time.Duration{2 * time.Second, 4 * time.Second},
			"the endpoint limits how often it is asked (HTTP 429): slow down"},
		{"500 each time", []play{status(500, "")}, 1, runtime.Infra, []time.Duration{2 * time.Second}, "the endpoint failed (HTTP 500)"},
		{"a broken stream, then a good one", []play{cutOff(delta("{")), good(goodAnswer)}, 1, runtime.Finished, []time.Duration{2 * time.Second}, ""},
		{"JSON that is none, then some", []play{stream(delta("hm"), finish("stop"), done), good(goodAnswer)}, 1, runtime.Finished, []time.Duration{2 * time.Second}, ""},
		{"401 is not tried again", []play{status(401, "")}, 5, runtime.Infra, nil, "the endpoint refuses the key (HTTP 401)"},
		{"the length limit is not tried again", []play{stream(delta("{"), finish("length"), done)}, 5, runtime.Infra, nil, "the answer was cut at the length limit of the model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pauses []time.Duration
			e := newEndpoint(t, c.plays...)
			o := options(e, &pauses)
			o.Retries, o.Now = c.retries, func() time.Time { return now }
			o.Total = 0
			r, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			// The deadline is the system's clock; the pause is held against it.
			r.options.Now = time.Now
			out, err := r.Review(t.Context(), testJob(t, testDiff))
			if err != nil || out.Outcome != c.want || out.Detail != c.detail {
				t.Errorf("%q %q %v, want %q %q", out.Outcome, out.Detail, err, c.want, c.detail)
			}
			if len(pauses) != len(c.pauses) {
				t.Fatalf("pauses %v, want %v", pauses, c.pauses)
			}
			for i := range pauses {
				if pauses[i] != c.pauses[i] {
					t.Errorf("pauses %v, want %v", pauses, c.pauses)
				}
			}
			if out.Usage.Turns != e.count() || e.count() != len(c.pauses)+1 {
				t.Errorf("%d requests, usage %+v, %d pauses", e.count(), out.Usage, len(pauses))
			}
		})
	}
}

func TestAnEndpointWithoutAFeatureIsAskedWithoutIt(t *testing.T) {
	refuse := func(when func(r map[string]any) bool, message string) play {
		return func(w http.ResponseWriter, r *http.Request, request map[string]any) {
			if when(request) {
				status(400, apiError(message, "unsupported_parameter"))(w, r, request)
				return
			}
			good(goodAnswer)(w, r, request)
		}
	}
	format := func(r map[string]any) any {
		f, _ := r["response_format"].(map[string]any)
		return f["type"]
	}
	for _, c := range []struct {
		name     string
		play     play
		requests int
	}{
		{"no json_schema", refuse(func(r map[string]any) bool { return format(r) == "json_schema" }, "response_format json_schema is not supported"), 2},
		{"no response_format at all", refuse(func(r map[string]any) bool { return r["response_format"] != nil }, "unknown field response_format"), 3},
		{"no stream_options", refuse(func(r map[string]any) bool { return r["stream_options"] != nil }, "unknown field stream_options"), 2},
		{"the old name of the length", refuse(func(r map[string]any) bool { return r["max_completion_tokens"] != nil }, "unknown field max_completion_tokens"), 2},
		{"no length at all", refuse(func(r map[string]any) bool { return r["max_completion_tokens"] != nil || r["max_tokens"] != nil }, "max_completion_tokens and max_tokens are not known"), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEndpoint(t, c.play)
			out := reviewWith(t, options(e, nil), testJob(t, testDiff))
			if out.Outcome != runtime.Finished || e.count() != c.requests {
				t.Errorf("%q %q after %d requests, want %d", out.Outcome, out.Detail, e.count(), c.requests)
			}
			if !strings.Contains(e.message(e.count()-1, "system"), answerSchema) {
				t.Error("the schema is not in the prompt")
			}
		})
	}
	t.Run("an endpoint that refuses for ever is not asked for ever", func(t *testing.T) {
		e := newEndpoint(t, status(400, apiError("response_format stream_options max_completion_tokens max_tokens context_length_exceeded", "")))
		out := reviewWith(t, options(e, nil), testJob(t, testDiff))
		if out.Outcome != runtime.Infra || e.count() > 12 {
			t.Errorf("%q after %d requests", out.Outcome, e.count())
		}
	})
	t.Run("the schema is sent where it is taken", func(t *testing.T) {
		e := newEndpoint(t, good(goodAnswer))
		reviewWith(t, options(e, nil), testJob(t, testDiff))
		if format(e.requests[0]) != "json_schema" || !strings.Contains(e.raw[0], `"strict":true`) {
			t.Errorf("the request has no strict schema: %s", e.raw[0])
		}
	})
}

func TestAPromptThatIsTooLongForTheModelIsHalved(t *testing.T) {
	long := func(w http.ResponseWriter, r *http.Request, request map[string]any) {
		if len(request["messages"].([]any)[1].(map[string]any)["content"].(string)) > 120_000 {
			status(400, apiError("This model's maximum context length is 40000 tokens", "context_length_exceeded"))(w, r, request)
			return
		}
		good(goodAnswer)(w, r, request)
	}
	e := newEndpoint(t, long)
	var change strings.Builder
	change.WriteString(testDiff)
	for i := range 40 {
		name := "services/more" + strconv.Itoa(i) + ".go"
		change.WriteString("diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1,200 @@\n" + strings.Repeat("+\tvalue := compute(value)\n", 200))
	}
	out := reviewWith(t, options(e, nil), testJob(t, change.String()))
	if out.Outcome != runtime.Finished || e.count() < 2 {
		t.Fatalf("%q %q after %d requests", out.Outcome, out.Detail, e.count())
	}
	if len(out.Left) == 0 || len(out.Left)+len(out.Reviewed) < 41 {
		t.Errorf("%d files reviewed, %d named as left", len(out.Reviewed), len(out.Left))
	}
}

func TestTokensAreLimitedByRunAndByDay(t *testing.T) {
	for _, c := range []struct {
		name            string
		run, day, spent int
		want            runtime.Outcome
		detail          string
	}{
		{"enough of both", 200_000, 2_000_000, 100_000, runtime.Finished, ""},
		{"nothing may be spent", 0, 0, 0, runtime.Limited, "no tokens are left for the model: runtime.tokens_per_run is 0, and 0 are spent in this run"},
		{"the run has too few", 3000, 2_000_000, 0, runtime.Limited, "no tokens are left for the model: runtime.tokens_per_run is 3000, and 0 are spent in this run"},
		{"the day is used up", 200_000, 2_000_000, 2_000_000, runtime.Limited, "no tokens are left for the model: runtime.tokens_per_day is 2000000, and 2000000 are spent today"},
		{"the day is overdrawn", 200_000, 2_000_000, 3_000_000, runtime.Limited, "no tokens are left for the model: runtime.tokens_per_day is 2000000, and 3000000 are spent today"},
		{"a limit below zero", -1, 2_000_000, 0, runtime.Limited, "no tokens are left for the model: runtime.tokens_per_run is -1, and 0 are spent in this run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEndpoint(t, good(goodAnswer))
			o := options(e, nil)
			o.TokensPerRun, o.TokensPerDay, o.SpentToday = c.run, c.day, c.spent
			out := reviewWith(t, o, testJob(t, testDiff))
			if out.Outcome != c.want || out.Detail != c.detail {
				t.Errorf("%q %q", out.Outcome, out.Detail)
			}
			if want := map[bool]int{true: 1}[c.want == runtime.Finished]; e.count() != want {
				t.Errorf("%d requests, want %d", e.count(), want)
			}
		})
	}
	t.Run("tries that fail are counted, and the last of the tokens is not tried", func(t *testing.T) {
		e := newEndpoint(t, cutOff(delta("{")))
		o := options(e, nil)
		o.TokensPerRun, o.Retries = 8000, 10
		out := reviewWith(t, o, testJob(t, testDiff))
		if out.Outcome != runtime.Limited || !strings.Contains(out.Detail, "runtime.tokens_per_run is 8000") || !out.Usage.Estimated {
			t.Errorf("%q %q %+v", out.Outcome, out.Detail, out.Usage)
		}
		if out.Usage.Total() > o.TokensPerRun {
			t.Errorf("spent %d of %d", out.Usage.Total(), o.TokensPerRun)
		}
	})
	t.Run("the answer may not be longer than what is left", func(t *testing.T) {
		e := newEndpoint(t, good(goodAnswer))
		o := options(e, nil)
		o.TokensPerRun = 12_000
		reviewWith(t, o, testJob(t, testDiff))
		if got := e.requests[0]["max_completion_tokens"].(float64); got != 3000 {
			t.Errorf("%v tokens are asked for", got)
		}
	})
}

func TestOnlyTheEndpointsOwnKeyIsSentAndOnlyToIt(t *testing.T) {
	token := "gh" + "s_" + strings.Repeat("Zk8", 12)
	t.Run("A80: the workflow's token as the key is refused", func(t *testing.T) {
		for name, o := range map[string]Options{
			"by its value": {Endpoint: "https://models.example.com/v1", Model: "m", Key: "exact-value-of-this-run", Secrets: []string{"exact-value-of-this-run"}},
			"by its form":  {Endpoint: "https://models.example.com/v1", Model: "m", Key: token},
		} {
			if _, err := New(o); err == nil || !strings.Contains(err.Error(), "go to no model host") || strings.Contains(err.Error(), o.Key) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("A80: a live token in the change is not sent, whatever its form", func(t *testing.T) {
		live := "just-some-words-that-no-pattern-knows"
		e := newEndpoint(t, good(goodAnswer))
		o := options(e, nil)
		o.Secrets = []string{live}
		job := testJob(t, strings.Replace(testDiff, "// ends", "// ends "+live, 1))
		job.Change.Title = "Use " + live
		job.Snapshot.Lessons[0].Text = "never " + live
		instruction := "look at " + live
		job.Brief.AuditInstruction = &instruction
		if out := reviewWith(t, o, job); out.Outcome != runtime.Finished {
			t.Fatalf("%q %q", out.Outcome, out.Detail)
		}
		if strings.Contains(e.raw[0], live) {
			t.Error("the request holds a live token")
		}
	})
	t.Run("a secret that the change commits is not sent, over several lines too", func(t *testing.T) {
		key := "-----BEGIN " + "RSA PRIVATE KEY-----\n+" + strings.Repeat("MIIEpAIBAAKCAQEA7bq9\n+", 8) + "-----END " + "RSA PRIVATE KEY-----"
		change := "diff --git a/k.pem b/k.pem\nnew file mode 100644\n--- /dev/null\n+++ b/k.pem\n@@ -0,0 +1,11 @@\n+" + key + "\n+after\n"
		e := newEndpoint(t, good(`{"summary":"","findings":[{"severity":"high","file":"k.pem","line":1,"title":"A key","body":"b","recommendation":null,"lessons":[]}],"proposed_lessons":[]}`))
		out := reviewWith(t, options(e, nil), testJob(t, change))
		if out.Outcome != runtime.Finished || strings.Contains(e.raw[0], "MIIEpAIB") {
			t.Errorf("%q %q; sent: %v", out.Outcome, out.Detail, strings.Contains(e.raw[0], "MIIEpAIB"))
		}
		if !strings.Contains(e.message(0, "user"), "    11 + after\n") {
			t.Errorf("the lines are counted anew:\n%s", e.message(0, "user"))
		}
	})
	t.Run("a redirect is not followed", func(t *testing.T) {
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other host was asked") }))
		defer other.Close()
		for _, code := range []int{301, 302, 303, 307, 308} {
			e := newEndpoint(t, status(code, "", "Location", other.URL+"/v1/chat/completions"))
			o := options(e, nil)
			o.Retries = 2
			out := reviewWith(t, o, testJob(t, testDiff))
			if out.Outcome != runtime.Infra || !strings.Contains(out.Detail, "a redirect (HTTP "+strconv.Itoa(code)+"), which is not followed") || e.count() != 1 {
				t.Errorf("%d: %q %q", code, out.Outcome, out.Detail)
			}
		}
	})
	t.Run("an endpoint that echoes the key is not quoted", func(t *testing.T) {
		e := newEndpoint(t, status(401, apiError("wrong key "+testKey+" or "+base64.StdEncoding.EncodeToString([]byte("x")), "")))
		out := reviewWith(t, options(e, nil), testJob(t, testDiff))
		if strings.Contains(out.Detail, testKey) || !strings.Contains(out.Detail, "refuses the key (HTTP 401): wrong key") {
			t.Errorf("%q", out.Detail)
		}
	})
	t.Run("a host that is not there costs nothing", func(t *testing.T) {
		e := newEndpoint(t, good(goodAnswer))
		o := options(e, nil)
		e.Close()
		out := reviewWith(t, o, testJob(t, testDiff))
		if out.Outcome != runtime.Infra || out.Detail != "no connection to the endpoint at "+strings.TrimPrefix(e.URL, "http://")+": connect: connection refused" || out.Usage.Total() != 0 {
			t.Errorf("%q %q %+v", out.Outcome, out.Detail, out.Usage)
		}
	})
}

func TestAnEndpointIsGivenWholeAndSafe(t *testing.T) {
	for _, c := range []struct{ in, want, problem string }{
		{"https://models.example.com/v1", "https://models.example.com/v1/chat/completions", ""},
		{" https://models.example.com/v1/ ", "https://models.example.com/v1/chat/completions", ""},
		{"https://models.example.com/v1/chat/completions", "https://models.example.com/v1/chat/completions", ""},
		{"http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions", ""},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/chat/completions", ""},
		{"http://[::1]:8080", "http://[::1]:8080/chat/completions", ""},
		{"", "", "has no endpoint; there is no default one"},
		{"models.example.com", "", "is no URL"},
		{"https://", "", "is no URL"},
		{"mailto:a@example.com", "", "is no URL"},
		{"http://models.example.com/v1", "", "by https alone"},
		{"http://localhost.example.com/v1", "", "by https alone"},
		{"file:///etc/passwd", "", "is no URL"},
		{"ftp://models.example.com", "", "by https alone"},
		{"https://user:" + "pw@models.example.com", "", "where credentials travel"},
		{"https://models.example.com/v1?key=x", "", "where credentials travel"},
		{"https://models.example.com/v1#x", "", "where credentials travel"},
	} {
		got, err := parseEndpoint(c.in)
		if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q: %q, %v; want %q, %q", c.in, got, err, c.want, c.problem)
		}
	}
	for _, c := range []struct{ key, problem string }{{"", "has no key"}, {" ", "has no key"}, {"two words", "a space or a control"}, {"line\nfeed", "a space or a control"}} {
		if err := checkKey(c.key, nil); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("key %q: %v", c.key, err)
		}
	}
	if _, err := New(Options{Endpoint: "https://models.example.com", Key: "k"}); err == nil || !strings.Contains(err.Error(), "has no model") {
		t.Errorf("no model: %v", err)
	}
}

func TestA100AFindingOutsideOfTheChangeIsDroppedHoweverItIsJustified(t *testing.T) {
	answer := `{"summary":"s","proposed_lessons":[],"findings":[
{"severity":"critical","file":"billing/invoice.go","line":7,"title":"Sleeps under a lock","body":"The team taught m-00000001 about this.","recommendation":null,"lessons":["m-00000001@1"]},
{"severity":"critical","file":"docs/logo.png","line":1,"title":"A file that was not shown","body":"b","recommendation":null,"lessons":["m-00000001@1"]},
{"severity":"high","file":"services/retry.go","line":900,"title":"A line that is not shown","body":"b","recommendation":null,"lessons":[]},
{"severity":"high","file":"services/retry.go","line":3,"title":"Stands","body":"b","recommendation":null,"lessons":[]}]}`
	job := testJob(t, testDiff)
	out := reviewWith(t, options(newEndpoint(t, good(answer)), nil), job)
	checked := review.Check(job.Change, out.Candidates, out.Reviewed, review.Options{})
	if len(checked.Dropped) != 1 || checked.Dropped[0].Reason != review.DropFileNotInChange || checked.Dropped[0].Candidate.Path != "billing/invoice.go" {
		t.Errorf("dropped %+v", checked.Dropped)
	}
	if len(out.Skipped) != 1 || out.Skipped[0].Path != "docs/logo.png" {
		t.Errorf("skipped %+v", out.Skipped)
	}
	if len(checked.Findings) != 2 || checked.Findings[0].Line != 0 || !checked.Findings[0].FileLevel || checked.Findings[0].Reported != 900 || checked.Findings[1].Line != 3 {
		t.Errorf("findings %+v", checked.Findings)
	}
}

func TestProposalsOfAModelArePendingAndOnlyWhereTheyAreGranted(t *testing.T) {
	answer := `{"summary":"s","findings":[],"proposed_lessons":[{"lesson":"Retries use backoff"},{"lesson":"b"},{"lesson":"!!"},{"lesson":"c"},{"lesson":"d"}]}`
	job := testJob(t, testDiff)
	e := newEndpoint(t, good(answer))
	out := reviewWith(t, options(e, nil), job)
	if len(out.MemoryUsed.Proposed) == 0 || len(out.MemoryUsed.Proposed) > maxProposals {
		t.Fatalf("proposed %+v", out.MemoryUsed.Proposed)
	}
	p := out.MemoryUsed.Proposed[0]
	if p.Approval != contract.ApprovalPending || p.Scope != "repo" || p.Summary != "Retries use backoff" || !strings.HasSuffix(p.Key, "/lessons/retries-use-backoff") {
		t.Errorf("proposed %+v", p)
	}
	if !strings.Contains(e.message(0, "system"), proposeRule) {
		t.Error("the model is not told that it may propose")
	}

	fork := testJob(t, testDiff)
	policy := *fork.Brief.MemoryPolicy
	policy.WriteScopes, policy.TrustScope = nil, contract.TrustForkPR
	fork.Brief.MemoryPolicy = &policy
	e = newEndpoint(t, good(answer))
	if out := reviewWith(t, options(e, nil), fork); len(out.MemoryUsed.Proposed) != 0 || !strings.Contains(e.message(0, "system"), noProposals) {
		t.Errorf("a fork's review proposes %+v", out.MemoryUsed.Proposed)
	}

	off := testJob(t, testDiff)
	off.Brief.MemoryPolicy = nil
	e = newEndpoint(t, good(answer))
	if out := reviewWith(t, options(e, nil), off); out.MemoryUsed != nil || strings.Contains(e.message(0, "user"), "never sleep under a lock") {
		t.Errorf("without memory %+v", out.MemoryUsed)
	}
}

func TestAChangeWithoutTextAsksNobody(t *testing.T) {
	e := newEndpoint(t, good(goodAnswer))
	binary := testDiff[strings.Index(testDiff, "diff --git a/docs"):]
	out := reviewWith(t, options(e, nil), testJob(t, binary))
	if out.Outcome != runtime.Finished || e.count() != 0 || len(out.Candidates) != 0 {
		t.Errorf("%q after %d requests", out.Outcome, e.count())
	}
}

func TestARequestWithALiveTokenIsNotSent(t *testing.T) {
	// The name of a file is data too, and is sent as it is.
	live := "name-of-a-live-token"
	e := newEndpoint(t, good(goodAnswer))
	o := options(e, nil)
	o.Secrets = []string{live}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Review(t.Context(), testJob(t, strings.ReplaceAll(testDiff, "services/retry.go", "services/"+live+".go")))
	if err == nil || !strings.Contains(err.Error(), "nothing was sent to the model") || strings.Contains(err.Error(), live) || e.count() != 0 {
		t.Errorf("%v after %d requests", err, e.count())
	}
	if errors.Unwrap(err) != nil {
		t.Errorf("%v wraps something", err)
	}
}
