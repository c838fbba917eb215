package contract

// Reason is the closed set of reasons for which bytes are refused.
type Reason string

// The closed set of reasons.
const (
	TooLarge      Reason = "too_large"      // more bytes than the limit
	NotUTF8       Reason = "not_utf8"       // bytes that are not UTF-8
	LoneSurrogate Reason = "lone_surrogate" // \uD800 to \uDFFF without its other half
	Syntax        Reason = "syntax"         // not JSON
	TrailingData  Reason = "trailing_data"  // something after the value
	TooDeep       Reason = "too_deep"       // nested deeper than the limit
	DuplicateKey  Reason = "duplicate_key"  // the same key twice in one object
	CaseVariant   Reason = "case_variant"   // a known key in another case
	UnknownField  Reason = "unknown_field"  // a key that the object does not have
	MissingField  Reason = "missing_field"  // a required key is absent
	NullValue     Reason = "null"           // null where a value is required
	WrongType     Reason = "wrong_type"     // another JSON type than required
	NotInSet      Reason = "not_in_set"     // a word outside a closed set
	OutOfRange    Reason = "out_of_range"   // a number outside its bounds
	TooLong       Reason = "too_long"       // a string longer than the limit
	TooMany       Reason = "too_many"       // more items or members than the limit
	BadForm       Reason = "bad_form"       // a string that lacks its required form
	Contradiction Reason = "contradiction"  // two fields that exclude each other
)

// DecodeError says why bytes are no message of the contract. It names places
// and never repeats a value or a key from the input, since either may hold a
// secret.
type DecodeError struct {
	Path   string // where, as $.review.findings[3].line
	Reason Reason
	Detail string // one clause for people, with the bound or the known names
}

// Error names the place, the reason and the detail.
func (e *DecodeError) Error() string {
	return e.Path + ": " + string(e.Reason) + ": " + e.Detail
}

func refuse(path string, reason Reason, detail string) *DecodeError {
	return &DecodeError{Path: path, Reason: reason, Detail: detail}
}
