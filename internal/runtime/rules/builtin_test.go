package rules

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/review"
	"github.com/familiarhq/familiar/internal/runtime"
)

func TestEveryBuiltInFindsItsBadExampleAndNothingInAnyGoodOne(t *testing.T) {
	all := BuiltIns()
	if len(all) != 12 {
		t.Fatalf("%d built-in rules, want the dozen of page 7.2", len(all))
	}
	for i, b := range all {
		if i > 0 && all[i-1].ID >= b.ID {
			t.Errorf("%s stands out of order", b.ID)
		}
		if !strings.HasPrefix(b.ID, "builtin/") || b.Title == "" || b.About == "" || b.Leaves == "" || b.Severity.Rank() == 0 {
			t.Errorf("%s is not described whole", b.ID)
		}
		bad := reviewed(t, exampleJob(b.Bad)).Candidates
		if !slices.ContainsFunc(bad, func(c review.Candidate) bool { return c.Rule == b.ID && c.Title == b.Title && c.Body != "" }) {
			t.Errorf("%s does not find its bad example: %q", b.ID, places(bad))
		}
		if good := reviewed(t, exampleJob(b.Good)).Candidates; len(good) > 0 {
			t.Errorf("good example of %s has findings: %s", b.ID, places(good))
		}
	}
}

func TestEveryBuiltInHasAnOffSwitch(t *testing.T) {
	for _, b := range BuiltIns() {
		job := exampleJob(b.Bad)
		job.Rules = slices.DeleteFunc(job.Rules, func(r runtime.Rule) bool { return r.ID == b.ID })
		if got := reviewed(t, job).Candidates; slices.ContainsFunc(got, func(c review.Candidate) bool { return c.Rule == b.ID }) {
			t.Errorf("%s finds something although it is off", b.ID)
		}
	}
}

// pem is the first line of a key, put together so that no scanner takes this
// file for one.
var pem = "-----BEGIN RSA PRIVATE" + " KEY-----"

var token = "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"

