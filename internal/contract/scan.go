package contract

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// step is one part of a path: a name, or an index where name is empty.
type step struct {
	name  string
	index int
}

// scanner walks the input once, beside the Go type it must fit. It keeps no
// tree, so its memory does not grow with the input.
type scanner struct {
	data   []byte
	pos    int
	depth  int
	limits Limits
	path   []step
}

// document scans one value of type t and the white space around it.
func (s *scanner) document(t reflect.Type) *DecodeError {
	s.space()
	if err := s.value(rule{typ: t}); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.data) {
		return refuse("$", TrailingData, "the value ends before "+s.place(s.pos))
	}
	return nil
}

// value scans the value at the current position by its rule.
func (s *scanner) value(r rule) *DecodeError {
	nullable := r.nullable
	for r.typ.Kind() == reflect.Pointer {
		nullable, r.typ = true, r.typ.Elem()
	}
	kind := kindOf(r.typ)
	if s.next() == 'n' {
		if err := s.literal("null"); err != nil {
			return err
		}
		if nullable || kind == anyKind {
			return nil
		}
		return s.fail(NullValue, "null is not allowed here, it must be "+kind.wanted())
	}
	switch kind {
	case stringKind:
		return s.stringOf(r)
	case boolKind:
		return s.boolean()
	case integerKind:
		return s.integer(r)
	case floatKind:
		return s.float()
	case arrayKind:
		return s.arrayOf(r.typ)
	case mapKind:
		return s.mapOf(r.typ)
	case structKind:
		return s.structOf(shapeOf(r.typ))
	case taggedKind:
		return s.taggedOf(r.typ)
	default:
		return s.anything()
	}
}

func (s *scanner) boolean() *DecodeError {
	switch s.next() {
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	}
	return s.mismatch(boolKind)
}

func (s *scanner) stringOf(r rule) *DecodeError {
	if s.next() != '"' {
		return s.mismatch(stringKind)
	}
	text, err := s.str()
	if err != nil {
		return err
	}
	if r.is != "" && text != r.is {
		return s.fail(NotInSet, fmt.Sprintf("only %q is understood", r.is))
	}
	if !inSet(r.typ, text) {
		return s.fail(NotInSet, "the word is not one of the allowed ones")
	}
	return nil
}

func (s *scanner) integer(r rule) *DecodeError {
	if !s.atNumber() {
		return s.mismatch(integerKind)
	}
	raw, err := s.number()
	if err != nil {
		return err
	}
	if strings.ContainsAny(raw, ".eE") {
		return s.fail(WrongType, "an integer is written without fraction and exponent")
	}
	if !fits(raw, r.typ) {
		return s.fail(OutOfRange, "the integer is too large or too small for this field")
	}
	if n, perr := strconv.ParseInt(raw, 10, 64); perr == nil {
		if r.min != nil && n < *r.min {
			return s.fail(OutOfRange, fmt.Sprintf("the least is %d", *r.min))
		}
		if r.max != nil && n > *r.max {
			return s.fail(OutOfRange, fmt.Sprintf("the most is %d", *r.max))
		}
	} else if r.max != nil {
		return s.fail(OutOfRange, fmt.Sprintf("the most is %d", *r.max))
	}
	return nil
}

func (s *scanner) float() *DecodeError {
	if !s.atNumber() {
		return s.mismatch(floatKind)
	}
	raw, err := s.number()
	if err != nil {
		return err
	}
	if _, perr := strconv.ParseFloat(raw, 64); perr != nil {
		return s.fail(OutOfRange, "the number is too large")
	}
	return nil
}

func (s *scanner) arrayOf(t reflect.Type) *DecodeError {
	if s.next() != '[' {
		return s.mismatch(arrayKind)
	}
	element := rule{typ: t.Elem()}
	count, err := s.items(func() *DecodeError { return s.value(element) })
	if err == nil && t.Kind() == reflect.Array && count != t.Len() {
		return s.fail(BadForm, fmt.Sprintf("the array has exactly %d items", t.Len()))
	}
	return err
}

