package rules

import (
	"context"
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/diff"
)

// files is the head of a repository.
type files = map[string]string

const workflow = ".github/workflows/ci.yml"

func TestWorkflowEditsThatAreDangerousAndThoseThatAreNot(t *testing.T) {
	privileged := "on:\n  pull_request_target:\njobs:\n  a:\n    steps:\n"
	for _, c := range []struct {
		name, path, before, added string // before: lines of the file above the added ones
		want                      string // lines, counted from the added ones, with severities
	}{
		{"an action at a branch", workflow, "", "      - uses: acme/build@main", "1 medium"},
		{"an action at a branch by its full name", workflow, "", "      - uses: acme/build@refs/heads/main # x", "1 medium"},
		{"an action without a version", workflow, "", "        uses: acme/build/sub", "1 medium"},
		{"a reusable workflow at a branch", workflow, "", "    uses: acme/ci/.github/workflows/x.yml@master", "1 medium"},
		{"an action at a branch in a composite action", "setup/action.yml", "", "    - uses: acme/build@dev", "1 medium"},
		{"actions at a tag, a digest, a channel", workflow, "", "- uses: actions/checkout@v4\n- uses: acme/a@0123456789abcdef0123456789abcdef01234567 # main\n- uses: dtolnay/rust-toolchain@stable", ""},
		{"an action of the same owner", workflow, "", "- uses: Octocat/build@main", ""},
		{"an action in the same repository", workflow, "", "- uses: ./.github/actions/build\n- uses: ./build", ""},
		{"an image", workflow, "", "- uses: docker://alpine:3", ""},
		{"such a line in another YAML file", "config/ci.yml", "", "- uses: acme/build@main", ""},
		{"a commented action", workflow, "", "# - uses: acme/build@main", ""},

		{"a checkout of the head by digest", workflow, privileged, "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}", "3 high"},
		{"a checkout of the merge ref", workflow, privileged, "          ref: refs/pull/${{ github.event.number }}/merge", "1 high"},
		{"a checkout by the command line", workflow, privileged, "      - run: gh pr checkout $NUMBER", "1 high"},
		{"a checkout of a finished run's head", workflow, "on: [push, workflow_run]\njobs:\n", "          ref: ${{ github.event.workflow_run.head_sha }}", "1 high"},
		{"a checkout of a finished run's head, triggers as a map", workflow, "on:\n  workflow_run:\n    workflows: [a]\njobs:\n", "          ref: ${{ github.event.workflow_run.head_sha }}", "1 high"},
		{"the head without privileges", workflow, "on: pull_request\njobs:\n", "          ref: ${{ github.event.pull_request.head.sha }}", ""},
		{"the base under a privileged trigger", workflow, privileged, "          ref: ${{ github.event.pull_request.base.sha }}", ""},
		{"the head as data under a privileged trigger", workflow, privileged, "        env:\n          SHA: ${{ github.event.pull_request.head.sha }}", ""},

		{"a title in a one-line script", workflow, "on: issues\njobs:\n", "      - run: echo ${{ github.event.issue.title }}", "1 high"},
		{"a body deep in a script", workflow, "jobs:\n  a:\n    steps:\n      - name: x\n        run: |\n          if true; then\n", "            echo \"${{ toJSON(github.event.comment.body) }}\"", "1 high"},
		{"a branch name in a script of an action", workflow, "      - uses: actions/github-script@v7\n        with:\n          script: |\n", "            const b = '${{ github.head_ref }}'", "1 high"},
		{"a title in the environment", workflow, "jobs:\n  a:\n    steps:\n", "      - env:\n          TITLE: ${{ github.event.issue.title }}\n        run: echo \"$TITLE\"", ""},
		{"a title in a condition", workflow, "jobs:\n  a:\n    steps:\n", "      - if: contains(github.event.issue.title, 'x')\n        run: echo", ""},
		{"a title as the name of a step behind a script", workflow, "jobs:\n  a:\n    steps:\n      - run: |\n          echo\n", "      - name: ${{ github.event.issue.title }}", ""},
		{"a number in a script", workflow, "jobs:\n", "      - run: echo ${{ github.event.issue.number }} ${{ github.event.pull_request.head.sha }}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := touched(c.path, "", c.added)
			offset := strings.Count(c.before, "\n")
			f.Hunks[0].NewStart += offset
			for i := range f.Hunks[0].Lines {
				f.Hunks[0].Lines[i].New += offset
			}
			job := jobOf(files{c.path: c.before + c.added}, f)
			job.Brief.Repo.Owner = "octocat"
			var got []string
			for _, found := range reviewed(t, job).Candidates {
				if found.Rule == "builtin/workflow-danger" {
					got = append(got, itoa(found.Line-offset)+" "+string(found.Severity))
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("findings = %q, want %q", got, c.want)
			}
		})
	}
}

