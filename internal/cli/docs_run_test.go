package cli

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
)

// ranElsewhere are commands of the pages that need what a clone does not have,
// a repository on GitHub or a reviewer of one's own, and the tests that run
// them.
var ranElsewhere = map[string]string{
	`--repo OWNER/NAME`: "TestMemoryOfARepositoryIsChangedByItsWorkflow",
	`replay EVENT.json`: "TestReplay",
	`--exec-command`:    "TestScripts",
	`--runtime models`:  "TestLocalAsksTheModelThatItsPersonNames",
	`--sarif FILE`:      "TestScripts",
}

// docWorld is a clone with a memory in which every command of the pages has
// something to do. Each command gets a copy of its own.
type docWorld struct {
	dir           string
	active, waits string // ids
	denied        string // a key
}

func newDocWorld(t *testing.T) docWorld {
	t.Helper()
	w := docWorld{dir: t.TempDir(), denied: "old"}
	clone := filepath.Join(w.dir, "clone")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", clone}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		for name, value := range isolated(w.dir) {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	must := func(args ...string) string {
		t.Helper()
		out, status := w.run(t, args...)
		if status != ExitOK {
			t.Fatalf("familiar %v: exit %d\n%s", args, status, out)
		}
		return out
	}
	write("services/clock.go", "package services\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "First")
	w.active = documentID.FindString(must("remember", "money is rounded half-even"))
	must("memory", "export", "-o", "../lessons.jsonl")
	key, status := w.run(t, "keygen")
	if status != ExitOK {
		t.Fatal(key)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "key"), []byte(secretLine.FindString(key)), 0o600); err != nil {
		t.Fatal(err)
	}
	must("memory", "snapshot", "../memory.zip")
	w.renamed(t, "more.jsonl", "names are in English")
	w.renamed(t, "other.jsonl", "dates are in UTC")
	must("memory", "import", "../other.jsonl")
	w.waits = documentID.FindString(must("list", "pending"))
	must("memory", "revoke", w.denied)
	must("never", "time.Sleep(", "in", "services/**")
	must("init", "--private")
	git("add", ".")
	git("commit", "-q", "-m", "Second")
	write("services/retry.go", "package services\n\nfunc retry() {\n\ttime.Sleep(second)\n\ttime.Sleep(minute)\n}\n")
	must("local", "--worktree")
	return w
}

var secretLine = regexp.MustCompile(`AGE-SECRET-KEY-\S+`)

// renamed writes the export once more, with another lesson in it.
func (w docWorld) renamed(t *testing.T, name, lesson string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "lessons.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, name), bytes.ReplaceAll(data, []byte("money is rounded half-even"), []byte(lesson)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs one command as a person at a terminal who says yes.
func (w docWorld) run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	vars := isolated(w.dir)
	if key, err := os.ReadFile(filepath.Join(w.dir, "key")); err == nil {
		vars["FAMILIAR_MEMORY_KEY"] = string(key)
	}
	env := Env{
		Stdout: &out, Stderr: &out, Getenv: func(name string) string { return vars[name] }, Dir: filepath.Join(w.dir, "clone"), Now: time.Now(),
		Stdin: strings.NewReader("y\n"), InTerminal: true,
	}
	status := Run(context.Background(), env, args)
	return out.String(), status
}

// copied is the same world in another folder.
func (w docWorld) copied(t *testing.T) docWorld {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	w.dir = dir
	return w
}

// filled are the commands that a line of a page stands for, each word by word:
// placeholders have a value, of what is optional nothing is taken, and what
// stands between bars is one command each.
func (w docWorld) filled(line string) [][]string {
	line = strings.ReplaceAll(line, `\|`, "|")
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, "   # ")
	line = inFull(line)
	line = regexp.MustCompile(` \[[^\]]*\]`).ReplaceAllString(line, "")
	id := w.active
	if strings.Contains(line, "approve") || strings.Contains(line, "reject") {
		id = w.waits
	}
	file := "../memory.zip"
	switch {
	case strings.Contains(line, "import"):
		file = "../more.jsonl"
	case strings.Contains(line, "snapshot"):
		file = "../fresh.zip"
	}
	key := "lessons"
	if strings.Contains(line, "unrevoke") {
		key = w.denied
	}
	line = strings.NewReplacer("m-ID...", id, "m-ID", id, "m-7f3k2q8a", id, "TEXT...", "money is rounded to cents", "LESSON...", "it is vendored", "LESSON", "it is vendored",
		"WORDS...", "money", "PATTERN", "time.Now(", "X over Y", "clock.Now over time.Now", "GLOB", "services/**", "KEY", key,
		"FILE", file, "EARLIER", file, "FOLDER", "../folder", "~/", "../").Replace(line)
	line = strings.ReplaceAll(line, "'", "")
	var out [][]string
	head := strings.Fields(line)
	for _, part := range strings.Split(line, " | ") {
		words := strings.Fields(part)
		switch {
		case words[0] == "familiar":
			words = words[1:]
		case strings.HasPrefix(words[0], "m-"): // `revoke KEY | m-ID`
			words = append(slices.Clone(head[1:slices.Index(head, "|")-1]), words...)
			if words[1] == "unrevoke" {
				continue // no denial is of that key
			}
		case head[1] == "memory": // `memory approve m-ID... | approve all`
			words = append([]string{"memory"}, words...)
		}
		out = append(out, words)
	}
	return out
}

