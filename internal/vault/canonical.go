package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/familiarhq/familiar/internal/contract"
)

// This file is the one door for manifests. Their bytes have one form, so that
// a MAC over the form is a MAC over the bytes and nobody can hide anything in
// a second spelling.

// encode returns the canonical bytes of m: one JSON object, keys sorted, no
// white space, no escapes but those that JSON demands, and a newline. Without
// the mac member they are what the MAC is over.
func (m Manifest) encode(withMAC bool) ([]byte, error) {
	plain, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.UseNumber()
	var members map[string]any // encoding/json writes the keys of a map sorted
	if err := dec.Decode(&members); err != nil {
		return nil, err
	}
	if !withMAC {
		delete(members, "mac")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(members); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func manifestLimits() contract.Limits {
	return contract.Limits{MaxBytes: MaxManifest, MaxDepth: 2, MaxItems: MaxSeen, MaxString: maxText}
}

// decodeManifest reads a manifest that nobody vouched for yet.
func decodeManifest(data []byte) (Manifest, error) {
	if len(data) > MaxManifest {
		return Manifest{}, fail(TooLarge, nil, "the manifest is %d bytes, at most %d are read", len(data), MaxManifest)
	}
	var m Manifest
	if err := contract.StrictJSON(data, &m, manifestLimits()); err != nil {
		if v := peekVersion(data); v > SchemaVersion {
			return Manifest{}, fail(NewerSchema, nil, "the manifest has schema %d, this release reads schema %d", v, SchemaVersion)
		}
		return Manifest{}, fail(BadManifest, err, "the manifest is refused at %s", reasonOf(err))
	}
	if field, want := m.check(); field != "" {
		return Manifest{}, fail(BadManifest, nil, "the manifest is refused at $.%s: it must be %s", field, want)
	}
	again, err := m.encode(true)
	if err != nil || !bytes.Equal(again, data) {
		return Manifest{}, fail(BadManifest, err, "the manifest is not in canonical form (sorted keys, no white space, one newline)")
	}
	return m, nil
}

func reasonOf(err error) string {
	var e *contract.DecodeError
	if errors.As(err, &e) {
		return e.Path + ": " + e.Detail
	}
	return "$"
}

// peekVersion finds the schema version of a manifest that this release cannot
// read, 0 if it has none that is an integer.
func peekVersion(data []byte) int64 {
	var v struct {
		SchemaVersion json.Number `json:"schema_version"`
	}
	if json.Unmarshal(data, &v) != nil {
		return 0
	}
	n, err := strconv.ParseInt(v.SchemaVersion.String(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

const (
	maxText   = 512 // code points of a workflow path
	maxCount  = 10_000_000
	hexDigest = 64
)

// check returns the first field that lacks its form, and the form. Everything
// that the types cannot say is here, for what is written and what is read.
func (m Manifest) check() (field, want string) {
	for _, c := range []struct {
		ok          bool
		field, want string
	}{
		{m.SchemaVersion == SchemaVersion, "schema_version", "2"},
		{m.RepositoryID > 0, "repository_id", "the numeric id of a repository"},
		{isRepository(m.Repository), "repository", "owner/name"},
		{isHex(m.StoreID, 32), "store_id", "32 lower-case hex digits"},
		{m.InstallationID >= 0, "installation_id", "a numeric id or 0"},
		{m.Generation > 0, "generation", "1 or more"},
		{isHex(m.KeyID, 16), "key_id", "16 lower-case hex digits"},
		{isWord(m.ToolVersion, 64), "tool_version", "1 to 64 printable ASCII characters"},
		{sortedDigests(m.Parents), "parents", "at most 64 hex SHA-256 digests, sorted, each once"},
		{sortedIDs(m.Seen), "seen", "at most 4096 artifact ids, sorted, each once"},
		{isWholeUTC(m.CreatedAt), "created_at", "a time of this age in UTC and whole seconds, as 2026-02-03T04:05:06Z"},
		{m.runIsWhole(), "run_id", "there together with workflow_path, event and run_attempt, or all four empty"},
		{isHex(m.Sealed.Digest, hexDigest), "sealed.digest", "64 lower-case hex digits"},
		{m.Sealed.Size > 0 && m.Sealed.Size <= MaxZip, "sealed.size", "1 byte to 64 MiB"},
		{isHex(m.Database.Digest, hexDigest), "database.digest", "64 lower-case hex digits"},
		{m.Database.Size > 0 && m.Database.Size <= MaxDatabase, "database.size", "1 byte to 128 MiB"},
		{m.Lessons.sane(), "lessons", "counts from 0 to ten million, none above the total"},
		{isHex(m.MAC, hexDigest), "mac", "64 lower-case hex digits"},
	} {
		if !c.ok {
			return c.field, c.want
		}
	}
	return "", ""
}

func (c LessonCounts) sane() bool {
	return c.Total >= 0 && c.Total <= maxCount &&
		c.Active >= 0 && c.Active <= c.Total && c.Pending >= 0 && c.Pending <= c.Total
}

// runIsWhole: GitHub's coordinates of a run come together; a container from a
// command line has none of them.
func (m Manifest) runIsWhole() bool {
	if m.WorkflowPath == "" && m.Event == "" && m.RunID == 0 && m.RunAttempt == 0 {
		return true
	}
	return isPath(m.WorkflowPath) && isEventName(m.Event) && m.RunID > 0 && m.RunAttempt > 0
}

func isEventName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// isPath takes any file name that is printable; U+2028 and U+2029 are not, and
// encoding/json alone would escape them.
func isPath(s string) bool {
	if s == "" || len([]rune(s)) > maxText {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func isWord(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
}

func isRepository(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && isNamePart(owner) && isNamePart(name)
}

func isNamePart(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > 100 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	})
}

func isWholeUTC(t time.Time) bool {
	_, offset := t.Zone()
	return offset == 0 && t.Nanosecond() == 0 && t.Year() >= 2020 && t.Year() <= 9999
}

func sortedDigests(list []string) bool {
	if list == nil || len(list) > MaxParents || slices.ContainsFunc(list, func(s string) bool { return !isHex(s, hexDigest) }) {
		return false
	}
	return ascending(list)
}

func sortedIDs(list []int64) bool {
	if list == nil || len(list) > MaxSeen || slices.ContainsFunc(list, func(n int64) bool { return n <= 0 }) {
		return false
	}
	return ascending(list)
}

func ascending[T string | int64](list []T) bool {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return false
		}
	}
	return true
}
