package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/contract"
)

// goldenManifest is the manifest of facts() around two digests that do not
// depend on age. Its bytes and its MAC must never change: containers of
// earlier releases carry such ones. docs/format.md shows it.
func goldenManifest(t testing.TB) ([]byte, Manifest) {
	t.Helper()
	keys := keysOf(t, "docs/format.md")
	m := facts().prepared(keys.CurrentID())
	m.Database, m.Sealed = blob([]byte("database")), blob([]byte("sealed"))
	text, err := m.signed(keys.ids()[0])
	if err != nil {
		t.Fatal(err)
	}
	return text, m
}

func TestTheManifestInTheDocumentIsTheOneThatIsWritten(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := goldenManifest(t)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), pretty.String()) {
		t.Errorf("docs/format.md does not show this manifest:\n%s", pretty.String())
	}
	for _, kind := range kinds {
		if !strings.Contains(string(doc), "`"+string(kind)+"`") {
			t.Errorf("docs/format.md does not name the kind %s", kind)
		}
	}
}

// kinds are all of them, for tests that must miss none.
var kinds = []Kind{
	TooLarge, BadZip, ForeignMember, BadManifest, NewerSchema, NoKey, BadKey, BadRecipient, NoRandomness,
	UnknownKey, BadMAC, DigestMismatch, WrongRepository, WrongStore, RetiredKey, DecryptFailed, DecompressFailed, BadInput,
}

func TestEveryKindHasANextStep(t *testing.T) {
	source, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +Kind = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(declared) != len(kinds) {
		t.Fatalf("%d kinds are declared, %d are tested", len(declared), len(kinds))
	}
	for i, kind := range kinds {
		if declared[i][1] != string(kind) {
			t.Errorf("kind %d is %s, tested as %s", i, declared[i][1], kind)
		}
		if fix := fixes[kind]; fix == "" || !strings.HasSuffix(fix, ".") {
			t.Errorf("%s has the next step %q", kind, fix)
		}
	}
	if len(fixes) != len(kinds) {
		t.Errorf("%d next steps for %d kinds", len(fixes), len(kinds))
	}
	if KindOf(errors.New("other")) != "" || KindOf(nil) != "" {
		t.Error("other errors have a kind")
	}
	if got := fail(BadMAC, nil, "x %d", 1).with("").Error(); got != "x 1" {
		t.Errorf("an error without a step reads %q", got)
	}
}

