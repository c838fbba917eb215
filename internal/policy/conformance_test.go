package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// conformanceCase is one line of testdata/conformance/<area>.jsonl. Stricter
// and Differs say why our answer is another than the source system's.
type conformanceCase struct {
	Area, Name string
	Input      json.RawMessage
	Want       json.RawMessage
	Stricter   string
	Differs    string
}

func eachCase(t *testing.T, area string, least int, run func(*testing.T, conformanceCase)) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		var c conformanceCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s line %d: %v", area, n+1, err)
		}
		n++
		t.Run(c.Area+"/"+c.Name, func(t *testing.T) { run(t, c) })
	}
	if n < least {
		t.Errorf("%s has %d cases, want at least %d", area, n, least)
	}
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestConformanceOfGrants(t *testing.T) {
	for area, least := range map[string]int{"policy-grant": 8, "policy-grant-doc": 5} {
		eachCase(t, area, least, func(t *testing.T, c conformanceCase) {
			var in struct {
				Trust            contract.TrustScope
				ApprovalRequired bool `json:"approval_required"`
				TenantStore      bool `json:"tenant_store"`
			}
			var want struct {
				Read, Write      []contract.MemoryScope
				ApprovalRequired *bool                  `json:"approval_required"`
				NeverGranted     []contract.MemoryScope `json:"never_granted"`
				NeverWritable    []contract.MemoryScope `json:"never_writable"`
			}
			decode(t, c.Input, &in)
			decode(t, c.Want, &want)
			if in.Trust == "any" {
				checkNever(t, want.NeverGranted, append(want.NeverGranted, want.NeverWritable...))
				return
			}
			input := fullInput(in.Trust)
			input.Config.ApprovalRequired, input.TenantStoreOpened = in.ApprovalRequired, in.TenantStore
			p := Compute(input).Policy
			if !p.Enabled || !slices.Equal(p.ReadScopes, want.Read) || !slices.Equal(p.WriteScopes, want.Write) {
				t.Errorf("read %v, write %v, want %v, %v", p.ReadScopes, p.WriteScopes, want.Read, want.Write)
			}
			if want.ApprovalRequired != nil && p.ApprovalRequired != *want.ApprovalRequired {
				t.Errorf("approval required: %v", p.ApprovalRequired)
			}
		})
	}
}

// checkNever looks for the scopes in every policy that there can be.
func checkNever(t *testing.T, unreadable, unwritable []contract.MemoryScope) {
	t.Helper()
	if len(unwritable) == 0 {
		t.Fatal("the case names no scope")
	}
	for _, scope := range trustings {
		for _, approval := range []bool{true, false} {
			in := fullInput(scope)
			in.Config.ApprovalRequired = approval
			p := Compute(in).Policy
			for _, s := range unreadable {
				if slices.Contains(p.ReadScopes, s) {
					t.Errorf("%s reads %s", scope, s)
				}
			}
			for _, s := range unwritable {
				if slices.Contains(p.WriteScopes, s) {
					t.Errorf("%s writes %s", scope, s)
				}
			}
		}
	}
}

type reportInput struct {
	Trust         contract.TrustScope
	Denied        []string
	ReportEnabled *bool `json:"report_enabled"`
	Read          *contract.MemoryRead
	Write         *contract.MemoryWrite
}

func (in reportInput) validation() Validation {
	var used contract.MemoryUsed
	if in.Read != nil {
		used.Read = []contract.MemoryRead{*in.Read}
	}
	if in.Write != nil {
		w := *in.Write
		w.Summary = strings.ReplaceAll(w.Summary, "{token}", fakeToken())
		used.Proposed = []contract.MemoryWrite{w}
	}
	v := validation(in.Trust, used)
	v.Recomputed.Denied = in.Denied
	if in.ReportEnabled != nil {
		v.Used.Enabled = *in.ReportEnabled
	}
	return v
}

func TestConformanceOfReports(t *testing.T) {
	for area, least := range map[string]int{"read-validation": 4, "write-validation": 14, "revocation": 3} {
		eachCase(t, area, least, func(t *testing.T, c conformanceCase) {
			var in reportInput
			var want struct {
				Reason     memory.Reason
				Accepted   int
				Key        memory.Key
				BriefField string `json:"brief_field"`
			}
			decode(t, c.Input, &in)
			decode(t, c.Want, &want)
			if want.BriefField != "" {
				raw, err := json.Marshal(in.validation().Recomputed)
				if err != nil || strings.Contains(string(raw), want.BriefField) {
					t.Errorf("%s, %v", raw, err)
				}
				return
			}
			r := Validate(in.validation())
			if got := len(r.AcceptedReads()) + len(r.AcceptedWrites()); got != want.Accepted {
				t.Errorf("accepted %d, want %d: %+v", got, want.Accepted, r.Refusals)
			}
			if want.Reason != "" && (len(r.Refusals) != 1 || r.Refusals[0].Reason != want.Reason || r.Refusals[0].Detail == "") {
				t.Errorf("refusals %+v, want %s", r.Refusals, want.Reason)
			}
			if want.Key != "" && r.AcceptedWrites()[0].Lesson.Key != want.Key {
				t.Errorf("stored under %s", r.AcceptedWrites()[0].Lesson.Key)
			}
		})
	}
}
