package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Parse reads the text that `git diff -p` or `git diff-tree -p` prints, with
// any one-letter prefixes. Lines of --raw before the patches, if there are any,
// say which files must appear: those that do not are omissions. What cannot be
// read, or lies beyond lim, is an omission too, and the rest is kept.
//
// The error is the reader's alone; files and omissions then hold what was read
// before it.
//
// This is a parser of our own, and not go-gitdiff's (which the tests compare it
// with): that one ends at the first damaged file, keeps whole lines of any
// length, has no bound on anything, and shows a type change as two files.
func Parse(r io.Reader, lim Limits) ([]File, []Omission, error) {
	lim = lim.withDefaults()
	p := &parser{
		in:  newLineReader(r, lim.Bytes, lim.keep()),
		lim: lim,
	}
	for {
		line, err := p.in.next()
		if err != nil {
			p.end(err)
			break
		}
		p.top(line.text)
	}
	p.finish()
	return p.files, p.omitted, p.err
}

type parser struct {
	in      *lineReader
	lim     Limits
	files   []File
	omitted []Omission
	dropped int                 // omissions beyond maxOmissions
	listed  []string            // paths of --raw lines
	seen    map[string]struct{} // paths of files and of omissions
	err     error
	ended   bool
	started bool // a file was met
}

// top decides about a line outside of any file.
func (p *parser) top(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("diff --git ")):
		p.started = true
		p.file(text[len("diff --git "):])
	case bytes.HasPrefix(text, []byte("diff --cc ")):
		p.started = true
		p.omitName(text[len("diff --cc "):], reasonCombined)
	case bytes.HasPrefix(text, []byte("diff --combined ")):
		p.started = true
		p.omitName(text[len("diff --combined "):], reasonCombined)
	case bytes.HasPrefix(text, []byte("* Unmerged path ")):
		p.started = true
		p.omitName(text[len("* Unmerged path "):], reasonUnmerged)
	case len(text) > 0 && text[0] == ':':
		p.list(text)
	}
}

// list notes a --raw line: ":100644 100644 sha sha R90<tab>old<tab>new".
func (p *parser) list(text []byte) {
	fields := bytes.Split(text, []byte("\t"))
	meta := strings.Fields(string(fields[0]))
	if len(meta) != 5 || len(fields) < 2 || len(fields) > 3 || len(p.listed) > p.lim.Files+maxOmissions {
		return
	}
	if path, rest, ok := unquote(fields[len(fields)-1]); ok && len(rest) == 0 {
		p.listed = append(p.listed, path)
	}
}

func (p *parser) omitName(quoted []byte, reason string) {
	path, _, ok := unquote(quoted)
	if !ok {
		path = ""
	}
	p.omit(path, reason)
}

func (p *parser) omit(path, reason string) {
	p.see(path)
	if len(p.omitted) >= maxOmissions {
		p.dropped++
		return
	}
	p.omitted = append(p.omitted, Omission{Path: path, Reason: reason})
}

func (p *parser) see(path string) {
	if p.seen == nil {
		p.seen = map[string]struct{}{}
	}
	p.seen[path] = struct{}{}
}

func (p *parser) end(err error) {
	p.ended = true
	if !errors.Is(err, io.EOF) && p.err == nil {
		p.err = fmt.Errorf("reading the diff: %w", err)
	}
}

// cause says why the input ended where it did, "" for its real end.
func (p *parser) cause() string {
	switch {
	case p.in.over:
		return reasonBytes(p.lim.Bytes)
	case p.err != nil:
		return "reading the diff failed; what follows was not read"
	}
	return ""
}

// finish accounts for everything that was listed or begun and is not there.
func (p *parser) finish() {
	cause := p.cause()
	missing := 0
	for _, path := range p.listed {
		if _, ok := p.seen[path]; ok {
			continue
		}
		missing++
		reason := cause
		if reason == "" {
			reason = reasonNoPatch
		}
		p.omit(path, reason)
	}
	switch {
	case cause != "" && missing == 0:
		p.omit("", cause)
	case cause == "" && !p.started && len(p.listed) == 0 && p.in.read > 0:
		p.omit("", reasonNoDiff)
	}
	if p.dropped > 0 {
		p.omitted = append(p.omitted, Omission{Reason: fmt.Sprintf("and %d more", p.dropped)})
	}
}

// keep adds a file, or merges it with the one before: git prints a type change
// as the deletion of a path and then its addition.
func (p *parser) keep(f File) {
	n := len(p.files)
	switch {
	case n > 0 && f.Status == Added && p.files[n-1].Status == Deleted && p.files[n-1].Path == f.Path:
		p.files[n-1] = merged(p.files[n-1], f)
	case n >= p.lim.Files:
		p.omit(f.Path, reasonFiles(p.lim.Files))
		return
	default:
		p.files = append(p.files, f)
	}
	p.see(f.Path)
	if f.Partial != "" {
		p.omit(f.Path, f.Partial)
	}
}

func merged(old, now File) File {
	now.Status = TypeChanged
	now.OldMode = old.OldMode
	now.Binary = now.Binary || old.Binary
	now.Submodule = now.Submodule || old.Submodule
	now.Hunks = append(old.Hunks, now.Hunks...)
	if now.Partial == "" {
		now.Partial = old.Partial
	}
	if now.Submodule {
		now.Hunks = nil
	}
	return now
}
