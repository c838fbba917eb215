package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browser drives a headless Chromium over its pipe: file descriptors 3 and 4
// carry messages of JSON that end with a zero byte.
type browser struct {
	t        *testing.T
	in       *os.File
	out      *bufio.Reader
	session  string
	id       int
	problems []string // what the console said, and what the page asked for
}

// findBrowser is the program: FAMILIAR_BROWSER, as CI names it, else what is
// there; "" for none.
func findBrowser(t *testing.T) string {
	if named := os.Getenv("FAMILIAR_BROWSER"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			t.Fatalf("FAMILIAR_BROWSER names %s: %v", named, err)
		}
		return path
	}
	path, _ := exec.LookPath("chromium")
	return path
}

func newBrowser(t *testing.T, program string, flags ...string) *browser {
	t.Helper()
	read, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "familiar-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--window-size=1000,1400"}, flags...)...)
	cmd.ExtraFiles = []*os.File{read, write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = read.Close(), write.Close() // the browser's ends
	b := &browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		_ = in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = out.Close()
		// Its other processes may write for a moment still.
		for range 100 {
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s cannot be removed", profile)
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// message is one message of the protocol, either way.
type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`

	SessionID string `json:"sessionId,omitempty"`
}

// call asks for something and hears everything that happens until its answer.
func (b *browser) call(method string, params any, result any) {
	b.t.Helper()
	b.id++
	raw, err := json.Marshal(params)
	if params == nil {
		raw, err = []byte("{}"), nil
	}
	if err != nil {
		b.t.Fatal(err)
	}
	data, _ := json.Marshal(message{ID: b.id, Method: method, Params: raw, SessionID: b.session})
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// next reads one message, and keeps what a sound page never causes.
func (b *browser) next() message {
	b.t.Helper()
	data, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser went away: %v", err)
	}
	var m message
	if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		b.problems = append(b.problems, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		if !strings.Contains(string(m.Params), `"url":"file://`) {
			b.problems = append(b.problems, string(m.Params))
		}
	}
	return m
}

// open loads a file and waits for it.
func (b *browser) open(path string) {
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for b.next().Method != "Page.loadEventFired" {
	}
}

// eval runs an expression in the page and returns its value as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	return fmt.Sprint(out.Result.Value)
}

// shot keeps a picture in FAMILIAR_SCREENSHOTS, where that is set.
func (b *browser) shot(name string) {
	b.t.Helper()
	var out struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": false}, &out)
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil || len(data) < 1000 {
		b.t.Fatalf("no picture of %s: %v", name, err)
	}
	if dir := os.Getenv("FAMILIAR_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// choose sets a list and tells the page, as a person's choice does.
func (b *browser) choose(filter, value string) {
	b.eval(fmt.Sprintf(`(() => { const s = document.querySelector('select[data-filter=%q]'); s.value = %q; s.dispatchEvent(new Event('change')); return s.value })()`, filter, value))
}

// TestReportInABrowser uses the page as a person does: it searches, filters
// and opens a lesson, in light and in dark, and the console stays silent.
func TestReportInABrowser(t *testing.T) {
	program := findBrowser(t)
	if program == "" {
		t.Log("there is no Chromium here; .ci/run has one and requires this test")
		return
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, HTML(example()), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, program)
	b.open(path)
	const count = `document.getElementById("count").textContent`
	const shown = `Array.from(document.querySelectorAll("article")).filter((a) => a.offsetParent !== null).map((a) => a.id).sort().join(" ")`
	expect := func(what, expression, want string) {
		t.Helper()
		if got := b.eval(expression); got != want {
			t.Errorf("%s: %s is %q, want %q", what, expression, got, want)
		}
	}
	b.shot("report-light")
	b.call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	for _, want := range []string{"#lessons", "#health", "#lessons", "#weeks"} { // the skip link, then the parts of the page
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}, nil)
		expect("by keyboard", `document.activeElement.getAttribute("href")`, want)
	}
	expect("at first", shown, "m-1aaaaaaa m-2aaaaaaa m-3aaaaaaa m-4aaaaaaa m-5aaaaaaa")
	b.choose("state", "review_required")
	expect("by state", shown, "m-4aaaaaaa")
	expect("by state", count, "1 of 5 lessons")
	b.choose("state", "")
	b.choose("class", "durable")
	expect("by class", shown, "m-3aaaaaaa")
	b.choose("class", "")
	b.eval(`document.getElementById("search").focus()`)
	b.call("Input.insertText", map[string]any{"text": "BACK retries"}, nil)
	expect("by words, typed", shown, "m-2aaaaaaa")
	b.choose("owner", "nobody")
	expect("by words and owner", count, "0 of 5 lessons")
	b.choose("owner", "")
	b.eval(`document.querySelector("#m-2aaaaaaa summary").click()`)
	expect("opened", `document.querySelector("#m-2aaaaaaa details").open`, "true")
	b.shot("report-search")
	b.eval(`(() => { const s = document.getElementById("search"); s.value = ""; s.dispatchEvent(new Event("input")) })()`)
	expect("emptied", count, "5 of 5 lessons")

	light := b.eval(`getComputedStyle(document.body).backgroundColor`)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	if dark := b.eval(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark is light: %s", dark)
	}
	b.shot("report-dark")
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print", "features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	expect("on paper, whatever the screen is", `getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.body).color`, "rgb(255, 255, 255) rgb(0, 0, 0)")
	b.shot("report-print")
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "", "features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	b.eval(`document.getElementById("weeks").scrollIntoView()`)
	b.shot("report-weeks")
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
	expect("on a telephone", `document.documentElement.scrollWidth <= 360`, "true")
	b.eval(`window.scrollTo(0, 0)`)
	b.shot("report-narrow")
	expect("every control has a name", `Array.from(document.querySelectorAll("input, select")).every((e) => e.labels.length === 1)`, "true")
	for _, p := range b.problems {
		t.Errorf("the page causes: %s", p)
	}
}

// TestHostileReportInABrowser opens a page of hostile words: nothing of them
// runs, and nothing is asked for.
func TestHostileReportInABrowser(t *testing.T) {
	program := findBrowser(t)
	if program == "" {
		t.Log("there is no Chromium here; .ci/run has one and requires this test")
		return
	}
	r := Report{Made: made}
	for i, s := range hostile {
		one := everywhere(s)
		one.Versions[0].DocumentID = fmt.Sprintf("m-%d%s", i, s)
		r.Versions = append(r.Versions, one.Versions...)
		r.Events, r.Health, r.Denied = append(r.Events, one.Events...), append(r.Health, one.Health...), append(r.Denied, one.Denied...)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, HTML(r), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, program)
	b.open(path)
	if got := b.eval(`document.scripts.length + " " + document.querySelectorAll("img, iframe, object, embed, link").length`); got != "1 0" {
		t.Errorf("scripts and what loads: %s, want 1 0", got)
	}
	want := fmt.Sprintf("%d of %d lessons", len(hostile), len(hostile))
	b.choose("state", "active")
	if got := b.eval(`document.getElementById("count").textContent`); got != want {
		t.Errorf("the filter says %q, want %q", got, want)
	}
	for _, p := range b.problems {
		t.Errorf("the page causes: %s", p)
	}
}
