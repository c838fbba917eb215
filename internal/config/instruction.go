package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// ProfilePath is where a repository keeps its profile.
const ProfilePath = ".github/familiar/profile.yaml"

// InstructionPaths are the files that a reviewer's instruction may come from,
// at the base commit. The first that is there decides, also where it is broken
// (page 6.5).
func InstructionPaths() []string {
	return []string{ProfilePath, "AGENTS.md", ".github/copilot-instructions.md"}
}

// BaseFile is a file of the base commit, as it was found there.
type BaseFile struct {
	Data  []byte
	There bool
	// Problem says why it could not be read though it is there, such as "it is
	// a symbolic link"; "" if it could.
	Problem string
}

// Instruction is what a reviewer is told that the maintainers care about. The
// zero value is none.
type Instruction struct {
	Path   string
	Digest string // SHA-256 of the file's bytes, in hex
	Text   string
}

// ChooseInstruction takes the instruction from the files of the base commit by
// their paths: the profile, else what the repository tells coding agents. One
// that cannot be used is none, and says so: a maintainer who broke the profile
// is not helped by a review that follows another file in silence.
func ChooseInstruction(files map[string]BaseFile) (Instruction, []Diagnostic) {
	for _, p := range InstructionPaths() {
		f := files[p]
		if !f.There {
			continue
		}
		list := problems(p, f)
		if HasErrors(list) {
			return Instruction{}, list
		}
		sum := sha256.Sum256(f.Data)
		return Instruction{Path: p, Digest: hex.EncodeToString(sum[:]), Text: string(f.Data)}, list
	}
	return Instruction{}, nil
}

func problems(p string, f BaseFile) []Diagnostic {
	r := &report{file: p}
	switch {
	case f.Problem != "":
		r.fail(place{}, "make it a regular file of at most 1 MiB", "%s, so the reviewer is told nothing of it", f.Problem)
	case len(f.Data) > MaxProfileBytes:
		r.fail(place{}, "make it smaller", "the file has %d bytes, more than the %d that are read", len(f.Data), MaxProfileBytes)
	case p == ProfilePath:
		return ParseProfile(p, f.Data)
	case invalidUTF8(f.Data) >= 0:
		r.fail(placeOf(f.Data, invalidUTF8(f.Data)), "save the file as UTF-8", "the text is not UTF-8 here")
	case strings.ContainsRune(string(f.Data), 0):
		r.fail(place{}, "save it as text", "the file is not text")
	}
	return r.done()
}

// Audit is the audit instruction of the brief: the file's text under one line
// that says where it is from. "" for none.
func (i Instruction) Audit(commit string) string {
	if strings.TrimSpace(i.Text) == "" {
		return ""
	}
	from := "the base"
	if commit != "" {
		from = "commit " + commit
	}
	return fmt.Sprintf("What the maintainers care about, from %s at %s (sha256 %s):\n\n%s", i.Path, from, i.Digest, i.Text)
}