func TestLinesThatBuiltInRulesFindAndNearMisses(t *testing.T) {
	for _, c := range []struct {
		name, path, deleted, added string
		want                       string
	}{
		{"a token in a script", "run.sh", "", "A=1\nTOKEN=" + token, "committed-secret run.sh:2"},
		{"a private key", "id_rsa", "", pem + "\nMIIEabcdefgh\n", "committed-secret id_rsa:1"},
		{"a token that was there before and moved", "run.sh", "  TOKEN=" + token, "TOKEN=" + token, ""},
		{"a token in a test", "auth_test.go", "", "tok := \"" + token + "\"", ""},
		{"a token in test data", "testdata/run.sh", "", "TOKEN=" + token, ""},
		{"a pattern that finds tokens", "find.go", "", "re := `x-access-token:([^\\s@/]+)@`", ""},
		{"a placeholder", "run.sh", "", "TOKEN=${{ secrets.GITHUB_TOKEN }}\nTOKEN=<your token>", ""},
		{"a digest under a name like a key", "cache.py", "", "cache_key = \"9b74c9897bac770ffc029102a200c5de9b74c989\"", ""},

		{"a whole conflict in prose", "README.md", "", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs", "conflict-marker README.md:1"},
		{"a lone end of a conflict in code", "a.go", "", "x\n>>>>>>> 1234abc (fix)", "conflict-marker a.go:2"},
		{"a base marker alone in code", "a.go", "", "||||||| merged common ancestors", "conflict-marker a.go:1"},
		{"quoted mail", "NOTES.txt", "", ">>>>>>> he wrote", ""},
		{"a heading underlined by equals signs", "index.rst", "", "Changes\n=======", ""},
		{"a shift operator", "a.cc", "", "x <<<<<<< y\n  <<<<<<< HEAD in a comment", ""},
		{"a marker in a test of a merge tool", "merge_test.go", "", "<<<<<<< ours", ""},
		{"a longer row of signs", "a.txt", "", "<<<<<<<< HEAD\n>>>>>>>>> x", ""},

		{"an override in code", "a.go", "", "x := \"\u202e\"", "hidden-unicode a.go:1"},
		{"an isolate in a comment", "a.rs", "", "// \u2066 admin \u2069", "hidden-unicode a.rs:1"},
		{"tag characters", "AGENTS.md", "", "Be kind.\U000E0069\U000E0067", "hidden-unicode AGENTS.md:1"},
		{"a zero-width space inside a name", "a.js", "", "const us\u200Ber = 1", "hidden-unicode a.js:1"},
		{"a zero-width space in prose", "guide.md", "", "long\u200Bword", ""},
		{"a family of emoji", "a.js", "", "x = '\U0001F469\u200D\U0001F469\u200D\U0001F467 \u2764\uFE0F'", ""},
		{"a flag made of tags", "a.js", "", "x = '\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F'", ""},
		{"Persian with its joiner", "a.js", "", "x = 'می\u200Cخواهم'", ""},
		{"a byte order mark at the start", "a.cs", "", "\uFEFFusing System;", ""},
		{"isolates in a translation", "locales/he.json", "", "{\"a\": \"\u2068x\u2069\"}", ""},

		{"only in a suite", "a.spec.js", "", "describe.only('x', () => {", "focused-test a.spec.js:1"},
		{"only of a table", "__tests__/a.tsx", "", "  test.only.each`", "focused-test __tests__/a.tsx:1"},
		{"only in a serial suite", "e2e/a.ts", "", "test.describe.serial.only('x', async () => {", "focused-test e2e/a.ts:1"},
		{"fit", "spec/a_spec.js", "", "fit('does', function () {", "focused-test spec/a_spec.js:1"},
		{"a method called fit", "map.spec.js", "", "fit(bounds)\nmap.fit('world')", ""},
		{"only as a query", "a.test.ts", "", "const q = db.only('id')\nexpect(it.only).toBe(1)", ""},
		{"only outside a test", "src/runner.ts", "", "it.only('x', () => {})", ""},
		{"only in a comment", "a.test.ts", "", "// it.only('x')", ""},
		{"focus in RSpec", "spec/a_spec.rb", "", "it 'adds', focus: true do", "focused-test spec/a_spec.rb:1"},
		{"focus symbol in RSpec", "spec/a_spec.rb", "", "describe Cart, :focus do", "focused-test spec/a_spec.rb:1"},
		{"focus in RSpec's configuration", "spec/spec_helper.rb", "", "config.filter_run_when_matching :focus", ""},
		{"focus as an option of something else", "spec/a_spec.rb", "", "it 'has focus: true in its markup' do\nexpect(x).to have(focus: true)", ""},
		{"FIt in Ginkgo", "cart_test.go", "", "\tFIt(\"adds\", func() {", "focused-test cart_test.go:1"},
		{"a Go function called FIt", "cart_test.go", "", "\tFIt(x)", ""},
		{"only in Pest", "tests/CartTest.php", "", "it('adds', function () {})->only();", "focused-test tests/CartTest.php:1"},
		{"a focus that moved", "a.spec.js", "it.only('x', f)", "  it.only('x', f)", ""},

		{"skip in a suite", "a.test.ts", "", "describe.skip('x', () => {", "skipped-test a.test.ts:1"},
		{"skip under a condition", "a.test.ts", "", "it.skipIf(win)('x', () => {\nit.runIf(!win)('x', f)", ""},
		{"unconditional skip in pytest", "tests/test_a.py", "", "@pytest.mark.skip", "skipped-test tests/test_a.py:1"},
		{"skip under a condition in pytest", "tests/test_a.py", "", "@pytest.mark.skipif(WIN, reason='')\n@unittest.skipUnless(X, '')\npytest.skip('no network')", ""},
		{"ignore in Rust", "tests/a.rs", "", "#[ignore = \"slow\"]", "skipped-test tests/a.rs:1"},
		{"Disabled in Java", "src/test/java/ATest.java", "", "    @Disabled(\"flaky\")", "skipped-test src/test/java/ATest.java:1"},
		{"Ignore in Java that gets a reason", "src/test/java/ATest.java", "  @Ignore", "  @Ignore(\"not yet\")", ""},
		{"one more Ignore in Java beside one that gets a reason", "src/test/java/ATest.java", "  @Ignore", "  @Ignore(\"not yet\")\n  @Ignore(\"flaky\")", "skipped-test src/test/java/ATest.java:2"},
		{"Ignore outside a test in Java", "src/main/java/A.java", "", "@Ignore", ""},
		{"xit in RSpec", "spec/a_spec.rb", "", "xit 'adds' do", "skipped-test spec/a_spec.rb:1"},
		{"a first statement that skips in Go", "a_test.go", "", "func TestA(t *testing.T) {\n\tt.Skip(\"flaky\")", "skipped-test a_test.go:2"},
		{"a skip under a condition in Go", "a_test.go", "", "func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip(\"slow\")", ""},

		{"debugger in JavaScript", "src/a.js", "", "    debugger;", "debugger src/a.js:1"},
		{"the word debugger in JavaScript", "src/a.js", "", "const debugger_ = 1;\nif (debugger) {\n// debugger;\nx.debugger;", ""},
		{"breakpoint in Python", "a.py", "", "    breakpoint()  # here", "debugger a.py:1"},
		{"a breakpoint that is configured", "a.py", "", "breakpoint(1)\nself.breakpoint()\nimport pdb", ""},
		{"pry in Ruby under a condition", "app/a.rb", "", "binding.pry if x", "debugger app/a.rb:1"},
		{"a method of the name in Ruby", "app/a.rb", "", "debugger_enabled = true\nbyebug_port = 1", ""},
		{"dbg in Rust", "src/a.rs", "", "    dbg!(&x);", "debugger src/a.rs:1"},
		{"dbg in a comment in Rust", "src/a.rs", "", "// dbg!(x)\nmy_dbg!(x);", ""},
		{"dd in PHP", "app/A.php", "", "dd($user);", "debugger app/A.php:1"},
		{"a function that is called dd", "app/A.php", "", "function dd($x) {\nadd($x);\n$this->dd($x);", ""},
		{"a file about debugging", "lib/debugger/run.py", "", "pdb.set_trace()", ""},
		{"prose about debugging", "docs/howto.py", "", "pdb.set_trace()", ""},
		{"Dump in Go", "a.go", "", "\tspew.Dump(x)", "debugger a.go:1"},

		{"curl into bash", "install.sh", "", "curl -fsSL https://example.com/i.sh | sudo -E bash -", "download-to-shell install.sh:1"},
		{"bash of a substitution", "install.sh", "", "bash <(curl -s https://example.com/i.sh)\nsh -c \"$(wget -qO- https://example.com/i.sh)\"", "download-to-shell install.sh:1, download-to-shell install.sh:2"},
		{"a pipe on the next line", "Dockerfile", "", "RUN curl -fsSL https://example.com/i.sh \\\n    | sh", "download-to-shell Dockerfile:2"},
		{"PowerShell", "install.ps1", "", "irm https://example.com/i.ps1 | iex", "download-to-shell install.ps1:1"},
		{"a pipe in a workflow", ".github/workflows/a.yml", "", "      - run: curl https://example.com/i.sh | sh", "download-to-shell .github/workflows/a.yml:1"},
		{"a pipe into something else", "install.sh", "", "curl -s https://example.com | shasum -c\ncurl x | sha256sum\ncurl x | jq . | sh-compat\ncurl x > f; cat f | tee g", ""},
		{"a message that shows a pipe", "install.sh", "", "echo \"curl https://example.com/i.sh | sh\"\n# curl https://example.com | sh", ""},
		{"a make message that shows a pipe", "Makefile", "", "$(warning \"not found, run: curl -sfL https://example.com/i.sh | sh\")", ""},
		{"prose that shows a pipe", "README.md", "", "    curl https://example.com/i.sh | sh", ""},
		{"a string in a program", "main.go", "", "s := \"curl https://example.com | sh\"", ""},
		{"a very long line", "a.sh", "", "curl https://example.com | sh #" + strings.Repeat("x", maxLine), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reviewed(t, jobOf(nil, touched(c.path, c.deleted, c.added)))
			if p := places(got.Candidates); p != c.want {
				t.Errorf("findings = %q, want %q", p, c.want)
			}
		})
	}
}