func TestAWorkflowIsJudgedByItsHunksWhereTheFileCannotBeRead(t *testing.T) {
	f := touched(workflow, "", "on: pull_request_target\n  run: |\n    echo ${{ github.head_ref }}")
	job := jobOf(nil, f)
	job.Contents = nil
	if got, want := places(reviewed(t, job).Candidates), "workflow-danger "+workflow+":3"; got != want {
		t.Errorf("findings = %q, want %q", got, want)
	}
}

func TestGeneratedFilesThatWereEditedByHand(t *testing.T) {
	const mark = "// Code generated by protoc-gen-go. DO NOT EDIT.\n"
	low := func(path, deleted, added string) diff.File { // far from the header
		f := touched(path, deleted, added)
		f.Hunks[0].NewStart, f.Hunks[0].OldStart = 100, 100
		for i := range f.Hunks[0].Lines {
			if l := &f.Hunks[0].Lines[i]; l.Op == diff.Add {
				l.New += 99
			} else {
				l.Old += 99
			}
		}
		return f
	}
	many := strings.Repeat("x\n", handEdit+1)
	added := low("a.pb.go", "", "x := 1")
	added.Status = diff.Added
	for _, c := range []struct {
		name  string
		head  files
		files []diff.File
		want  string
	}{
		{"one line of one file", files{"a.pb.go": mark}, []diff.File{low("a.pb.go", "y", "x")}, "generated-alone a.pb.go:100"},
		{"a line deleted", files{"a.pb.go": mark}, []diff.File{low("a.pb.go", "y", "")}, "generated-alone a.pb.go"},
		{"a mark in another language", files{"a.py": "# This file is auto-generated by x. Do not edit it.\n"}, []diff.File{low("a.py", "", "x = 1")}, "generated-alone a.py:100"},
		{"with its source", files{"a.pb.go": mark, "a.proto": "x"}, []diff.File{low("a.pb.go", "y", "x"), low("a.proto", "y", "x")}, ""},
		{"many lines: generated anew", files{"a.pb.go": mark}, []diff.File{low("a.pb.go", "", many)}, ""},
		{"the header changed: generated anew", files{"a.pb.go": mark}, []diff.File{touched("a.pb.go", "// v1", "// v2"), low("b.pb.go", "", "x")}, ""},
		{"a new file", files{"a.pb.go": mark}, []diff.File{added}, ""},
		{"the mark in the middle of a file", files{"a.go": strings.Repeat("\n", 30) + mark}, []diff.File{low("a.go", "", "x")}, ""},
		{"a file that speaks of generated files", files{"a.go": "// lint skips what is generated.\n"}, []diff.File{low("a.go", "", "x")}, ""},
		{"together with a deleted source", files{"a.pb.go": mark}, []diff.File{low("a.pb.go", "y", "x"), {Path: "a.proto", Status: diff.Deleted}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := places(reviewed(t, jobOf(c.head, c.files...)).Candidates); got != c.want {
				t.Errorf("findings = %q, want %q", got, c.want)
			}
		})
	}
}

