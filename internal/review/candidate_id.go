package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// CandidateID names what a reviewer said, word for word: "L-" and the first
// 16 hex digits of the SHA-256 of the compact JSON, keys sorted, of rule,
// severity, place, words and citations. Two that say the same have one id.
// The words cannot be had back from it.
func CandidateID(c Candidate) string {
	c = c.normal()
	replacement := ""
	if c.Replacement != nil {
		replacement = *c.Replacement
	}
	data, err := json.Marshal(map[string]any{ // encoding/json writes the keys of a map sorted
		"rule": c.Rule, "severity": c.Severity, "path": c.Path, "line": c.Line, "title": c.Title, "body": c.Body,
		"recommendation": c.Recommendation, "evidence": c.Evidence, "replacement": replacement, "because": c.Because,
	})
	if err != nil {
		return "" // strings and numbers: cannot be
	}
	sum := sha256.Sum256(data)
	return "L-" + hex.EncodeToString(sum[:8])
}

// EvidenceDigest is the SHA-256, in hex, of the list of places that a finding
// cites, as compact JSON: ["services/retry.go:4"].
func EvidenceDigest(path string, line int) string {
	data, err := json.Marshal([]string{placeName(path, line)})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// placeName is "services/retry.go:4", or the path alone for a whole file.
func placeName(path string, line int) string {
	if line <= 0 {
		return path
	}
	return path + ":" + strconv.Itoa(line)
}
