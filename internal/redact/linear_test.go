package redact

import (
	"runtime"
	"strings"
	"testing"
)

// costly are the pieces of which texts are made that a careless rule would
// take more than linear time for: beginnings without ends, names without
// values, runs without a break.
var costly = []string{
	"password=", "password is ", "token: \"", "Authorization: Bearer ", "curl -u ", "mysql -p", "login a password ", "sig=", "sess=", "://a:", "x-access-token:",
	"gh" + "p_", "xo" + "xb-", "eyJ", "sk-", ":AA", "-us", "AZDO", "8Q~", ".atlasv1.", "T3BlbkFJ", "MT", "-----BEGIN RSA ", "PRIVATE KEY",
	"@", "a@b.", "+49", "00", "1 ", "12.", "2a02:", "::", "DE89 ", "4111 ", "%41", `\u0041`, "&#65;", "=41", "\u200b", "\uff20", "a", "0", "\"", "\n",
}

// effort is what a function allocates, in objects and in bytes: with RE2 and
// windows of bounded length, steps follow both.
func effort(f func()) (objects, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// leastEffort is the lesser of two tries: what is kept for use again is
// now and then made anew.
func leastEffort(f func()) (objects, bytes uint64) {
	objects, bytes = effort(f)
	for range 1 {
		o, b := effort(f)
		objects, bytes = min(objects, o), min(bytes, b)
	}
	return objects, bytes
}

func TestTwiceTheTextTakesTwiceTheEffort(t *testing.T) {
	pieces, slack := costly, uint64(1<<18)
	if raced {
		pieces, slack = costly[:4], 1<<22 // CI measures all once more without the detector
	}
	f := NewFinder(body(20), "AGE-"+"SECRET-KEY-1"+strings.ToUpper(body(58)))
	f.Find(strings.Repeat("password = \"x1!x1!x\" +49 30 901820 ", 10)) // load everything
	for _, piece := range pieces {
		once := strings.Repeat(piece, 1<<12/len(piece))
		for name, find := range map[string]func(string){
			"told": func(s string) { told(s) }, "tokens": func(s string) { tokens(s) }, "urls": func(s string) { urlCredentials(s) },
			"keys": func(s string) { privateKeys(s) }, "personal": func(s string) { FindPII(s) }, "live": func(s string) { f.HasLive(s) },
		} {
			objects, bytes := leastEffort(func() { find(once) })
			twiceObjects, twiceBytes := leastEffort(func() { find(once + once) })
			if twiceObjects > 3*objects+200 || twiceBytes > 3*bytes+slack { // machines of expressions are kept for later
				t.Errorf("%s of %q: %d objects and %d bytes, of twice the text %d and %d", name, piece, objects, bytes, twiceObjects, twiceBytes)
			}
		}
	}
}

// TestWindowsAreBounded: where a rule looks ahead of its word, it looks only so
// far, so that the steps are at most that many times the length of the text.
func TestWindowsAreBounded(t *testing.T) {
	for _, r := range needleTable().rules {
		if r.back > 256 {
			t.Errorf("%s looks %d bytes back", r.name, r.back)
		}
	}
	for _, r := range tellers() {
		if !strings.HasPrefix(r.pattern.String(), "^") {
			t.Errorf("%s is not tried at its word alone", r.name)
		}
	}
	if nearby > 1<<10 || nearTold > 1<<10 || longestTold > 16<<10 || longestAuthority > 4<<10 {
		t.Error("a window grew")
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"password = \"Winter2024!\"", "gh" + "p_" + body(36), "+49 30 901820", "DE89 3704 0044 0532 0130 00", "4556 7375 8689 9855", "93.184.216.34:80",
		"2a02:8109::1", "a@b.io", "postgres://a:b9b9b9@c.io", "%61%40b.io", "\xff\u200b@", "login x password y9!y9",
	} {
		f.Add(s)
	}
	finder := NewFinder(body(20))
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, h := range finder.Find(s) {
			if h.Start < 0 || h.End <= h.Start || h.End > len(s) || h.Rule == "" || h.Kind == None {
				t.Fatalf("%q: hit %+v", s, h)
			}
			if h.Start < at {
				t.Fatalf("%q: hits overlap at %d", s, h.Start)
			}
			at = h.End
		}
		clean := finder.Scrub(s)
		if again := finder.Scrub(clean); again != clean {
			t.Fatalf("%q -> %q -> %q", s, clean, again)
		}
	})
}
