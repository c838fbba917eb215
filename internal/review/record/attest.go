package record

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/familiarhq/familiar/internal/contract"
)

// This file is the one door for review.json: nothing else makes one, and
// nothing else turns bytes into one. The bytes have one form, so that a MAC
// over the form is a MAC over the bytes.

// Signer makes and verifies MACs for named purposes; vault.Keys is one.
type Signer interface {
	// MAC is the HMAC-SHA-256 of parts, hex, or "" where there is no key.
	MAC(context string, parts ...[]byte) string
	// VerifyMAC tells whether mac was made over parts for context.
	VerifyMAC(context, mac string, parts ...[]byte) bool
}

const macContext = "review record"

// Reason is a stable word that says why a record is not believed.
type Reason string

// The closed set of reasons.
const (
	Malformed Reason = "malformed"      // no record, or not in the one form
	Forged    Reason = "forged"         // no key of ours attests it, or it was changed since
	Elsewhere Reason = "another_review" // of another repository, pull request or head
	Absent    Reason = "no_candidate"   // it does not have the finding, or not as the marker says
)

// Refused is why a record is not believed. Detail is a sentence for people
// and repeats nothing of the record.
type Refused struct {
	Reason Reason
	Detail string
}

// Error says what is wrong with the record.
func (e *Refused) Error() string { return e.Detail }

func refused(reason Reason, format string, args ...any) error {
	return &Refused{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// Seal attests a record and returns its bytes, which Open takes. It fails
// without a key, or where a field is not as Open wants it.
func Seal(r Record, key Signer) ([]byte, error) {
	r.Signed = nil
	if field := r.wrong(); field != "" {
		return nil, fmt.Errorf("no review.json can be made: %s is not as it must be", field)
	}
	over, err := r.encode()
	if err != nil {
		return nil, err
	}
	mac := key.MAC(macContext, over)
	if mac == "" {
		return nil, fmt.Errorf("no review.json can be attested without a key")
	}
	r.Signed = &Attestation{Algorithm: "hmac-sha256", MAC: mac}
	return r.encode()
}

// encode writes one JSON object, keys sorted, without white space.
func (r Record) encode() ([]byte, error) {
	plain, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	var members map[string]any // encoding/json writes the keys of a map sorted
	if err := d.Decode(&members); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

func limits() contract.Limits {
	return contract.Limits{MaxBytes: MaxBytes, MaxDepth: 6, MaxItems: MaxChanged, MaxString: 1024}
}

// Open reads review.json, strictly, and verifies its attestation. An error is
// a *Refused, and the record is then empty.
func Open(data []byte, key Signer) (Record, error) {
	var r Record
	if err := contract.StrictJSON(data, &r, limits()); err != nil {
		return Record{}, refused(Malformed, "review.json is not one: %v", err)
	}
	if field := r.wrong(); field != "" {
		return Record{}, refused(Malformed, "review.json is not one: %s is not as it must be", field)
	}
	again, err := r.encode()
	if err != nil || !bytes.Equal(again, data) {
		return Record{}, refused(Malformed, "review.json is not in its one form (sorted keys, no white space)")
	}
	if r.Signed == nil {
		return Record{}, refused(Forged, "review.json has no attestation")
	}
	over := r
	over.Signed = nil
	unsigned, err := over.encode()
	if err != nil || !key.VerifyMAC(macContext, r.Signed.MAC, unsigned) {
		return Record{}, refused(Forged, "review.json was not made with this key, or was changed since")
	}
	return r, nil
}
