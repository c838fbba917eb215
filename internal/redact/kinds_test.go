package redact

import (
	"strings"
	"testing"
)

func TestA84PlaceholdersAndIdentifiersAreNoSecrets(t *testing.T) {
	for _, s := range []string{
		"sighs_and_whispers_of_the_old_house_on_the_hill",
		"ghs_installation_token_cache_size = 4",
		"highs_2_standard_deviations_above_the_mean",
		"github_pat_token_expiration_warning_days",
		"GH_TOKEN=gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"GH_TOKEN=gh" + "p_yourtokenyourtokenyourtoken",
		"SLACK_TOKEN=xo" + "xb-your-token-goes-here",
		"token: gl" + "pat-your-access-token-here",
		"planning task-proj-meeting-notes-of-the-week",
		"from huggingface_hub import hf_hub_download_with_retries",
		"npm_config_registry_authentication_settings",
		"key sk" + "-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"golang.org/x/oauth2 v0.30.0 h1:dnDm7JmhM45NNpd8FDDeLhK6FwqbOf4MLCM9zb1BOHI=",
		"image@sha256:3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app",
		"postgres://app:%s@db.corp.io/x",
		"mysql://root:root@127.0.0.1:3306/app",
		"amqp://guest:guest@rabbit.internal:5672",
		"https://user:pass@git.corp.io/x.git",
		"https://username:password@api.corp.io",
		"https://x:***@git.corp.io",
		"http://host:8080/path@2x.png",
		"https://example.com/?q=a:b@c",
		"git clone https://x-access-token:TOKEN@github.com/o/r",
		"git clone https://x-access-token:$GITHUB_TOKEN@github.com/o/r",
		"uuid = 01234567-89ab-4cde-8f01-23456789abcd",
		"const apiVersion = \"2022-11-28\"",
		"go test ./internal/redact -run TestSecretsAreFoundWhole",
		"ASIAPACIFICREGION is one of them",
	} {
		if hits := FindSecrets(s); len(hits) > 0 {
			t.Errorf("%q: %v", s, hits)
		}
	}
}

