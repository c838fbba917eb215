package github

import (
	"strings"
	"testing"
)

func TestBadOptionsNameTheInputToFix(t *testing.T) {
	good := Options{Owner: "acme", Name: "rockets", Token: testToken}
	for name, c := range map[string]struct {
		change func(*Options)
		kind   Kind
		text   string
	}{
		"no token":              {func(o *Options) { o.Token = "" }, Unauthorised, "`github-token`"},
		"a line break":          {func(o *Options) { o.Token += "\n" }, Unauthorised, "without a line break"},
		"plain http":            {func(o *Options) { o.BaseURL = "http://github.example/api" }, Invalid, "not https"},
		"no address":            {func(o *Options) { o.BaseURL = "github" }, Invalid, "GITHUB_API_URL"},
		"credentials in it":     {func(o *Options) { o.BaseURL = "https://user:pass@api.github.com" }, Invalid, "no plain address"},
		"owner with a slash":    {func(o *Options) { o.Owner = "a/../b" }, Invalid, "owner/name"},
		"name that climbs":      {func(o *Options) { o.Name = ".." }, Invalid, "owner/name"},
		"App without an id":     {func(o *Options) { o.App = &App{} }, Unauthorised, "`app-id`"},
		"App with a broken key": {func(o *Options) { o.App = &App{ID: 1, PrivateKey: []byte("-----BEGIN")} }, Unauthorised, "`app-private-key`"},
	} {
		o := good
		c.change(&o)
		_, err := New(o)
		if KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v (kind %q), want %q about %q", name, err, KindOf(err), c.kind, c.text)
		}
	}
	for _, base := range []string{"", "https://github.example/api/v3", "https://api.acme.ghe.com/", "http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"} {
		o := good
		o.BaseURL = base
		if _, err := New(o); err != nil {
			t.Errorf("%q: %v", base, err)
		}
	}
}
