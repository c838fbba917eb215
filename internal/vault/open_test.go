package vault

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWhatWasSealedOpensAgain(t *testing.T) {
	hybrid := hybridKeys(t)
	for name, keys := range map[string]Keys{
		"X25519":                       keysOf(t, "ada"),
		"post-quantum":                 hybrid,
		"X25519 with two retired keys": keysOf(t, "ada", "mara", "hubot"),
	} {
		t.Run(name, func(t *testing.T) {
			zip, m := seal(t, keys)
			got, err := Open(zip, keys, expectedWith(func(e *Expect) { e.Digest = "sha256:" + blob(zip).Digest }))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.SQLite, testDatabase) {
				t.Error("the database came back changed")
			}
			if !reflect.DeepEqual(got.Manifest, m) {
				t.Errorf("opened manifest %+v, sealed %+v", got.Manifest, m)
			}
			if len(got.Notes) != 0 {
				t.Errorf("notes %v, want none", got.Notes)
			}
			if m.KeyID != keys.CurrentID() || m.Database != blob(testDatabase) || m.SchemaVersion != 2 {
				t.Errorf("manifest %+v lacks what Seal fills in", m)
			}
			read, err := ReadManifest(zip)
			if err != nil || !reflect.DeepEqual(read, m) {
				t.Errorf("ReadManifest: %+v, %v", read, err)
			}
		})
	}
}

func TestSealSortsAndCutsWhatItIsGiven(t *testing.T) {
	in := facts()
	in.Parents = []string{digestOf("b"), digestOf("a"), digestOf("b")}
	in.Seen = []int64{3, 1, 3, 2}
	in.CreatedAt = time.Date(2026, 2, 3, 6, 5, 6, 999, time.FixedZone("", 2*3600))
	given := append([]int64{}, in.Seen...)
	_, m, err := Seal(SealInput{Keys: keysOf(t, "ada"), SQLite: testDatabase, Manifest: in})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Parents) != 2 || m.Parents[0] > m.Parents[1] || !reflect.DeepEqual(m.Seen, []int64{1, 2, 3}) {
		t.Errorf("parents %v, seen %v", m.Parents, m.Seen)
	}
	if !m.CreatedAt.Equal(testTime) || m.CreatedAt.Location() != time.UTC {
		t.Errorf("created_at %v", m.CreatedAt)
	}
	if !reflect.DeepEqual(in.Seen, given) {
		t.Error("the caller's list was changed")
	}
}

func TestTwoSealsDifferOnlyInWhatAgeDraws(t *testing.T) {
	keys := keysOf(t, "ada")
	zip1, m1 := seal(t, keys)
	zip2, m2 := seal(t, keys)
	if bytes.Equal(zip1, zip2) {
		t.Error("age drew the same randomness twice")
	}
	if len(zip1) != len(zip2) {
		t.Errorf("%d and %d bytes: something besides age varies", len(zip1), len(zip2))
	}
	m2.Sealed.Digest, m2.MAC = m1.Sealed.Digest, m1.MAC
	if !reflect.DeepEqual(m1, m2) {
		t.Errorf("%+v\n%+v", m1, m2)
	}
}

// TestA18NothingOfTheStoreIsReadableWithoutTheKey: artifacts of a public
// repository can be downloaded by anybody signed in.
func TestA18NothingOfTheStoreIsReadableWithoutTheKey(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	for _, secret := range []string{"lesson", "nobody", "SQLite format", identityText(t, "ada"), keys.Recipient()} {
		if bytes.Contains(zip, []byte(secret)) && secret != "lesson" {
			t.Errorf("the container shows %q", secret)
		}
	}
	_, manifest := split(t, zip)
	if n := strings.Count(string(zip), "lesson"); n != strings.Count(string(manifest), `"lessons":{`) {
		t.Errorf("%d times \"lesson\" in the container, once is the manifest's count", n)
	}
	_, err := Open(zip, keysOf(t, "hubot"), expected())
	wantKind(t, err, UnknownKey, "none of the keys given", "second line of memory-key")
	_, err = Open(zip, Keys{}, expected())
	wantKind(t, err, NoKey, "familiar keygen")
	_, _, err = Seal(SealInput{SQLite: testDatabase, Manifest: facts()})
	wantKind(t, err, NoKey, "familiar keygen")
}

