package contract

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// addSeeds keeps the golden files and the shapes that broke other decoders.
func addSeeds(f *testing.F, prefix string) {
	files, err := filepath.Glob(filepath.Join(goldenFolder, prefix+"*.json"))
	if err != nil || len(files) < 5 {
		f.Fatalf("%d golden files for %s (%v)", len(files), prefix, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{
		"", "{}", "[]", "null", "\"\\ud800\"", "{\"a\":1,\"\\u0061\":2}", strings.Repeat("[", 50), `{"contract_version":"2","Status":"success"}`,
		"{\"contract_version\":\"2\"}{}", "{\"status\":\"\xff\"}", `{"review":{"findings":[{"line":1e0}]}}`, `{"task":{"kind":"fix_issue","kind":"x"}}`, "-", "1.", "\"\\u12", "tru",
	} {
		f.Add([]byte(seed))
	}
}

func FuzzDecodeResult(f *testing.F) {
	addSeeds(f, "result-")
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := DecodeResult(data)
		if err != nil {
			refusedCleanly(t, err, got, Result{})
			return
		}
		if err := schemaError(ResultSchema, data); err != nil {
			t.Errorf("accepted, but not by the schema: %v", err)
		}
		again, err := EncodeResult(got)
		if err != nil {
			t.Fatalf("decodes but cannot be written: %v", err)
		}
		back, err := DecodeResult(again)
		if err != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("decodes to %+v, then to %+v (%v)", got, back, err)
		}
	})
}

func FuzzDecodeBrief(f *testing.F) {
	addSeeds(f, "brief-")
	f.Fuzz(func(t *testing.T, data []byte) {
		if flat, err := DecodeFlatBrief(data); err != nil {
			refusedCleanly(t, err, flat, FlatBrief{})
		} else if err := schemaError(SessionBriefFlatSchema, data); err != nil {
			t.Errorf("accepted as flat, but not by the schema: %v", err)
		}
		got, err := DecodeBrief(data)
		if err != nil {
			refusedCleanly(t, err, got, Brief{})
			return
		}
		if err := schemaError(SessionBriefSchema, data); err != nil {
			t.Errorf("accepted, but not by the schema: %v", err)
		}
		again, err := EncodeBrief(got, ShapeNested)
		if err != nil {
			t.Fatalf("decodes but cannot be written: %v", err)
		}
		back, err := DecodeBrief(again)
		if err != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("decodes to %+v, then to %+v (%v)", got, back, err)
		}
		if _, err := EncodeBrief(got, ShapeFlat); err != nil {
			t.Errorf("cannot be written flat: %v", err)
		}
	})
}

func refusedCleanly(t *testing.T, err error, got, zero any) {
	t.Helper()
	var refused *DecodeError
	if !errors.As(err, &refused) || refused.Path == "" || refused.Reason == "" || refused.Detail == "" {
		t.Errorf("refused without a whole DecodeError: %#v", err)
	}
	if !reflect.DeepEqual(got, zero) {
		t.Errorf("a message beside the error: %+v", got)
	}
}

// FuzzStrictJSON holds the scanner against encoding/json: it accepts nothing
// that is no JSON, and refuses JSON for the named reasons alone.
func FuzzStrictJSON(f *testing.F) {
	addSeeds(f, "")
	f.Fuzz(func(t *testing.T, data []byte) {
		var strict, lenient any
		err := StrictJSON(data, &strict, WireLimits())
		valid := json.Valid(data)
		var refused *DecodeError
		switch {
		case err == nil && !valid:
			t.Errorf("accepted, but it is no JSON: %q", data)
		case err == nil:
			if jerr := json.Unmarshal(data, &lenient); jerr != nil || !reflect.DeepEqual(strict, lenient) {
				t.Errorf("%q means %v here and %v there (%v)", data, strict, lenient, jerr)
			}
		case !errors.As(err, &refused):
			t.Errorf("not a DecodeError: %v", err)
		case valid && utf8.Valid(data) && (refused.Reason == Syntax || refused.Reason == TrailingData || refused.Reason == NotUTF8):
			t.Errorf("%q is JSON, but: %v", data, err)
		}
	})
}
