package diff

import (
	"bufio"
	"errors"
	"io"
)

// rawLine is one line of the input. text is valid until the next read.
type rawLine struct {
	text []byte // without the newline, cut to the bound
	cut  bool
	last byte // the last byte before the newline, also of a cut line
}

// lineReader reads lines of any length in bounded memory and stops at a
// bounded number of bytes.
type lineReader struct {
	r      *bufio.Reader
	buf    []byte
	keep   int // bytes of a line that are kept
	left   int64
	over   bool // the bound on bytes was reached
	read   int64
	peeked *rawLine
	failed error // once reading failed it stays so
}

func newLineReader(r io.Reader, maxBytes int64, keep int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), left: maxBytes, keep: keep}
}

// next returns the next line, or io.EOF at the end and at the bound.
func (l *lineReader) next() (rawLine, error) {
	if l.peeked != nil {
		line := *l.peeked
		l.peeked = nil
		return line, nil
	}
	if l.failed != nil {
		return rawLine{}, l.failed
	}
	var out rawLine
	l.buf = l.buf[:0]
	some := false
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		l.left -= int64(len(part))
		if l.left < 0 {
			l.over, l.failed = true, io.EOF
			return rawLine{}, io.EOF
		}
		ended := len(part) > 0 && part[len(part)-1] == '\n'
		if ended {
			part = part[:len(part)-1]
		}
		some = some || ended || len(part) > 0
		if len(part) > 0 {
			out.last = part[len(part)-1]
		}
		if room := l.keep - len(l.buf); len(part) > room {
			part, out.cut = part[:room], true
		}
		l.buf = append(l.buf, part...)
		switch {
		case ended, errors.Is(err, io.EOF) && some:
			out.text = l.buf
			return out, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			l.failed = err
			return rawLine{}, err
		}
	}
}

// unread makes next return the line again.
func (l *lineReader) unread(line rawLine) { l.peeked = &line }
