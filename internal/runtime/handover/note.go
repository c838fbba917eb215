package handover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
)

// This file is the one door for sealed notes: nothing else makes one, and
// nothing else turns bytes into one (page 7.2).

// Signer makes and verifies MACs for named purposes; vault.Keys is one.
type Signer interface {
	// MAC is the MAC of parts, or "" where there is no key.
	MAC(context string, parts ...[]byte) string
	// VerifyMAC tells whether mac was made over parts for context.
	VerifyMAC(context, mac string, parts ...[]byte) bool
}

// Note says what was handed out, to whom and when. It holds no secret and no
// text of a lesson, and may lie where a reviewer can read it.
type Note struct {
	Schema       string   `json:"schema" wire:"is=familiar-note-1"`
	RunID        int64    `json:"run_id" wire:"min=1"`
	Attempt      int      `json:"attempt" wire:"min=1,max=1000000"`
	RepositoryID int64    `json:"repository_id" wire:"min=1"`
	Number       int      `json:"number" wire:"min=1,max=2147483647"` // of the pull request
	Head         string   `json:"head"`                               // commit, lower-case hex
	Policy       string   `json:"policy"`                             // hex SHA-256 of the memory policy
	Brief        string   `json:"brief"`                              // of session-brief.json
	Snapshot     string   `json:"snapshot"`                           // of memory.json
	Text         string   `json:"text"`                               // of memory.md
	Diff         string   `json:"diff"`                               // of diff.patch
	Lessons      []string `json:"lessons"`                            // versions handed out, as m-7f3k2q8a@2
	Nonce        string   `json:"nonce"`                              // 16 random bytes, hex
	IssuedAt     string   `json:"issued_at"`                          // RFC 3339 in UTC, whole seconds
	MAC          string   `json:"mac"`
}

// Schema is the only schema of notes.
const Schema = "familiar-note-1"

// Bounds of a note.
const (
	MaxNote    = 256 << 10 // bytes
	maxLessons = 2000
	digestLen  = 64
	nonceLen   = 32
	macContext = "sealed note"
)

// Refused is what a note that cannot be believed is refused with. Its text
// is for people and repeats nothing of the note.
type Refused struct {
	Reason Reason
	Detail string
}

// Error says what is wrong with the note.
func (e *Refused) Error() string { return e.Detail }

// Seal completes a note with its schema and MAC and returns its bytes, which
// Open takes. It fails without a key, or where a field is not as Open wants it.
func Seal(n Note, key Signer) ([]byte, error) {
	n.Schema, n.MAC = Schema, ""
	if n.Lessons == nil {
		n.Lessons = []string{}
	}
	if field := n.wrong(); field != "" {
		return nil, fmt.Errorf("no note can be sealed: %s is not as it must be", field)
	}
	n.MAC = key.MAC(macContext, n.unsigned())
	if n.MAC == "" {
		return nil, fmt.Errorf("no note can be sealed without a key")
	}
	return append(encode(n), '\n'), nil
}

// Open reads a note of at most MaxNote bytes, strictly, and verifies its MAC.
// An error is a *Refused, and the note is then empty.
func Open(data []byte, key Signer) (Note, error) {
	var n Note
	limits := contract.Limits{MaxBytes: MaxNote, MaxDepth: 3, MaxItems: maxLessons, MaxString: 256}
	if err := contract.StrictJSON(data, &n, limits); err != nil {
		return Note{}, &Refused{Malformed, "the sealed note is not one: " + err.Error()}
	}
	if field := n.wrong(); field != "" {
		return Note{}, &Refused{Malformed, "the sealed note is not one: " + field + " is not as it must be"}
	}
	if !key.VerifyMAC(macContext, n.MAC, n.unsigned()) {
		return Note{}, &Refused{Forged, "the sealed note was not made with this key, or was changed since"}
	}
	return n, nil
}

// unsigned are the canonical bytes that the MAC is over.
func (n Note) unsigned() []byte {
	n.MAC = ""
	return encode(n)
}

// encode writes fields in order, so the same note has the same bytes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Strings and integers always encode.
		panic(fmt.Sprintf("handover: %v", err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// wrong names the first field that is not as it must be, or "".
func (n Note) wrong() string {
	for _, d := range []struct{ name, value string }{
		{"policy", n.Policy}, {"brief", n.Brief}, {"snapshot", n.Snapshot}, {"text", n.Text}, {"diff", n.Diff},
	} {
		if !isHex(d.value, digestLen) {
			return d.name
		}
	}
	switch {
	case n.RunID < 1:
		return "run_id"
	case n.Attempt < 1:
		return "attempt"
	case n.RepositoryID < 1:
		return "repository_id"
	case n.Number < 1:
		return "number"
	case !isHex(n.Head, 40) && !isHex(n.Head, 64):
		return "head"
	case !isHex(n.Nonce, nonceLen):
		return "nonce"
	case n.issued().IsZero():
		return "issued_at"
	case len(n.Lessons) > maxLessons:
		return "lessons"
	}
	return ""
}

// issued is the time of the note; zero if it is not written as we write it.
func (n Note) issued() time.Time {
	at, err := time.Parse(time.RFC3339, n.IssuedAt)
	if err != nil || at.Format(time.RFC3339) != n.IssuedAt || !strings.HasSuffix(n.IssuedAt, "Z") {
		return time.Time{}
	}
	return at
}

// isHex tells whether s is n lower-case hex digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