// inFull is a command that a page only names, with what its usage asks for.
func inFull(line string) string {
	cmd, words := newRoot(Env{}), strings.Fields(line)
	for _, word := range words[1:] {
		if cmd = child(cmd, word); cmd == nil {
			return line
		}
	}
	if !cmd.HasParent() {
		return line
	}
	full := strings.Join(append(words[:len(words)-1], cmd.Use), " ")
	if cmd.Name() == "recover" {
		full += " --state-dir FOLDER"
	}
	return full
}

// TestEveryCommandInThePagesRuns: what a page tells to type does something,
// where there is something to do, and ends well.
func TestEveryCommandInThePagesRuns(t *testing.T) {
	lines := map[string]string{}
	for _, file := range docPages(t) {
		shell, _ := commandsIn(regexp.MustCompile("(?s)```console\n.*?```").ReplaceAllString(read(t, file), "")) // those are compared with what they print
		for _, line := range shell {
			lines[line] = filepath.Base(file)
		}
	}
	sources := ""
	for _, file := range []string{"memory_remote_test.go", "replay_test.go", "script_test.go", "models_test.go"} {
		sources += read(t, file)
	}
	world, ran := newDocWorld(t), 0
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		elsewhere := slices.Sorted(maps.Keys(ranElsewhere))
		if i := slices.IndexFunc(elsewhere, func(part string) bool { return strings.Contains(line, part) }); i >= 0 {
			test := ranElsewhere[elsewhere[i]]
			if !strings.Contains(sources, "func "+test) {
				t.Errorf("%s says `%s`, which is run by %s, and there is no such test", lines[line], line, test)
			}
			continue
		}
		for _, words := range world.filled(line) {
			ran++
			t.Run(strings.Join(words, " "), func(t *testing.T) {
				w := world.copied(t)
				if words[0] == "init" { // into a clone that has nothing of it yet
					if err := os.RemoveAll(filepath.Join(w.dir, "clone", ".github")); err != nil {
						t.Fatal(err)
					}
					if len(words) == 1 {
						words = append(words, "--private")
					}
				}
				if out, status := w.run(t, words...); status != ExitOK {
					t.Errorf("%s says `%s`: familiar %s: exit %d\n%s", lines[line], line, strings.Join(words, " "), status, out)
				}
			})
		}
	}
	if ran < 50 {
		t.Errorf("ran %d commands of the pages, expected more", ran)
	}
}

// TestEveryCommandOfACommentInThePagesIsOne: with the lines below it, each is
// read as that command, and nothing of it is a slip.
func TestEveryCommandOfACommentInThePagesIsOne(t *testing.T) {
	read1, blocks := 0, regexp.MustCompile("(?s)```text\n([@/]familiar .*?)```")
	for _, file := range docPages(t) {
		page := read(t, file)
		var bodies []string
		for _, m := range blocks.FindAllStringSubmatch(page, -1) {
			bodies = append(bodies, m[1])
		}
		_, comments := commandsIn(page)
		for _, line := range comments {
			if !strings.HasSuffix(line, "...") && !strings.Contains(line, "VERB") {
				bodies = append(bodies, line)
			}
		}
		for _, body := range bodies {
			read1++
			got := intent.Parse(body, intent.Options{})
			if len(got) != 1 || got[0].Problem != "" {
				t.Errorf("%s: %q is read as %+v", filepath.Base(file), body, got)
			}
		}
	}
	if read1 < 15 {
		t.Errorf("found %d commands of comments, expected more", read1)
	}
}
