package workflowtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestAMonthStartsTheJobsThatItsCostCounts: docs/cost.md counts the jobs of a
// busy repository from testdata/workflows/month.json, whose events start just
// these with the shipped filters.
func TestAMonthStartsTheJobsThatItsCostCounts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "testdata", "workflows", "month.json"))
	if err != nil {
		t.Fatal(err)
	}
	type delivery struct {
		Payload string         `json:"payload"`
		Set     map[string]any `json:"set"`
	}
	var month struct {
		Events []struct {
			What    string     `json:"what"`
			Private []delivery `json:"private"`
			Public  []delivery `json:"public"`
		} `json:"events"`
		Jobs map[string]map[string]int `json:"jobs"`
	}
	if err := json.Unmarshal(data, &month); err != nil || len(month.Events) < 6 {
		t.Fatalf("%d events, %v", len(month.Events), err)
	}
	for _, e := range month.Events {
		for name, deliveries := range map[string][]delivery{"private": e.Private, "public": e.Public} {
			t.Run(e.What+", "+name, func(t *testing.T) {
				s, jobs := readShape(t, "examples/"+name), 0
				for _, d := range deliveries {
					kind, event := payload(t, d.Payload)
					for path, value := range d.Set {
						set(event, path, value)
					}
					jobs += len(s.started(t, kind, event))
				}
				want, ok := month.Jobs[name][e.What]
				if !ok || jobs != want {
					t.Errorf("%d jobs start, month.json says %d (%v)", jobs, want, ok)
				}
			})
		}
	}
}
