package memory

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWhatIsExportedComesBackWaiting(t *testing.T) {
	check := &Check{Kind: CheckPrefer, Pattern: "a", Prefer: "b", In: []string{"x/**"}, Because: "c", Bad: []string{"a"}, Good: []string{"b"}, Severity: "high"}
	full := standing("m-1aaaaaaa", 1, func(v *Version) {
		v.Check, v.Paths, v.About, v.Class = check, []string{"x/**"}, []string{"y"}, Durable
		v.ValidUntil = time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)
		v.Citations = []Citation{{Path: "x/a.go", StartLine: 1, EndLine: 2, Commit: "ab", Digest: "cd"}}
	})
	gone := standing("m-2aaaaaaa", 1, func(v *Version) { v.State, v.Text = Tombstoned, Redacted })
	data, err := Export(ExportHeader{Repository: "acme/shop", Generation: 7}, []Version{full, gone})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), Redacted) || strings.Count(string(data), "\n") != 2 {
		t.Errorf("what was overwritten is exported:\n%s", data)
	}
	back, err := ReadExport(data)
	if err != nil || len(back.Lines) != 1 || back.Header.Lessons != 1 || back.Header.Generation != 7 {
		t.Fatalf("%+v, %v", back, err)
	}
	line := back.Lines[0]
	n, refusal := line.Lesson()
	if refusal != nil || line.Line != 2 || line.Key != "lessons/one" {
		t.Fatalf("line %d, key %q: %v", line.Line, line.Key, refusal)
	}
	if n.State != ReviewRequired || n.Approved != "" || n.Source != ChatExtracted {
		t.Errorf("it came back as %s, %s by %s: nothing that is imported is in use", n.State, n.Approved, n.Source)
	}
	if n.Text != full.Text || n.Class != Durable || !n.ValidUntil.Equal(full.ValidUntil) || !slices.Equal(n.Paths, full.Paths) || !slices.Equal(n.About, full.About) ||
		!slices.Equal(n.Citations, full.Citations) || n.Check.Pattern != "a" || n.Check.Prefer != "b" || n.Check.Severity != "high" || !slices.Equal(n.Check.Bad, check.Bad) {
		t.Errorf("it came back as %+v, check %+v", n, n.Check)
	}
}

const exportHead = `{"kind":"familiar memory export","version":1,"repository":"a/b","repository_id":1,"store_id":"","generation":1,"lessons":1}` + "\n"

func TestAnExportIsReadWholeOrNotAtAll(t *testing.T) {
	const line = `{"id":"m-1aaaaaaa","version":1,"key":"lessons/x","text":"x","state":"active"}`
	for name, c := range map[string]struct{ data, want string }{
		"empty":                     {"\n\n", "line 1: the file is empty"},
		"no header":                 {line, "line 1: it is not the first line"},
		"a later version":           {strings.Replace(exportHead, `"version":1`, `"version":2`, 1), "line 1: it is not the first line"},
		"a field that nobody knows": {exportHead + line + "\n" + strings.Replace(line, `"key"`, `"confirmed_by":"me","key"`, 1), "line 3: $: unknown_field"},
		"a key twice":               {exportHead + strings.Replace(line, `"key"`, `"text":"y","key"`, 1), "line 2: $: duplicate_key"},
		"half a line":               {exportHead + line[:20], "line 2:"},
		"not UTF-8":                 {exportHead + "\xff", "line 1: the file is not UTF-8"},
		"a line too long":           {exportHead + strings.Replace(line, `"x"`, `"`+strings.Repeat("x", maxExportLine)+`"`, 1), "too_large"},
		"too many lines":            {exportHead + strings.Repeat(line+"\n", MaxExportLines), "at most 20000 lines"},
		"a file too large":          {strings.Repeat("x", MaxExportBytes+1), "at most 16777216 are read"},
	} {
		got, err := ReadExport([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(got.Lines) > 0 {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestALineThatIsNothingToBringInIsRefusedByItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ExportLine)
		want   Reason
	}{
		"forgotten":   {func(l *ExportLine) { l.State = "tombstoned" }, ReasonWrongState},
		"superseded":  {func(l *ExportLine) { l.State = "superseded" }, ReasonWrongState},
		"no state":    {func(l *ExportLine) { l.State = "aktive" }, ReasonStateInvalid},
		"no class":    {func(l *ExportLine) { l.Class = "forever" }, ReasonClassInvalid},
		"no time":     {func(l *ExportLine) { l.ValidUntil = "tomorrow" }, ReasonContentInvalid},
		"no check":    {func(l *ExportLine) { l.Check = &ExportCheck{Kind: "always"} }, ReasonCheckInvalid},
		"no severity": {func(l *ExportLine) { l.Check = &ExportCheck{Kind: "never", Severity: "huge"} }, ReasonCheckInvalid},
	} {
		l := ExportedLesson{Line: 2, ExportLine: ExportLine{Text: "x", State: "active"}}
		c.change(&l.ExportLine)
		if _, refusal := l.Lesson(); refusal == nil || refusal.Reason != c.want || refusal.Target != "line 2" {
			t.Errorf("%s: %+v, want %s", name, refusal, c.want)
		}
	}
}

func FuzzReadExport(f *testing.F) {
	f.Add([]byte(exportHead + `{"id":"m-1aaaaaaa","version":1,"key":"lessons/x","text":"x","state":"active"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadExport(data)
		if err != nil && len(got.Lines) > 0 {
			t.Errorf("half an export was read: %v", err)
		}
		for _, l := range got.Lines {
			if n, refusal := l.Lesson(); refusal == nil && (n.State != ReviewRequired || n.Approved != "") {
				t.Errorf("a line came back as %s, %s", n.State, n.Approved)
			}
		}
	})
}
