package redact

import (
	"regexp"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"
)

// Chunks of 4 KiB are scanned faster than one large text; they overlap by
// more than any single-line token is long, so that none is cut in two.
const (
	chunkSize    = 4 << 10
	chunkOverlap = 768
)

// library loads the rules of gitleaks once, and only when a text needs them:
// it costs tens of milliseconds and megabytes.
var library = sync.OnceValue(func() *detect.Detector {
	logging.Logger = zerolog.Nop() // it would log matches
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		// The rules are compiled in: failing to load them is a broken build,
		// and going on without them would let secrets through.
		panic("redact: the secret rules cannot be loaded: " + err.Error())
	}
	d.IgnoreGitleaksAllow = true // a comment in the text decides nothing
	d.MaxDecodeDepth = 2
	return d
})

// libraryRules applies the library's rules chunk by chunk.
func libraryRules(s string) []Hit {
	var hits []Hit
	for start := 0; start < len(s); start += chunkSize - chunkOverlap {
		end := min(start+chunkSize, len(s))
		chunk := s[start:end]
		if worthScanning(chunk) {
			for _, h := range scan(chunk) {
				hits = append(hits, Hit{Start: start + h.Start, End: start + h.End, Kind: Secret, Rule: h.Rule})
			}
		}
		if end == len(s) {
			break
		}
	}
	return hits
}

// A run without a space that can hold a credential: the catch-all rule of
// the library starts at ten characters, its shortest token with digits at
// eight.
const (
	longRun  = 10
	mixedRun = 8
)

// worthScanning says whether a chunk can hold a secret at all: whether it
// has one long enough run. Short prose passes without loading the library.
func worthScanning(s string) bool {
	run, digits := 0, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= ' ' || c == '"' || c == '\'' || c == '`' || c == ',' || c == ';' || c == '(' || c == ')' {
			run, digits = 0, 0
			continue
		}
		if c >= '0' && c <= '9' {
			digits++
		}
		run++
		if run >= longRun || (run >= mixedRun && digits > 0) {
			return true
		}
	}
	return false
}

func scan(chunk string) []Hit {
	var hits []Hit
	for _, f := range library().DetectString(chunk) {
		if excused(f) {
			continue
		}
		found := occurrences(chunk, f.Secret, f.RuleID)
		if len(found) == 0 {
			// Seen only after decoding: the secret stands there in another
			// form, so the whole line goes.
			found = []Hit{lineHit(chunk, f)}
		}
		hits = append(hits, found...)
	}
	return hits
}

var (
	gitSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)
	uuid   = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// excused drops what the library's catch-all rule takes for a key and is
// none: commit ids, UUIDs, placeholders (attack A84).
func excused(f report.Finding) bool {
	if f.RuleID != "generic-api-key" {
		return strings.HasSuffix(f.Secret, "EXAMPLE")
	}
	return gitSHA.MatchString(f.Secret) || uuid.MatchString(f.Secret) || placeholder(f.Secret)
}

// lineHit covers the lines that a finding names, clamped to the chunk.
func lineHit(chunk string, f report.Finding) Hit {
	start, end, line := 0, len(chunk), 0
	for i := 0; i < len(chunk); i++ {
		if chunk[i] != '\n' {
			continue
		}
		line++
		if line == f.StartLine {
			start = i + 1
		}
		if line == f.EndLine+1 {
			end = i
			break
		}
	}
	return Hit{Start: min(start, end), End: end, Kind: Secret, Rule: f.RuleID}
}
