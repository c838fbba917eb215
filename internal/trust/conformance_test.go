package trust

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/event"
)

// conformanceCase is one line of testdata/conformance/trust-derivation.jsonl.
// Sender and author are legacy permissions; "" leaves that person out. A pull
// request is there where a repository id is.
type conformanceCase struct {
	Area  string
	Name  string
	Input struct {
		Kind       event.Kind
		HeadRepoID *int64 `json:"head_repo_id"`
		BaseRepoID *int64 `json:"base_repo_id"`
		Sender     string
		Author     string
	}
	Want struct {
		Scope  contract.TrustScope
		Code   string
		Review bool
	}
	Stricter string
}

func (c conformanceCase) facts() Facts {
	f := Facts{Kind: c.Input.Kind, Visibility: "public"}
	if c.Input.HeadRepoID != nil && c.Input.BaseRepoID != nil {
		f.Pull = &PullFacts{HeadRepoID: *c.Input.HeadRepoID, BaseRepoID: *c.Input.BaseRepoID}
	}
	for _, p := range []struct {
		role       Role
		permission string
	}{{RoleSender, c.Input.Sender}, {RoleAuthor, c.Input.Author}} {
		if p.permission != "" {
			f.Shapers = append(f.Shapers, Shaper{Role: p.role, Login: "octo-" + string(p.role), Lookup: said(p.permission, p.permission)})
		}
	}
	return f
}

func TestConformance(t *testing.T) {
	data, err := os.ReadFile("../../testdata/conformance/trust-derivation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		dec.DisallowUnknownFields()
		var c conformanceCase
		if err := dec.Decode(&c); err != nil {
			t.Fatalf("line %d: %v", ran+1, err)
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			v := Derive(c.facts())
			if c.Area != "trust-derivation" || v.Scope != c.Want.Scope || v.Review != c.Want.Review || v.Reasons[0].Code != c.Want.Code {
				t.Errorf("got %s, review %v, %+v; want %+v (%s)", v.Scope, v.Review, v.Reasons, c.Want, c.Stricter)
			}
		})
	}
	if err := lines.Err(); err != nil || ran != 3 {
		t.Errorf("ran %d cases, want 3; error %v", ran, err)
	}
}
