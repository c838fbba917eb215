package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
)

// exampleToken is made at run time, so that no scanner takes it for a live
// one.
func exampleToken() string { return "gh" + "p_" + strings.Repeat("Zk3vQ9", 6) }

func TestA87AFindingNeverRepeatsASecret(t *testing.T) {
	token := exampleToken()
	split := token[:12] + "\u200b" + token[12:]
	suggestion := "use(" + token + ")"
	plain := "use(config)"
	for name, c := range map[string]Candidate{
		"in its title":                     {Title: "Rotate " + token, Body: "It is live."},
		"in its body":                      {Title: "Rotate it", Body: "The token\n" + token + "\nis live."},
		"in its recommendation":            {Title: "Rotate it", Recommendation: "Revoke " + token + "."},
		"in its evidence":                  {Title: "Rotate it", Evidence: "x := " + token},
		"in its suggestion":                {Title: "Rotate it", Replacement: &suggestion},
		"where the title is cut":           {Title: strings.Repeat("a ", maxTitle/2-10) + token},
		"where the body is cut":            {Title: "Rotate it", Body: strings.Repeat("a ", maxBody/2-10) + token},
		"split by what cannot be seen":     {Title: "Rotate " + split, Body: split},
		"in a title that is several lines": {Title: "Rotate\n" + token + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c.Severity, c.Path, c.Line = contract.SeverityHigh, "a.go", 2
			out := Check(sample(t), []Candidate{c}, []string{"a.go"}, Options{})
			if len(out.Findings) != 1 {
				t.Fatalf("the finding was not published: %+v", out.Dropped)
			}
			f := out.Findings[0]
			shown, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, half := range []string{token[:14], token[:8], token[12:]} {
				if strings.Contains(string(shown), half) {
					t.Errorf("a part of the secret is published: %s", shown)
				}
			}
			if f.Title == "" || f.Replacement != nil {
				t.Errorf("published as %s", shown)
			}
		})
	}
	t.Run("and a suggestion without one stays", func(t *testing.T) {
		c := Candidate{Severity: contract.SeverityHigh, Path: "a.go", Line: 2, Title: "Use it", Body: "one\ntwo\tthree", Replacement: &plain}
		f := Check(sample(t), []Candidate{c}, []string{"a.go"}, Options{}).Findings[0]
		if f.Replacement == nil || *f.Replacement != plain || f.Body != "one\ntwo\tthree" {
			t.Errorf("published as %+v", f)
		}
	})
}

func TestScrubbingLeavesTheFingerprintOfTheWordsThatWereReported(t *testing.T) {
	change := sample(t)
	c := candidate("a.go", 2)
	c.Rule, c.Title = "", "Rotate "+exampleToken()
	f := Check(change, []Candidate{c}, nil, Options{}).Findings[0]
	if f.Fingerprint != Fingerprint(c, change) {
		t.Error("the fingerprint differs from the one that is computed of the candidate")
	}
}