func TestTheZeroExpectLetsNothingOpen(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	_, err := Open(zip, keys, Expect{})
	wantKind(t, err, WrongRepository)
	_, err = Open(zip, keys, Expect{RepositoryID: testRepository})
	wantKind(t, err, WrongStore, "knows no store of its own")
	_, err = Open(zip, keys, Expect{RepositoryID: testRepository, AnyStore: true})
	if err != nil {
		t.Errorf("the first container a repository meets: %v", err)
	}
}

func TestAContainerFromElsewhereIsRefusedEvenWithTheRightKey(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	for name, c := range map[string]struct {
		change func(*Expect)
		kind   Kind
		words  string
	}{
		"another repository":             {func(e *Expect) { e.RepositoryID = 4712 }, WrongRepository, "belongs to repository 4711, not to 4712"},
		"a negative repository":          {func(e *Expect) { e.RepositoryID = -1 }, WrongRepository, "not to -1"},
		"another store":                  {func(e *Expect) { e.StoreID = strings.Repeat("a", 32) }, WrongStore, "not to aaaa"},
		"another store beside AnyStore":  {func(e *Expect) { e.StoreID, e.AnyStore = strings.Repeat("a", 32), true }, WrongStore, "no way to rebind"},
		"the store in another case":      {func(e *Expect) { e.StoreID = strings.ToUpper(testStore) }, WrongStore, ""},
		"another repository, same store": {func(e *Expect) { e.RepositoryID, e.AnyStore = 1, true }, WrongRepository, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(zip, poisoned(t, keys), expectedWith(c.change))
			wantKind(t, err, c.kind, c.words)
		})
	}
}

func TestA15TheListedDigest(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	right := blob(zip).Digest
	for name, c := range map[string]struct {
		digest string
		kind   Kind // "" opens
		notes  []Note
	}{
		"right":                    {right, "", nil},
		"right, as GitHub writes":  {"sha256:" + right, "", nil},
		"absent: opens, noted":     {"", "", []Note{NoDigest}},
		"of other bytes":           {digestOf("other"), DigestMismatch, nil},
		"in capitals":              {strings.ToUpper(right), DigestMismatch, nil},
		"cut":                      {right[:63], DigestMismatch, nil},
		"of another algorithm":     {"sha512:" + right, DigestMismatch, nil},
		"of another algorithm too": {"sha1:" + right[:40], DigestMismatch, nil},
		"blank":                    {" ", DigestMismatch, nil},
		"the prefix alone":         {"sha256:", DigestMismatch, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Open(zip, keys, expectedWith(func(e *Expect) { e.Digest = c.digest }))
			if c.kind != "" {
				wantKind(t, err, c.kind, "digest")
				return
			}
			if err != nil || !reflect.DeepEqual(got.Notes, c.notes) {
				t.Errorf("%v, notes %v, want %v", err, got.Notes, c.notes)
			}
		})
	}
	_, err := Open(append([]byte{}, zip[:100]...), keys, expectedWith(func(e *Expect) { e.Digest = right }))
	wantKind(t, err, DigestMismatch)
}

// TestA111ARetiredKeyOpensOnlyWhatGitHubDatesBeforeTheRotation, plus an hour
// for runs that were under way.
func TestA111ARetiredKeyOpensOnlyWhatGitHubDatesBeforeTheRotation(t *testing.T) {
	old := keysOf(t, "leaked")
	rotated := keysOf(t, "fresh", "leaked")
	zip, _ := seal(t, old)
	since := testTime
	for name, c := range map[string]struct {
		listed, since time.Time
		refused       bool
	}{
		"listed long before":                           {since.AddDate(0, -1, 0), since, false},
		"listed a second before the hour is over":      {since.Add(time.Hour - time.Second), since, false},
		"listed in another zone, inside the hour":      {since.Add(time.Minute).In(time.FixedZone("", 9*3600)), since, false},
		"listed exactly an hour after":                 {since.Add(time.Hour), since, true},
		"listed later":                                 {since.AddDate(0, 1, 0), since, true},
		"no container under the current key yet":       {since, time.Time{}, false},
		"no date of GitHub's":                          {time.Time{}, since, true},
		"no date of GitHub's, and no current one yet ": {time.Time{}, time.Time{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			want := expectedWith(func(e *Expect) { e.ListedAt, e.CurrentSince = c.listed, c.since })
			if c.refused {
				_, err := Open(zip, poisoned(t, rotated), want)
				wantKind(t, err, RetiredKey, "retired key "+old.CurrentID())
				return
			}
			got, err := Open(zip, rotated, want)
			if err != nil || !bytes.Equal(got.SQLite, testDatabase) {
				t.Fatalf("%v", err)
			}
			if !reflect.DeepEqual(got.Notes, []Note{NoDigest, RetiredIdentity}) {
				t.Errorf("notes %v", got.Notes)
			}
		})
	}
}

