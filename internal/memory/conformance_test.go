package memory

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
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

// eachCase runs every case of an area and fails if there are fewer than least.
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

type gateInput struct {
	List      string
	Mode      Mode
	Incognito bool
	Origin    Origin
	Now       int64
	Request   struct {
		Content      any
		State, Scope string
		Source       json.RawMessage
		Confirmation *struct {
			Kind  string
			Value any
		}
	}
}

type gateWant struct {
	Reason Reason
	Entry  *struct {
		State, Source, Scope, Text string
		ConfirmedAt                *float64 `json:"confirmed_at"`
		CreatedAt                  *float64 `json:"created_at"`
		Absent                     []string
	}
}

// request builds what the gate is asked. A source that is no string reaches
// the gate as its JSON text, since the type admits nothing but strings.
func (in gateInput) request() WriteRequest {
	var source string
	if json.Unmarshal(in.Request.Source, &source) != nil {
		source = string(in.Request.Source)
	}
	r := WriteRequest{Content: in.Request.Content, State: in.Request.State, Scope: in.Request.Scope, Source: source, Origin: in.Origin}
	if c := in.Request.Confirmation; c != nil && c.Kind == "verified" {
		r.Confirmation = VerifiedConfirmationAt(c.Value.(float64), mara, comment)
	} else if c != nil {
		r.Confirmation = ClaimedConfirmation(c.Value)
	}
	return r
}

func TestConformanceOfTheGate(t *testing.T) {
	for area, least := range map[string]int{"gate": 16, "source": 14, "accept": 9, "order": 7, "entry": 2} {
		eachCase(t, area, least, func(t *testing.T, c conformanceCase) {
			var in gateInput
			decode(t, c.Input, &in)
			if in.List != "" {
				checkList(t, in.List, c)
				return
			}
			var want gateWant
			decode(t, c.Want, &want)
			got := Gate(in.request(), GateContext{Mode: in.Mode, Incognito: in.Incognito, Now: time.Unix(in.Now, 0)})
			if got.Reason != want.Reason || got.Allowed != (want.Reason == "") {
				t.Fatalf("allowed %v, reason %q, want %q", got.Allowed, got.Reason, want.Reason)
			}
			if want.Entry != nil {
				checkEntry(t, got.Entry, want)
			}
		})
	}
}

func checkEntry(t *testing.T, e Entry, want gateWant) {
	t.Helper()
	w := want.Entry
	for _, pair := range [][2]string{{string(e.State), w.State}, {string(e.Source), w.Source}, {string(e.Scope), w.Scope}, {e.Text, w.Text}} {
		if pair[1] != "" && pair[0] != pair[1] {
			t.Errorf("entry has %q, want %q", pair[0], pair[1])
		}
	}
	if w.CreatedAt != nil && seconds(e.CreatedAt) != *w.CreatedAt {
		t.Errorf("created at %v, want %v", e.CreatedAt, *w.CreatedAt)
	}
	if w.ConfirmedAt != nil && seconds(e.ConfirmedAt) != *w.ConfirmedAt {
		t.Errorf("confirmed at %v, want %v", e.ConfirmedAt, *w.ConfirmedAt)
	}
	if w.ConfirmedAt == nil && !e.ConfirmedAt.IsZero() {
		t.Errorf("confirmed at %v, want no confirmation", e.ConfirmedAt)
	}
	for _, name := range w.Absent {
		if _, has := reflect.TypeFor[Entry]().FieldByName(name); has {
			t.Errorf("an entry has a field %s", name)
		}
		if _, has := reflect.TypeFor[WriteRequest]().FieldByName(name); has {
			t.Errorf("a request can carry %s", name)
		}
	}
}

func seconds(at time.Time) float64 {
	return float64(at.Unix()) + math.Round(float64(at.Nanosecond())/1e6)/1e3
}

func checkList(t *testing.T, list string, c conformanceCase) {
	t.Helper()
	var want []string
	decode(t, c.Want, &want)
	if list == "reasons the gate never gives" {
		for _, reason := range want {
			if slices.Contains(GateReasons(), Reason(reason)) {
				t.Errorf("the gate can answer %s", reason)
			}
		}
		return
	}
	lists := map[string][]string{
		"modes":                  words(Modes()),
		"durable sources":        words(DurableSources()),
		"candidate sources":      words(CandidateSources()),
		"states of a new lesson": words(WritableStates()),
		"states":                 words(States()),
		"scopes":                 words(Scopes()),
		"retention classes":      words(Classes()),
		"gate reasons":           words(GateReasons()),
	}
	if got, ok := lists[list]; !ok || !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", list, got, want)
	}
}

func TestConformanceOfTheClosedSets(t *testing.T) {
	eachCase(t, "enum", 10, func(t *testing.T, c conformanceCase) {
		var in struct {
			List         string
			TypesWithout []string `json:"types_without"`
		}
		decode(t, c.Input, &in)
		if len(in.TypesWithout) > 0 {
			if found := fieldsNaming(in.TypesWithout); len(found) > 0 {
				t.Errorf("fields %v", found)
			}
			return
		}
		checkList(t, in.List, c)
	})
}

func TestConformanceOfParsing(t *testing.T) {
	parsers := map[string]func(string) error{
		"mode":  func(s string) error { _, err := ParseMode(s); return err },
		"state": func(s string) error { _, err := ParseState(s); return err },
		"scope": func(s string) error { _, err := ParseScope(s); return err },
	}
	eachCase(t, "normaliser", 3, func(t *testing.T, c conformanceCase) {
		var in struct{ Parse, Value string }
		var want struct{ Reason Reason }
		decode(t, c.Input, &in)
		decode(t, c.Want, &want)
		var problem *EnumProblem
		if err := parsers[in.Parse](in.Value); !errors.As(err, &problem) || problem.Reason != want.Reason {
			t.Errorf("%v, want %s", err, want.Reason)
		}
	})
}

func TestGateReasonsAreWhatTheGateAnswers(t *testing.T) {
	// The set may not promise a reason that no request can get.
	seen := map[Reason]bool{}
	collect := func(t *testing.T, c conformanceCase) {
		var in gateInput
		decode(t, c.Input, &in)
		if in.List == "" {
			seen[Gate(in.request(), GateContext{Mode: in.Mode, Incognito: in.Incognito, Now: time.Unix(in.Now, 0)}).Reason] = true
		}
	}
	for _, area := range []string{"gate", "source", "accept", "order"} {
		eachCase(t, area, 1, collect)
	}
	seen[Gate(with(taught(), func(r *WriteRequest) { r.Content = "a\u202eb" }), open()).Reason] = true
	for _, reason := range GateReasons() {
		if !seen[reason] {
			t.Errorf("no case gives %s", reason)
		}
	}
	if slices.Contains(words(Scopes()), "") || !slices.Contains(Scopes(), contract.ScopeRepo) {
		t.Error("the scopes are not those of page 3.2")
	}
}
