package github

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzFailure feeds whatever a server may say of a failure to what makes
// people's texts of it.
func FuzzFailure(f *testing.F) {
	f.Add(422, `{"message":"Validation Failed","errors":["x",{"resource":"Label","code":"already_exists","field":"name"}]}`, "5", "0", "99")
	f.Add(403, `{"message":"a\u2028::warning::b","errors":[1,null,[]]}`, "Mon, 02 Nov 2026 09:00:00 GMT", "", "")
	f.Add(500, "<html>\x00\xff", "-1", "x", "9999999999999999999999")
	f.Fuzz(func(t *testing.T, status int, body, retry, remaining, reset string) {
		h := map[string][]string{"Retry-After": {retry}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "X-Accepted-Github-Permissions": {body}}
		a := answer{status: status, header: h, body: []byte(strings.ReplaceAll(body, "TOKEN", testToken))}
		e := failure(call{op: "asking"}, status, h, message(a.body, testToken))
		text := e.Error()
		if strings.Contains(text, testToken) || strings.ContainsAny(text, "\n\r\u2028\x00") || !utf8.ValidString(text) || len(text) > 4096 {
			t.Errorf("%q", text)
		}
		if e.Kind == "" {
			t.Error("no kind")
		}
		if limited(a) {
			if d := untilAllowed(a, time.Unix(1_800_000_000, 0), 3); d < 0 {
				t.Errorf("waits %s", d)
			}
		}
	})
}
