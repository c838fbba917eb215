package gitrepo

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/redact"
)

// Commit is one commit. Subject and AuthorName are untrusted text, valid UTF-8
// and bounded; nothing but people reads AuthorName.
type Commit struct {
	SHA        string
	Parents    []string
	Subject    string
	AuthorName string
	Time       time.Time // of the committer, in UTC; zero where the commit has none
	tree       string
}

const (
	maxSubject = 1000 // bytes
	maxName    = 200
)

// parseCommit reads a commit object. ok is false where it names no tree.
func parseCommit(sha string, object []byte) (Commit, bool) {
	c := Commit{SHA: sha}
	head, message, _ := bytes.Cut(object, []byte("\n\n"))
	for line := range strings.SplitSeq(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			if isSHA(value) {
				c.Parents = append(c.Parents, value)
			}
		case "author":
			c.AuthorName, _ = signature(value)
		case "committer":
			_, c.Time = signature(value)
		}
	}
	c.Subject = subject(message)
	return c, isSHA(c.tree)
}

// signature reads "Name <address> 1764482400 +0100".
func signature(s string) (name string, at time.Time) {
	before, after, _ := strings.Cut(s, "<")
	name = bounded(strings.TrimSpace(before), maxName)
	_, after, _ = strings.Cut(after, "> ")
	seconds, _, _ := strings.Cut(after, " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil && n > 0 && n < 1<<40 {
		at = time.Unix(n, 0).UTC()
	}
	return name, at
}

// subject joins the lines of the first paragraph, as git does. A word that the
// bound cuts is left out whole: half a secret is known to no pattern.
func subject(message []byte) string {
	text := string(message[:min(len(message), 8*maxSubject)])
	if i := strings.LastIndexAny(text, " \t\n"); i >= 0 && len(text) < len(message) {
		text = text[:i]
	}
	text = strings.TrimLeft(text, "\n")
	first, _, _ := strings.Cut(text, "\n\n")
	return bounded(redact.Scrub(strings.Join(strings.Fields(first), " ")), maxSubject)
}

func bounded(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
}

// isSHA tells a full object id, SHA-1 or SHA-256, in lower case.
func isSHA(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
