package gitrepo

import (
	"context"
	"testing"
)

func TestA114NoAttributeHidesTextFromTheWorkingTree(t *testing.T) {
	c := newClone(t)
	c.write("a.py", "one\n")
	c.write("gone.py", "one\n")
	c.write("logo.png", "\x00old")
	c.write("sub/old.go", "one\ntwo\nthree\nfour\n")
	c.commit("first")
	c.write(".gitattributes", "*.py -diff\n*.go binary\n*.png -diff\n")
	c.write("sub/.gitattributes", "x* -diff\n")
	c.write("a.py", "one\nsecret\n")
	c.write(":(glob)b[1].py", "new\n")
	c.write("logo.png", "\x00new")
	c.remove("gone.py")
	c.git("mv", "sub/old.go", "sub/new.go")
	c.write("sub/new.go", "one\ntwo\nthree\nfour\nfive\n")
	c.git("add", "-A")
	work, err := c.open().Worktree(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.py":           "modified a.py 100644>100644 @1,1+1,2  one +secret",
		":(glob)b[1].py": "added :(glob)b[1].py >100644 @0,0+1,1 +new",
		"sub/new.go":     "renamed sub/new.go from sub/old.go 100644>100644 @2,3+2,4  two  three  four +five",
	} {
		if f, ok := work.File(path); !ok || f.Binary || short(f) != want {
			t.Errorf("%s reads %q (binary %v), want %q", path, short(f), f.Binary, want)
		}
	}
	if f, ok := work.File("logo.png"); !ok || !f.Binary {
		t.Errorf("logo.png is binary indeed, and reads %q", short(f))
	}
}

func TestA114AttributesOfTheCloneItselfHideNothing(t *testing.T) {
	c := newClone(t)
	c.write("a.py", "one\n")
	first := c.commit("first")
	c.write("a.py", "one\nsecret\n")
	second := c.commit("second")
	const want = "modified a.py 100644>100644 @1,1+1,2  one +secret"
	for _, way := range []struct {
		name string
		lay  func()
	}{
		{"core.attributesFile", func() { c.write("attrs", "* -diff\n"); c.git("config", "core.attributesFile", c.dir+"/attrs") }},
		{"info/attributes", func() { c.write(".git/info/attributes", "* -diff\n") }},
	} {
		t.Run(way.name, func(t *testing.T) {
			way.lay()
			change, err := c.open().Change(context.Background(), first, second)
			if err != nil {
				t.Fatal(err)
			}
			if f := only(t, change); f.Binary || short(f) != want {
				t.Errorf("reads %q (binary %v), want %q", short(f), f.Binary, want)
			}
		})
	}
}