func (s *scanner) mapOf(t reflect.Type) *DecodeError {
	if s.next() != '{' {
		return s.mismatch(structKind)
	}
	element := rule{typ: t.Elem()}
	return s.members(func(key string, at int) *DecodeError {
		if !inSet(t.Key(), key) {
			return s.fail(NotInSet, "the key at "+s.place(at)+" is not one of the allowed ones")
		}
		s.path = append(s.path, step{name: "*"})
		err := s.value(element)
		if err == nil {
			s.path = s.path[:len(s.path)-1]
		}
		return err
	})
}

// structOf scans an object whose fields are known.
func (s *scanner) structOf(sh *shape) *DecodeError {
	if s.next() != '{' {
		return s.mismatch(structKind)
	}
	seen := make([]bool, len(sh.fields))
	err := s.members(func(key string, at int) *DecodeError {
		i, ok := sh.index[key]
		if !ok {
			return s.strange(sh, key, at)
		}
		seen[i] = true
		s.path = append(s.path, step{name: key})
		err := s.value(sh.fields[i].rule)
		if err == nil {
			s.path = s.path[:len(s.path)-1]
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, field := range sh.fields {
		if !seen[i] && !field.optional {
			s.path = append(s.path, step{name: field.name})
			return s.fail(MissingField, "the field is required")
		}
	}
	return nil
}

// strange refuses a key that the object does not have. encoding/json would
// take a case variant for the field itself.
func (s *scanner) strange(sh *shape, key string, at int) *DecodeError {
	for _, field := range sh.fields {
		if strings.EqualFold(field.name, key) {
			return s.fail(CaseVariant, fmt.Sprintf("the key at %s differs from %q only in case", s.place(at), field.name))
		}
	}
	return s.fail(UnknownField, fmt.Sprintf("the key at %s is not one of: %s", s.place(at), sh.names()))
}

// taggedOf scans an object whose fields depend on one of them: once to find
// the tag, once by the type that the tag names.
func (s *scanner) taggedOf(t reflect.Type) *DecodeError {
	union := reflect.Zero(t).Interface().(tagged)
	if s.next() != '{' {
		return s.mismatch(structKind)
	}
	start, tag, found := s.pos, "", false
	err := s.members(func(key string, at int) *DecodeError {
		if key == union.tagName() && s.next() == '"' {
			word, err := s.str()
			tag, found = word, err == nil
			return err
		}
		if key != union.tagName() && strings.EqualFold(key, union.tagName()) {
			return s.fail(CaseVariant, fmt.Sprintf("the key at %s differs from %q only in case", s.place(at), union.tagName()))
		}
		return s.anything()
	})
	if err != nil {
		return err
	}
	here := step{name: union.tagName()}
	if !found {
		s.path = append(s.path, here)
		return s.fail(MissingField, "a string is required that says which fields belong here")
	}
	variant, ok := union.variant(tag)
	if !ok {
		s.path = append(s.path, here)
		return s.fail(NotInSet, "the word is not one of the allowed ones")
	}
	s.pos = start
	return s.structOf(shapeOf(variant))
}

// anything scans a value without a rule: everything but types and names is
// checked all the same.
func (s *scanner) anything() *DecodeError {
	switch c := s.next(); {
	case c == '{':
		return s.members(func(string, int) *DecodeError { return s.anything() })
	case c == '[':
		_, err := s.items(s.anything)
		return err
	case c == '"':
		_, err := s.str()
		return err
	case c == 'n':
		return s.literal("null")
	case c == 't' || c == 'f':
		return s.boolean()
	case s.atNumber():
		_, err := s.number()
		return err
	}
	return s.syntax()
}

// mismatch says which type was wanted, or that there is no value at all.
func (s *scanner) mismatch(want valueKind) *DecodeError {
	if !strings.ContainsRune(`{["tfn-0123456789`, rune(s.next())) || s.pos >= len(s.data) {
		return s.syntax()
	}
	return s.fail(WrongType, "the value must be "+want.wanted())
}

func (s *scanner) fail(reason Reason, detail string) *DecodeError {
	return refuse(s.where(), reason, detail)
}

func (s *scanner) where() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, p := range s.path {
		if p.name == "" {
			fmt.Fprintf(&b, "[%d]", p.index)
		} else {
			b.WriteString("." + p.name)
		}
	}
	return b.String()
}
