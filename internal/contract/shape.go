package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// tagged is a type that is one of several structs, told apart by one field.
type tagged interface {
	tagName() string
	variant(tag string) (reflect.Type, bool)
}

// rule is what a value must be.
type rule struct {
	typ      reflect.Type
	nullable bool
	min, max *int64
	is       string // the only string allowed, where not empty
}

// field is one field of a struct on the wire.
type field struct {
	rule
	name     string
	optional bool
}

// shape is a struct as StrictJSON sees it.
type shape struct {
	fields []field
	index  map[string]int
}

func (sh *shape) names() string {
	var names []string
	for _, f := range sh.fields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

var shapes sync.Map // reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if sh, ok := shapes.Load(t); ok {
		return sh.(*shape)
	}
	sh := &shape{index: map[string]int{}}
	sh.add(t)
	for i, f := range sh.fields {
		sh.index[f.name] = i
	}
	shapes.Store(t, sh)
	return sh
}

// add collects the fields of t and of the structs embedded in it.
func (sh *shape) add(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			sh.add(f.Type)
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out := field{name: name, rule: rule{typ: f.Type}}
		out.optional = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		out.readTag(t, f)
		sh.fields = append(sh.fields, out)
	}
}

// readTag reads the wire tag. A tag that nobody understands is a mistake in
// the program, not in the input.
func (f *field) readTag(t reflect.Type, sf reflect.StructField) {
	text, ok := sf.Tag.Lookup("wire")
	if !ok {
		return
	}
	for option := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(option, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case option == "optional":
			f.optional = true
		case option == "nullable":
			f.nullable = true
		case name == "min" && err == nil:
			f.min = &n
		case name == "max" && err == nil:
			f.max = &n
		case name == "is" && value != "":
			f.is = value
		default:
			panic(fmt.Sprintf("contract: wire tag %q of %s.%s", option, t, sf.Name))
		}
	}
}

// valueKind is what StrictJSON distinguishes.
type valueKind int

const (
	anyKind valueKind = iota
	stringKind
	boolKind
	integerKind
	floatKind
	arrayKind
	mapKind
	structKind
	taggedKind
	ownKind // decodes itself
)

func (k valueKind) wanted() string {
	switch k {
	case stringKind:
		return "a string"
	case boolKind:
		return "true or false"
	case integerKind:
		return "an integer"
	case floatKind:
		return "a number"
	case arrayKind:
		return "an array"
	case mapKind, structKind, taggedKind:
		return "an object"
	}
	return "a value"
}

var (
	taggedType  = reflect.TypeFor[tagged]()
	closedType  = reflect.TypeFor[Closed]()
	jsonDecoder = reflect.TypeFor[json.Unmarshaler]()
	textDecoder = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawMessage  = reflect.TypeFor[json.RawMessage]()
)

func kindOf(t reflect.Type) valueKind {
	switch {
	case t == rawMessage:
		return anyKind
	case t.Implements(taggedType):
		return taggedKind
	case reflect.PointerTo(t).Implements(jsonDecoder), reflect.PointerTo(t).Implements(textDecoder):
		return ownKind
	}
	switch t.Kind() {
	case reflect.Interface:
		return anyKind
	case reflect.String:
		return stringKind
	case reflect.Bool:
		return boolKind
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integerKind
	case reflect.Float32, reflect.Float64:
		return floatKind
	case reflect.Map:
		return mapKind
	case reflect.Struct:
		return structKind
	case reflect.Array:
		return arrayKind
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return stringKind // encoding/json reads base64 here
		}
		return arrayKind
	}
	panic(fmt.Sprintf("contract: no JSON for %s", t))
}

// inSet asks a Closed string type whether word is a member. Other types take
// any word.
func inSet(t reflect.Type, word string) bool {
	if t.Kind() != reflect.String || !t.Implements(closedType) {
		return true
	}
	v := reflect.New(t).Elem()
	v.SetString(word)
	return v.Interface().(Closed).Known()
}

// fits tells whether an integer's text fits the type.
func fits(raw string, t reflect.Type) bool {
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		_, err := strconv.ParseUint(raw, 10, t.Bits())
		return err == nil
	}
	_, err := strconv.ParseInt(raw, 10, t.Bits())
	return err == nil
}