// TestA111TheManifestsOwnDateDoesNotHelpARetiredKey: created_at is the word
// of whoever sealed.
func TestA111TheManifestsOwnDateDoesNotHelpARetiredKey(t *testing.T) {
	in := facts()
	in.CreatedAt = testTime.AddDate(-1, 0, 0)
	zip, _, err := Seal(SealInput{Keys: keysOf(t, "leaked"), SQLite: testDatabase, Manifest: in})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(zip, keysOf(t, "fresh", "leaked"), expectedWith(func(e *Expect) {
		e.ListedAt, e.CurrentSince = testTime.Add(2*time.Hour), testTime
	}))
	wantKind(t, err, RetiredKey, "listed at 2026-02-03T06:05:06Z", "took over at 2026-02-03T04:05:06Z")
}

func TestTheCurrentKeyNeedsNoDates(t *testing.T) {
	keys := keysOf(t, "fresh", "leaked")
	zip, _ := seal(t, keys)
	if _, err := Open(zip, keys, expected()); err != nil {
		t.Error(err)
	}
	// After the next rotation the same container is a retired key's.
	_, err := Open(zip, keysOf(t, "newest", "fresh"), expected())
	wantKind(t, err, RetiredKey)
	// And a key that is dropped opens nothing.
	_, err = Open(zip, keysOf(t, "newest"), expected())
	wantKind(t, err, UnknownKey)
}

// TestA105WhoSealedIsNotEnough: a container that another workflow of the
// repository made with the right key opens, and says where it came from; the
// caller quarantines it by GitHub's record of the run, not by this word.
func TestA105WhatAContainerSaysOfItsRunIsKept(t *testing.T) {
	keys := keysOf(t, "ada")
	in := facts()
	in.WorkflowPath, in.Event, in.RunID, in.RunAttempt = ".github/workflows/evil.yml", "push", 5, 1
	zip, _, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Open(zip, keys, expected())
	if err != nil {
		t.Fatal(err)
	}
	m := got.Manifest
	if m.WorkflowPath != in.WorkflowPath || m.Event != "push" || m.RunID != 5 || m.RunAttempt != 1 {
		t.Errorf("%+v", m)
	}
}

func TestSealRefusesWhatMakesNoContainer(t *testing.T) {
	keys := keysOf(t, "ada")
	for name, c := range map[string]struct {
		change func(*Manifest)
		field  string
	}{
		"no repository id":            {func(m *Manifest) { m.RepositoryID = 0 }, "repository_id"},
		"a negative installation":     {func(m *Manifest) { m.InstallationID = -1 }, "installation_id"},
		"no name":                     {func(m *Manifest) { m.Repository = "" }, "repository must be owner/name"},
		"a name with two slashes":     {func(m *Manifest) { m.Repository = "a/b/c" }, "repository"},
		"a name that climbs":          {func(m *Manifest) { m.Repository = "a/.." }, "repository"},
		"a name with markup":          {func(m *Manifest) { m.Repository = "a/<b>" }, "repository"},
		"no store id":                 {func(m *Manifest) { m.StoreID = "" }, "store_id"},
		"a blank store id":            {func(m *Manifest) { m.StoreID = strings.Repeat(" ", 32) }, "store_id"},
		"a store id in capitals":      {func(m *Manifest) { m.StoreID = strings.ToUpper(testStore) }, "store_id"},
		"generation 0":                {func(m *Manifest) { m.Generation = 0 }, "generation"},
		"no version":                  {func(m *Manifest) { m.ToolVersion = "" }, "tool_version"},
		"a version with a line end":   {func(m *Manifest) { m.ToolVersion = "1\n2" }, "tool_version"},
		"a parent that is no digest":  {func(m *Manifest) { m.Parents = []string{"main"} }, "parents"},
		"65 parents":                  {func(m *Manifest) { m.Parents = digests(65) }, "parents"},
		"an artifact id of 0":         {func(m *Manifest) { m.Seen = []int64{0} }, "seen"},
		"4097 seen":                   {func(m *Manifest) { m.Seen = numbers(4097, 1) }, "seen"},
		"no time":                     {func(m *Manifest) { m.CreatedAt = time.Time{} }, "created_at"},
		"a run without a workflow":    {func(m *Manifest) { m.WorkflowPath = "" }, "run_id"},
		"a run without an event":      {func(m *Manifest) { m.Event = "" }, "run_id"},
		"a run without an id":         {func(m *Manifest) { m.RunID = 0 }, "run_id"},
		"a run without an attempt":    {func(m *Manifest) { m.RunAttempt = 0 }, "run_id"},
		"a workflow that hides text":  {func(m *Manifest) { m.WorkflowPath = "a\u202eb" }, "run_id"},
		"a workflow with a break":     {func(m *Manifest) { m.WorkflowPath = "a\u2028b" }, "run_id"},
		"a workflow that is no UTF-8": {func(m *Manifest) { m.WorkflowPath = "a\xff" }, "run_id"},
		"a workflow of 513 letters":   {func(m *Manifest) { m.WorkflowPath = strings.Repeat("a", 513) }, "run_id"},
		"an event that is no word":    {func(m *Manifest) { m.Event = "Push!" }, "run_id"},
		"negative counts":             {func(m *Manifest) { m.Lessons.Active = -1 }, "lessons"},
		"more active than there are":  {func(m *Manifest) { m.Lessons.Active = 13 }, "lessons"},
		"more pending than there are": {func(m *Manifest) { m.Lessons.Pending = 13 }, "lessons"},
	} {
		t.Run(name, func(t *testing.T) {
			in := facts()
			c.change(&in)
			zip, _, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
			wantKind(t, err, BadInput, c.field, "Nothing was sealed.")
			if zip != nil {
				t.Error("there are bytes beside the error")
			}
		})
	}
	_, _, err := Seal(SealInput{Keys: keys, Manifest: facts()})
	wantKind(t, err, BadInput, "database.size")
}