func TestManifestsAndTheirLockfiles(t *testing.T) {
	npm := func(dependencies string) string { return `{"dependencies": {` + "\n" + dependencies + "\n}}" }
	for _, c := range []struct {
		name          string
		path, added   string
		deleted, want string
		head          files
		also          string // another touched file
	}{
		{name: "a module that go.sum does not have", path: "go.mod", added: "\texample.org/a v1.2.0",
			head: files{"go.mod": "\texample.org/a v1.2.0", "go.sum": "example.org/a v1.1.0 h1:x=\n"}, want: "lockfile-stale go.mod:1"},
		{name: "a module of which go.sum has the manifest alone", path: "go.mod", added: "\texample.org/a v1.2.0",
			head: files{"go.mod": "\texample.org/a v1.2.0", "go.sum": "example.org/a v1.2.0/go.mod h1:x=\n"}},
		{name: "a module that is replaced", path: "go.mod", added: "\texample.org/a v1.2.0",
			head: files{"go.mod": "\texample.org/a v1.2.0\nreplace example.org/a => ./a", "go.sum": "", "a/go.mod": ""}},
		{name: "a module whose remark changed", path: "go.mod", added: "\tgo 1.26\n\ttoolchain go1.26.1", head: files{"go.mod": "go 1.26", "go.sum": ""}},
		{name: "a module in a workspace", path: "a/go.mod", added: "\texample.org/a v1.2.0",
			head: files{"a/go.mod": "\texample.org/a v1.2.0", "a/go.sum": "", "a/go.work": "go 1.26"}},
		{name: "a module without a go.sum", path: "go.mod", added: "\texample.org/a v1.2.0", head: files{"go.mod": "\texample.org/a v1.2.0"}},
		{name: "a module with go.sum in the change", path: "go.mod", added: "\texample.org/a v1.2.0",
			head: files{"go.mod": "\texample.org/a v1.2.0", "go.sum": ""}, also: "go.sum"},

		{name: "a package that the lock does not have", path: "package.json", added: `"left": "^1.0.0"`,
			head: files{"package.json": npm(`"left": "^1.0.0"`), "package-lock.json": `{"packages": {"": {"dependencies": {"left": "^0.9.0"}}}}`}, want: "lockfile-stale package.json:1"},
		{name: "a package that the lock has", path: "package.json", added: `"left": "^1.0.0"`,
			head: files{"package.json": npm(`"left": "^1.0.0"`), "package-lock.json": `"dependencies": {"left": "^1.0.0"}`}},
		{name: "the version of the package itself", path: "package.json", added: `"version": "1.0.1",`,
			head: files{"package.json": `{"version": "1.0.1", "dependencies": {"a": "1"}}`, "package-lock.json": `{}`}},
		{name: "a template below a lock that does not cover it", path: "template/package.json", added: `"left": "^1.0.0"`,
			head: files{"template/package.json": npm(`"left": "^1.0.0"`), "pnpm-lock.yaml": "importers:\n  .:\n"}},
		{name: "a member of a pnpm workspace", path: "packages/a/package.json", added: `"left": "^1.0.0"`,
			head: files{"packages/a/package.json": npm(`"left": "^1.0.0"`), "pnpm-lock.yaml": "importers:\n  packages/a:\n"}, want: "lockfile-stale packages/a/package.json:1"},
		{name: "a package in pnpm's lock", path: "package.json", added: `"left": "^1.0.0"`,
			head: files{"package.json": npm(`"left": "^1.0.0"`), "pnpm-lock.yaml": "      left:\n        specifier: ^1.0.0\n"}},
		{name: "a package in yarn's lock", path: "package.json", added: `"@a/left": "^1.0.0"`,
			head: files{"package.json": npm(`"@a/left": "^1.0.0"`), "yarn.lock": "\"@a/left@npm:^1.0.0\":\n"}},
		{name: "packages from elsewhere", path: "package.json", added: "\"a\": \"workspace:*\",\n\"b\": \"github:x/y\",\n\"c\": \"*\"",
			head: files{"package.json": npm("\"a\": \"workspace:*\",\n\"b\": \"github:x/y\",\n\"c\": \"*\""), "yarn.lock": ""}},
		{name: "a manifest that is no JSON", path: "package.json", added: `"left": "^1.0.0"`, head: files{"package.json": `{`, "yarn.lock": ""}},

		{name: "a crate that is new", path: "Cargo.toml", added: `left = "1.2"`,
			head: files{"Cargo.toml": "[dependencies]\nleft = \"1.2\"", "Cargo.lock": "name = \"right\"\nversion = \"1.0.0\"\n"}, want: "lockfile-stale Cargo.toml:1"},
		{name: "a crate that is locked too old", path: "Cargo.toml", added: `left = "1.2.5"`,
			head: files{"Cargo.toml": "[dependencies]\nleft = \"1.2.5\"", "Cargo.lock": "name = \"left\"\nversion = \"1.2.4\"\n"}, want: "lockfile-stale Cargo.toml:1"},
		{name: "a crate whose locked version is in range", path: "Cargo.toml", added: `left = { version = "1.2", features = ["x"] }`,
			head: files{"Cargo.toml": "[target.'cfg(unix)'.dependencies]\nleft = { version = \"1.2\", features = [\"x\"] }", "Cargo.lock": "name = \"left\"\nversion = \"1.9.4\"\n"}},
		{name: "a crate of the workspace", path: "Cargo.toml", added: `left = { path = "left", version = "0.3" }`,
			head: files{"Cargo.toml": "[dependencies]\nleft = { path = \"left\", version = \"0.3\" }", "Cargo.lock": ""}},
		{name: "a version of the crate itself", path: "Cargo.toml", added: `version = "0.2.0"`,
			head: files{"Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.2.0\"", "Cargo.lock": "name = \"a\"\nversion = \"0.1.0\"\n"}},

		{name: "a Python project", path: "pyproject.toml", added: `    "Left_Pad>=1",`,
			head: files{"pyproject.toml": "[project]\ndependencies = [\n    \"Left_Pad>=1\",\n]", "uv.lock": "name = \"right\"\n"}, want: "lockfile-stale pyproject.toml:1"},
		{name: "a Python project whose lock writes the name another way", path: "pyproject.toml", added: `    "Left_Pad>=1",`,
			head: files{"pyproject.toml": "[project]\ndependencies = [\n    \"Left_Pad>=1\",\n]", "uv.lock": "name = \"left-pad\"\n"}},
		{name: "a Poetry group", path: "pyproject.toml", added: `left = "^1"`,
			head: files{"pyproject.toml": "[tool.poetry.group.dev.dependencies]\nleft = \"^1\"", "poetry.lock": ""}, want: "lockfile-stale pyproject.toml:1"},
		{name: "a tool's setting in pyproject", path: "pyproject.toml", added: `line-length = 100`,
			head: files{"pyproject.toml": "[tool.ruff]\nline-length = 100", "poetry.lock": ""}},
		{name: "a gem", path: "Gemfile", added: "gem 'left', '~> 1.0'", head: files{"Gemfile": "gem 'left', '~> 1.0'", "Gemfile.lock": "GEM\n  specs:\n    leftover (1.0)\n"}, want: "lockfile-stale Gemfile:1"},
		{name: "a gem that is locked", path: "Gemfile", added: "gem 'left', '~> 1.0'", head: files{"Gemfile": "gem 'left', '~> 1.0'", "Gemfile.lock": "GEM\n  specs:\n    left (1.0)\n"}},
		{name: "a Composer package", path: "composer.json", added: `"a/left": "^1.0"`,
			head: files{"composer.json": `{"require": {"php": "^8", "a/left": "^1.0"}}`, "composer.lock": `{"packages": []}`}, want: "lockfile-stale composer.json:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := []diff.File{touched(c.path, c.deleted, c.added)}
			if c.also != "" {
				list = append(list, touched(c.also, "", "x"))
			}
			if got := places(reviewed(t, jobOf(c.head, list...)).Candidates); got != c.want {
				t.Errorf("findings = %q, want %q", got, c.want)
			}
		})
	}
}

