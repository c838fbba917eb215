package app

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

// The contexts of the MACs in comments: one made for one is worth nothing
// for another.
const (
	macStatus  = "status marker"
	macFinding = "finding marker"
	tagLength  = 32 // hex digits that are shown
)

// statusTag is what only we can put into a status comment: a MAC over the
// repository, the number, the comment's own id and its body (page 6.3), so a
// copied or edited comment does not verify.
func statusTag(k vault.Keys, repositoryID int64, number int, commentID int64, untagged string) string {
	return cutTag(k.MAC(macStatus, statusParts(repositoryID, number, commentID, untagged)...))
}

func statusParts(repositoryID int64, number int, commentID int64, untagged string) [][]byte {
	return [][]byte{
		[]byte(strconv.FormatInt(repositoryID, 10)), []byte(strconv.Itoa(number)),
		[]byte(strconv.FormatInt(commentID, 10)), []byte(untagged),
	}
}

func cutTag(mac string) string { return mac[:min(len(mac), tagLength)] }

// markerLine is the first line of a status comment.
var markerLine = regexp.MustCompile(`^<!-- familiar:status v1 ([^\s#]+)#(\d+)(?: ([0-9a-f]+))? -->\n`)

// parted splits a comment's body into its marker's parts and the body
// without the tag, as it was when the tag was made.
func parted(body string) (repo string, number int, tag, untagged string, ok bool) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	m := markerLine.FindStringSubmatchIndex(body)
	if m == nil {
		return "", 0, "", "", false
	}
	repo = body[m[2]:m[3]]
	number, err := strconv.Atoi(body[m[4]:m[5]])
	if err != nil {
		return "", 0, "", "", false
	}
	if m[6] >= 0 {
		tag = body[m[6]:m[7]]
	}
	return repo, number, tag, render.Marker(repo, number, "") + "\n" + body[m[1]:], true
}

// ownComment finds our status comment among all comments (page 6.3): ours by
// author and by marker, the oldest first. With a key the tag must verify, or
// the comment was edited by somebody else and is rewritten; one with our
// marker but another author is never touched (A50, A51).
func ownComment(comments []github.Comment, author, repo string, number int) (github.Comment, bool) {
	for _, c := range comments {
		if c.Author == nil || !strings.EqualFold(c.Author.Login, author) {
			continue
		}
		r, n, _, _, ok := parted(c.Body)
		if ok && strings.EqualFold(r, repo) && n == number {
			return c, true
		}
	}
	return github.Comment{}, false
}

// runLink is the link to the run that wrote a status comment.
var runLink = regexp.MustCompile(`\[run\]\(https://[^)\s]+\)`)

// saysAlready says whether a comment says what it should: word for word but
// for the run that said it, which is not worth an edit; and, with a key, as
// we left it. One that somebody else edited is rewritten.
func saysAlready(k vault.Keys, repositoryID int64, number int, c github.Comment, wanted string) bool {
	_, _, tag, is, ok := parted(strings.TrimSpace(c.Body) + "\n")
	_, _, _, want, ok2 := parted(strings.TrimSpace(wanted) + "\n")
	if !ok || !ok2 || runLink.ReplaceAllString(is, "") != runLink.ReplaceAllString(want, "") {
		return false
	}
	return k.Len() == 0 || tag != "" && tag == statusTag(k, repositoryID, number, c.ID, trimmedAs(is, wanted))
}

// trimmedAs gives a body the end that we write, which GitHub trims.
func trimmedAs(body, written string) string {
	return strings.TrimSpace(body) + written[len(strings.TrimRight(written, " \n")):]
}