func TestPasswordsInURLs(t *testing.T) {
	for in, want := range map[string]string{
		"https://admin:admin@shop.corp.io":                  "https://admin:[redacted-secret]@shop.corp.io",
		"redis://:pass@cache.corp.io:6379":                  "redis://:[redacted-secret]@cache.corp.io:6379",
		"postgres://app:p%40ss$w0rd@db.corp.io/x?ssl=1":     "postgres://app:[redacted-secret]@db.corp.io/x?ssl=1",
		"mongodb+srv://app:Ab@cd12@c0.corp.io":              "mongodb+srv://app:[redacted-secret]@c0.corp.io",
		"ftp://joe:Summer24@[2001:db8::1]/":                 "ftp://joe:[redacted-secret]@[2001:db8::1]/",
		"see https://bot:Winter25x@git.corp.io, then":       "see https://bot:[redacted-secret]@git.corp.io, then",
		"a://u:one5ecret@h.io and b://v:two5ecret@h.io":     "a://u:[redacted-secret]@h.io and b://v:[redacted-secret]@h.io",
		`{"url":"amqps://svc:Zq81mmK@mq.corp.io"}`:          `{"url":"amqps://svc:[redacted-secret]@mq.corp.io"}`,
		"https://x-access-token:" + "abc123@github.com/o/r": "https://x-access-token:[redacted-secret]@github.com/o/r",
		"x-access-token:" + "abc123":                        "x-access-token:[redacted-secret]",
	} {
		if got := Scrub(in); got != want {
			t.Errorf("Scrub(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestA79PrivateKeysInEveryDress(t *testing.T) {
	begin, end := "-----BEGIN RSA "+"PRIVATE KEY-----", "-----END RSA "+"PRIVATE KEY-----"
	for _, c := range []struct{ name, in, want, rule string }{
		{"header alone", "if line == " + `"` + begin + `" {`, `if line == "` + SecretMarker + `" {`, "private-key-header"},
		{"header in a sentence", begin + " is how such a file begins", SecretMarker + " is how such a file begins", "private-key-header"},
		{"whole", "a\n" + begin + "\n" + body(64) + "\n" + end + "\nb", "a\n" + SecretMarker + "\nb", "private-key"},
		{"in JSON", `{"key": "` + begin + `\n` + body(64) + `\n` + end + `\n"}`, `{"key": "` + SecretMarker + `\n"}`, "private-key"},
		{"in a diff", "+" + begin + "\n+" + body(64) + "\n+" + body(12) + "==\n+" + end + "\n+x", "+" + SecretMarker + "\n+x", "private-key"},
		{"cut before its end", begin + "\n" + body(64) + "\n" + body(64), SecretMarker, "private-key"},
		{"cut within a last line", begin + "\n" + body(64) + "\n" + body(5) + "==", SecretMarker, "private-key"},
		{"encrypted, cut", begin + "\nProc-Type: 4,ENCRYPTED\n\n" + body(64), SecretMarker, "private-key"},
		{"two", begin + "\n" + body(70) + "\n" + end + "\n" + begin + "\n" + body(70) + "\n" + end, SecretMarker + "\n" + SecretMarker, "private-key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := FindSecrets(c.in)
			if len(hits) == 0 || hits[0].Rule != c.rule {
				t.Fatalf("hits %v, want rule %s", hits, c.rule)
			}
			if got := Scrub(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestA86AddressesOfPeopleAndOtherThingsWithAnAtSign(t *testing.T) {
	for s, want := range map[string]string{
		"joe@163.com":                                       "[redacted-pii]",
		"Mail joe@corp.io.":                                 "Mail [redacted-pii].",
		"mail joe@corp.io- she":                             "mail [redacted-pii]- she",
		"mailto:joe.d'or@corp.io?subject=x":                 "mailto:joe.d'[redacted-pii]?subject=x",
		"josé@bücher.de":                                    "[redacted-pii]",
		"joe@xn--bcher-kva.xn--p1ai":                        "[redacted-pii]",
		"mara\uff20corp.io":                                 "[redacted-pii]",
		"a@b.io@c.io":                                       "[redacted-pii]",
		"Signed-off-by: Ada <ada@corp.io>":                  "Signed-off-by: Ada <[redacted-pii]>",
		"1+octocat@users.noreply.github.com":                "1+octocat@users.noreply.github.com",
		"49699333+dependabot[bot]@users.noreply.github.com": "49699333+dependabot[bot]@users.noreply.github.com",
		"support@github.com":                                "[redacted-pii]",
		"noreply@github.com":                                "noreply@github.com",
		"git@gitlab.corp.io:team/x.git":                     "git@gitlab.corp.io:team/x.git",
		"https://joe@git.corp.io/x":                         "https://joe@git.corp.io/x",
		"icon@2x.png and hero@dark.webp":                    "icon@2x.png and hero@dark.webp",
		"uses: actions/checkout@v4.beta":                    "uses: actions/checkout@v4.beta",
		"mod@v0.0.0-20250218142911-aa4b98e5adaa.x":          "mod@v0.0.0-20250218142911-aa4b98e5adaa.x",
		"y = W@x.mean()":                                    "y = W@x.mean()",
		"root@localhost and root@host.localdomain":          "root@localhost and root@host.localdomain",
		"@ @. .@. a@ @b.io a@.io a@-b.io a@b a@b..io":       "@ @. .@. a@ @b.io a@.io a@-b.io a@b a@b..io",
		strings.Repeat("@", 500):                            strings.Repeat("@", 500),
	} {
		if got := Scrub(s); got != want {
			t.Errorf("Scrub(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestKindsAreAClosedSet(t *testing.T) {
	for _, k := range []Kind{Secret, PII} {
		if got, err := ParseKind(string(k)); err != nil || got != k {
			t.Errorf("%s: got %q, %v", k, got, err)
		}
	}
	for _, s := range []string{"", "Secret", "pii ", "other"} {
		if k, err := ParseKind(s); err == nil || k != None {
			t.Errorf("%q: got %q, %v", s, k, err)
		}
	}
	if _, err := ParseKind("other"); err.Error() != `"other" is no kind of hit: it is secret or pii` {
		t.Errorf("got %v", err)
	}
}

func TestLiveValuesOfSeveralLinesCountLineByLine(t *testing.T) {
	file := "# made by keygen\n  " + "first-identity-value\nsecond-identity-value\n\nshort\n"
	f := NewFinder(file)
	for s, want := range map[string]bool{
		"x first-identity-value y": true, "second-identity-value": true, "made by keygen": false, "# made by keygen": false, "short": false,
	} {
		if got := f.HasLive(s); got != want {
			t.Errorf("HasLive(%q) = %v, want %v", s, got, want)
		}
	}
	if k, refused := f.Refuse("the second-identity-value"); !refused || k != Secret {
		t.Errorf("got %q, %v", k, refused)
	}
	if (Finder{}).HasLive("") || NewFinder("", " ", "\n").HasLive("        ") {
		t.Error("a blank value is looked for")
	}
}

func TestA87NothingOfTheValueIsLeft(t *testing.T) {
	const piece = 14
	for n, s := range samples() {
		clean := Scrub("before " + s + " after")
		if !strings.HasPrefix(clean, "before ") || !strings.HasSuffix(clean, " after") || !strings.Contains(clean, SecretMarker) {
			t.Errorf("sample %d was scrubbed badly", n)
		}
		for i := 0; i+piece <= len(s); i++ {
			if part := s[i : i+piece]; runsOf(part).longest[10] == piece && strings.Contains(clean, part) {
				t.Errorf("sample %d: %d bytes at %d are left", n, piece, i)
				break
			}
		}
	}
}
