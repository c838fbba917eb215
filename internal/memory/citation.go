package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxSnippetLines bounds how many lines of a file are tried for a snippet.
const maxSnippetLines = 200_000

// SnippetDigest is the digest of cited lines: SHA-256, in hex, of the lines
// joined by line feeds, without carriage returns and without a last line feed.
func SnippetDigest(lines []string) string {
	h := sha256.New()
	for i, line := range lines {
		if i > 0 {
			h.Write([]byte{'\n'})
		}
		h.Write([]byte(strings.TrimSuffix(line, "\r")))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Cite returns a citation of lines of a file, 1-based and both included. ok is
// false where the file has no such lines.
func Cite(path, commit string, content []byte, start, end int) (c Citation, ok bool) {
	lines := snippetLines(content)
	if start < 1 || end < start || end > len(lines) {
		return Citation{}, false
	}
	return Citation{Path: path, StartLine: start, EndLine: end, Commit: commit, Digest: SnippetDigest(lines[start-1 : end])}, true
}

// Stands says whether the cited lines are still in the file, wherever in it. A
// citation without a digest or with impossible lines cites the file alone, and
// stands as long as there is one.
func (c Citation) Stands(content []byte) bool {
	n := c.EndLine - c.StartLine + 1
	if c.Digest == "" || c.StartLine < 1 || n < 1 {
		return true
	}
	lines := snippetLines(content)
	if c.EndLine <= len(lines) && SnippetDigest(lines[c.StartLine-1:c.EndLine]) == c.Digest {
		return true
	}
	if n*len(lines) > maxSnippetWork {
		return false
	}
	for i := 0; i+n <= len(lines); i++ {
		if SnippetDigest(lines[i:i+n]) == c.Digest {
			return true
		}
	}
	return false
}

// maxSnippetWork bounds the lines that are hashed to find a snippet that
// moved.
const maxSnippetWork = 2_000_000

func snippetLines(content []byte) []string {
	lines := strings.SplitN(string(content), "\n", maxSnippetLines+1)
	if n := len(lines); lines[n-1] == "" || n > maxSnippetLines {
		lines = lines[:n-1]
	}
	return lines
}
