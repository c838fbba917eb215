package github

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestWhatTheListingLeavesOutComesFromTheDiffOrIsNamed(t *testing.T) {
	list := `[
		{"filename":"large.go","status":"modified","additions":2,"deletions":0,"changes":2},
		{"filename":"cut.go","status":"added","additions":3,"deletions":0,"changes":3,"patch":"@@ -0,0 +1,1 @@\n+one"},
		{"filename":"whole.go","status":"added","additions":1,"deletions":0,"changes":1,"patch":"@@ -0,0 +1 @@\n+one"},
		{"filename":"odd.go","status":"teleported","additions":1,"deletions":0,"changes":1,"patch":"@@ -0,0 +1 @@\n+one"},
		{"filename":"broken.go","status":"added","additions":1,"deletions":0,"changes":1,"patch":"no patch"},
		{"filename":"mode.sh","status":"changed","additions":0,"deletions":0,"changes":0},
		{"filename":"picture.png","status":"modified","additions":0,"deletions":0,"changes":0},
		{"filename":"whole.go","status":"added","additions":1,"deletions":0,"changes":1,"patch":"@@ -0,0 +1 @@\n+one"}]`
	text := "diff --git a/large.go b/large.go\n--- a/large.go\n+++ b/large.go\n@@ -1 +1,3 @@\n package large\n+one\n+two\n" +
		"diff --git a/cut.go b/cut.go\nnew file mode 100644\n--- /dev/null\n+++ b/cut.go\n@@ -0,0 +1,3 @@\n+one\n+two\n+three\n"
	for name, c := range map[string]struct {
		status  int
		partial map[string]string
	}{
		"the diff is given": {200, map[string]string{"odd.go": "teleported", "broken.go": "cannot be read"}},
		"GitHub refuses the diff": {406, map[string]string{"odd.go": "teleported", "broken.go": "cannot be read",
			"large.go": "shows none of its 2 changed lines", "cut.go": "shows 1 of its 3 changed lines"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/files"):
					say(w, 200, list)
				case c.status == 200 && strings.Contains(r.Header.Get("Accept"), "diff"):
					say(w, 200, text)
				default:
					say(w, c.status, `{"message":"Sorry, the diff exceeded the maximum number of lines (20000)","errors":[{"code":"too_large"}]}`)
				}
			})
			got, err := a.PullFiles(t.Context(), 7)
			if err != nil || len(got.Files) != 7 {
				t.Fatalf("%d files, %v", len(got.Files), err)
			}
			for _, f := range got.Files {
				if want := c.partial[f.Path]; (want == "") != (f.Partial == "") || !strings.Contains(f.Partial, want) {
					t.Errorf("%s is partial because %q, want %q", f.Path, f.Partial, want)
				}
				if f.Binary != (f.Path == "picture.png") {
					t.Errorf("%s: binary %v", f.Path, f.Binary)
				}
			}
			if len(got.Omitted) != len(c.partial) {
				t.Errorf("omitted %+v", got.Omitted)
			}
			if n := len(a.requests()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) { say(w, 406, `{"errors":[{"code":"too_large"}]}`) })
	_, _, err := a.PullDiff(t.Context(), 7)
	wantKind(t, err, TooLarge)
}

func TestAListingThatShrinksOrGrowsBetweenItsPagesIsStillEachOnce(t *testing.T) {
	total := 150
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page")
		from, to := 0, 100
		if page == "2" {
			from, to = 98, total // two were deleted in front meanwhile: the page shifts
		}
		var out []string
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf(`{"id":%d,"content":"eyes"}`, i+1))
		}
		if page == "1" {
			w.Header().Set("Link", `<http://x/?page=2>; rel="next", <http://x/?page=2>; rel="last"`)
		}
		say(w, 200, "["+strings.Join(out, ",")+"]")
	})
	got, err := a.Reactions(t.Context(), 1)
	if err != nil || len(got) != 150 {
		t.Errorf("%d reactions, %v", len(got), err)
	}
	// A link that never ends is bounded, wherever it leads.
	endless := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<http://evil.example/?page=9999999>; rel="next"`)
		say(w, 200, `[{"id":1,"content":"eyes"}]`)
	}, func(o *Options) { o.Limits.Pages = 5 })
	_, err = endless.Reactions(t.Context(), 1)
	wantKind(t, err, TooLarge, "more than 5 pages")
	if n := len(endless.requests()); n > 5 {
		t.Errorf("%d requests", n)
	}
}

func TestPatchesBeyondTheBoundAreOmissions(t *testing.T) {
	line := "+" + strings.Repeat("x", 1<<20) + `\n`
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/files") {
			say(w, 406, `{"message":"too large"}`)
			return
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page")) // none is the first
		page = max(page, 1)
		var list []string
		for i := range 3 {
			list = append(list, fmt.Sprintf(`{"filename":"f%02d.txt","status":"added","additions":1,"deletions":0,"changes":1,"patch":"@@ -0,0 +1 @@\n%s"}`, 3*(page-1)+i, line))
		}
		if page < 23 {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?per_page=100&page=%d>; rel="next"`, r.Host, r.URL.Path, page+1))
		}
		say(w, 200, "["+strings.Join(list, ",")+"]")
	})
	got, err := a.PullFiles(t.Context(), 7)
	if err != nil || len(got.Files) != 69 {
		t.Fatalf("%d files, %v", len(got.Files), err)
	}
	last := got.Files[68]
	if last.Partial != "the change is larger than 64 MiB; this file was not read" || len(last.Hunks) != 0 {
		t.Errorf("the last file is partial because %q", last.Partial)
	}
	named := 0
	for _, o := range got.Omitted {
		if o.Reason == last.Partial {
			named++
		}
	}
	if named < 5 || named > 8 {
		t.Errorf("%d files are named as beyond the bound", named)
	}
}
