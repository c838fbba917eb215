package diff

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// short renders files and omissions so that a test names all of them.
func short(files []File, omitted []Omission) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %q", f.Status, f.Path)
		if f.OldPath != "" {
			fmt.Fprintf(&b, " from %q", f.OldPath)
		}
		fmt.Fprintf(&b, " %s>%s", f.OldMode, f.NewMode)
		if f.Binary {
			b.WriteString(" binary")
		}
		if f.Submodule {
			b.WriteString(" submodule")
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, " @%d,%d+%d,%d", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, l := range h.Lines {
				fmt.Fprintf(&b, " %d/%d%c%s", l.Old, l.New, l.Op, l.Text)
			}
		}
		b.WriteString("\n")
	}
	for _, o := range omitted {
		fmt.Fprintf(&b, "omitted %q: %s\n", o.Path, o.Reason)
	}
	return b.String()
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestParseReadsWhatGitPrints(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"nothing": {"", ""},
		"a copy": {lines("diff --git a/x b/y", "similarity index 90%", "copy from x", "copy to y", "index 1..2 100644",
			"--- a/x", "+++ b/y", "@@ -1 +1 @@ func main() {", "-a", "+b"),
			`copied "y" from "x" 100644>100644 @1,1+1,1 1/0-a 0/1+b` + "\n"},
		"a rename of quoted names": {lines(`diff --git "a/\303\274.txt" "b/a\tb"`, "similarity index 100%", `rename from "\303\274.txt"`, `rename to "a\tb"`),
			`renamed "a\tb" from "ü.txt" >` + "\n"},
		"one name quoted and one not": {lines(`diff --git "a/x\ty" b/x y`, "similarity index 100%", `rename from "x\ty"`, "rename to x y"),
			`renamed "x y" from "x\ty" >` + "\n"},
		"a bare name and a quoted one, named by the header alone": {lines(`diff --git a/x y "b/x\ty"`, "old mode 100644", "new mode 100755"),
			`modified "x\ty" 100644>100755` + "\n"},
		"a name with a space ends with a tab": {lines("diff --git a/a b b/a b", "index 1..2 100644", "--- a/a b\t", "+++ b/a b\t", "@@ -1 +1 @@", "-a", "+b"),
			`modified "a b" 100644>100644 @1,1+1,1 1/0-a 0/1+b` + "\n"},
		"mnemonic prefixes": {lines("diff --git i/x w/x", "index 1..2 100644", "--- i/x", "+++ w/x", "@@ -1 +1 @@", "-a", "+b"),
			`modified "x" 100644>100644 @1,1+1,1 1/0-a 0/1+b` + "\n"},
		"a binary with a patch of its own": {lines("diff --git a/b b/b", "index 1..2 100644", "GIT binary patch", "literal 4", "LcmZ?wbhEHbWMp7uVPIei", "", "literal 3", "KcmZSJbhC&6_yYg~", "",
			"diff --git a/c b/c", "new file mode 100644", "index 0..1"),
			"modified \"b\" 100644>100644 binary\nadded \"c\" >100644\n"},
		"a line that lost its only space": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "", "-a", "+b"),
			`modified "x" > @1,2+1,2 1/1  2/0-a 0/2+b` + "\n"},
		"a message before the diff": {lines("commit 1", "Author: x", "", "    subject", "", "diff --git a/x b/x", "deleted file mode 100644", "index 1..0"),
			`deleted "x" 100644>` + "\n"},
		"a mail's signature after it": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "-- ", "2.39.5"),
			`modified "x" > @1,1+1,1 1/0-a 0/1+b` + "\n"},
		"a submodule": {lines("diff --git a/s b/s", "index 1..2 160000", "--- a/s", "+++ b/s", "@@ -1 +1 @@", "-Subproject commit 1", "+Subproject commit 2"),
			`modified "s" 160000>160000 submodule` + "\n"},
		"a file that became a submodule": {lines("diff --git a/s b/s", "deleted file mode 100644", "index 1..0", "--- a/s", "+++ /dev/null", "@@ -1 +0,0 @@", "-text",
			"diff --git a/s b/s", "new file mode 160000", "index 0..2", "--- /dev/null", "+++ b/s", "@@ -0,0 +1 @@", "+Subproject commit 2"),
			`type_changed "s" 100644>160000 submodule` + "\n"},
		"a deletion and an addition of other names stay two": {lines("diff --git a/s b/s", "deleted file mode 100644", "diff --git a/t b/t", "new file mode 100644"),
			"deleted \"s\" 100644>\nadded \"t\" >100644\n"},
		"an addition before a deletion of the same name stays two": {lines("diff --git a/s b/s", "new file mode 100644", "diff --git a/s b/s", "deleted file mode 100644"),
			"added \"s\" >100644\ndeleted \"s\" 100644>\n"},
		"no newline on both sides": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", `\ No newline at end of file`, "+b", `\ No newline at end of file`),
			`modified "x" > @1,1+1,1 1/0-a 0/1+b` + "\n"},
		"no newline at the end of the text itself": {"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b",
			`modified "x" > @1,1+1,1 1/0-a 0/1+b` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files, omitted, err := Parse(strings.NewReader(tc.in), Limits{})
			if got := short(files, omitted); got != tc.want || err != nil {
				t.Errorf("got\n%s\nwant\n%s\n(%v)", got, tc.want, err)
			}
		})
	}
}

