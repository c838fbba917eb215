package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/text"
	"github.com/familiarhq/familiar/internal/vault"
)

// This file is the one door between what the dashboard issue says and what is
// believed of it: its marker with a tag over every word, the floor that it
// hides, and the boxes, each with a tag over the lesson's text. A tick is the
// one thing that people may change in it; nothing else is read from it.

const (
	macDashboard = "dashboard marker"
	macSeen      = "dashboard floor"
	macBox       = "dashboard box"
)

// board is the body of a dashboard taken apart.
type board struct {
	repo, tag string
	seen      string // the hidden floor, with its line end
	text      string // what is seen, with ticks as they are
}

var (
	boardMarker = text.Lazy(`^<!-- familiar:dashboard v1 ([^\s#]+)(?: ([0-9a-f]{64}))? -->\n`)
	seenLine    = text.Lazy(`^<!-- familiar:seen v1 (\d{1,16}) ([0-9a-f]{64}) ([0-9a-f]{64}) -->\n`)
	boxLine     = text.Lazy(`(?m)^- \[([ xX])\] .* <!-- familiar:box (approve|retire) (m-[0-9a-hjkmnp-tv-z]{8}@[1-9][0-9]{0,8}) ([0-9a-f]{64}) -->$`)
)

// partedBoard splits the body of an issue; ok is false for one without our
// marker.
func partedBoard(s string) (board, bool) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	m := boardMarker.FindStringSubmatch(s)
	if m == nil || len(s) > 4*github.MaxBody {
		return board{}, false
	}
	rest := strings.TrimSpace(s[len(m[0]):]) + "\n" // GitHub trims the ends of a body
	b := board{repo: m[1], tag: m[2], seen: seenLine.FindString(rest)}
	b.text = strings.TrimSpace(rest[len(b.seen):]) + "\n"
	return b, true
}

// plain is the board without its ticks: what the tag is made over.
func (b board) plain() board {
	b.text = boxLine.ReplaceAllStringFunc(b.text, func(line string) string { return "- [ ]" + line[len("- [x]"):] })
	return b
}

// tagFor is the tag of a board that we wrote on that issue.
func (b board) tagFor(k vault.Keys, repositoryID int64, number int) string {
	return k.MAC(macDashboard, b.bound(repositoryID, number)...)
}

// verifies says whether every word but the ticks is ours, for this issue.
func (b board) verifies(k vault.Keys, repositoryID int64, number int) bool {
	return b.tag != "" && k.VerifyMAC(macDashboard, b.tag, b.bound(repositoryID, number)...)
}

func (b board) bound(repositoryID int64, number int) [][]byte {
	b = b.plain()
	return boundTo(repositoryID, number, 0, []byte(render.DashboardMarker(b.repo, "")+"\n"+b.seen+b.text))
}

// sealedBoard is the body as it is written: nothing ticked, with the floor and
// the tag.
func sealedBoard(k vault.Keys, repo string, repositoryID int64, number int, seen Floor, text render.Markup) render.Markup {
	text = text.Trimmed() // as GitHub hands it back
	b, _ := partedBoard(text.Under(render.DashboardMarker(repo, "")).String())
	b.seen = hiddenFloor(k, repositoryID, number, seen)
	return text.Under(render.DashboardMarker(b.repo, b.tagFor(k, repositoryID, number)), b.seen)
}

func hiddenFloor(k vault.Keys, repositoryID int64, number int, f Floor) string {
	if f.Generation <= 0 || len(f.Digest) != 64 {
		return ""
	}
	return fmt.Sprintf("<!-- familiar:seen v1 %d %s %s -->\n", f.Generation, f.Digest, k.MAC(macSeen, floorParts(repositoryID, number, f)...))
}

// floor is the store that the dashboard saw. Its own MAC binds it, so that an
// edit of the words around it does not take the guard away.
func (b board) floor(k vault.Keys, repositoryID int64, number int) Floor {
	m := seenLine.FindStringSubmatch(b.seen)
	if m == nil {
		return Floor{}
	}
	generation, err := strconv.ParseInt(m[1], 10, 64)
	f := Floor{Generation: generation, Digest: m[2]}
	if err != nil || !k.VerifyMAC(macSeen, m[3], floorParts(repositoryID, number, f)...) {
		return Floor{}
	}
	return f
}

func floorParts(repositoryID int64, number int, f Floor) [][]byte {
	return boundTo(repositoryID, number, 0, fmt.Appendf(nil, "%d %s", f.Generation, f.Digest))
}

// ticked are the boxes that are ticked, with the tags that they carry.
func (b board) ticked() map[render.Box]string {
	out := map[render.Box]string{}
	for _, m := range boxLine.FindAllStringSubmatch(b.text, -1) {
		if m[1] != " " {
			out[render.Box{Op: memory.Op(m[2]), Version: m[3]}] = m[4]
		}
	}
	return out
}

// boxTag binds a box to the text that stands beside it.
func boxTag(k vault.Keys, repositoryID int64, number int, box render.Box, text string) string {
	return k.MAC(macBox, boxParts(repositoryID, number, box, text)...)
}

// boxMeans says whether a box was shown beside this very text.
func boxMeans(k vault.Keys, repositoryID int64, number int, box render.Box, tag, text string) bool {
	return k.VerifyMAC(macBox, tag, boxParts(repositoryID, number, box, text)...)
}

func boxParts(repositoryID int64, number int, box render.Box, text string) [][]byte {
	return append(boundTo(repositoryID, number, 0, []byte(box.Name())), []byte(text))
}

// boxTags are the tags of the boxes of all versions that have one. Of two
// texts under one id, which a merge can leave, neither has a box: a tick would
// not say which is meant.
func boxTags(k vault.Keys, repositoryID int64, number int, versions []memory.Version) map[string]string {
	out, twice := map[string]string{}, []string{}
	for _, v := range versions {
		box := render.Box{Version: v.ID()}
		switch {
		case v.State == memory.Active:
			box.Op = memory.OpRetire
		case v.State.Pending():
			box.Op = memory.OpApprove
		default:
			continue
		}
		if out[box.Name()] != "" {
			twice = append(twice, box.Name())
		}
		out[box.Name()] = boxTag(k, repositoryID, number, box, v.Text)
	}
	for _, name := range twice {
		delete(out, name)
	}
	return out
}

// newlyTicked are the boxes that an edit ticked, in order.
func newlyTicked(before, after board) []render.Box {
	was := before.ticked()
	var out []render.Box
	for box := range after.ticked() {
		if _, already := was[box]; !already {
			out = append(out, box)
		}
	}
	slices.SortFunc(out, func(a, b render.Box) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}