func TestDependenciesThatLeadOutOfTheRepository(t *testing.T) {
	for _, c := range []struct{ name, path, added, want string }{
		{"a folder beside the repository", "go.mod", "replace example.org/a => ../a", "local-dependency go.mod:1"},
		{"an absolute folder", "go.mod", "replace example.org/a v1.0.0 => /home/ada/a", "local-dependency go.mod:1"},
		{"a folder that is not there", "go.mod", "replace example.org/a => ./nowhere", "local-dependency go.mod:1"},
		{"a module of the same repository", "tools/go.mod", "replace example.org/a => ../lib", ""},
		{"another module at a version", "go.mod", "replace example.org/a => example.org/fork v1.0.0", ""},
		{"a package outside", "package.json", `"a": "file:../../a"`, "local-dependency package.json:1"},
		{"a package inside", "web/package.json", `"a": "link:../lib"`, ""},
		{"a crate outside", "Cargo.toml", `a = { path = "../a" }`, "local-dependency Cargo.toml:1"},
		{"a crate inside", "crates/b/Cargo.toml", `a = { path = "../a" }`, ""},
		{"a Python source outside", "pyproject.toml", `a = { path = "C:\\work\\a" }`, "local-dependency pyproject.toml:1"},
		{"a gem outside", "Gemfile", `gem "a", path: "../a"`, "local-dependency Gemfile:1"},
		{"a manifest in test data", "testdata/go.mod", "replace example.org/a => ../../../a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.added
			switch c.path {
			case "package.json", "web/package.json":
				text = `{"dependencies": {` + "\n" + c.added + "\n}}"
			case "Cargo.toml", "crates/b/Cargo.toml":
				text = "[dependencies]\n" + c.added
			case "pyproject.toml":
				text = "[tool.uv.sources]\n" + c.added
			}
			got := places(reviewed(t, jobOf(files{c.path: text, "lib/go.mod": "module a"}, touched(c.path, "", c.added))).Candidates)
			if got != c.want {
				t.Errorf("findings = %q, want %q", got, c.want)
			}
		})
	}
}

func TestBuiltInRulesAskForNothingOutsideTheRepository(t *testing.T) {
	job := jobOf(nil, touched("go.mod", "", "replace a.b/c => ../../etc"), touched("a/package.json", "", `"x": "file:/etc"`))
	job.Contents = func(_ context.Context, name string) ([]byte, bool) {
		if strings.HasPrefix(name, "..") || strings.HasPrefix(name, "/") || name == "" {
			t.Errorf("asked for %q", name)
		}
		return nil, false
	}
	reviewed(t, job)
}

func TestCaretRanges(t *testing.T) {
	for _, c := range []struct {
		requirement, version string
		want                 bool
	}{
		{"1", "1.9.0", true}, {"1.2", "1.2.0", true}, {"1.2.3", "1.2.2", false}, {"1.2.3", "2.0.0", false},
		{"0.2", "0.2.9", true}, {"0.2", "0.3.0", false}, {"0.0.3", "0.0.3", true}, {"0.0.3", "0.0.4", false},
		{"1.2.3", "1.10.0-rc.1+build", true},
	} {
		if got := caret(c.requirement, c.version); got != c.want {
			t.Errorf("caret(%s, %s) = %t", c.requirement, c.version, got)
		}
	}
}
