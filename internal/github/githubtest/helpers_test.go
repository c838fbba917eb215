package githubtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

const hello = "octocat/hello"

// world is a server whose own answers are checked too, with one public
// repository, a maintainer and one pull request that changes two files.
func world(t *testing.T) (*Server, Pull) {
	t.Helper()
	s := New(t)
	s.answers = true
	s.AddRepo(Repo{Owner: "octocat", Name: "hello", ID: 1296269, Files: map[string]string{"README.md": "# hello\n"}})
	s.Grant(hello, "mara", "maintain")
	p := s.AddPull(PullSpec{Repo: hello, Number: 7, Title: "Change main", Author: "mara",
		Base: map[string]string{"README.md": "# hello\n", "main.go": numbered(40)},
		Head: map[string]string{"main.go": strings.Replace(numbered(40), "line 20\n", "line twenty\nand one more\n", 1), "new.txt": "one\ntwo"}})
	return s, p
}

// numbered is a file of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString("line " + itoa(i) + "\n")
	}
	return b.String()
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// answered is an answer as a test looks at it.
type answered struct {
	status int
	header http.Header
	text   string
	v      any
}

// at walks into the JSON: names and indices.
func (a answered) at(path ...any) any {
	v := a.v
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func (a answered) len() int { l, _ := a.v.([]any); return len(l) }

// ask sends one request without following redirects. Headers come in pairs.
func ask(t *testing.T, token, method, url string, body any, headers ...string) answered {
	t.Helper()
	var in io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(body)
	case []byte:
		in = bytes.NewReader(body)
	default:
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	r, err := http.NewRequest(method, url, in)
	if err != nil {
		t.Fatal(err)
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		return answered{text: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answered{status: resp.StatusCode, header: resp.Header, text: "cut: " + err.Error()}
	}
	a := answered{status: resp.StatusCode, header: resp.Header, text: string(text)}
	_ = json.Unmarshal(text, &a.v)
	return a
}

// onlyViolation takes the violations and wants exactly one with these words.
func onlyViolation(t *testing.T, s *Server, words string) {
	t.Helper()
	got := s.TakeViolations()
	if len(got) != 1 || !strings.Contains(got[0], words) {
		t.Errorf("violations %q, want one with %q", got, words)
	}
}

type m = map[string]any
