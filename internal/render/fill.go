package render

// filled is a section whose entries were divided into those that are shown
// and those that are left out for want of room.
type filled struct {
	section
	shown, left []entry
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
	proposalsSection, findingsSection, answersSection, storedSection, refusalsSection, detailsSection, remindersSection, lessonsSection,
}

// frame is room for the title, the lines below and the folding of a section,
// apart from ids of pending lessons.
const frame = 800

// fill decides which entries are shown. An entry that does not fit is left
// out whole; later, smaller ones are still tried, so that a giant hides
// nothing but itself.
func fill(sections []section, room int) []filled {
	out := make([]filled, len(sections))
	taken := make([][]bool, len(sections))
	for i, s := range sections {
		out[i].section = s
		taken[i] = make([]bool, len(s.entries))
		room -= frame
		for _, e := range s.entries {
			if e.id != "" {
				room -= len(e.id) + len("``, ")
			}
		}
	}
	for i, s := range sections {
		room -= take(s.entries, taken[i], min(share[s.kind], room))
	}
	for _, kind := range second {
		for i, s := range sections {
			if s.kind == kind {
				room -= take(s.entries, taken[i], room)
			}
		}
	}
	for i, s := range sections {
		for j, e := range s.entries {
			if taken[i][j] {
				out[i].shown = append(out[i].shown, e)
			} else {
				out[i].left = append(out[i].left, e)
			}
		}
	}
	return out
}

// take marks entries that fit into room, in their order, and returns how much
// they need.
func take(entries []entry, taken []bool, room int) (used int) {
	for i, e := range entries {
		if taken[i] {
			continue
		}
		if n := units(e.markdown()); used+n <= room {
			taken[i] = true
			used += n
		}
	}
	return used
}