func TestDamageCostsTheFileAndNotTheRest(t *testing.T) {
	good := lines("diff --git a/ok b/ok", "--- a/ok", "+++ b/ok", "@@ -1 +1 @@", "-a", "+b")
	ok := `modified "ok" > @1,1+1,1 1/0-a 0/1+b` + "\n"
	const damaged = "its part of the diff is damaged"
	for name, tc := range map[string]struct{ in, want string }{
		"fewer lines than counted": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,5 +1,5 @@", " a"),
			`modified "x" > @1,5+1,5 1/1 a` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"more lines than counted": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "+c"),
			`modified "x" > @1,1+1,1 1/0-a 0/1+b` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"too many on one side": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1 @@", "+a", "+b"),
			`modified "x" > @1,2+1,1 0/1+a` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"a header that is none": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,x +1 @@", "+a"),
			`modified "x" >` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"numbers beyond any file": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,99999999999999999999 +1 @@", "+a"),
			`modified "x" >` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"a start of nothing with a length": {lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -0,3 +1 @@", "+a"),
			`modified "x" >` + "\n" + ok + `omitted "x": ` + damaged + "\n"},
		"a name that nobody can tell": {lines("diff --git a/x y b/z", "old mode 100644", "new mode 100755"),
			ok + `omitted "": its name cannot be told from the diff: a/x y b/z` + "\n"},
		"a quote that never ends": {lines(`diff --git "a/x b/x`, `--- "a/x`, `+++ "b/x`, "@@ -1 +1 @@", "-a", "+b"),
			ok + `omitted "": its name cannot be told from the diff: "a/x b/x` + "\n"},
		"a combined diff": {lines("diff --cc dir/x", "index 1,2..3", "--- a/dir/x", "+++ b/dir/x", "@@@ -1,1 -1,1 +1,1 @@@", "- a", " -b", "++c"),
			ok + `omitted "dir/x": a combined diff of a merge has no single old side` + "\n"},
		"an unmerged path": {lines(`* Unmerged path "a\tb"`),
			ok + `omitted "a\tb": it has an unresolved merge conflict in the index; resolve it and review again` + "\n"},
		"a listed file without a patch": {lines(":100644 100644 1 2 M\tghost", ":100644 100644 1 2 M\tok", ""),
			ok + `omitted "ghost": git lists it as changed, but the diff holds no patch for it` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files, omitted, err := Parse(strings.NewReader(tc.in+good), Limits{})
			if got := short(files, omitted); got != tc.want || err != nil {
				t.Errorf("got\n%s\nwant\n%s\n(%v)", got, tc.want, err)
			}
			for _, f := range files {
				lost := slices.ContainsFunc(omitted, func(o Omission) bool { return o.Path == f.Path })
				if (f.Partial != "") != lost {
					t.Errorf("%s: partial %q, but in the omissions: %v", f.Path, f.Partial, lost)
				}
			}
		})
	}
}

func TestTextThatIsNoDiffIsSaidToBeNone(t *testing.T) {
	files, omitted, err := Parse(strings.NewReader("hello\nworld\n"), Limits{})
	want := `omitted "": the text is not a git diff: it has no "diff --git" line` + "\n"
	if got := short(files, omitted); got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestAReaderThatFailsLosesNothingReadBefore(t *testing.T) {
	broken := errors.New("broken pipe")
	in := lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "diff --git a/y b/y", "--- a/y", "+++ b/y", "@@ -1,2 +1,2 @@", "-a", "+b")
	files, omitted, err := Parse(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), Limits{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "reading the diff: ") {
		t.Errorf("error %v", err)
	}
	want := `modified "x" > @1,1+1,1 1/0-a 0/1+b` + "\n" + `modified "y" > @1,2+1,2 1/0-a 0/1+b` + "\n" +
		`omitted "y": reading the diff failed; what follows was not read` + "\n" +
		`omitted "": reading the diff failed; what follows was not read` + "\n"
	if got := short(files, omitted); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSlowReadersGiveTheSame(t *testing.T) {
	in := lines(":1 2 3 4 M\ta", "", "diff --git a/a b/a", "--- a/a", "+++ b/a", "@@ -1 +1 @@", "-"+strings.Repeat("x", 100_000), "+b\r")
	fast, o1, err1 := Parse(strings.NewReader(in), Limits{})
	slow, o2, err2 := Parse(iotest.OneByteReader(strings.NewReader(in)), Limits{})
	if !reflect.DeepEqual(fast, slow) || !reflect.DeepEqual(o1, o2) || err1 != nil || err2 != nil {
		t.Errorf("fast %v %v, slow %v %v", o1, err1, o2, err2)
	}
	if l := fast[0].Hunks[0].Lines[1]; l.Text != "b" || !l.CR {
		t.Errorf("the carriage return is lost: %+v", l)
	}
}

func many(n int, each func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(each(i))
	}
	return b.String()
}

