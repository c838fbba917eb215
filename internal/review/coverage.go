package review

// The reasons of a Gap that are this package's own; those of omitted and
// partial files are diff's.
const (
	gapBinary     = "a binary file"
	gapSubmodule  = "a submodule"
	gapUnreported = "the reviewer did not look at it"
)

// coverage counts what was reviewed of what could be (page 7.3). Binaries and
// submodules are named as gaps and do not count as files; a file that was not
// read whole counts, and is never reviewed.
func (x *changeIndex) coverage(reviewed []string) Coverage {
	var c Coverage
	looked := map[string]bool{}
	strange := map[string]bool{}
	for _, name := range reviewed {
		if f, _, ok := x.find(name); ok {
			looked[f.Path] = true
		} else {
			strange[name] = true
		}
	}
	c.Outside = len(strange)
	inChange := map[string]bool{}
	for _, f := range x.change.Files {
		inChange[f.Path] = true
		if x.ignored(f.Path) {
			continue
		}
		switch {
		case f.Binary:
			c.gap(f.Path, gapBinary)
		case f.Submodule:
			c.gap(f.Path, gapSubmodule)
		case f.Partial != "":
			c.Files++
			c.gap(f.Path, f.Partial)
		case !f.Reviewable():
		case looked[f.Path]:
			c.Files++
			c.Reviewed++
		default:
			c.Files++
			c.gap(f.Path, gapUnreported)
		}
	}
	x.omitted(&c, inChange)
	return c
}

// omitted adds what the change does not hold at all.
func (x *changeIndex) omitted(c *Coverage, inChange map[string]bool) {
	for _, o := range x.change.Omitted {
		if o.Path != "" && x.ignored(o.Path) {
			continue
		}
		switch f, _, ok := x.find(o.Path); {
		case o.Path == "" || !inChange[o.Path]:
			c.Files++
			c.gap(o.Path, o.Reason)
		case ok && f.Partial == "" && f.Reviewable():
			// Named as omitted by whoever read the change, though File does
			// not say so: the omission holds.
			c.demote(o.Path, o.Reason)
		}
	}
}

func (c *Coverage) gap(path, reason string) {
	c.Unreviewed = append(c.Unreviewed, Gap{Path: path, Reason: reason})
}

// demote takes a file back that was counted as reviewed.
func (c *Coverage) demote(path, reason string) {
	for i, g := range c.Unreviewed {
		if g.Path == path {
			c.Unreviewed[i].Reason = reason
			return
		}
	}
	c.Reviewed--
	c.gap(path, reason)
}
