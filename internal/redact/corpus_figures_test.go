package redact

import (
	"strings"
	"testing"
)

// piece is how long a part of a secret is that must not be left.
const piece = 10

// leaves says whether a part of the secret that tells something is left.
func leaves(clean, secret string) bool {
	if len(secret) <= piece {
		return strings.Contains(clean, secret)
	}
	for i := len(secret) / 3; i+piece <= len(secret); i++ {
		if part := secret[i : i+piece]; !strings.Contains(part, "-----") && strings.Contains(clean, part) {
			return true
		}
	}
	return false
}

// libraryFinds says whether the library by itself finds a part of the secret.
func libraryFinds(s, secret string) bool {
	for _, f := range library().decoding.DetectString(s) {
		if secret == "" || strings.Contains(secret, f.Secret) || strings.Contains(f.Secret, secret) || strings.Contains(f.Match, secret) {
			return true
		}
	}
	return false
}

type figures struct{ right, missed, wrong int }

func (f figures) recall() float64    { return 100 * float64(f.right) / float64(f.right+f.missed) }
func (f figures) precision() float64 { return 100 * float64(f.right) / float64(f.right+f.wrong) }

// sampled is the part of the corpus that is looked at with the race detector:
// one in so many. CI looks at all of it once more without.
const sampled = 11

func TestSecretsOfTheCorpus(t *testing.T) {
	var ours, theirs figures
	missed := map[string]int{}
	kinds := map[string]bool{}
	all := positives(8)
	for i, p := range all {
		kinds[p.kind] = true
		if raced && i%sampled != 0 {
			continue
		}
		if clean := Scrub(p.text); len(FindSecrets(p.text)) > 0 && !leaves(clean, p.secret) {
			ours.right++
		} else {
			ours.missed++
			missed[p.kind]++
			if missed[p.kind] == 1 {
				t.Logf("missed (%s): %q -> %q", p.kind, p.text[:min(len(p.text), 160)], clean[:min(len(clean), 160)])
			}
		}
		if libraryFinds(p.text, p.secret) {
			theirs.right++
		} else {
			theirs.missed++
		}
	}
	plain := negatives(t)
	for i, s := range plain {
		if raced && i%sampled != 0 {
			continue
		}
		if hits := FindSecrets(s); len(hits) > 0 {
			ours.wrong++
			t.Logf("wrongly found (%s): %q in %q", hits[0].Rule, s[hits[0].Start:hits[0].End], s)
		}
		if libraryFinds(s, "") {
			theirs.wrong++
		}
	}
	t.Logf("missed by kind: %v", missed)
	t.Logf("corpus of secrets: %d of %d kinds, %d without any", len(all), len(kinds), len(plain))
	t.Logf("ours:           recall %5.1f%%, precision %5.1f%%", ours.recall(), ours.precision())
	t.Logf("gitleaks alone: recall %5.1f%%, precision %5.1f%%", theirs.recall(), theirs.precision())
	if len(all) < 600 || len(kinds) < 60 || len(plain) < 1000 {
		t.Error("the corpus is too small")
	}
	if ours.recall() < 99 || ours.precision() < 98 {
		t.Error("the figures fell: recall is 99% and precision 98% at the least")
	}
}
