package diff

import (
	"bytes"
	"strings"
)

// header is what stands between a "diff --git" line and the first hunk.
type header struct {
	oldName, newName   string // of the "diff --git" line, where it is clear
	minus, plus        string // of the "---" and "+++" lines
	from, to           string // of rename and copy lines
	oldMode, newMode   string
	added, deleted     bool
	renamed, copied    bool
	binary, badName    bool
	minusNull, plusNul bool
}

const gitlink = "160000"

// file reads one file, from behind its "diff --git ".
func (p *parser) file(names []byte) {
	var h header
	h.oldName, h.newName = headerNames(names)
	shown := string(bytes.ToValidUTF8(names, []byte("\uFFFD")))
	for {
		line, err := p.in.next()
		if err != nil {
			p.end(err)
			break
		}
		if !h.take(line.text) {
			p.in.unread(line)
			break
		}
	}
	f, ok := h.file()
	full := len(p.files) >= p.lim.Files
	p.hunks(&f, !full && ok && !f.Binary)
	if !ok {
		p.omit("", reasonName+": "+shown[:min(len(shown), 200)])
		return
	}
	if f.Submodule {
		f.Hunks = nil
	}
	p.keep(f)
}

// take reads one header line; false means that the header has ended.
func (h *header) take(text []byte) bool {
	s := string(text[:min(len(text), maxHeaderBytes)])
	key := func(prefix string) (string, bool) { return strings.CutPrefix(s, prefix) }
	switch {
	case strings.HasPrefix(s, "index "):
		// "index old..new 100644": the mode where it did not change.
		if f := strings.Fields(s); len(f) == 3 && h.oldMode == "" && h.newMode == "" {
			h.oldMode, h.newMode = f[2], f[2]
		}
	case strings.HasPrefix(s, "--- "):
		h.minus, h.minusNull = h.side(text[4:])
	case strings.HasPrefix(s, "+++ "):
		h.plus, h.plusNul = h.side(text[4:])
	case strings.HasPrefix(s, "Binary files "), s == "GIT binary patch":
		h.binary = true
	case strings.HasPrefix(s, "similarity index "), strings.HasPrefix(s, "dissimilarity index "):
	default:
		return h.extended(key)
	}
	return true
}

func (h *header) extended(key func(string) (string, bool)) bool {
	if v, ok := key("old mode "); ok {
		h.oldMode = v
	} else if v, ok := key("new mode "); ok {
		h.newMode = v
	} else if v, ok := key("new file mode "); ok {
		h.newMode, h.added = v, true
	} else if v, ok := key("deleted file mode "); ok {
		h.oldMode, h.deleted = v, true
	} else if v, ok := key("rename from "); ok {
		h.from, h.renamed = h.bare(v), true
	} else if v, ok := key("rename to "); ok {
		h.to, h.renamed = h.bare(v), true
	} else if v, ok := key("copy from "); ok {
		h.from, h.copied = h.bare(v), true
	} else if v, ok := key("copy to "); ok {
		h.to, h.copied = h.bare(v), true
	} else {
		return false
	}
	return true
}

func (h *header) bare(s string) string {
	name, _, ok := unquote([]byte(s))
	h.badName = h.badName || !ok
	return name
}

func (h *header) side(s []byte) (string, bool) {
	name, null, ok := sideName(s)
	h.badName = h.badName || !ok
	return name, null
}

// file turns the header into a File without hunks. ok is false where no line
// tells its name.
func (h *header) file() (File, bool) {
	f := File{OldMode: h.oldMode, NewMode: h.newMode, Binary: h.binary}
	oldPath := first(h.from, h.minus, h.oldName)
	newPath := first(h.to, h.plus, h.newName)
	switch {
	case h.added || h.minusNull:
		f.Status, f.Path = Added, newPath
	case h.deleted || h.plusNul:
		f.Status, f.Path = Deleted, first(oldPath, newPath)
	case h.renamed:
		f.Status, f.Path, f.OldPath = Renamed, newPath, oldPath
	case h.copied:
		f.Status, f.Path, f.OldPath = Copied, newPath, oldPath
	default:
		f.Status, f.Path = Modified, first(newPath, oldPath)
	}
	f.Submodule = f.OldMode == gitlink || f.NewMode == gitlink
	return f, f.Path != "" && !h.badName
}

func first(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// hunks reads the hunks of a file. With store unset they are read past.
func (p *parser) hunks(f *File, store bool) {
	h := hunkReader{p: p, f: f, store: store, room: p.lim.FileLines}
	for h.next() {
	}
	line, err := p.in.next()
	if err != nil {
		p.end(err)
		return
	}
	// A line of a hunk behind the last hunk: its counts were wrong.
	if len(line.text) > 0 && strings.IndexByte("+- @", line.text[0]) >= 0 && string(line.text) != "-- " {
		h.partial(reasonDamaged)
	}
	p.in.unread(line)
}
