package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
	"pgregory.net/rapid"
)

// hostile are pieces of text that no lesson shows: what hides, what reorders,
// what breaks a line or an encoding, and what is honest only in its place.
var hostile = []string{
	"\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u200e", "\u2028", "\u2029", "\u007f", "\u0085", "\u009b", "\u0000", "\u001b[31m",
	"\U000e0041", "\ufe0f", "\ufff9", "\ufffe", "\u115f", "\u3164", "\u2800", "\xff", "\xed\xa0\x80", "\n", "\t", "\"", `\`, "'", "<!--", "é", "שלום\u200e", "👩\u200d💻", "ไ\u200bท", " ", "",
}

// hostileText draws words with hostile pieces in them.
func hostileText(rt *rapid.T, name string) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, 3).Draw(rt, name) {
		b.WriteString(rapid.SampledFrom([]string{"a", "services", "x/y", "**", "word-1", "Ω"}).Draw(rt, fmt.Sprint(name, i)))
		b.WriteString(rapid.SampledFrom(hostile).Draw(rt, fmt.Sprint(name, " piece ", i)))
	}
	if rapid.IntRange(0, 19).Draw(rt, name+" is long") == 0 {
		return strings.Repeat(b.String()+"l", rapid.SampledFrom([]int{40, 300, 9000}).Draw(rt, name+" length"))
	}
	return b.String()
}

func hostileTexts(rt *rapid.T, name string) []string {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) string { return hostileText(rt, name) }), 0, 3).Draw(rt, name)
}

func hostileTime(rt *rapid.T, name string) time.Time {
	return rapid.SampledFrom([]time.Time{
		{}, noon, noon.AddDate(1, 0, 0), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(200000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0),
	}).Draw(rt, name)
}

// either draws what is sound nearly always, so that enough is accepted: a
// lesson has a score of fields.
func either[T any](rt *rapid.T, name string, sound T, other func(*rapid.T, string) T) T {
	if rapid.IntRange(0, 14).Draw(rt, name+" is sound") > 0 {
		return sound
	}
	return other(rt, name)
}

func hostileLesson(rt *rapid.T) *memory.NewLesson {
	key := rapid.SampledFrom([]string{"a/b", "c/d", "e/f"}).Draw(rt, "key")
	n := keyed(key, either(rt, "text", rapid.SampledFrom(words).Draw(rt, "words"), hostileText))
	n.Key = memory.Key(either(rt, "the key", string(n.Key), hostileText))
	n.Paths = either(rt, "paths", []string{"billing/**"}, hostileTexts)
	n.About = either(rt, "about", []string{"currency"}, hostileTexts)
	n.ValidUntil = either(rt, "until", time.Time{}, hostileTime)
	n.Again = rapid.Bool().Draw(rt, "again")
	if rapid.IntRange(0, 4).Draw(rt, "cites") == 0 {
		n.Citations = []memory.Citation{{Path: hostileText(rt, "cited"), StartLine: 1, EndLine: 2, Commit: hostileText(rt, "commit"), Digest: hostileText(rt, "digest")}}
	}
	n.Provenance = memory.Provenance{RepositoryID: 7001, PullRequest: 3, Base: either(rt, "base", "", hostileText),
		MergeBase: either(rt, "merge base", "", hostileText), Head: either(rt, "head", "", hostileText), Finding: either(rt, "from", "", hostileText)}
	switch rapid.IntRange(0, 5).Draw(rt, "check") {
	case 0:
		n.Check = &memory.Check{Kind: memory.CheckPrefer, Pattern: either(rt, "pattern", "old(", hostileText), Prefer: either(rt, "prefer", "new(", hostileText),
			In: either(rt, "in", []string{"**"}, hostileTexts), Severity: contract.Severity(either(rt, "severity", "", hostileText)),
			Because: either(rt, "because", "", hostileText), Bad: either(rt, "bad", nil, hostileTexts), Good: either(rt, "good", nil, hostileTexts)}
	case 1:
		n.Check = &memory.Check{Kind: memory.CheckWith, In: either(rt, "in", []string{"api/**"}, hostileTexts), With: either(rt, "with", []string{"docs/**"}, hostileTexts),
			Because: either(rt, "because", "", hostileText), Good: either(rt, "good", nil, hostileTexts)}
	}
	return n
}

// Whatever is accepted can be saved and opened again (page 4.5): the bounds of
// what is written are those of what is read, for every field of every table.
func TestWhateverIsAcceptedIsSavedAndOpensAgain(t *testing.T) {
	t.Parallel()
	dir, runs, accepted := t.TempDir(), 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		s, err := anotherStore(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.db", runs)))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		f := &fixture{Store: s, t: t}
		var ids []string
		for i := range rapid.IntRange(1, 5).Draw(rt, "steps") {
			tr := hostileTransition(rt, f, ids)
			a, err := f.Apply(t.Context(), tr)
			if err != nil {
				rt.Fatalf("%s: %v", tr.Op, err)
			}
			if a.Refused != nil && a.Refused.Detail == "" {
				rt.Fatalf("%s was refused without a word", tr.Op)
			}
			if a.Refused == nil {
				accepted++
			}
			if a.Version.DocumentID != "" {
				ids = append(ids, a.Version.DocumentID)
			}
			if i == 0 {
				hostileRecords(rt, f, a.Version)
			}
		}
		saved := s.path + ".saved"
		if err := s.SaveTo(t.Context(), saved); err != nil {
			rt.Fatal(err)
		}
		again, err := Open(t.Context(), saved, ledger)
		if err != nil {
			rt.Fatalf("what was accepted does not open: %v", err)
		}
		again.Close()
	})
	if accepted < runs/4 {
		t.Errorf("%d transitions were accepted in %d stores", accepted, runs)
	}
}

func hostileTransition(rt *rapid.T, f *fixture, ids []string) memory.Transition {
	ops := []memory.Op{memory.OpRemember, memory.OpRemember, memory.OpPropose, memory.OpImport, memory.OpDismiss, memory.OpCorrect}
	if len(ids) > 0 {
		ops = append(ops, memory.OpEdit, memory.OpKeep, memory.OpApprove, memory.OpForget, memory.OpRevoke, memory.OpRetire)
	}
	tr := f.event(rapid.SampledFrom(ops).Draw(rt, "op"), memory.Principal{ID: 11, Login: either(rt, "login", "ada", hostileText)})
	tr.Through = memory.Through{Kind: either(rt, "kind", "issue_comment", hostileText), ID: either(rt, "event", "9", hostileText), URL: either(rt, "url", "", hostileText)}
	if rapid.IntRange(0, 9).Draw(rt, "at another time") == 0 {
		tr.At = hostileTime(rt, "at")
	}
	switch tr.Op {
	case memory.OpRemember:
		tr.Lesson = hostileLesson(rt)
	case memory.OpPropose, memory.OpImport:
		tr.Lesson = hostileLesson(rt)
		tr.Lesson.Source, tr.Lesson.State = memory.ChatExtracted, memory.ReviewRequired
	case memory.OpDismiss, memory.OpCorrect:
		tr.Lesson, tr.Finding = hostileLesson(rt), either(rt, "finding", "f1", hostileText)
	default:
		tr.Target = rapid.SampledFrom(ids).Draw(rt, "target")
	}
	switch tr.Op {
	case memory.OpEdit:
		tr.Lesson = hostileLesson(rt)
	case memory.OpKeep:
		tr.Keep = &memory.Keeping{Class: rapid.SampledFrom(memory.Classes()).Draw(rt, "class"), SetUntil: true, Until: hostileTime(rt, "another end")}
	case memory.OpRevoke:
		tr.Prefix = either(rt, "prefix", "repo/octocat/ledger/a", hostileText)
	case memory.OpApprove:
		if doc, refused, err := f.Get(f.t.Context(), tr.Target); err == nil && refused == nil {
			tr.Digest = memory.TextDigest(doc[len(doc)-1].Text)
		}
	}
	return tr
}

// hostileRecords notes what needs no transition; what is misused is an error
// there and leaves nothing behind.
func hostileRecords(rt *rapid.T, f *fixture, v memory.Version) {
	ctx, at := f.t.Context(), hostileTime(rt, "noted at")
	cause := memory.NewCause("noted", hostileText(rt, "cause"))
	_ = f.SetRegister(ctx, Register{Name: hostileText(rt, "register"), Value: hostileText(rt, "value"), At: at, Cause: cause})
	_, _ = f.RecordAct(ctx, Act{Op: ActRestore, Cause: cause, At: at, Actor: memory.Principal{ID: 1, Login: hostileText(rt, "restorer")}, Detail: hostileText(rt, "detail")})
	_ = f.RecordRefusals(ctx, cause, at, memory.Principal{ID: 1, Login: hostileText(rt, "refused")}, []memory.Refusal{{Op: hostileText(rt, "op"), Reason: memory.Reason(hostileText(rt, "reason"))}})
	_ = f.RecordSpending(ctx, cause, rapid.SampledFrom([]string{"2026-11-30", "9999-12-31", "0000-01-01"}).Draw(rt, "day"), 7)
	if v.DocumentID == "" {
		return
	}
	_ = f.RecordUses(ctx, []Use{{Version: v.ID(), Finding: hostileText(rt, "used for"), Day: "9999-12-31", PullRequest: 1, Head: hostileText(rt, "used at")}})
	_ = f.RecordDisplay(ctx, Display{Number: 3, CommentID: 4, SetDigest: cause, At: at, Items: []DisplayItem{{ID: v.ID(), Digest: memory.TextDigest(v.Text)}}})
}

func TestWhatCannotBeReadAgainIsRefusedByItsName(t *testing.T) {
	check := func(c memory.Check) func(*memory.NewLesson) {
		return func(n *memory.NewLesson) { n.Check = &c }
	}
	for _, c := range []struct {
		name   string
		change func(*memory.NewLesson)
		reason memory.Reason
		says   string
	}{
		{"an end in the year 10000", func(n *memory.NewLesson) { n.ValidUntil = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, memory.ReasonContentInvalid, "`until:` takes a day from 1970-01-01 to 9999-12-30"},
		{"an end before 1970", func(n *memory.NewLesson) { n.ValidUntil = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC) }, memory.ReasonContentInvalid, "`until:` takes a day from"},
		{"a zero-width space in a glob", func(n *memory.NewLesson) { n.Paths = []string{"services/\u200b**"} }, memory.ReasonUnsafeText, "`paths:` holds U+200B, a zero-width character, at character 10, which hides or reorders what people read; write it again without it, or write `?` in its place"},
		{"an override in a word", func(n *memory.NewLesson) { n.About = []string{"cur\u202erency"} }, memory.ReasonUnsafeText, "`about:` holds U+202E, a bidirectional control, at character 4"},
		{"a soft hyphen in a citation", func(n *memory.NewLesson) { n.Citations = []memory.Citation{{Path: "a\u00adb.go"}} }, memory.ReasonUnsafeText, "a citation holds U+00AD, an invisible character"},
		{"a zero-width space in a pattern", check(memory.Check{Kind: memory.CheckNever, Pattern: "a\u200bb"}), memory.ReasonUnsafeText, "the pattern holds U+200B, a zero-width character, at character 2, which hides or reorders what people read; write it again without it, or with `regex: yes` by its number, such as `\\x{200B}`"},
		{"a line separator in a reason", check(memory.Check{Kind: memory.CheckNever, Pattern: "ab", Because: "x\u2028y"}), memory.ReasonUnsafeText, "`because:` holds U+2028, a line or paragraph separator"},
		{"a byte order mark in an example", check(memory.Check{Kind: memory.CheckNever, Pattern: "ab", Bad: []string{"\ufeffab"}}), memory.ReasonUnsafeText, "an example holds U+FEFF"},
		{"a delete in a companion", check(memory.Check{Kind: memory.CheckWith, In: []string{"a/**"}, With: []string{"b\u200c/**"}}), memory.ReasonUnsafeText, "`with:` holds U+200C"},
		{"examples that are too long together", check(memory.Check{Kind: memory.CheckNever, Pattern: "a", Bad: slices.Repeat([]string{strings.Repeat("a\"", 1000)}, 16), Good: slices.Repeat([]string{strings.Repeat("b", 2000)}, 16)}),
			memory.ReasonContentInvalid, "length(rule) <= 60000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			n := keyed("money/unit", "Amounts are in cents")
			c.change(n)
			f.refused(f.remember(ada, n), c.reason, c.says, "Nothing was stored.")
		})
	}
	t.Run("a word of `about:` is kept in its normal form", func(t *testing.T) {
		f := newFixture(t)
		n := keyed("money/unit", "Amounts are in cents")
		n.About = []string{"cur\u200brency", "two\u0085words"}
		if v := f.must(f.remember(ada, n)); !slices.Equal(v.About, []string{"currency", "two words"}) {
			t.Errorf("%q", v.About)
		}
	})
	t.Run("the last day that can be named is kept", func(t *testing.T) {
		f := newFixture(t)
		v := f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
		last, _ := time.Parse(time.DateOnly, memory.LastDay)
		f.must(f.keep(ada, v.ID(), &memory.Keeping{SetUntil: true, Until: last.AddDate(0, 0, 1)}))
		f.refused(f.keep(ada, v.ID(), &memory.Keeping{SetUntil: true, Until: last.AddDate(0, 0, 2)}), memory.ReasonContentInvalid, "too far off", memory.LastDay)
	})
}

// Should a row that cannot be read get in all the same, the file with it is
// never handed out.
func TestWhatWouldNotOpenIsNotSaved(t *testing.T) {
	f := newFixture(t)
	f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
	if _, err := f.c.conn.ExecContext(t.Context(), "UPDATE documents SET valid_until = 253402300800000"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "saved.db")
	err := f.SaveTo(t.Context(), path)
	if KindOf(err) != Unsound || !strings.Contains(err.Error(), "a row of documents has a column valid_until that is after the year 9999") || !strings.Contains(err.Error(), "a defect of familiar") {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file is there")
	}
}

// What is made of a file while it is held against the check counts only if the
// file is sound, and a file of which it fails is not kept.
func TestWhatIsMadeOfAFileBesideItsCheckCountsOnlyWithIt(t *testing.T) {
	f := newFixture(t)
	f.must(f.remember(ada, keyed("money/unit", "Amounts are in cents")))
	errUse := errors.New("the disk is full")
	for _, c := range []struct {
		name string
		use  error
		want error
		kept bool
	}{{"it works", nil, nil, true}, {"it fails", errUse, errUse, false}} {
		path := filepath.Join(t.TempDir(), "saved.db")
		var read []byte
		err := f.SaveBeside(t.Context(), path, func() (err error) {
			read, _ = os.ReadFile(path)
			return c.use
		})
		left, readErr := os.ReadFile(path)
		if !errors.Is(err, c.want) || (readErr == nil) != c.kept || c.kept && !bytes.Equal(left, read) || len(read) == 0 {
			t.Errorf("%s: %v; %d bytes of %d are left, %v", c.name, err, len(left), len(read), readErr)
		}
	}
	if _, err := f.c.conn.ExecContext(t.Context(), "UPDATE documents SET valid_until = 253402300800000"); err != nil {
		t.Fatal(err)
	}
	used := false
	err := f.SaveBeside(t.Context(), filepath.Join(t.TempDir(), "saved.db"), func() error { used = true; return errUse })
	if KindOf(err) != Unsound || !used {
		t.Errorf("of an unsound one: %v, %v", err, used)
	}
}
