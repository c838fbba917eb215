package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// The types decide what Go accepts, the schemas what everybody else may rely
// on. These tests hold one against the other.

var compiled = sync.OnceValue(func() map[SchemaName]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	ids := map[SchemaName]string{}
	for _, name := range SchemaNames() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(name)))
		if err != nil {
			panic(err)
		}
		ids[name] = doc.(map[string]any)["$id"].(string)
		if err := c.AddResource(ids[name], doc); err != nil {
			panic(err)
		}
	}
	out := map[SchemaName]*jsonschema.Schema{}
	for name, id := range ids {
		out[name] = c.MustCompile(id)
	}
	return out
})

// schemaError validates data as everybody else would.
func schemaError(name SchemaName, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return compiled()[name].Validate(doc)
}

var decoders = map[SchemaName]func([]byte) error{
	ResultSchema:           func(data []byte) error { _, err := DecodeResult(data); return err },
	SessionBriefSchema:     func(data []byte) error { _, err := DecodeBrief(data); return err },
	SessionBriefFlatSchema: func(data []byte) error { _, err := DecodeFlatBrief(data); return err },
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// agree fails where schema and decoder do not both say want.
func agree(t failer, name SchemaName, data []byte, want bool) {
	t.Helper()
	bySchema, byType := schemaError(name, data), decoders[name](data)
	if (bySchema == nil) != want {
		t.Errorf("%s: accepted by the schema is %v, want %v: %v\n%s", name, bySchema == nil, want, bySchema, data)
	}
	if (byType == nil) != want {
		t.Errorf("%s: accepted by the decoder is %v, want %v: %v\n%s", name, byType == nil, want, byType, data)
	}
}

// documents are the messages that the systematic changes start from: every
// field and every variant occurs in them.
func documents(t *testing.T) map[string]map[SchemaName]any {
	t.Helper()
	out := map[string]map[SchemaName]any{}
	for name, g := range goldenBriefs() {
		schema := SessionBriefSchema
		if g.shape == ShapeFlat {
			schema = SessionBriefFlatSchema
		}
		out[name] = map[SchemaName]any{schema: tree(t, must(EncodeBrief(g.brief, g.shape)))}
	}
	for name, r := range goldenResults() {
		out[name] = map[SchemaName]any{ResultSchema: tree(t, must(EncodeResult(r)))}
	}
	return out
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

func tree(t *testing.T, data []byte) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// place is one value inside a document, with a way to replace or remove it.
type place struct {
	path    string // with [] for every index
	value   any
	replace func(any)
	remove  func() // nil for items
}

func places(path string, v any, replace func(any), remove func()) []place {
	out := []place{{path, v, replace, remove}}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			out = append(out, places(path+"."+key, old, func(n any) { v[key] = n }, func() { delete(v, key) })...)
		}
	case []any:
		for i := range v {
			out = append(out, places(path+"[]", v[i], func(n any) { v[i] = n }, nil)...)
		}
	}
	return out
}

func TestWhereDecodingIsStricterThanTheSchemas(t *testing.T) {
	clean := string(must(EncodeResult(cleanResult())))
	withLine := string(must(EncodeResult(fullResult())))
	for name, c := range map[string]struct {
		data string
		want Reason
	}{
		"a duplicate key, which JSON libraries merge": {
			strings.Replace(clean, `"status": "success"`, `"status": "partial", "status": "success"`, 1), DuplicateKey},
		"a lone surrogate, which they replace": {
			strings.Replace(clean, `"pr_body": ""`, `"pr_body": "\ud800"`, 1), LoneSurrogate},
		"an integer with a fraction of zero": {strings.Replace(withLine, `"line": 12`, `"line": 12.0`, 1), WrongType},
		"an integer with an exponent":        {strings.Replace(withLine, `"line": 12`, `"line": 12e0`, 1), WrongType},
		"more than the limit of bytes":       {clean + strings.Repeat(" ", MaxResultBytes), TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if err := schemaError(ResultSchema, []byte(c.data)); err != nil {
				t.Errorf("the schema refuses it too: %v", err)
			}
			wantReason(t, decoders[ResultSchema]([]byte(c.data)), c.want)
		})
	}
}

func TestGeneratedResultsAreAcceptedByBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := EncodeResult(results.Draw(t, "result"))
		if err != nil {
			t.Fatal(err)
		}
		agree(t, ResultSchema, data, true)
	})
}

func TestGeneratedBriefsAreAcceptedByBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := briefs.Draw(t, "brief")
		for shape, schema := range map[PolicyShape]SchemaName{ShapeNested: SessionBriefSchema, ShapeFlat: SessionBriefFlatSchema} {
			data, err := EncodeBrief(b, shape)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, schema, data, true)
		}
	})
}

// TestRandomChangesKeepSchemaAndTypesInStep changes generated messages in up
// to three places at once.
func TestRandomChangesKeepSchemaAndTypesInStep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := briefs.Draw(rt, "brief")
		messages := map[SchemaName][]byte{
			ResultSchema:           must(EncodeResult(results.Draw(rt, "result"))),
			SessionBriefSchema:     must(EncodeBrief(b, ShapeNested)),
			SessionBriefFlatSchema: must(EncodeBrief(b, ShapeFlat)),
		}
		schema := rapid.SampledFrom(slices.Sorted(maps.Keys(messages))).Draw(rt, "schema")
		doc := tree(t, messages[schema])
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			all := places("$", doc, nil, nil)[1:]
			p := all[rapid.IntRange(0, len(all)-1).Draw(rt, "place")]
			other := all[rapid.IntRange(0, len(all)-1).Draw(rt, "source")].value
			switch how := rapid.IntRange(0, 4).Draw(rt, "how"); {
			case how == 0 && p.remove != nil:
				p.remove()
			case how == 1:
				p.replace(nil)
			case how == 2:
				p.replace(copyOf(rt, other))
			case how == 3:
				p.replace(rapid.SampledFrom(everyWord()).Draw(rt, "word"))
			default:
				p.replace(rapid.SampledFrom([]any{true, false, json.Number("0"), json.Number("1"), "", "a/b", []any{}, map[string]any{}}).Draw(rt, "value"))
			}
		}
		inStep(rt, schema, raw(rt, doc))
	})
}

func copyOf(t failer, v any) any {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw(t, v)))
	if err != nil {
		t.Errorf("%v", err)
	}
	return doc
}
