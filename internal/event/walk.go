package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// This file is the one door for event payloads. Decoding into structs would
// match keys in any case and take the last of two equal ones, so a payload
// is walked key by key instead: a key counts only in its exact spelling, one
// that is read and there twice is refused, and ids keep every digit.

// MaxPayload is the most that GitHub puts into one event payload, in bytes.
const MaxPayload = 25 << 20

// maxMembers bounds the members of one object and the items of one list that
// is read; GitHub's largest have some hundreds.
const maxMembers = 10_000

// reader keeps the first thing that is wrong with a payload. Reads after it
// give zero values, so that decoders need no check of their own per field.
type reader struct {
	event string
	err   *DecodeError
}

func (r *reader) fail(field, reason string) {
	if r.err == nil {
		r.err = &DecodeError{Event: r.event, Field: field, Reason: reason}
	}
}

// open checks the whole payload and opens its outermost object.
func (r *reader) open(payload []byte) object {
	switch {
	case len(payload) == 0:
		r.fail("payload", "is empty")
	case len(payload) > MaxPayload:
		r.fail("payload", fmt.Sprintf("has %d bytes, more than the %d that GitHub allows", len(payload), MaxPayload))
	case !utf8.Valid(payload):
		r.fail("payload", "is not UTF-8")
	case !json.Valid(payload):
		r.fail("payload", "is not one JSON value")
	default:
		return r.object(payload, "")
	}
	return object{r: r}
}

// object splits valid JSON into its members without looking into them.
func (r *reader) object(raw json.RawMessage, path string) object {
	o := object{r: r, path: path}
	if typeOf(raw) != "an object" {
		r.fail(o.name(), wrongType(raw, "an object"))
		return o
	}
	o.fields, o.twice = map[string]json.RawMessage{}, map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the brace; raw is valid JSON
	for dec.More() {
		key, _ := dec.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil || len(o.fields) == maxMembers {
			r.fail(o.name(), fmt.Sprintf("has more than %d fields", maxMembers))
			return o
		}
		_, there := o.fields[name]
		o.twice[name] = there || o.twice[name]
		o.fields[name] = value
	}
	return o
}

// object is one JSON object of the payload. Its zero value has no fields.
type object struct {
	r      *reader
	path   string
	fields map[string]json.RawMessage
	twice  map[string]bool
}

// name is the object's own name in messages.
func (o object) name() string {
	if o.path == "" {
		return "payload"
	}
	return o.path
}

// at is the path of one of the object's fields.
func (o object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

// optional returns a field, or false where it is absent or null.
func (o object) optional(key string) (json.RawMessage, bool) {
	raw, there := o.fields[key]
	if o.twice[key] {
		o.r.fail(o.at(key), "is there twice")
		return nil, false
	}
	return raw, there && typeOf(raw) != "null"
}

// required returns a field and fails where it is absent or null.
func (o object) required(key string) (json.RawMessage, bool) {
	raw, ok := o.optional(key)
	if ok {
		return raw, true
	}
	if _, there := o.fields[key]; there {
		o.r.fail(o.at(key), "is null")
	} else {
		o.r.fail(o.at(key), "is missing")
	}
	return nil, false
}

// child opens a required object.
func (o object) child(key string) object {
	raw, ok := o.required(key)
	if !ok {
		return object{r: o.r, path: o.at(key)}
	}
	return o.r.object(raw, o.at(key))
}

// maybe opens an optional object; false where it is absent or null.
func (o object) maybe(key string) (object, bool) {
	raw, ok := o.optional(key)
	if !ok {
		return object{}, false
	}
	return o.r.object(raw, o.at(key)), true
}

// list returns the items of an optional list.
func (o object) list(key string) []json.RawMessage {
	raw, ok := o.optional(key)
	if !ok {
		return nil
	}
	if typeOf(raw) != "a list" {
		o.r.fail(o.at(key), wrongType(raw, "a list"))
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || len(items) > maxMembers {
		o.r.fail(o.at(key), fmt.Sprintf("has more than %d items", maxMembers))
		return nil
	}
	return items
}

// text returns a required string, which may be empty.
func (o object) text(key string) string {
	raw, ok := o.required(key)
	if !ok {
		return ""
	}
	return o.decodeText(key, raw)
}

// word returns a required string that is not empty.
func (o object) word(key string) string {
	s := o.text(key)
	if s == "" {
		o.r.fail(o.at(key), "is empty")
	}
	return s
}

// maybeText returns an optional string, "" where it is absent or null.
func (o object) maybeText(key string) string {
	raw, ok := o.optional(key)
	if !ok {
		return ""
	}
	return o.decodeText(key, raw)
}

func (o object) decodeText(key string, raw json.RawMessage) string {
	if typeOf(raw) != "a string" {
		o.r.fail(o.at(key), wrongType(raw, "a string"))
		return ""
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		o.r.fail(o.at(key), "is not a string")
	}
	return s
}

// maybeBool returns an optional flag and whether it is there.
func (o object) maybeBool(key string) (value, there bool) {
	raw, ok := o.optional(key)
	if !ok {
		return false, false
	}
	if typeOf(raw) != "true or false" {
		o.r.fail(o.at(key), wrongType(raw, "true or false"))
		return false, false
	}
	return raw[0] == 't', true
}

// id returns a required id: a whole number above zero with all its digits.
func (o object) id(key string) int64 {
	raw, ok := o.required(key)
	if !ok {
		return 0
	}
	return o.decodeID(key, raw, math.MaxInt64)
}

// maybeID returns an optional id, 0 where it is absent or null.
func (o object) maybeID(key string) int64 {
	raw, ok := o.optional(key)
	if !ok {
		return 0
	}
	return o.decodeID(key, raw, math.MaxInt64)
}

// number returns a required number of a pull request or an issue.
func (o object) number(key string) int {
	raw, ok := o.required(key)
	if !ok {
		return 0
	}
	return int(o.decodeID(key, raw, math.MaxInt32))
}

func (o object) decodeID(key string, raw json.RawMessage, most int64) int64 {
	if typeOf(raw) != "a number" {
		o.r.fail(o.at(key), wrongType(raw, "a whole number"))
		return 0
	}
	if bytes.ContainsAny(raw, ".eE") {
		o.r.fail(o.at(key), "is a number with a fraction or an exponent where a whole number is expected")
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 1 || n > most {
		o.r.fail(o.at(key), fmt.Sprintf("is not between 1 and %d", most))
		return 0
	}
	return n
}

// time returns a required timestamp, in UTC.
func (o object) time(key string) time.Time {
	s := o.text(key)
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		o.r.fail(o.at(key), "is not a timestamp such as 2006-01-02T15:04:05Z")
		return time.Time{}
	}
	return at.UTC()
}

func wrongType(raw json.RawMessage, want string) string {
	return "is " + typeOf(raw) + " where " + want + " is expected"
}

// typeOf names the JSON type of a valid value by its first byte.
func typeOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}