func TestWhatIsNoManifest(t *testing.T) {
	good := string(manifestOf(t, keysOf(t, "ada")))
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the manifest has no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct {
		text  string
		kind  Kind
		words string
	}{
		"nothing":                          {"", BadManifest, "$"},
		"an array":                         {"[]\n", BadManifest, "$"},
		"null":                             {"null\n", BadManifest, "$"},
		"no newline":                       {strings.TrimSuffix(good, "\n"), BadManifest, "canonical form"},
		"two newlines":                     {good + "\n", BadManifest, "canonical form"},
		"white space inside":               {swap(`"event":`, `"event": `), BadManifest, "canonical form"},
		"white space in front":             {" " + good, BadManifest, "canonical form"},
		"another order":                    {swap(`"run_attempt":2,"run_id":8001`, `"run_id":8001,"run_attempt":2`), BadManifest, "canonical form"},
		"an escape that is not needed":     {swap(`"octo-org/`, `"octo-org\/`), BadManifest, "canonical form"},
		"an escape of a letter":            {swap(`"octo-org/`, `"\u006fcto-org/`), BadManifest, "canonical form"},
		"a byte order mark":                {"\ufeff" + good, BadManifest, "$"},
		"data behind":                      {good + "{}", BadManifest, "$"},
		"not UTF-8":                        {swap(`"octo-org/`, "\"octo\xff/"), BadManifest, "UTF-8"},
		"a key twice":                      {swap(`"run_id":8001`, `"run_id":8001,"run_id":8001`), BadManifest, "there already"},
		"a key twice, escaped":             {swap(`"run_id":8001`, `"run_id":8001,"run\u005fid":1`), BadManifest, "there already"},
		"a key in another case":            {swap(`"run_id":`, `"Run_ID":`), BadManifest, "$"},
		"an unknown key":                   {swap(`"run_id":`, `"rating":5,"run_id":`), BadManifest, "$"},
		"an unknown key inside":            {swap(`"total":`, `"lost":1,"total":`), BadManifest, "$.lessons"},
		"a missing key":                    {swap(`"run_id":8001,`, ``), BadManifest, "run_id"},
		"no mac":                           {good[:strings.Index(good, `"mac"`)] + good[strings.Index(good, `"parents"`):], BadManifest, "mac"},
		"a null":                           {swap(`"run_id":8001`, `"run_id":null`), BadManifest, "run_id"},
		"a null list":                      {swap(`"seen":[10,20,30]`, `"seen":null`), BadManifest, "seen"},
		"a string for a number":            {swap(`"run_id":8001`, `"run_id":"8001"`), BadManifest, "run_id"},
		"a fraction":                       {swap(`"run_id":8001`, `"run_id":8001.0`), BadManifest, "run_id"},
		"an exponent":                      {swap(`"run_id":8001`, `"run_id":8001e0`), BadManifest, "run_id"},
		"a number above 64 bits":           {swap(`"run_id":8001`, `"run_id":9223372036854775808`), BadManifest, "run_id"},
		"a leading zero":                   {swap(`"run_id":8001`, `"run_id":08001`), BadManifest, "$"},
		"minus zero":                       {swap(`"installation_id":99`, `"installation_id":-0`), BadManifest, "canonical form"},
		"schema 1":                         {swap(`"schema_version":2`, `"schema_version":1`), BadManifest, "schema_version"},
		"schema 0":                         {swap(`"schema_version":2`, `"schema_version":0`), BadManifest, "schema_version"},
		"schema 2.0":                       {swap(`"schema_version":2`, `"schema_version":2.0`), BadManifest, "schema_version"},
		"schema 3.5":                       {swap(`"schema_version":2`, `"schema_version":3.5`), BadManifest, "schema_version"},
		"schema two":                       {swap(`"schema_version":2`, `"schema_version":"2"`), BadManifest, "schema_version"},
		"schema 3":                         {swap(`"schema_version":2`, `"schema_version":3`), NewerSchema, "has schema 3, this release reads schema 2"},
		"schema 3 with keys of its own":    {`{"new":[[[[1]]]],"schema_version":3}`, NewerSchema, "Use that release"},
		"repository 0":                     {swap(`"repository_id":4711`, `"repository_id":0`), BadManifest, "repository_id"},
		"a store id that is a path":        {swap(testStore, "../../../../etc/passwd/0000000000"), BadManifest, "store_id"},
		"a digest in capitals":             {swap(digestOf("a"), strings.ToUpper(digestOf("a"))), BadManifest, "parents"},
		"a digest with its algorithm":      {swap(`"digest":"`, `"digest":"sha256:`), BadManifest, "digest"},
		"a parent twice":                   {swap(`"`+parentsOf(t)[0]+`"`, `"`+parentsOf(t)[0]+`","`+parentsOf(t)[0]+`"`), BadManifest, "parents"},
		"parents not sorted":               {swap(parentsOf(t)[0]+`","`+parentsOf(t)[1], parentsOf(t)[1]+`","`+parentsOf(t)[0]), BadManifest, "parents"},
		"seen not sorted":                  {swap("[10,20,30]", "[20,10,30]"), BadManifest, "seen"},
		"seen twice":                       {swap("[10,20,30]", "[10,10,30]"), BadManifest, "seen"},
		"seen 0":                           {swap("[10,20,30]", "[0,20,30]"), BadManifest, "seen"},
		"too many seen":                    {swap("[10,20,30]", "["+strings.Repeat("1,", MaxSeen)+"1]"), BadManifest, "seen"},
		"a time with a fraction":           {swap("04:05:06Z", "04:05:06.5Z"), BadManifest, "created_at"},
		"a time in a zone":                 {swap("04:05:06Z", "04:05:06+02:00"), BadManifest, "created_at"},
		"a time with a zero zone":          {swap("04:05:06Z", "04:05:06+00:00"), BadManifest, "canonical form"},
		"a day that is none":               {swap("2026-02-03", "2026-02-30"), BadManifest, "$"},
		"a time without colons":            {swap("04:05:06Z", "040506Z"), BadManifest, "$"},
		"a time of 1970":                   {swap("2026-02-03", "1970-02-03"), BadManifest, "created_at"},
		"a sealed size of 0":               {regexp.MustCompile(`"size":\d+\},"seen"`).ReplaceAllString(good, `"size":0},"seen"`), BadManifest, "sealed"},
		"a sealed size above the cap":      {sizeOf(good, "sealed", "67108865"), BadManifest, "sealed.size"},
		"a database above the cap":         {sizeOf(good, "database", "134217729"), BadManifest, "database.size"},
		"more active lessons than lessons": {swap(`"active":7`, `"active":13`), BadManifest, "lessons"},
		"a workflow that hides text":       {swap("familiar.yml", "\u202egpj.yml"), BadManifest, "run_id"},
		"a workflow with a line end":       {swap("familiar.yml", `a\nb`), BadManifest, "run_id"},
		"an event with markup":             {swap("issue_comment", "<b>"), BadManifest, "run_id"},
		"a mac in capitals":                {regexp.MustCompile(`"mac":"\w+"`).ReplaceAllStringFunc(good, func(s string) string { return `"mac":"` + strings.ToUpper(s[7:]) }), BadManifest, "mac"},
		"a version with markup and spaces": {swap(`"1.2.3"`, `"1 <b>"`), BadManifest, "tool_version"},
		"one byte above the cap":           {strings.Repeat(" ", MaxManifest+1), TooLarge, "at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadManifest(assemble([]byte("x"), []byte(c.text)))
			wantKind(t, err, c.kind, c.words)
			for _, told := range []string{"octo-org", "passwd", "<b>", "rating", "gpj"} {
				if strings.Contains(err.Error(), told) {
					t.Errorf("%q repeats %q of the manifest", err, told)
				}
			}
		})
	}
}

