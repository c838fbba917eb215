package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// This file is the one door for JSON from outside. encoding/json alone takes
// the last of two equal keys, matches keys in any case, replaces lone
// surrogates and ignores what it does not know; here each of these is refused
// before encoding/json sees the bytes.

// Limits bound what StrictJSON accepts. A zero limit allows nothing.
type Limits struct {
	MaxBytes  int // bytes of the whole input
	MaxDepth  int // arrays and objects inside each other; a scalar needs none
	MaxItems  int // items of one array, members of one object
	MaxString int // code points of one string or key
}

// MaxResultBytes is the most that a result file may hold (page 3.5).
const MaxResultBytes = 16 << 20

// Bounds of every array and string on the wire; the schemas state the same.
const (
	MaxItems  = 100_000
	MaxString = 1 << 20 // code points
	maxDepth  = 32
)

// WireLimits are the limits of briefs and results.
func WireLimits() Limits {
	return Limits{MaxBytes: MaxResultBytes, MaxDepth: maxDepth, MaxItems: MaxItems, MaxString: MaxString}
}

// StrictJSON decodes data, one JSON value and nothing but white space around
// it, into the value that v points to. It refuses, with a *DecodeError:
// input beyond the limits, invalid UTF-8, lone surrogates, syntax errors,
// data after the value, a key twice in one object (compared after
// unescaping), a key that matches a field only in another case, unknown
// fields, missing fields, null, wrong types, integers with a fraction, an
// exponent or out of range, and values of a Closed type outside their set.
//
// The Go type is the rule. A field is required unless its json tag says
// omitempty or omitzero or its wire tag says optional. Null is accepted for
// pointers and interfaces and where the wire tag says nullable. The wire tag
// also bounds integers, `wire:"min=1,max=10"`, and fixes a string to one
// value, `wire:"is=2"`. Maps take any key. Fields with
// their own UnmarshalJSON or UnmarshalText, json.RawMessage and interfaces
// are checked for everything but types and names. v is undefined after an
// error. StrictJSON panics if v is not a non-nil pointer.
func StrictJSON(data []byte, v any, limits Limits) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic(fmt.Sprintf("contract.StrictJSON: want a non-nil pointer, got %T", v))
	}
	if len(data) > limits.MaxBytes {
		return refuse("$", TooLarge, fmt.Sprintf("%d bytes, at most %d are read", len(data), limits.MaxBytes))
	}
	if !utf8.Valid(data) {
		return refuse("$", NotUTF8, "the bytes are not UTF-8")
	}
	s := &scanner{data: data, limits: limits}
	if err := s.document(target.Type().Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		// The text of this error may quote the input, so it is not passed on.
		return refuse("$", WrongType, "a value does not fit the type of its field")
	}
	return nil
}
