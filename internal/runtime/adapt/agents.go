package adapt

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/runtime"
	"github.com/familiarhq/familiar/internal/text"
)

// This file reads what coding agents print where they run without a terminal.
// Around the agent's answer each has an envelope of its own; the answer itself
// is the plain list of findings. Only a run that says it came to its end is
// used.

// errUnfinished is said of a stream that breaks off.
var errUnfinished = errors.New("the run did not come to its end, so its answer is not used")

// ended is what is made of a run that says of itself that it failed.
func ended(outcome runtime.Outcome, what string) runtime.Output {
	d := "the reviewer did not finish"
	if what = strings.TrimSpace(redact.Scrub(strings.ToValidUTF8(what, "?"))); what != "" {
		d += ": " + text.Truncate(what, 300)
	}
	return runtime.Output{Outcome: outcome, Detail: d}
}

// claudeCode reads what `claude -p --output-format json` or `stream-json`
// prints: an object, a list or a stream of messages, with one of type result
// (Claude Code 2.x).
func claudeCode(s Source) (runtime.Output, error) {
	messages, err := objects(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	last := lastOf(messages, "result")
	if !last.is() {
		return runtime.Output{}, errUnfinished
	}
	failed, _ := last.at("is_error").v.(bool)
	switch subtype := last.str("subtype"); {
	case subtype != "success":
		return ended(runtime.GaveUp, subtype), nil
	case failed:
		return ended(runtime.Infra, last.str("result")), nil
	}
	if answer := last.at("structured_output"); answer.is() {
		return fromDocument(answer)
	}
	return fromText(last.str("result"))
}

// geminiCLI reads what `gemini -p --output-format json` or `stream-json`
// prints (Gemini CLI 0.1x to 0.4x).
func geminiCLI(s Source) (runtime.Output, error) {
	messages, err := objects(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	if len(messages) == 1 && messages[0].str("type") == "" {
		if e := messages[0].at("error"); e.is() {
			return ended(runtime.Infra, e.str("message")), nil
		}
		return fromText(messages[0].str("response"))
	}
	end := lastOf(messages, "result")
	switch status := end.str("status"); {
	case !end.is():
		return runtime.Output{}, errUnfinished
	case status != "success":
		return ended(runtime.Infra, or(end.str("error", "message"), status)), nil
	}
	var answer strings.Builder
	for _, m := range messages {
		switch {
		case m.str("type") == "tool_use":
			answer.Reset() // what was said before a tool ran is not the answer
		case m.str("type") == "message" && m.str("role") == "assistant":
			answer.WriteString(m.str("content"))
		}
	}
	return fromText(answer.String())
}

// codex reads the stream of `codex exec --json` (Codex CLI 0.4x to 0.1xx), or
// what `--output-last-message` wrote: the answer alone.
func codex(s Source) (runtime.Output, error) {
	if len(s.Data) > limits.MaxBytes {
		return runtime.Output{}, fmt.Errorf("it is %d bytes, at most %d are read", len(s.Data), limits.MaxBytes)
	}
	if !bytes.Contains(s.Data, []byte(`"thread.started"`)) {
		return fromText(string(s.Data))
	}
	messages, err := events(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	answer, done := "", false
	for _, m := range messages {
		switch m.str("type") {
		case "turn.failed":
			return ended(runtime.Infra, m.str("error", "message")), nil
		case "turn.started":
			done = false
		case "turn.completed":
			done = true
		case "item.completed":
			if m.str("item", "type") == "agent_message" {
				answer = m.str("item", "text")
			}
		}
	}
	if !done {
		return runtime.Output{}, errUnfinished
	}
	return fromText(answer)
}

// copilotCLI reads what `copilot -p ... -s` prints, the answer alone, or the
// stream of `--output-format json` (Copilot CLI 1.x).
func copilotCLI(s Source) (runtime.Output, error) {
	if len(s.Data) > limits.MaxBytes {
		return runtime.Output{}, fmt.Errorf("it is %d bytes, at most %d are read", len(s.Data), limits.MaxBytes)
	}
	if !bytes.Contains(s.Data, []byte(`"assistant.`)) && !bytes.Contains(s.Data, []byte(`"session.`)) {
		return fromText(string(s.Data))
	}
	messages, err := events(s.Data)
	if err != nil {
		return runtime.Output{}, err
	}
	answer, done := "", false
	for _, m := range messages {
		switch m.str("type") {
		case "session.error":
			return ended(runtime.Infra, m.str("data", "message")), nil
		case "assistant.turn_start":
			done = false
		case "assistant.message":
			if t := m.str("data", "content"); strings.TrimSpace(t) != "" {
				answer = t
			}
		case "assistant.turn_end", "session.idle":
			done = true
		case "result":
			if code, ok := m.num("exitCode"); ok && code != 0 {
				return ended(runtime.Infra, fmt.Sprintf("exit code %d", code)), nil
			}
			done = true
		}
	}
	if !done {
		return runtime.Output{}, errUnfinished
	}
	return fromText(answer)
}

// objects are the messages of a document: one object, a list of them, or a
// stream with one a line.
func objects(data []byte) ([]node, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if bytes.HasPrefix(data, []byte("[")) {
		doc, err := document(data)
		return doc.list(), err
	}
	if one, err := document(data); err == nil {
		return []node{one}, nil
	}
	return events(data)
}

func lastOf(messages []node, kind string) node {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].str("type") == kind {
			return messages[i]
		}
	}
	return node{}
}