func sizeOf(text, member, size string) string {
	return regexp.MustCompile(`("`+member+`":\{"digest":"\w+","size":)\d+`).ReplaceAllString(text, "${1}"+size)
}

func parentsOf(t testing.TB) []string {
	return facts().prepared(keysOf(t, "ada").CurrentID()).Parents
}

func TestTheCauseOfABadManifestIsTheContracts(t *testing.T) {
	_, err := ReadManifest(assemble([]byte("x"), []byte(`{"a":1}`)))
	var e *contract.DecodeError
	if !errors.As(err, &e) || e.Reason != contract.UnknownField {
		t.Errorf("%v", err)
	}
}

func TestAWorkflowMayHaveAnyPrintableName(t *testing.T) {
	keys := keysOf(t, "ada")
	for _, path := range []string{".github/workflows/é日本.yml", `a"b\c.yml`, "a<b>&c.yml", "with space.yml", strings.Repeat("é", 512)} {
		in := facts()
		in.WorkflowPath = path
		zip, _, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: in})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		got, err := Open(zip, keys, expected())
		if err != nil || got.Manifest.WorkflowPath != path {
			t.Errorf("%s came back as %s, %v", path, got.Manifest.WorkflowPath, err)
		}
		_, text := split(t, zip)
		if strings.ContainsAny(path, "<>&é日") && bytes.Contains(text, []byte(`\u`)) {
			t.Errorf("%s is escaped: %s", path, text)
		}
	}
}

// TestAContainerOfTheFirstReleaseOpens: the kept file was written once and is
// never written again.
func TestAContainerOfTheFirstReleaseOpens(t *testing.T) {
	for _, name := range []string{"schema2-first.zip"} {
		zip, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(zip, keysOf(t, "kept container"), expectedWith(func(e *Expect) { e.Digest = blob(zip).Digest }))
		if err != nil || !bytes.Equal(got.SQLite, testDatabase) {
			t.Fatalf("%s: %v", name, err)
		}
		if m := got.Manifest; m.Generation != 7 || len(m.Parents) != 2 || m.Event != "issue_comment" {
			t.Errorf("%+v", m)
		}
	}
}
