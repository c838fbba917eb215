package handover

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/familiarhq/familiar/internal/contract"
)

// Bundle is a whole hand-over in one file, to be sealed and carried to the job
// of the reviewer. Its bytes are as they lay in the folder of the brief.
type Bundle struct {
	Note, Brief, Memory, MemoryText, Diff []byte
	// ReplyTo is the age recipient that the answer is sealed to; "": the one
	// that the hand-over itself was sealed to.
	ReplyTo string
}

// Answer is what comes back from the job of the reviewer.
type Answer struct {
	Note   []byte // as it was in the bundle
	Form   string // in which form the result is
	Result []byte
}

// Bounds of the two files. A result is at most contract.MaxResultBytes; base64
// makes a third more of it.
const (
	MaxBundle   = 48 << 20
	MaxAnswer   = 24 << 20
	bundleKind  = "familiar-handover-1"
	answerKind  = "familiar-answer-1"
	maxReplyTo  = 4096 // a post-quantum recipient has 2,000 characters
	maxFormName = 64
)

type wireBundle struct {
	Schema     string `json:"schema" wire:"is=familiar-handover-1"`
	ReplyTo    string `json:"reply_to"`
	Note       string `json:"note"`
	Brief      string `json:"brief"`
	Memory     string `json:"memory"`
	MemoryText string `json:"memory_text"`
	Diff       string `json:"diff"`
}

type wireAnswer struct {
	Schema string `json:"schema" wire:"is=familiar-answer-1"`
	Note   string `json:"note"`
	Form   string `json:"form"`
	Result string `json:"result"`
}

// EncodeBundle writes a bundle; it is one line of JSON.
func EncodeBundle(b Bundle) ([]byte, error) {
	out := append(encode(wireBundle{
		Schema: bundleKind, ReplyTo: b.ReplyTo, Note: packed(b.Note), Brief: packed(b.Brief), Memory: packed(b.Memory),
		MemoryText: packed(b.MemoryText), Diff: packed(b.Diff),
	}), '\n')
	if len(out) > MaxBundle {
		return nil, fmt.Errorf("the hand-over is %d bytes, and at most %d are carried", len(out), MaxBundle)
	}
	return out, nil
}

// DecodeBundle reads what EncodeBundle wrote, strictly and bounded.
func DecodeBundle(data []byte) (Bundle, error) {
	var w wireBundle
	if err := strict(data, &w, MaxBundle); err != nil {
		return Bundle{}, fmt.Errorf("this is no hand-over: %w", err)
	}
	if len(w.ReplyTo) > maxReplyTo {
		return Bundle{}, errors.New("this is no hand-over: reply_to is too long for a recipient")
	}
	b := Bundle{ReplyTo: w.ReplyTo}
	err := unpack(
		[]string{w.Note, w.Brief, w.Memory, w.MemoryText, w.Diff},
		[]*[]byte{&b.Note, &b.Brief, &b.Memory, &b.MemoryText, &b.Diff},
	)
	if err != nil {
		return Bundle{}, fmt.Errorf("this is no hand-over: %w", err)
	}
	return b, nil
}

// EncodeAnswer writes an answer; it is one line of JSON.
func EncodeAnswer(a Answer) ([]byte, error) {
	out := append(encode(wireAnswer{Schema: answerKind, Note: packed(a.Note), Form: a.Form, Result: packed(a.Result)}), '\n')
	if len(out) > MaxAnswer {
		return nil, fmt.Errorf("the answer is %d bytes, and at most %d are carried", len(out), MaxAnswer)
	}
	return out, nil
}

// DecodeAnswer reads what EncodeAnswer wrote, strictly and bounded.
func DecodeAnswer(data []byte) (Answer, error) {
	var w wireAnswer
	if err := strict(data, &w, MaxAnswer); err != nil {
		return Answer{}, fmt.Errorf("this is no answer to a hand-over: %w", err)
	}
	if len(w.Form) > maxFormName {
		return Answer{}, errors.New("this is no answer to a hand-over: form is too long")
	}
	a := Answer{Form: w.Form}
	if err := unpack([]string{w.Note, w.Result}, []*[]byte{&a.Note, &a.Result}); err != nil {
		return Answer{}, fmt.Errorf("this is no answer to a hand-over: %w", err)
	}
	if len(a.Result) > contract.MaxResultBytes {
		return Answer{}, fmt.Errorf("the result in the answer is %d bytes, at most %d are read", len(a.Result), contract.MaxResultBytes)
	}
	return a, nil
}

func strict(data []byte, v any, most int) error {
	return contract.StrictJSON(data, v, contract.Limits{MaxBytes: most, MaxDepth: 2, MaxItems: 16, MaxString: most})
}

// packed is base64: a diff need not be UTF-8.
func packed(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func unpack(from []string, into []*[]byte) error {
	for i, s := range from {
		data, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil {
			return errors.New("a file in it is not base64")
		}
		*into[i] = data
	}
	return nil
}
