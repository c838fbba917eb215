package redact

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The credentials below are made up at run time, so that no scanner takes
// this file for a leak.
func body(n int) string {
	const alphabet = "Q7mZp4XvT2kR9sYb3WcF6hJdN8gLxAeU5tVnKqMrPwZyHfGjBaDsCuEo1iR0"
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

func jwt() string {
	return "ey" + "J" + body(30) + ".ey" + "J" + body(40) + "." + body(43)
}

func TestSecretsAreFoundWhole(t *testing.T) {
	q20 := strings.Repeat("Q", 20)
	for _, c := range []struct{ name, before, secret, after string }{
		{"A79 classic token", "token ", "gh" + "p_" + body(36), " in a sentence"},
		{"A79 classic token of low entropy", "token ", "gh" + "p_" + q20, "."},
		{"A79 oauth token", "", "gh" + "o_" + body(36), ""},
		{"A79 user token", "x=", "gh" + "u_" + body(36), ";"},
		{"A79 refresh token", "(", "gh" + "r_" + body(76), ")"},
		{"A77 installation token", "", "gh" + "s_" + body(36), ""},
		{"A77 long installation token", "use ", "gh" + "s_123456_" + jwt(), " now"},
		{"A77 long installation token ends a sentence", "use ", "gh" + "s_" + "98765_" + jwt(), "."},
		{"A77 long installation token of 520 characters", "", "gh" + "s_1_" + body(100) + "." + body(320) + "." + body(90) + "-_x", "\n"},
		{"A79 fine-grained token", "", "github" + "_pat_" + body(22) + "_" + body(59), ""},
		{"A78 anthropic oauth token", "", "sk-" + "ant-oat01-" + body(80), ""},
		{"A78 anthropic refresh token", "", "sk-" + "ant-ort01-" + body(80), ""},
		{"A78 openai project key", "", "sk-" + "proj-" + body(48), ""},
		{"A78 openai service account key", "", "sk-" + "svcacct-" + body(48), ""},
		{"A78 npm token in UUID form", "", "npm" + "_01234567-89ab-4cde-8f01-23456789abcd", ""},
		{"A78 npm token", "//r/:_authToken=", "npm" + "_" + body(36), ""},
		{"A79 pypi token", "", "pypi" + "-AgEIcHlwaS5vcmc" + body(60), ""},
		{"A79 hugging face token", "", "hf" + "_" + strings.Repeat("aBcDeFgHiJkLmNoPq", 2), ""},
		{"A79 slack bot token", "", "xo" + "xb-1234567890-" + body(24), ""},
		{"slack bot token, short form", "", "xo" + "xb-1234-aaaaaaaaaaaaaaaaaaaa", ""},
		{"A79 aws key id", "", "AK" + "IAQQQQQQQQQQQQQQQQ", ""},
		{"gitlab token", "", "gl" + "pat-aaaaaaaaaaaaaaaaaaaa", ""},
		{"private key header alone", "", "-----BEGIN RSA " + "PRIVATE KEY-----", ""},
		{"A79 private key whole", "", "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + body(64) + "\n" + body(20) + "==\n-----END OPENSSH " + "PRIVATE KEY-----", "\nrest"},
		{"PGP private key", "", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----", ""},
		{"age identity", "", "AGE-" + "SECRET-KEY-1" + strings.ToUpper(body(58)), ""},
		{"json web token", "", jwt(), ""},
		{"password in a URL", "postgres://app:", "s3Cr-3tV4lue", "@db.internal/x"},
		{"password of a URL without a user", "redis://:", "s3Cr3tV4lue", "@cache:6379"},
		{"token in a clone URL", "https://x-access-token:", body(24), "@host/o/r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.before + c.secret + c.after
			hits := FindSecrets(s)
			if len(hits) != 1 || s[hits[0].Start:hits[0].End] != c.secret {
				t.Fatalf("got %d hits, want the secret whole", len(hits))
			}
			if got, want := Scrub(s), c.before+SecretMarker+c.after; got != want {
				t.Errorf("A87 scrubbed to %q, want %q", got, want)
			}
			if k, refused := Refuse(s); !refused || k != Secret {
				t.Errorf("A87 not refused as a secret: %q", k)
			}
		})
	}
}

func TestLibraryRulesReachTheText(t *testing.T) {
	for _, c := range []struct{ name, in string }{
		{"a key by its name", `api_key = "` + body(32) + `"`},
		{"an allow comment decides nothing", `api_key = "` + body(32) + `" // gitleaks:allow`},
		{"a stripe key", "sk" + "_live_" + body(24)},
		{"a key at the end of a long text", strings.Repeat("some words of prose\n", 900) + `secret_key: "` + body(40) + `"`},
		{"a key across a chunk border", strings.Repeat("x ", (chunkSize-20)/2) + `token = "` + body(40) + `"` + strings.Repeat(" y", 3000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if k, refused := Refuse(c.in); !refused || k != Secret {
				t.Fatal("not found")
			}
			if strings.Contains(Scrub(c.in), body(20)) {
				t.Error("A87 the value is still there")
			}
		})
	}
}

func TestA84NotSecrets(t *testing.T) {
	for _, s := range []string{
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		`cache_key: 3f786850e387550fdab836ed7e6dc881de23001b`,
		"token id 01234567-89ab-4cde-8f01-23456789abcd",
		"version 1.2.3.4 of the api",
		"AKIA" + "IOSFODNN7EXAMPLE",
		"gh" + "p_" + strings.Repeat("Q", 19),
		"x-access-token:${TOKEN}@github.com",
		"https://x-access-token:${{ secrets.GITHUB_TOKEN }}@github.com/o/r",
		"token: ${{ secrets.DEPLOY_TOKEN }}",
		"postgres://postgres:postgres@localhost:5432/app",
		"https://user:password@example.com",
		"amqp://guest:guest@rabbit:5672",
		"see https://example.com/a:b@c in the guide",
		"password = os.environ['DB_PASSWORD']",
		"use the ghp_ prefix to know classic tokens",
		"money is rounded half-even",
		"never call authenticateWithRefreshToken twice",
		"xoxb- tokens are for bots",
		"the header says PRIVATE KEY somewhere",
	} {
		if hits := FindSecrets(s); len(hits) > 0 {
			t.Errorf("%q: %v", s, hits)
		}
	}
}

func TestA86Email(t *testing.T) {
	for s, want := range map[string]string{
		"ask mara@corp.io about it":                        "ask " + PIIMarker + " about it",
		"Mara <m.k+x@mail.corp.co.uk>":                     "Mara <" + PIIMarker + ">",
		"two: a@b.io, c@d.io":                              "two: " + PIIMarker + ", " + PIIMarker,
		"write to hello@example.com":                       "write to hello@example.com",
		"hello@sub.example.org and x@shop.test":            "hello@sub.example.org and x@shop.test",
		"git clone git@github.com:lumen/ledger":            "git clone git@github.com:lumen/ledger",
		"Co-authored-by: b <1+b@users.noreply.github.com>": "Co-authored-by: b <1+b@users.noreply.github.com>",
		"noreply@corp.io":                                  "noreply@corp.io",
		"left-pad@1.3.0 and actions/checkout@v4.1":         "left-pad@1.3.0 and actions/checkout@v4.1",
		"ping @octocat and @org/team":                      "ping @octocat and @org/team",
		"127.0.0.1 is fine":                                "127.0.0.1 is fine",
		"git+ssh://deploy@host.corp.io/x":                  "git+ssh://deploy@host.corp.io/x",
	} {
		if got := Scrub(s); got != want {
			t.Errorf("Scrub(%q) = %q, want %q", s, got, want)
		}
		k, refused := Refuse(s)
		if refused != (s != want) || (refused && k != PII) {
			t.Errorf("Refuse(%q) = %q, %v", s, k, refused)
		}
	}
}

func TestSecretOutranksPersonalData(t *testing.T) {
	s := "postgres://app:s3Cr3tV4lue@db.corp.io and mara@corp.io"
	if k, _ := Refuse(s); k != Secret {
		t.Errorf("got %q", k)
	}
	if got, want := Scrub(s), "postgres://app:"+SecretMarker+"@db.corp.io and "+PIIMarker; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestA80LiveValuesAreFoundWithoutAPattern(t *testing.T) {
	f := NewFinder("plainwordsonly", "short")
	if got, want := f.Scrub("a plainwordsonly b"), "a "+SecretMarker+" b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !f.HasLive("xplainwordsonlyx") || f.HasLive("short words") || (Finder{}).HasLive("plainwordsonly") {
		t.Error("live values are told apart wrongly")
	}
}

func TestScrubLeavesNothingToFind(t *testing.T) {
	pieces := []string{
		"gh" + "p_" + body(36), "mara@corp.io", "gh" + "s_1_" + jwt(), "postgres://a:b4dS3cr3t@h", "AK" + "IAQQQQQQQQQQQQQQQQ", "@", ":", "//", " ",
		"-----BEGIN RSA " + "PRIVATE KEY-----", `key="` + body(30) + `"`, "x-access-token:", "\n", "word", ".", SecretMarker, "gh", "p_",
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 8).Draw(t, "pieces"), "")
		clean := Scrub(s)
		if hits := Find(clean); len(hits) > 0 {
			t.Fatalf("%q still has %v", clean, hits)
		}
		if again := Scrub(clean); again != clean {
			t.Fatalf("%q -> %q", clean, again)
		}
	})
}

func TestHitsAreInOrderAndInside(t *testing.T) {
	s := "a mara@corp.io gh" + "p_" + body(36) + " kim@corp.io"
	hits := Find(s)
	var kinds []Kind
	for _, h := range hits {
		kinds = append(kinds, h.Kind)
	}
	if want := []Kind{PII, Secret, PII}; !slices.Equal(kinds, want) {
		t.Fatalf("got %v, want %v", kinds, want)
	}
	for i, h := range hits {
		if h.Rule == "" || h.Start < 0 || h.End > len(s) || h.Start >= h.End || (i > 0 && h.Start < hits[i-1].End) {
			t.Errorf("hit %d is %+v", i, h)
		}
	}
}

func FuzzScrub(f *testing.F) {
	for _, s := range []string{"mara@corp.io", "gh" + "p_" + body(36), "postgres://a:b4dS3cr3t@h", "-----BEGIN RSA " + "PRIVATE KEY-----", "\xff@a.io"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := Scrub(s)
		if hits := Find(clean); len(hits) > 0 {
			t.Fatalf("%q still has %v", clean, hits)
		}
	})
}
