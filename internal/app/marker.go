package app

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
	"github.com/familiarhq/familiar/internal/vault"
)

// This file is the one door between what a comment of ours says and what is
// believed of it: the marker with its tag, and the hidden state. Nothing is
// ever read from the visible text (page 6.3, attack A55).

// The contexts of the MACs in comments: one made for one is worth nothing
// for another.
const (
	macStatus  = "status marker"
	macState   = "status state"
	macFinding = "finding marker"
)

// State is what a status comment remembers for later runs, hidden in its
// second line and bound by a MAC to repository id, number and comment id, so
// that it means nothing anywhere else. Somebody who edits the comment can
// take it away or put an older one of the same comment back, never make one.
// Without a key there is none, and every run looks at everything again.
type State struct {
	// Head is the commit that was reviewed, whole; "" if none was yet.
	Head string `json:"head,omitempty"`
	// Inputs is a digest of all that the review depended on. Where it is the
	// same again, reviewing again would say the same.
	Inputs string `json:"inputs,omitempty"`
	// Worst is the severity of that review's worst finding, "" without one:
	// a step that looks at nothing again still fails where it should.
	Worst contract.Severity `json:"worst,omitempty"`
	// Floor is the store that this comment saw (page 5.3).
	Floor Floor `json:"floor,omitzero"`
	// Display is the display of pending proposals that this comment now is, and
	// Before the one that it replaced, where that stood untouched until then
	// (page 6.2).
	Display Display `json:"display,omitzero"`
	Before  Display `json:"before,omitzero"`
	// Shown are the findings of this pull request by their numbers, as shown
	// packs them: a number keeps its meaning over pushes.
	Shown string `json:"shown,omitempty"`
	// By is the reviewer of the last review, and Kept that review where it
	// cannot simply be made again (kept.go).
	By   string `json:"by,omitempty"`
	Kept string `json:"kept,omitempty"`
	// Split is where a head that was recorded left its base.
	Split Split `json:"split,omitzero"`
}

// Split is where a head left its base, as GitHub told it once. All three are
// commits; the zero value says nothing.
type Split struct {
	Base string `json:"base"`
	Head string `json:"head"`
	At   string `json:"at"`
}

// of is the merge base of a base and a head, "" where this says nothing of
// them.
func (s Split) of(base, head string) string {
	if s.Base != base || s.Head != head {
		return ""
	}
	return s.At
}

// same compares what two states say.
func (s State) same(o State) bool {
	at := s.Display.At.Equal(o.Display.At) && s.Before.At.Equal(o.Before.At)
	for _, d := range []*Display{&s.Display, &o.Display, &s.Before, &o.Before} {
		d.At = time.Time{}
	}
	return at && s == o
}

// Floor names the store that a comment saw: one that is older than it is a
// rollback.
type Floor struct {
	Generation int64  `json:"generation" wire:"min=1,max=9007199254740991"`
	Digest     string `json:"digest"` // of the container, hex SHA-256
}

// Display is what a status comment showed of pending proposals, so that a
// label approves that and nothing else.
type Display struct {
	Digest string `json:"digest"` // of the set, with every text
	// At is GitHub's time of it. A comment cannot say when it was itself
	// written: its own display has the zero time.
	At  time.Time `json:"at,omitzero"`
	Cut bool      `json:"cut,omitempty"` // not every proposal was shown whole
}

// stateLimits bound what is decoded. There is always room for a line of
// render.HiddenRoom; a kept review needs more, and is left out where the
// comment has no room for it.
var stateLimits = contract.Limits{MaxBytes: 6<<10 + keptRoom, MaxDepth: 3, MaxItems: 16, MaxString: max(5<<10, keptRoom)}

// maxStateLine is the length of the longest line that is looked at.
const maxStateLine = 2 * (6<<10 + keptRoom)

// encodeState makes the line that hides a state, or "" where there is no key
// to bind it with, or nothing to say.
func encodeState(k vault.Keys, repositoryID int64, number int, commentID int64, s State) string {
	data, err := json.Marshal(s)
	if err != nil || k.Len() == 0 || s.same(State{}) || len(data) > stateLimits.MaxBytes {
		return ""
	}
	mac := k.MAC(macState, boundTo(repositoryID, number, commentID, data)...)
	return "<!-- familiar:state v1 " + base64.RawStdEncoding.EncodeToString(data) + " " + mac + " -->\n"
}

// decodeState reads the state of a comment whose marker line was found; ok is
// false for one that no key of ours made for this very comment.
func decodeState(k vault.Keys, repositoryID int64, number int, commentID int64, line string) (State, bool) {
	m := stateLine.FindStringSubmatch(line)
	if m == nil || len(line) > maxStateLine {
		return State{}, false
	}
	data, err := base64.RawStdEncoding.DecodeString(m[1])
	if err != nil || !k.VerifyMAC(macState, m[2], boundTo(repositoryID, number, commentID, data)...) {
		return State{}, false
	}
	var s State
	if contract.StrictJSON(data, &s, stateLimits) != nil {
		return State{}, false // of a newer version: as if there were none
	}
	return s, true
}

// boundTo are the parts that keep a MAC from being carried to another
// repository, thread or comment.
func boundTo(repositoryID int64, number int, commentID int64, data []byte) [][]byte {
	return [][]byte{
		[]byte(strconv.FormatInt(repositoryID, 10)), []byte(strconv.Itoa(number)),
		[]byte(strconv.FormatInt(commentID, 10)), data,
	}
}

