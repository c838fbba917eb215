// This file is the one door through which a model's answer comes in: a stream
// of server-sent events becomes one finished turn or the reason why it is none.

package models

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of one answer (page 7.2).
const (
	maxStream = 16 << 20
	maxEvent  = 1 << 20 // bytes of one event
)

// turn is an answer that ended as it must.
type turn struct {
	text    string
	refusal string // the model's words for not answering; "" if it did
	usage   *usage // nil where the endpoint did not tell
}

type usage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
}

// chunk is one event. Providers add fields of their own, so others are let
// pass; those that bear on how a turn ends are all here.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index int `json:"index"`
	Delta struct {
		Content   string            `json:"content"`
		Refusal   string            `json:"refusal"`
		ToolCalls []json.RawMessage `json:"tool_calls"`
	} `json:"delta"`
	Finish string `json:"finish_reason"`
}

// errUnfinished is an answer that is no finished turn. Nothing of it is used.
type errUnfinished struct {
	why string
	// final says that asking again gives the same.
	final bool
}

func (e errUnfinished) Error() string { return e.why }

func unfinished(format string, args ...any) error {
	return errUnfinished{why: fmt.Sprintf(format, args...)}
}

// join reads a stream to its end and returns the turn that it makes. A turn is
// finished with exactly one finish reason, then at most one usage-only chunk,
// then [DONE], and nothing else between or after (page 7.2, attack A101). read
// counts the bytes of text that came, whether or not they make a turn.
func join(r io.Reader) (t turn, read int, err error) {
	j := &joiner{}
	in := bufio.NewReaderSize(&capped{r: r, left: maxStream}, 32<<10)
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line, err = longLine(in, line)
		}
		if len(line) > 0 {
			if problem := j.line(bytes.TrimRight(line, "\r\n")); problem != nil {
				return turn{}, j.text.Len(), problem
			}
		}
		if errors.Is(err, io.EOF) {
			t, err := j.end()
			return t, j.text.Len(), err
		}
		if err != nil {
			return turn{}, j.text.Len(), err
		}
	}
}

