package github

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheMergeBaseIsAskedForWithoutTheFiles(t *testing.T) {
	base, head, at := strings.Repeat("b", 40), strings.Repeat("c", 40), strings.Repeat("a", 40)
	body, status := `{"status":"diverged","merge_base_commit":{"sha":"`+at+`"},"commits":[]}`, http.StatusOK
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("page") != "2" || q.Get("per_page") != "1" {
			t.Errorf("asked for page %q of %q: the first page holds every file", q.Get("page"), q.Get("per_page"))
		}
		say(w, status, body)
	})
	if got, err := a.MergeBase(t.Context(), base, head); err != nil || got != at {
		t.Errorf("%q, %v", got, err)
	}
	if got := a.requests(); len(got) != 1 || got[0] != "GET /repos/acme/rockets/compare/"+base+"..."+head {
		t.Errorf("asked %v", got)
	}
	t.Run("an answer that names no commit", func(t *testing.T) {
		body = `{"status":"ahead"}`
		_, err := a.MergeBase(t.Context(), base, head)
		wantKind(t, err, Invalid, "names no commit")
	})
	t.Run("nothing in common", func(t *testing.T) {
		body, status = `{"message":"No common ancestor between x and y."}`, http.StatusNotFound
		_, err := a.MergeBase(t.Context(), base, head)
		wantKind(t, err, NotFound)
	})
	t.Run("what is no commit is not asked for", func(t *testing.T) {
		before := len(a.requests())
		for _, sides := range [][2]string{{"", head}, {base, ""}, {"main", head}, {base, head + "..x"}, {"../" + base, head}} {
			_, err := a.MergeBase(t.Context(), sides[0], sides[1])
			wantKind(t, err, Invalid, "no commit")
		}
		if n := len(a.requests()); n != before {
			t.Errorf("%d requests", n-before)
		}
	})
}
