package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sample has one field of everything that StrictJSON distinguishes.
type sample struct {
	Name   string            `json:"name"`
	Word   Severity          `json:"word"`
	Count  int               `json:"count" wire:"min=1,max=9"`
	Small  uint8             `json:"small,omitempty"`
	Ratio  float64           `json:"ratio,omitempty"`
	On     bool              `json:"on,omitempty"`
	List   []inner           `json:"list,omitempty"`
	Pair   [2]int            `json:"pair,omitzero"`
	Maybe  *inner            `json:"maybe,omitempty"`
	Map    map[string]int    `json:"map,omitempty"`
	Words  map[Severity]bool `json:"words,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Any    any               `json:"any,omitempty"`
	At     time.Time         `json:"at,omitzero"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Fixed  string            `json:"fixed,omitempty" wire:"is=2"`
	Null   string            `json:"null,omitempty" wire:"nullable"`
	Plain  string            `wire:"optional"`
	Hidden string            `json:"-"`
	Embedded
	private string
}

type inner struct {
	Key string `json:"key"`
}

// Embedded is exported, as encoding/json wants it.
type Embedded struct {
	Deep string `json:"deep,omitempty"`
}

var sampleLimits = Limits{MaxBytes: 4096, MaxDepth: 4, MaxItems: 4, MaxString: 8}

func withMember(member string) string {
	return `{"name":"a","word":"low","count":1,` + member + `}`
}

