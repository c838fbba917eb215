package models

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/runtime"
)

// TestConformanceStreamJoin runs the carried cases of the area "stream-join"
// over HTTP: what makes a finished turn of a stream, and what does not.
func TestConformanceStreamJoin(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/conformance/stream-join.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var c struct {
			Name  string
			Input struct {
				ContentType string `json:"content_type"`
				Events      []string
			}
			Want map[string]any
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			if c.Want["stream_bytes"] != nil {
				if c.Want["stream_bytes"].(float64) != maxStream || c.Want["read_seconds"].(float64) != DefaultRead.Seconds() || c.Want["review_seconds"].(float64) != DefaultTotal.Seconds() {
					t.Errorf("limits %d, %v, %v; want %v", maxStream, DefaultRead, DefaultTotal, c.Want)
				}
				return
			}
			e := newEndpoint(t, conformancePlay(t, c.Input.ContentType, c.Input.Events))
			out := reviewWith(t, options(e, nil), testJob(t, testDiff))
			if c.Want["finished"] == true {
				if out.Outcome != runtime.Finished || len(out.Candidates) != 1 {
					t.Errorf("%q: %s", out.Outcome, out.Detail)
				}
				return
			}
			if why := c.Want["why"].(string); out.Outcome != runtime.Infra || !strings.Contains(out.Detail, why) {
				t.Errorf("%q %q, want %q", out.Outcome, out.Detail, why)
			}
		})
	}
	if n < 11 {
		t.Errorf("%d cases", n)
	}
}

// conformancePlay turns the events of a case into a stream.
func conformancePlay(t *testing.T, contentType string, events []string) play {
	t.Helper()
	var pieces []string
	for _, e := range events {
		word, rest, _ := strings.Cut(e, " ")
		switch word {
		case "text":
			pieces = append(pieces, delta(goodAnswer))
		case "finish":
			pieces = append(pieces, finish(rest))
		case "usage":
			pieces = append(pieces, usageOnly)
		case "done":
			pieces = append(pieces, done)
		case "event":
			pieces = append(pieces, "event: "+rest+"\ndata: {}\n\n")
		case "line":
			pieces = append(pieces, rest+"\n\n")
		case "bytes":
			size, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, strings.Repeat(": 2345678\n", size/10+1))
		default:
			t.Fatalf("event %q is none that is known", e)
		}
	}
	if contentType == "" {
		return stream(pieces...)
	}
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, strings.Join(pieces, ""))
	}
}