// statusTag is what only we can put into a status comment: a MAC over the
// repository, the number, the comment's own id and its body (page 6.3), so a
// copied or edited comment does not verify.
func statusTag(k vault.Keys, repositoryID int64, number int, commentID int64, untagged string) string {
	return k.MAC(macStatus, boundTo(repositoryID, number, commentID, []byte(untagged))...)
}

// markerLine is the first line of a status comment, stateLine the second.
var (
	markerLine = text.Lazy(`^<!-- familiar:status v1 ([^\s#]+)#(\d{1,10})(?: ([0-9a-f]+))? -->\n`)
	stateLine  = text.Lazy(`^<!-- familiar:state v1 ([A-Za-z0-9+/]+) ([0-9a-f]{64}) -->\n`)
)

// body is a status comment taken apart.
type body struct {
	repo   string
	number int
	tag    string
	state  string // the hidden line, with its line end
	text   string // what is seen
}

// parted splits a comment's body; ok is false for one without our marker.
func parted(s string) (body, bool) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	m := markerLine.FindStringSubmatch(s)
	if m == nil {
		return body{}, false
	}
	number, err := strconv.Atoi(m[2])
	if err != nil {
		return body{}, false
	}
	b := body{repo: m[1], number: number, tag: m[3]}
	// GitHub trims the ends of a body.
	rest := strings.TrimSpace(s[len(m[0]):]) + "\n"
	b.state = stateLine.FindString(rest)
	for line := b.state; line != ""; line = stateLine.FindString(rest) {
		rest = strings.TrimSpace(rest[len(line):]) + "\n" // a second one is nobody's
	}
	b.text = rest
	return b, true
}

// untagged is what the tag is made over.
func (b body) untagged() string {
	return render.Marker(b.repo, b.number, "") + "\n" + b.state + b.text
}

// fitting is a state as it fits beside the text: a kept review is left out
// where there is no room for it.
func (b body) fitting(k vault.Keys, repositoryID, commentID int64, s State) State {
	const marker = 256 // bytes of the first line, and some
	if s.Kept != "" && len(encodeState(k, repositoryID, b.number, commentID, s))+utf8.RuneCountInString(b.text)+marker > github.MaxBody {
		s.Kept = ""
	}
	return s
}

// sealed is the body as it is written below its marker: with the state, and
// tagged where there is a key.
func (b body) sealed(k vault.Keys, repositoryID, commentID int64, s State, shown render.Markup) render.Markup {
	shown = shown.Trimmed() // as GitHub hands it back
	b.text = shown.String()
	b.state = encodeState(k, repositoryID, b.number, commentID, s)
	tag := ""
	if k.Len() > 0 {
		tag = statusTag(k, repositoryID, b.number, commentID, b.untagged())
	}
	return shown.Under(render.Marker(b.repo, b.number, tag), b.state)
}

// own is our status comment on a thread.
type own struct {
	github.Comment       // ID 0: there is none yet
	body           body  // as it is now
	intact         bool  // word for word as we left it
	state          State // zero where none verifies
	// spare are further ones that were made in a race, and half those that a run
	// opened and never finished.
	spare []int64
	half  []github.Comment
}

// findOwn finds our status comment among all comments (page 6.3). Ours are by
// our author and have our marker for this thread; one by anybody else is
// never looked at (A50, A51). With a key the one that verifies comes first;
// then one whose state does, which somebody else edited; then the oldest. A
// second one that verifies was made in a race and is to go. So is one without
// any tag or state, which a run opened and ended before it could finish it:
// nothing that was ever copied from a comment of ours is without.
func findOwn(comments []github.Comment, k vault.Keys, author, repo string, repositoryID int64, number int) own {
	var found []own
	for _, c := range comments {
		b, ok := parted(c.Body)
		if !byUs(c.Author, author) || !ok || !strings.EqualFold(b.repo, repo) || b.number != number {
			continue
		}
		o := own{Comment: c, body: b}
		o.state, _ = decodeState(k, repositoryID, number, c.ID, b.state)
		o.intact = k.Len() == 0 || b.tag != "" && tagged(k, repositoryID, number, c.ID, b)
		found = append(found, o)
	}
	if len(found) == 0 {
		return own{}
	}
	slices.SortStableFunc(found, func(a, b own) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(a.ID, b.ID))
	})
	first := found[0]
	for _, o := range found[1:] {
		switch {
		case k.Len() == 0:
		case o.intact && first.intact:
			first.spare = append(first.spare, o.ID)
		case o.body.tag == "" && o.body.state == "":
			first.half = append(first.half, o.Comment)
		}
	}
	return first
}

// rank is how sure it is that a comment by our author is ours.
func (o own) rank() int {
	switch {
	case o.intact:
		return 2
	case !o.state.same(State{}):
		return 1
	}
	return 0
}

// tagged says whether any identity made the tag of a comment.
func tagged(k vault.Keys, repositoryID int64, number int, commentID int64, b body) bool {
	return k.VerifyMAC(macStatus, b.tag, boundTo(repositoryID, number, commentID, []byte(b.untagged()))...)
}

// runLink is the link to the run that wrote a status comment.
var runLink = text.Lazy(`\[run\]\(https://[^)\s]+\)`)

// says tells whether a comment is as we left it and says what it should:
// word for word but for the run that said it, which is not worth an edit.
func (o own) says(wanted body, s State) bool {
	return o.intact && o.state.same(s) && runLink.ReplaceAllString(o.body.text, "") == runLink.ReplaceAllString(wanted.text, "")
}