func TestStrictJSONAcceptsWhatFitsTheType(t *testing.T) {
	one, big := inner{Key: "k"}, sample{Name: "a", Word: SeverityLow, Count: 1}
	with := func(change func(*sample)) sample { s := big; change(&s); return s }
	for name, c := range map[string]struct {
		data string
		want sample
	}{
		"only the required fields":          {`{"name":"a","word":"low","count":1}`, big},
		"white space around everything":     {" \t\r\n{ \"name\" : \"a\" , \"word\":\"low\",\n\"count\":1 } \n", big},
		"fields in another order":           {`{"count":1,"word":"low","name":"a"}`, big},
		"an escaped key that is the field":  {`{"n\u0061me":"a","word":"low","count":1}`, big},
		"an unsigned integer":               {withMember(`"small":255`), with(func(s *sample) { s.Small = 255 })},
		"a number with an exponent":         {withMember(`"ratio":-1.5e+2`), with(func(s *sample) { s.Ratio = -150 })},
		"true":                              {withMember(`"on":true`), with(func(s *sample) { s.On = true })},
		"false":                             {withMember(`"on":false`), big},
		"a list of objects":                 {withMember(`"list":[{"key":"k"}, {"key":"k"}]`), with(func(s *sample) { s.List = []inner{one, one} })},
		"an empty list":                     {withMember(`"list":[ ]`), with(func(s *sample) { s.List = []inner{} })},
		"an array of the right length":      {withMember(`"pair":[1,2]`), with(func(s *sample) { s.Pair = [2]int{1, 2} })},
		"null for a pointer":                {withMember(`"maybe":null`), big},
		"a value for a pointer":             {withMember(`"maybe":{"key":"k"}`), with(func(s *sample) { s.Maybe = &one })},
		"any key in a map":                  {withMember(`"map":{"A":1,"a":2}`), with(func(s *sample) { s.Map = map[string]int{"A": 1, "a": 2} })},
		"a known word as key":               {withMember(`"words":{"high":true}`), with(func(s *sample) { s.Words = map[Severity]bool{SeverityHigh: true} })},
		"a raw value":                       {withMember(`"raw":[1,{"x":null}]`), with(func(s *sample) { s.Raw = json.RawMessage(`[1,{"x":null}]`) })},
		"an interface":                      {withMember(`"any":{"x":[true,"y",1]}`), with(func(s *sample) { s.Any = map[string]any{"x": []any{true, "y", 1.0}} })},
		"base64 for bytes":                  {withMember(`"bytes":"aGk="`), with(func(s *sample) { s.Bytes = []byte("hi") })},
		"the one fixed word":                {withMember(`"fixed":"2"`), with(func(s *sample) { s.Fixed = "2" })},
		"null where the tag allows it":      {withMember(`"null":null`), big},
		"a field without a name in its tag": {withMember(`"Plain":"p"`), with(func(s *sample) { s.Plain = "p" })},
		"a field of an embedded struct":     {withMember(`"deep":"d"`), with(func(s *sample) { s.Deep = "d" })},
		"every escape":                      {withMember(`"deep":"\"\\\/\b\f\n\r\t"`), with(func(s *sample) { s.Deep = "\"\\/\b\f\n\r\t" })},
		"a pair of surrogates":              {withMember(`"deep":"\ud83d\uDE00"`), with(func(s *sample) { s.Deep = "😀" })},
		"eight characters of four bytes":    {withMember(`"deep":"😀😀😀😀😀😀😀😀"`), with(func(s *sample) { s.Deep = "😀😀😀😀😀😀😀😀" })},
	} {
		t.Run(name, func(t *testing.T) {
			var got sample
			if err := StrictJSON([]byte(c.data), &got, sampleLimits); err != nil {
				t.Fatalf("refused: %v", err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestStrictJSONAcceptsTypesThatDecodeThemselves(t *testing.T) {
	var got sample
	limits := sampleLimits
	limits.MaxString = 40
	if err := StrictJSON([]byte(withMember(`"at":"2026-01-02T03:04:05Z"`)), &got, limits); err != nil {
		t.Fatal(err)
	}
	if got.private != "" {
		t.Errorf("a private field was set: %q", got.private)
	}
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); !got.At.Equal(want) {
		t.Errorf("got %v, want %v", got.At, want)
	}
}

func TestStrictJSONRefusesWithPlaceAndReason(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"nothing":                 {``, `$: syntax: the JSON ends too early`},
		"white space alone":       {" \n", `$: syntax: the JSON ends too early`},
		"null for everything":     {`null`, `$: null: null is not allowed here, it must be an object`},
		"an array for everything": {`[]`, `$: wrong_type: the value must be an object`},
		"a byte order mark":       {"\ufeff{}", `$: syntax: no JSON at line 1, column 1`},
		"half an object":          {`{"name":"a"`, `$: syntax: the JSON ends too early`},
		"half a string":           {`{"name":"a`, `$.name: syntax: the JSON ends too early`},
		"half a literal":          {withMember(`"on":tru`), `$.on: syntax: no JSON at line 1, column 41`},
		"half a null":             {withMember(`"maybe":nul`), `$.maybe: syntax: no JSON at line 1, column 44`},
		"a comma at the end":      {`{"name":"a",}`, `$: syntax: no JSON at line 1, column 13`},
		"a comma too many":        {withMember(`"list":[,]`), `$.list[0]: syntax: no JSON at line 1, column 44`},
		"a comma ends an array":   {withMember(`"any":[1,]`), `$.any[1]: syntax: no JSON at line 1, column 45`},
		"no comma":                {withMember(`"any":[1 2]`), `$.any: syntax: no JSON at line 1, column 45`},
		"no comma in an object":   {`{"name":"a" "word":"low"}`, `$: syntax: no JSON at line 1, column 13`},
		"no colon":                {`{"name" "a"}`, `$: syntax: no JSON at line 1, column 9`},
		"a key without quotes":    {`{name:"a"}`, `$: syntax: no JSON at line 1, column 2`},
		"single quotes":           {`{'name':"a"}`, `$: syntax: no JSON at line 1, column 2`},
		"a comment":               {"{// x\n}", `$: syntax: no JSON at line 1, column 2`},
		"a raw newline in text":   {"{\"name\":\"a\nb\"}", `$.name: syntax: no JSON at line 1, column 11`},
		"an unknown escape":       {`{"name":"\x"}`, `$.name: syntax: no JSON at line 1, column 11`},
		"three digits":            {`{"name":"\u12"}`, `$.name: syntax: no JSON at line 1, column 11`},
		"no hexadecimal digit":    {`{"name":"\u12g4"}`, `$.name: syntax: no JSON at line 1, column 11`},
		"a leading zero":          {withMember(`"any":01`), `$: syntax: no JSON at line 1, column 43`},
		"a plus":                  {withMember(`"any":+1`), `$.any: syntax: no JSON at line 1, column 42`},
		"a lone minus":            {withMember(`"any":-`), `$.any: syntax: no JSON at line 1, column 43`},
		"a dot without digits":    {withMember(`"ratio":1.`), `$.ratio: syntax: no JSON at line 1, column 46`},
		"an empty exponent":       {withMember(`"ratio":1e`), `$.ratio: syntax: no JSON at line 1, column 46`},
		"not a number":            {withMember(`"ratio":NaN`), `$.ratio: syntax: no JSON at line 1, column 44`},

		"a second value":           {"{\"name\":\"a\",\"word\":\"low\",\"count\":1}\n{}", `$: trailing_data: the value ends before line 2, column 1`},
		"a NUL at the end":         {"{\"name\":\"a\",\"word\":\"low\",\"count\":1}\x00", `$: trailing_data: the value ends before line 1, column 36`},
		"bytes that are not UTF-8": {"{\"name\":\"\xff\"}", `$: not_utf8: the bytes are not UTF-8`},
		"a surrogate as bytes":     {"{\"name\":\"\xed\xa0\x80\"}", `$: not_utf8: the bytes are not UTF-8`},
		"a high surrogate alone":   {`{"name":"\ud800"}`, `$.name: lone_surrogate: half a character before line 1, column 16`},
		"a low surrogate alone":    {`{"name":"\udc00 "}`, `$.name: lone_surrogate: half a character before line 1, column 16`},
		"two high surrogates":      {`{"name":"\ud800\ud800"}`, `$.name: lone_surrogate: half a character before line 1, column 16`},
		"a surrogate in a key":     {`{"\udfff":1}`, `$: lone_surrogate: half a character before line 1, column 9`},
		"a surrogate, another escape": {`{"name":"\ud800\n"}`,
			`$.name: lone_surrogate: half a character before line 1, column 16`},
		"a surrogate below a raw field": {withMember(`"raw":["\ud800"]`),
			`$.raw[0]: lone_surrogate: half a character before line 1, column 50`},

		"the same key twice":       {`{"name":"a","name":"a","word":"low","count":1}`, `$: duplicate_key: the key at line 1, column 13 is there already`},
		"the same key, escaped":    {`{"name":"a","n\u0061me":"b","word":"low","count":1}`, `$: duplicate_key: the key at line 1, column 13 is there already`},
		"twice below a list":       {withMember(`"list":[{"key":"k"},{"key":"k","key":"k"}]`), `$.list[1]: duplicate_key: the key at line 1, column 67 is there already`},
		"twice in a map":           {withMember(`"map":{"x":1,"x":1}`), `$.map: duplicate_key: the key at line 1, column 49 is there already`},
		"twice below a raw field":  {withMember(`"raw":{"x":{"y":1,"y":2}}`), `$.raw: duplicate_key: the key at line 1, column 54 is there already`},
		"twice below an interface": {withMember(`"any":[{"y":1,"y":2}]`), `$.any[0]: duplicate_key: the key at line 1, column 50 is there already`},

		"a key in capitals":          {`{"NAME":"a"}`, `$: case_variant: the key at line 1, column 2 differs from "name" only in case`},
		"a variant beside the field": {`{"name":"a","Name":"b"}`, `$: case_variant: the key at line 1, column 13 differs from "name" only in case`},
		"a Kelvin sign":              {withMember(`"list":[{"\u212aey":"k"}]`), `$.list[0]: case_variant: the key at line 1, column 45 differs from "key" only in case`},
		"an unknown field":           {`{"list":[{"key":"k","hunter2":1}]}`, `$.list[0]: unknown_field: the key at line 1, column 21 is not one of: key`},
		"a field without JSON":       {withMember(`"Hidden":"x"`), `unknown_field`},
		"a private field":            {withMember(`"private":"x"`), `unknown_field`},
		"a field that is missing":    {`{"name":"a","word":"low"}`, `$.count: missing_field: the field is required`},
		"a field missing in a list":  {withMember(`"list":[{"key":"k"},{}]`), `$.list[1].key: missing_field: the field is required`},

		"null for a string":    {`{"name":null}`, `$.name: null: null is not allowed here, it must be a string`},
		"null in a list":       {withMember(`"list":[null]`), `$.list[0]: null: null is not allowed here, it must be an object`},
		"null for a list":      {withMember(`"list":null`), `$.list: null: null is not allowed here, it must be an array`},
		"null for a map":       {withMember(`"map":null`), `$.map: null: null is not allowed here, it must be an object`},
		"null for a time":      {withMember(`"at":null`), `$.at: null: null is not allowed here, it must be a value`},
		"a number for text":    {`{"name":1}`, `$.name: wrong_type: the value must be a string`},
		"text for a number":    {`{"count":"1"}`, `$.count: wrong_type: the value must be an integer`},
		"text for a ratio":     {withMember(`"ratio":"1"`), `$.ratio: wrong_type: the value must be a number`},
		"a number for truth":   {withMember(`"on":1`), `$.on: wrong_type: the value must be true or false`},
		"text for a list":      {withMember(`"list":"x"`), `$.list: wrong_type: the value must be an array`},
		"a list for a map":     {withMember(`"map":[]`), `$.map: wrong_type: the value must be an object`},
		"text in a map":        {withMember(`"map":{"x":"y"}`), `$.map.*: wrong_type: the value must be an integer`},
		"a fraction":           {`{"count":1.0}`, `$.count: wrong_type: an integer is written without fraction and exponent`},
		"an exponent":          {`{"count":1e0}`, `$.count: wrong_type: an integer is written without fraction and exponent`},
		"a time that is none":  {withMember(`"at":"x"`), `$: wrong_type: a value does not fit the type of its field`},
		"bytes without base64": {withMember(`"bytes":"%"`), `$: wrong_type: a value does not fit the type of its field`},

		"below the least":             {`{"count":0}`, `$.count: out_of_range: the least is 1`},
		"above the most":              {`{"count":10}`, `$.count: out_of_range: the most is 9`},
		"beyond 64 bits":              {`{"count":9223372036854775808}`, `$.count: out_of_range: the integer is too large or too small for this field`},
		"beyond 8 bits":               {withMember(`"small":256`), `$.small: out_of_range: the integer is too large or too small for this field`},
		"negative without a sign bit": {withMember(`"small":-1`), `$.small: out_of_range: the integer is too large or too small for this field`},
		"an infinite ratio":           {withMember(`"ratio":1e999`), `$.ratio: out_of_range: the number is too large`},
		"a word outside its set":      {`{"word":"LOW"}`, `$.word: not_in_set: the word is not one of the allowed ones`},
		"the empty word":              {`{"word":""}`, `$.word: not_in_set: the word is not one of the allowed ones`},
		"a key outside its set":       {withMember(`"words":{"hunter2":true}`), `$.words: not_in_set: the key at line 1, column 45 is not one of the allowed ones`},
		"another fixed word":          {withMember(`"fixed":"3"`), `$.fixed: not_in_set: only "2" is understood`},
		"nine characters":             {`{"name":"123456789"}`, `$.name: too_long: at most 8 characters`},
		"nine characters in a key":    {`{"123456789":1}`, `$: too_long: at most 8 characters`},
		"five items":                  {withMember(`"list":[{"key":"k"},{"key":"k"},{"key":"k"},{"key":"k"},{"key":"k"}]`), `$.list: too_many: at most 4 items`},
		"five members of a map":       {withMember(`"map":{"a":1,"b":1,"c":1,"d":1,"e":1}`), `$.map: too_many: at most 4 members`},
		"one item too few":            {withMember(`"pair":[1]`), `$.pair: bad_form: the array has exactly 2 items`},
		"one item too many":           {withMember(`"pair":[1,2,3]`), `$.pair: bad_form: the array has exactly 2 items`},
		"five levels":                 {withMember(`"any":[[[[1]]]]`), `$.any[0][0][0]: too_deep: more than 4 levels`},
		"too many bytes":              {strings.Repeat(" ", 4097), `$: too_large: 4097 bytes, at most 4096 are read`},
	} {
		t.Run(name, func(t *testing.T) {
			err := StrictJSON([]byte(c.data), new(sample), sampleLimits)
			var refused *DecodeError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a *DecodeError", err)
			}
			if got := err.Error(); got != c.want && string(refused.Reason) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats the input: %s", err)
			}
		})
	}
}

func TestBoundsHoldForIntegersBeyondSixtyThreeBits(t *testing.T) {
	type unsigned struct {
		Free  uint64 `json:"free,omitempty"`
		Bound uint64 `json:"bound,omitempty" wire:"max=5"`
	}
	for data, want := range map[string]string{
		`{"free":18446744073709551615}`:  "",
		`{"free":18446744073709551616}`:  "$.free: out_of_range: the integer is too large or too small for this field",
		`{"bound":5}`:                    "",
		`{"bound":6}`:                    "$.bound: out_of_range: the most is 5",
		`{"bound":18446744073709551615}`: "$.bound: out_of_range: the most is 5",
		`{"bound":-}`:                    "$.bound: syntax: no JSON at line 1, column 11",
	} {
		if got := errorText(StrictJSON([]byte(data), new(unsigned), Limits{100, 4, 4, 8})); got != want {
			t.Errorf("%s: got %q, want %q", data, got, want)
		}
	}
}

func TestZeroLimitsAllowNothing(t *testing.T) {
	var v any
	for _, data := range []string{` `, `1`, `"x"`, `[]`, `{}`} {
		if err := StrictJSON([]byte(data), &v, Limits{}); err == nil {
			t.Errorf("%q was accepted without any limit", data)
		}
	}
	bytesAlone := Limits{MaxBytes: 100}
	for data, want := range map[string]Reason{`[]`: TooDeep, `{}`: TooDeep, `"x"`: TooLong} {
		var refused *DecodeError
		if err := StrictJSON([]byte(data), &v, bytesAlone); !errors.As(err, &refused) || refused.Reason != want {
			t.Errorf("%s: got %v, want %s", data, err, want)
		}
	}
}

func TestDeepInputEndsEarly(t *testing.T) {
	limits := WireLimits()
	for _, open := range []string{"[", `{"a":`} {
		data := strings.Repeat(open, MaxResultBytes/len(open))
		var v any
		var refused *DecodeError
		if err := StrictJSON([]byte(data), &v, limits); !errors.As(err, &refused) || refused.Reason != TooDeep {
			t.Errorf("%s...: got %v, want too_deep", open, err)
		}
	}
}

func TestStrictJSONPanicsOnMistakesOfTheProgram(t *testing.T) {
	type badTag struct {
		A int `json:"a" wire:"minimum=1"`
	}
	type badType struct {
		A chan int `json:"a"`
	}
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"no pointer":     {sample{}, "want a non-nil pointer, got contract.sample"},
		"a nil pointer":  {(*sample)(nil), "want a non-nil pointer, got *contract.sample"},
		"an unknown tag": {&badTag{}, `wire tag "minimum=1" of contract.badTag.A`},
		"a channel":      {&badType{}, "no JSON for chan int"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			err := StrictJSON([]byte(`{"a":1}`), c.v, sampleLimits)
			t.Errorf("returned %v", err)
		})
	}
}
