package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/policy"
	"github.com/familiarhq/familiar/internal/trust"
)

// TestConfigConformance carries the shared cases of the area "config": what a
// file means for memory, in the policy of a maintainer's review.
func TestConfigConformance(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/config.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var c struct {
			Name  string
			Input struct {
				TOML, Repository string
				Key              bool
			}
			Want struct {
				Enabled          bool
				ApprovalRequired bool `json:"approval_required"`
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			parsed, diagnostics := Parse(file, []byte(c.Input.TOML))
			if len(diagnostics) > 0 {
				t.Fatal(diagnostics)
			}
			owner, name, _ := strings.Cut(c.Input.Repository, "/")
			m := parsed.ForRepo(owner, name).Memory
			got := policy.Compute(policy.Input{
				Trust:  trust.Verdict{Scope: contract.TrustMaintainer},
				Config: policy.Config{Enabled: m.Enabled, Mode: m.Mode, ApprovalRequired: m.ApprovalRequired, MaxAgeDays: m.MaxAgeDays},
				HasKey: c.Input.Key, StoreOpened: c.Input.Key,
				Tenant: &contract.TenantScope{InstallationID: 1}, Repo: &contract.RepoScope{RepoID: 1, Owner: owner, Name: name, Visibility: "private", DefaultBranch: "main"},
			}).Policy
			if got.Enabled != c.Want.Enabled || got.ApprovalRequired != c.Want.ApprovalRequired {
				t.Errorf("enabled %v, approval required %v; want %+v", got.Enabled, got.ApprovalRequired, c.Want)
			}
		})
	}
	if n < 4 {
		t.Errorf("%d cases, want at least 4", n)
	}
}
