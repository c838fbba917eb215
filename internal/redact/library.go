package redact

import (
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/familiarhq/familiar/internal/text"
)

// library loads the rules of gitleaks once, and only when a text needs them:
// it costs tens of milliseconds and megabytes, and its constructor races
// through a global.
var library = sync.OnceValue(func() detectors {
	logging.Logger = zerolog.Nop() // it would log matches
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		// The rules are compiled in: failing to load them is a broken build,
		// and going on without them would let secrets through.
		panic("redact: the secret rules cannot be loaded: " + err.Error())
	}
	plain := detect.NewDetector(d.Config)
	for _, d := range []*detect.Detector{d, plain} {
		d.IgnoreGitleaksAllow = true // a comment in the text decides nothing
	}
	d.MaxDecodeDepth = 2
	return detectors{decoding: d, plain: plain}
})

// detectors are one set of rules twice: looking for what is encoded costs as
// much again as the rules themselves, and the gate knows where there is none.
type detectors struct{ decoding, plain *detect.Detector }

// libraryRules applies the library's rules chunk by chunk, to what its rules
// could match at all.
func libraryRules(s string) []Hit {
	var hits []Hit
	for start, end := 0, 0; end < len(s); start = overlapStart(s, start, end) {
		end = chunkEnd(s, start)
		for _, h := range inChunk(s[start:end]) {
			hits = append(hits, Hit{Start: start + h.Start, End: start + h.End, Kind: Secret, Rule: h.Rule})
		}
	}
	return hits
}

func inChunk(chunk string) []Hit {
	switch found, encoded := lookAt(chunk); found {
	case lookNever:
		return nil
	case lookWhole:
		return scan(chunk, encoded)
	}
	var hits []Hit
	for _, part := range hotLines(chunk) {
		for _, h := range scan(chunk[part.start:part.end], part.encoded) {
			hits = append(hits, Hit{Start: part.start + h.Start, End: part.start + h.End, Kind: Secret, Rule: h.Rule})
		}
	}
	return hits
}

// scan applies every rule of the library to a text.
func scan(chunk string, encoded bool) []Hit {
	d := library().plain
	if encoded {
		d = library().decoding
	}
	var hits []Hit
	done := map[string]bool{}
	for _, f := range d.DetectString(chunk) {
		if done[f.Secret] || excused(f) {
			continue
		}
		done[f.Secret] = true
		found := occurrences(chunk, f.Secret, f.RuleID)
		if len(found) == 0 {
			// Seen only after decoding: the secret stands there in another
			// form, so the whole line goes.
			done[f.Secret] = false
			found = []Hit{lineHit(chunk, f)}
		}
		hits = append(hits, found...)
	}
	return hits
}

var (
	gitSHA     = text.Lazy(`^[0-9a-f]{40}$`)
	uuid       = text.Lazy(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	checksum   = text.Lazy(`(?:h1:|sha(?:1|256|384|512)[-:= ])[A-Za-z0-9+/=_-]{20,}`)
	confidence = text.Lazy(`(?i)secret|passw|token|credential|creds|api|app_?key|access_?key`)
)

// excused drops what the library takes for a key and is none: documented
// examples, and of the catch-all rule, which goes by the name of a variable,
// commit ids, UUIDs, checksums and placeholders (attack A84). Forty
// hexadecimal digits are a commit id unless the name says that they are not.
func excused(f report.Finding) bool {
	if strings.HasSuffix(f.Secret, "EXAMPLE") || strings.HasSuffix(f.Secret, "EXAMPLEKEY") || filler(f.Secret) {
		return true
	}
	if f.RuleID != "generic-api-key" {
		return false
	}
	name, _, _ := strings.Cut(f.Match, f.Secret)
	switch {
	case gitSHA.MatchString(f.Secret):
		return !confidence.MatchString(name)
	case checksum.MatchString(name + f.Secret), checksum.MatchString(f.Secret):
		return true
	}
	return uuid.MatchString(f.Secret) || placeholder(f.Secret)
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
