package diff

import (
	"errors"
	"fmt"
	"strings"
)

// ParsePatch reads the `patch` of one file as GitHub's REST API gives it: hunks
// without a file header. An empty patch is a file without hunks; whether that
// is a binary, a file that is too large to show or a mere rename is for the
// caller to say, since the API's other fields tell. Text beyond lim makes the
// file partial (see File.Partial) and is no error; a patch that is no patch is
// one.
func ParsePatch(path, oldPath string, st Status, patch string, lim Limits) (File, error) {
	if path == "" {
		return File{}, errors.New("a patch without the path of its file")
	}
	f := File{Path: path, Status: st}
	if st == Renamed || st == Copied {
		f.OldPath = oldPath
	}
	if patch == "" {
		return f, nil
	}
	lim = lim.withDefaults()
	p := &parser{
		in:  newLineReader(strings.NewReader(patch), lim.Bytes, lim.keep()),
		lim: lim,
	}
	p.hunks(&f, true)
	if cause := p.cause(); cause != "" && f.Partial == "" {
		f.Partial = cause
	}
	if _, err := p.in.next(); err == nil && f.Partial == "" {
		f.Partial = reasonDamaged
	}
	if f.Partial == reasonDamaged && len(f.Hunks) == 0 {
		return File{}, fmt.Errorf("the patch of %q does not begin with a hunk (\"@@ -1,2 +3,4 @@\")", path)
	}
	return f, nil
}