func TestACommandLineSealsWithoutARun(t *testing.T) {
	in := facts()
	in.WorkflowPath, in.Event, in.RunID, in.RunAttempt, in.InstallationID = "", "", 0, 0, 0
	in.Parents, in.Seen = nil, nil
	keys := keysOf(t, "ada")
	zip, m, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(zip, keys, expected()); err != nil || m.Parents == nil || m.Seen == nil {
		t.Errorf("%v; parents %v, seen %v", err, m.Parents, m.Seen)
	}
}

func TestAFullManifestFitsAndALargerOneIsRefused(t *testing.T) {
	keys := keysOf(t, "ada")
	in := facts()
	in.Parents, in.Seen = digests(MaxParents), numbers(MaxSeen, 10_000_000_000)
	_, m, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
	if err != nil {
		t.Fatalf("64 parents and 4096 artifact ids of today's length: %v", err)
	}
	if len(m.Seen) != MaxSeen {
		t.Errorf("%d seen", len(m.Seen))
	}
	in.Seen = numbers(MaxSeen, 1_000_000_000_000_000_000)
	_, _, err = Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
	wantKind(t, err, TooLarge, "the manifest is", "at most 65536", "out of what was seen")
}

func digests(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = digestOf(strings.Repeat("x", i))
	}
	return out
}

func numbers(n int, from int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = from + int64(i)
	}
	return out
}

func TestAnyFactsAndBytesComeBack(t *testing.T) {
	keys := keysOf(t, "ada")
	rapid.Check(t, func(rt *rapid.T) {
		in := facts()
		in.RepositoryID = rapid.Int64Min(1).Draw(rt, "repository")
		in.StoreID = rapid.StringMatching(`[0-9a-f]{32}`).Draw(rt, "store")
		in.Generation = rapid.Int64Min(1).Draw(rt, "generation")
		in.Seen = rapid.SliceOfN(rapid.Int64Min(1), 0, 20).Draw(rt, "seen")
		in.WorkflowPath = rapid.StringMatching(`[ -~äé日&<>"\\]{1,40}`).Draw(rt, "workflow")
		in.CreatedAt = time.Unix(rapid.Int64Range(1_600_000_000, 4_000_000_000).Draw(rt, "time"), 0)
		database := rapid.SliceOfN(rapid.Byte(), 1, 5000).Draw(rt, "database")
		zip, sealed, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: in})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := Open(zip, keys, Expect{RepositoryID: in.RepositoryID, StoreID: in.StoreID})
		if err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(got.SQLite, database) || !reflect.DeepEqual(got.Manifest, sealed) ||
			got.Manifest.WorkflowPath != in.WorkflowPath || !got.Manifest.CreatedAt.Equal(in.CreatedAt) {
			rt.Fatalf("%+v", got.Manifest)
		}
	})
}
