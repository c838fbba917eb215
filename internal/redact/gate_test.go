package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zricethezav/gitleaks/v8/report"
	"pgregory.net/rapid"
)

func TestOrdinaryTextDoesNotReachTheLibrary(t *testing.T) {
	for s, want := range map[string]bool{
		"":                           false,
		"money is rounded half-even": false,
		"never call authenticateWithRefreshToken in src/client/session.rs": true, // a name that may be a value
		"access tokens expire; the API refuses them":                       false,
		"the key, the secret, the password and their credentials":          false,
		"they ask for money":           false,
		"internationalisation":         false,
		"curl -u admin:hunter22 x":     true,
		"-----BEGIN of a key":          true,
		"api_key = 0a1b2c3d4e5f6g7h8i": true,
		"100%25 sure":                  true,
		`\u0061`:                       true,
		base64.StdEncoding.EncodeToString([]byte("readable text")): true,
		hex.EncodeToString([]byte("some more readable text")):      true,
		"3f786850e387550fdab836ed7e6dc881de23001b":                 false, // decodes to no text
	} {
		found, _ := lookAt(s)
		if got := found != lookNever; got != want {
			t.Errorf("lookAt(%q) is %v, want %v", s, got, want)
		}
	}
}

// samples are texts that the library finds something in.
func samples() []string {
	return []string{
		`api_key = "` + body(32) + `"`,
		"SECRET: " + body(40),
		"password:\n  '" + body(24) + "'",
		"curl -u joe:" + "pw1 localhost",
		"curl -H 'Authorization: Bearer " + body(20) + "' x",
		"sk" + "_live_" + body(24),
		"AI" + "zaSy" + body(33),
		"sk" + "-ant-api03-" + body(93) + "AA",
		"gh" + "p_" + body(36),
		"hvs." + body(95),
		"do" + "p_v1_" + hex.EncodeToString([]byte(body(32))),
		"npm" + "_" + strings.ToLower(body(36)),
		"shp" + "at_" + hex.EncodeToString([]byte(body(16))),
		"ey" + "J" + body(40) + ".ey" + "J" + body(40) + "." + body(30),
		"xo" + "xp-1234567890-1234567890-1234567890-" + hex.EncodeToString([]byte(body(16))),
		"AGE-" + "SECRET-KEY-1" + strings.Repeat("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 2)[:58],
	}
}

// excusedAll says whether all that the library finds in s is excused.
func excusedAll(s string) bool {
	return !slices.ContainsFunc(library().decoding.DetectString(s), func(f report.Finding) bool { return !excused(f) })
}

func TestTheGateNeverHoldsBackWhatTheLibraryFinds(t *testing.T) {
	found := 0
	check := func(s string) bool {
		n := len(library().decoding.DetectString(s))
		found += n
		return n == 0 || len(inChunk(s)) > 0 || excusedAll(s)
	}
	encodings := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		func(s string) string { return hex.EncodeToString([]byte(s)) },
		url.QueryEscape,
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(s))) },
	}
	for i, s := range samples() {
		for j, encode := range encodings {
			if in := "x " + encode(s) + " y"; !check(in) {
				t.Errorf("sample %d in encoding %d is held back", i, j)
			}
		}
	}
	if found < 40 {
		t.Fatalf("the library found only %d: the test shows nothing", found)
	}
	around := []string{"", "x\n", "some prose of a sentence\n", "\n\n", "key\n", "\t\"\n", "=\n", "curl \\\n", "sourcegraph\n", "%41 \n", "U+0041\nU+0042\n"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(samples()).Draw(t, "sample")
		cut := rapid.IntRange(0, len(s)).Draw(t, "cut")
		s = s[:cut] + rapid.SampledFrom([]string{"", "-", "a", "K", ".", "é", "=", "\n", "\n\n\n", "%41", "\u212a"}).Draw(t, "put") + s[cut:]
		s = rapid.SampledFrom(encodings).Draw(t, "encode")(s)
		if s = lines(t, around) + s + "\n" + lines(t, around); !check(s) {
			t.Fatal("the library finds something that the gate holds back")
		}
	})
}

func lines(t *rapid.T, from []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(from), 0, 4).Draw(t, "lines"), "")
}

func TestChunksCoverTheTextAndCutNoToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 3000), 1, 40).Draw(t, "words") {
			b.WriteString(strings.Repeat("w", n) + rapid.SampledFrom([]string{" ", "\n", "\n\n"}).Draw(t, "gap"))
		}
		s := b.String()
		covered := 0
		for start, end := 0, 0; end < len(s); start = overlapStart(s, start, end) {
			from := start
			end = chunkEnd(s, start)
			if end <= from || from > covered {
				t.Fatalf("chunk %d to %d after %d", from, end, covered)
			}
			if end-from > longest {
				t.Fatalf("a chunk of %d bytes", end-from)
			}
			for _, edge := range []int{from, end} {
				if edge > 0 && edge < len(s) && s[edge-1] == 'w' && s[edge] == 'w' {
					t.Fatalf("a word is cut at %d", edge)
				}
			}
			covered = end
		}
		if covered != len(s) {
			t.Fatalf("covered %d of %d", covered, len(s))
		}
	})
}

func TestDataWithoutASpaceIsCutWithAnOverlap(t *testing.T) {
	s := strings.Repeat("z", 3*longest)
	value := body(40)
	at := longest - 10
	s = s[:at] + `"secret_key":"` + value + `"` + s[at:]
	if got := Scrub(s); strings.Contains(got, value) || !strings.Contains(got, SecretMarker) {
		t.Error("a key across the border of two chunks was not found")
	}
}

func TestManyMayAskAtOnce(t *testing.T) {
	in := samples()
	want := make([]string, len(in))
	for i, s := range in {
		want[i] = Scrub(s)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, s := range in {
				if Scrub(s) != want[i] {
					t.Errorf("sample %d came out differently", i)
				}
			}
		})
	}
	wg.Wait()
}
