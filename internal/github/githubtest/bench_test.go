package githubtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
)

// BenchmarkARequest is what the stand-in itself adds to each call of a test or
// of another benchmark.
func BenchmarkARequest(b *testing.B) {
	s := New(b)
	s.AddRepo(Repo{Owner: "octocat", Name: "hello"})
	head := map[string]string{}
	for i := range 20 {
		head[fmt.Sprintf("f%d.go", i)] = strings.Repeat("line\n", 200)
	}
	s.AddPull(PullSpec{Repo: hello, Number: 7, Head: head})
	tok := s.FullToken()
	var cpu benchtest.Processor
	for b.Loop() {
		cpu.Count(b, func() {
			r, _ := http.NewRequest("GET", s.URL()+"/repos/octocat/hello/pulls/7/files?per_page=100", nil)
			r.Header.Set("Authorization", "Bearer "+tok)
			resp, err := http.DefaultClient.Do(r)
			if err != nil || resp.StatusCode != 200 {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	}
	cpu.Report(b)
}