func TestBinariesThatAreNewAndUnreadable(t *testing.T) {
	for _, c := range []struct {
		path   string
		status diff.Status
		want   string
	}{
		{"lib/native.so", diff.Added, "new-binary lib/native.so"},
		{"data.bin", diff.Added, "new-binary data.bin"},
		{"lib/native.so", diff.Modified, ""},
		{"lib/native.so", diff.Renamed, ""},
		{"logo.PNG", diff.Added, ""},
		{"testdata/bad.zip", diff.Added, ""},
	} {
		f := diff.File{Path: c.path, Status: c.status, Binary: true}
		if got := places(reviewed(t, jobOf(nil, f)).Candidates); got != c.want {
			t.Errorf("%s %s: findings = %q, want %q", c.status, c.path, got, c.want)
		}
	}
	module := diff.File{Path: "vendor-lib", Status: diff.Added, Binary: true, Submodule: true}
	if got := reviewed(t, jobOf(nil, module)).Candidates; len(got) > 0 {
		t.Errorf("a submodule is no binary: %s", places(got))
	}
}

func TestASecretIsNeverEchoed(t *testing.T) {
	job := jobOf(nil, touched("run.sh", "", "TOKEN="+token+" ./deploy --now"))
	out := reviewed(t, job)
	if len(out.Candidates) != 1 {
		t.Fatalf("findings = %s", places(out.Candidates))
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), token) || strings.Contains(string(raw), token[4:20]) {
		t.Errorf("the output quotes the secret: %s", raw)
	}
	if got, want := out.Candidates[0].Evidence, "TOKEN=[redacted-secret] ./deploy --now"; got != want {
		t.Errorf("evidence = %q, want %q", got, want)
	}
	if got, want := out.Candidates[0].Body, "The line holds what looks like a secret (github-token)."; got != want {
		t.Errorf("body = %q, want %q", got, want)
	}
}

func TestHiddenCharactersAreShownAsTheyAre(t *testing.T) {
	out := reviewed(t, jobOf(nil, touched("a.go", "", "if admin\u202E {")))
	c := out.Candidates[0]
	if c.Evidence != "if admin[U+202E] {" || c.Body != "Character 9 of the line is U+202E, a bidirectional control that no editor shows." {
		t.Errorf("evidence %q, body %q", c.Evidence, c.Body)
	}
}
