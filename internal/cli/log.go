// This file is the one door to the runner: the log, which takes commands from
// whatever is printed, and the step's files. Text of anybody passes
// render.Log, or a logWriter where it is laid out already; commands of ours
// are written by command, outputs by heredoc.

package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
)

// logWriter writes lines to a log in which no line is a command of the runner
// (attack A63): neither "::name::" at the start of a line, in whatever blanks,
// nor "##[name]" anywhere. A carriage return ends a line there as well. What is
// no whole line yet waits for its end, or for flush.
type logWriter struct {
	mu     sync.Mutex
	to     io.Writer
	rest   []byte
	masked *masks // nil: nothing is
}

// masks are the values that were hidden from the log, which are hidden from it
// by us as well: in whatever dress the runner would not know them.
type masks struct {
	mu     sync.Mutex
	values []string
	finder redact.Finder
}

func (m *masks) add(values ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values = append(m.values, values...)
	m.finder = redact.NewFinder(m.values...)
}

// without returns a line without the live values in it.
func (m *masks) without(line string) string {
	if m == nil {
		return line
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.finder.ScrubLive(line)
}

// maxWaiting bounds what waits for the end of its line.
const maxWaiting = 1 << 20

// Write implements io.Writer; it says that all of p was written unless the log
// cannot be.
func (l *logWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexAny(l.rest, "\n\r")
		if i < 0 {
			break
		}
		if _, err := io.WriteString(l.to, inertLine(l.masked.without(string(l.rest[:i])))+string(l.rest[i])); err != nil {
			return 0, err
		}
		l.rest = l.rest[i+1:]
	}
	if len(l.rest) > maxWaiting {
		return len(p), l.write()
	}
	return len(p), nil
}

// flush writes what waits.
func (l *logWriter) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write()
}

func (l *logWriter) write() error {
	_, err := io.WriteString(l.to, inertLine(l.masked.without(string(l.rest))))
	l.rest = nil
	return err
}

// escape matches the control sequences that do more than colour: they move
// the cursor, clear lines, set titles, or make links.
var escape = text.Lazy("\x1b(?:\\[[0-9;?]*[A-HJKSTfhlnsu]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[PX^_][^\x1b]*\x1b\\\\|[^\\[])")

// inertLine returns a line that is no command of the runner. In a line of JSON
// the sign is escaped, so that it means the same.
func inertLine(line string) string {
	line = escape.ReplaceAllString(line, "")
	start := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if strings.HasPrefix(start, "::") {
		line = line[:len(line)-len(start)] + ": " + start[1:]
	}
	sign := "# #["
	if start != "" && strings.IndexByte("{[\"", start[0]) >= 0 {
		sign = "\\u0023#["
	}
	return strings.ReplaceAll(line, "##[", sign)
}

// inLog returns env with its output behind the door where a runner reads it,
// and what flushes it at the end.
func inLog(env Env) (Env, func()) {
	if env.Getenv == nil || env.Getenv("GITHUB_ACTIONS") != "true" {
		return env, func() {}
	}
	out, err := &logWriter{to: env.Stdout}, &logWriter{to: env.Stderr}
	env.Stdout, env.Stderr = out, err
	return env, func() {
		_ = out.flush() // a log that is gone can be told nothing
		_ = err.flush()
	}
}

// command writes a command of ours between the lines of the log: the one thing
// that is not made inert. Its data is without the live values, unless it is
// what hides them.
func (l *logWriter) command(name, data string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 { // what waits for its line end gets one
		l.rest = append(l.rest, '\n')
		if err := l.write(); err != nil {
			return err
		}
	}
	switch {
	case name == maskCommand && l.masked != nil:
		l.masked.add(data)
	case name != maskCommand:
		data = l.masked.without(data)
	}
	_, err := io.WriteString(l.to, "::"+name+"::"+commandData.Replace(data)+"\n")
	return err
}

const maskCommand = "add-mask"

// actionLog returns env with everything that the action prints behind the
// door, whoever prints it, and what flushes it at the end.
func actionLog(env Env) (Env, func()) {
	m := &masks{}
	out, err := &logWriter{to: env.Stdout, masked: m}, &logWriter{to: env.Stderr, masked: m}
	env.Stdout, env.Stderr = out, err
	return env, func() {
		_ = out.flush() // a log that is gone can be told nothing
		_ = err.flush()
	}
}

// annotate writes an annotation of the run: "error", "warning" or "notice".
func annotate(w io.Writer, level, message string) {
	command(w, level, render.Log(message))
}

// annotateLine writes an annotation of a line of the change.
func annotateLine(w io.Writer, path string, line int, message string) {
	command(w, fmt.Sprintf("warning file=%s,line=%d", commandProperty.Replace(render.Log(path)), line), render.Log(message))
}

// commandProperty escapes a property of a command.
var commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

// command writes a command of ours, its data escaped as the runner wants it.
func command(w io.Writer, name, data string) {
	if l, ok := w.(*logWriter); ok {
		_ = l.command(name, data) // the log is all there is to tell it to
		return
	}
	_, _ = fmt.Fprintln(w, "::"+name+"::"+commandData.Replace(data)) // the log is all there is to tell it to
}

var commandData = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// heredoc returns an entry of the file of outputs, with a delimiter that no
// value can know.
func heredoc(name, value string) (string, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	mark := "familiar_" + hex.EncodeToString(nonce)
	return name + "<<" + mark + "\n" + value + "\n" + mark + "\n", nil
}