// longLine reads on where a line is longer than the buffer.
func longLine(in *bufio.Reader, start []byte) ([]byte, error) {
	line := bytes.Clone(start)
	for {
		more, err := in.ReadSlice('\n')
		line = append(line, more...)
		if len(line) > maxEvent {
			return nil, unfinished("one line of the answer is longer than %d bytes", maxEvent)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// capped ends a stream that goes on for too long.
type capped struct {
	r    io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left < 0 {
		return 0, errUnfinished{why: fmt.Sprintf("the answer is longer than %d MiB", maxStream>>20), final: true}
	}
	// One byte more than is left tells a stream that fits from one that does not.
	n, err := c.r.Read(p[:min(len(p), c.left+1)])
	if c.left -= n; c.left < 0 {
		return 0, errUnfinished{why: fmt.Sprintf("the answer is longer than %d MiB", maxStream>>20), final: true}
	}
	return n, err
}

// joiner is the state of one turn as its lines come in.
type joiner struct {
	data    []byte // of the event that is being read
	pending bool   // the event has data
	name    string // its name; "": a message

	text, refusal strings.Builder
	finish        string // the one finish reason
	usage         *usage
	done          bool
}

// line takes one line of the stream.
func (j *joiner) line(line []byte) error {
	switch {
	case len(line) == 0:
		return j.dispatch()
	case j.done:
		return unfinished("data follows the end of the answer")
	case line[0] == ':': // a comment, which servers send to keep a connection
		return nil
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		if j.pending {
			j.data = append(j.data, '\n')
		}
		if len(j.data)+len(value) > maxEvent {
			return unfinished("one event of the answer is longer than %d bytes", maxEvent)
		}
		j.data, j.pending = append(j.data, value...), true
	case "event":
		j.name = string(value)
	default:
		return unfinished("the stream has a field that is no data")
	}
	return nil
}

// dispatch ends one event.
func (j *joiner) dispatch() error {
	data, name, pending := j.data, j.name, j.pending
	j.data, j.name, j.pending = j.data[:0], "", false
	switch {
	case !pending && name == "":
		return nil
	case name == "error":
		return unfinished("the endpoint reported an error in the middle of the answer")
	case name != "" && name != "message":
		if j.finish != "" {
			return unfinished("an event of another kind follows the finish reason")
		}
		return nil // progress and the like, which say nothing of the answer
	case string(data) == "[DONE]":
		return j.terminal()
	}
	if err := exactKeys(data); err != nil {
		return err
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return unfinished("an event of the answer is no JSON of a chat completion")
	}
	return j.chunk(c)
}

// exactKeys refuses an event in which one of our keys is there in another
// case: Go would take it for ours (attack A65).
func exactKeys(data []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return unfinished("an event of the answer is no JSON of a chat completion")
	}
	for k := range keys {
		lower := strings.ToLower(k)
		if k != lower && (lower == "choices" || lower == "usage" || lower == "error") {
			return unfinished("an event of the answer has a key in another case")
		}
	}
	return nil
}

func (j *joiner) chunk(c chunk) error {
	switch {
	case len(c.Error) > 0 && string(c.Error) != "null":
		return unfinished("the endpoint reported an error in the middle of the answer")
	case len(c.Choices) == 0:
		return j.empty(c)
	case len(c.Choices) > 1 || c.Choices[0].Index != 0:
		return unfinished("the answer has more than one choice")
	case j.finish != "" && c.Choices[0].Finish != "":
		return unfinished("the answer has two finish reasons")
	case j.finish != "":
		return unfinished("data follows the finish reason")
	}
	d := c.Choices[0]
	if len(d.Delta.ToolCalls) > 0 {
		return errUnfinished{why: "the model called a tool, and it has none", final: true}
	}
	j.text.WriteString(d.Delta.Content)
	j.refusal.WriteString(d.Delta.Refusal)
	j.finish = d.Finish
	if c.Usage != nil && j.finish != "" {
		j.usage = c.Usage // some endpoints tell in the chunk that finishes
	}
	return nil
}

// empty takes a chunk without choices: before the finish reason a greeting of
// the endpoint, after it the usage, once.
func (j *joiner) empty(c chunk) error {
	switch {
	case j.finish == "" && c.Usage == nil:
		return nil
	case j.finish == "":
		return unfinished("the usage comes before the finish reason")
	case c.Usage == nil:
		return unfinished("data follows the finish reason")
	case j.usage != nil:
		return unfinished("the answer has two counts of its usage")
	}
	j.usage = c.Usage
	return nil
}

func (j *joiner) terminal() error {
	switch {
	case j.done:
		return unfinished("the answer ends twice")
	case j.finish == "":
		return unfinished("the answer ends without a finish reason")
	}
	j.done = true
	return nil
}

// end says what the stream came to.
func (j *joiner) end() (turn, error) {
	if j.pending && string(j.data) == "[DONE]" { // its blank line may be missing
		if err := j.dispatch(); err != nil {
			return turn{}, err
		}
	}
	switch {
	case !j.done:
		return turn{}, unfinished("the answer broke off before [DONE]")
	case j.pending:
		return turn{}, unfinished("data follows the end of the answer")
	case j.finish == "length":
		return turn{}, errUnfinished{why: "the answer was cut at the length limit of the model", final: true}
	case j.finish == "content_filter":
		return turn{refusal: "its content filter ended the answer", usage: j.usage}, nil
	case j.finish != "stop":
		return turn{}, errUnfinished{why: "the answer ended for a reason that is no end of a review", final: true}
	case j.refusal.Len() > 0:
		return turn{refusal: j.refusal.String(), usage: j.usage}, nil
	}
	return turn{text: j.text.String(), usage: j.usage}, nil
}
