package app

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/text"
	"github.com/familiarhq/familiar/internal/vault"
)

// findingRef is what a comment on a line hides of its finding: enough for
// feedback and for the next push, in ids and digests but for the path, and
// none of the reviewer's words (page 6.4). With a key it is bound by a MAC to
// the repository and the pull request.
type findingRef struct {
	ID          string   `json:"id"` // "F2"
	Fingerprint string   `json:"fingerprint"`
	Path        string   `json:"path"`
	Line        int      `json:"line,omitempty"`
	Base        string   `json:"base,omitempty"`
	Head        string   `json:"head,omitempty"` // that was reviewed
	Candidate   string   `json:"candidate,omitempty"`
	Because     []string `json:"because,omitempty"` // lessons, by document
}

// refOf is the reference of a finding of a review.
func refOf(f review.Finding, base, head string) findingRef {
	return findingRef{
		ID: f.ID, Fingerprint: f.Fingerprint, Path: f.Path, Line: f.Line, Base: base, Head: head,
		Candidate: review.CandidateID(f.Candidate), Because: documents(f.Because),
	}
}

// same says whether two are about one finding, whatever the push.
func (f findingRef) same(o findingRef) bool {
	return f.Fingerprint == o.Fingerprint && f.Path == o.Path
}

// findingLimits bound what is decoded.
var findingLimits = contract.Limits{MaxBytes: 8 << 10, MaxDepth: 2, MaxItems: 32, MaxString: 4096}

// encodeFinding makes the hidden line of a comment on a line. Without a key
// the line is readable all the same, and nothing is believed of it but which
// finding the comment is about.
func encodeFinding(k vault.Keys, repositoryID int64, number int, f findingRef) string {
	data, err := json.Marshal(f)
	if err != nil || len(data) > findingLimits.MaxBytes {
		return ""
	}
	mac := k.MAC(macFinding, findingParts(repositoryID, number, data)...)
	return strings.TrimRight("<!-- familiar:finding v1 "+base64.RawStdEncoding.EncodeToString(data)+" "+mac, " ") + " -->"
}

var findingLine = text.Lazy(`^<!-- familiar:finding v1 ([A-Za-z0-9+/]+)(?: ([0-9a-f]{64}))? -->(?:\n|$)`)

// decodeFinding reads the hidden line of a comment. ok says that it is one;
// vouched, that a key of ours made it for this pull request. Whoever may edit
// a comment can write one that is not vouched for.
func decodeFinding(k vault.Keys, repositoryID int64, number int, body string) (f findingRef, ok, vouched bool) {
	m := findingLine.FindStringSubmatch(strings.ReplaceAll(body, "\r\n", "\n"))
	if m == nil || len(m[1]) > 2*findingLimits.MaxBytes {
		return findingRef{}, false, false
	}
	data, err := base64.RawStdEncoding.DecodeString(m[1])
	if err != nil || contract.StrictJSON(data, &f, findingLimits) != nil || findingNumber(f.ID) == 0 || !f.whole() {
		return findingRef{}, false, false
	}
	return f, true, k.VerifyMAC(macFinding, m[2], findingParts(repositoryID, number, data)...)
}

// whole holds the fields to their form.
func (f findingRef) whole() bool {
	return hexDigits(f.Fingerprint, 32) && f.Path != "" && f.Line >= 0 &&
		(f.Head == "" || hexDigits(f.Head, 40) || hexDigits(f.Head, 64)) && (f.Base == "" || hexDigits(f.Base, 40) || hexDigits(f.Base, 64)) &&
		slices.Equal(documents(f.Because), f.Because)
}

func hexDigits(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func findingParts(repositoryID int64, number int, data []byte) [][]byte {
	return [][]byte{[]byte(strconv.FormatInt(repositoryID, 10)), []byte(strconv.Itoa(number)), data}
}
