package render

import "strings"

// filled is a section whose entries were divided into those that are shown
// and those that are left out for want of room.
type filled struct {
	section
	shown, left []entry
	body        string // the shown entries, laid out
}

// share bounds what a section may take before the others had their turn, so
// that one cannot starve the rest. Sections without one come last, in the
// order of second.
var share = map[sectionKind]int{
	answersSection:   10_000,
	findingsSection:  20_000,
	proposalsSection: 26_000,
}

var second = []sectionKind{
	proposalsSection, findingsSection, answersSection, storedSection, refusalsSection, detailsSection, remindersSection, lessonsSection, earlierSection,
}

// frame is room for the title, the lines below and the folding of a section,
// apart from ids of pending lessons.
const frame = 800

// fill decides which entries are shown. An entry that does not fit is left
// out whole; later, smaller ones are still tried, so that a giant hides
// nothing but itself.
func fill(sections []section, room int) []filled {
	queues := make([]queue, len(sections))
	for i, s := range sections {
		queues[i] = newQueue(s)
		room -= frame + queues[i].idRoom()
	}
	for i, s := range sections {
		room -= queues[i].take(min(share[s.kind], room))
	}
	for _, kind := range second {
		for i, s := range sections {
			if s.kind == kind {
				room -= queues[i].take(room)
			}
		}
	}
	out := make([]filled, len(sections))
	for i := range queues {
		out[i] = queues[i].filled()
	}
	return out
}

// queue is a section whose entries wait for room.
type queue struct {
	section
	texts []string
	taken []bool
}

func newQueue(s section) queue {
	q := queue{section: s, texts: make([]string, len(s.entries)), taken: make([]bool, len(s.entries))}
	for i, e := range s.entries {
		q.texts[i] = e.markdown()
	}
	return q
}

// idRoom is what the ids of pending lessons need if none of them is shown.
func (q queue) idRoom() (n int) {
	for _, e := range q.entries {
		if e.id != "" {
			n += len(e.id) + len("``, ")
		}
	}
	return n
}

// take marks entries that fit into room, in their order, and returns how much
// they need.
func (q queue) take(room int) (used int) {
	for i, text := range q.texts {
		if q.taken[i] {
			continue
		}
		if n := units(text); used+n <= room {
			q.taken[i] = true
			used += n
		}
	}
	return used
}

func (q queue) filled() filled {
	f := filled{section: q.section}
	var b strings.Builder
	for i, e := range q.entries {
		if q.taken[i] {
			f.shown = append(f.shown, e)
			b.WriteString(q.texts[i])
		} else {
			f.left = append(f.left, e)
		}
	}
	f.body = b.String()
	return f
}
