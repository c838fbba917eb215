package main

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		name                    string
		in                      string
		passed, failed, skipped int
		complaint               string
	}{
		{"a passed test counts, a passed package does not",
			`{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p"}`, 1, 0, 0, ""},
		{"a failed test counts once, not again for its package",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"want 1\n"}` + "\n" +
				`{"Action":"fail","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"p"}`, 0, 1, 0, "FAILED p TestA\nwant 1\n"},
		{"a package that fails without a test counts",
			`{"Action":"fail","Package":"p"}`, 0, 1, 0, "FAILED p \n"},
		{"a skipped test is complained about",
			`{"Action":"skip","Package":"p","Test":"TestA"}`, 0, 0, 1, "SKIPPED, which a required test may not: p TestA"},
		{"a package without tests is no skipped test",
			`{"Action":"skip","Package":"p"}`, 0, 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := count(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if got.passed != c.passed || got.failed != c.failed || got.skipped != c.skipped {
				t.Errorf("got %d passed, %d failed, %d skipped; want %d, %d, %d", got.passed, got.failed, got.skipped, c.passed, c.failed, c.skipped)
			}
			if all := strings.Join(got.complaints, ""); all != c.complaint {
				t.Errorf("complaints %q, want %q", all, c.complaint)
			}
		})
	}
}

func TestCountRefusesWhatIsNotTestOutput(t *testing.T) {
	if _, err := count(strings.NewReader("ok  \tp\t0.1s\n")); err == nil || !strings.Contains(err.Error(), "not from go test -json") {
		t.Errorf("got %v", err)
	}
}