func TestLimitsBecomeOmissions(t *testing.T) {
	file := func(i int) string {
		return lines(fmt.Sprintf("diff --git a/f%d b/f%d", i, i), "new file mode 100644", "--- /dev/null", fmt.Sprintf("+++ b/f%d", i), "@@ -0,0 +1,3 @@", "+one", "+two", "+three")
	}
	list := func(i int) string { return fmt.Sprintf(":000000 100644 0 1 A\tf%d\n", i) }
	one := `added "f0" >100644 @0,0+1,3 0/1+one 0/2+two 0/3+three` + "\n"
	for name, tc := range map[string]struct {
		in   string
		lim  Limits
		want string
	}{
		"files": {many(3, file), Limits{Files: 1},
			one + `omitted "f1": the change has more than 1 files` + "\n" + `omitted "f2": the change has more than 1 files` + "\n"},
		"lines of a file": {file(0), Limits{FileLines: 2},
			`added "f0" >100644 @0,0+1,3 0/1+one 0/2+two` + "\n" + `omitted "f0": more than 2 lines of this file changed; the rest was not read` + "\n"},
		"bytes, with the list of files before": {many(3, list) + file(0) + many(2, func(i int) string { return file(i + 1) }), Limits{Bytes: 240},
			one + `added "f1" >100644` + "\n" + `omitted "f2": the change is larger than 240 bytes; what follows was not read` + "\n"},
		"bytes, without a list": {file(0) + file(1), Limits{Bytes: int64(len(file(0)))},
			one + `omitted "": the change is larger than ` + fmt.Sprint(len(file(0))) + " bytes; what follows was not read\n"},
		"bytes, in the middle of a hunk": {file(0), Limits{Bytes: int64(len(file(0)) - 3)},
			`added "f0" >100644 @0,0+1,3 0/1+one 0/2+two` + "\n" + fmt.Sprintf("omitted %q: the change is larger than %d bytes; what follows was not read\n", "f0", len(file(0))-3) +
				fmt.Sprintf("omitted %q: the change is larger than %d bytes; what follows was not read\n", "", len(file(0))-3)},
		"bytes of a line": {file(0), Limits{LineBytes: 3},
			`added "f0" >100644 @0,0+1,3 0/1+one 0/2+two 0/3+thr` + "\n" + `omitted "f0": line 3 is longer than 3 bytes; its end was not read` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files, omitted, err := Parse(strings.NewReader(tc.in), tc.lim)
			if got := short(files, omitted); got != tc.want || err != nil {
				t.Errorf("got\n%s\nwant\n%s\n(%v)", got, tc.want, err)
			}
		})
	}
}

func TestTheListOfOmissionsIsBoundedToo(t *testing.T) {
	in := many(maxOmissions+50, func(i int) string { return fmt.Sprintf("* Unmerged path f%d\n", i) })
	_, omitted, err := Parse(strings.NewReader(in), Limits{})
	if len(omitted) != maxOmissions+1 || err != nil {
		t.Fatalf("%d omissions, %v", len(omitted), err)
	}
	if last := omitted[maxOmissions]; last != (Omission{Reason: "and 50 more"}) {
		t.Errorf("the last says %+v", last)
	}
}

func TestALongLineIsCutBetweenCharactersAndCostsNoMemory(t *testing.T) {
	long := strings.Repeat("é", 40_000) // 80,000 bytes: more than a line's bound and the reader's buffer
	in := lines("diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -0,0 +1,2 @@", "+x"+long+"\r", "+y")
	files, omitted, err := Parse(strings.NewReader(in), Limits{})
	if err != nil || len(omitted) != 1 || omitted[0].Reason != "line 1 is longer than 64 KiB; its end was not read" {
		t.Fatalf("%v, omitted %+v", err, omitted)
	}
	l := files[0].Hunks[0].Lines
	if len(l) != 2 || l[1].Text != "y" {
		t.Fatalf("the line after it is lost: %d lines", len(l))
	}
	if !l[0].Cut || !l[0].CR || len(l[0].Text) != DefaultLineBytes-1 || !strings.HasPrefix("x"+long, l[0].Text) {
		t.Errorf("cut %v, CR %v, %d bytes", l[0].Cut, l[0].CR, len(l[0].Text))
	}
	allocated := testing.AllocsPerRun(1, func() {
		huge := io.LimitReader(zeros{}, 32<<20)
		_, _, _ = Parse(io.MultiReader(strings.NewReader("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+"), huge), Limits{})
	})
	if allocated > 200 {
		t.Errorf("a line of 32 MiB took %.0f allocations", allocated)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestSizesReadWell(t *testing.T) {
	for n, want := range map[int64]string{64 << 20: "64 MiB", 64 << 10: "64 KiB", 1000: "1000 bytes", 1<<20 + 1: "1048577 bytes"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}
