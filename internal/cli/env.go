package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/home/file"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// Exit statuses (page 6.7).
const (
	ExitOK     = 0
	ExitFailed = 1 // the operation failed; what failed is said
	ExitUsage  = 2 // wrong arguments or configuration
	ExitFailOn = 3 // --fail-on was reached
)

// Env is everything outside that the command line touches, gathered once.
type Env struct {
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Dir            string // working directory
	Now            time.Time
	Stdin          io.Reader // answers to questions; nil: nobody is there
	InTerminal     bool      // stdin is a terminal
	Terminal       bool      // stdout is a terminal
	ErrTerminal    bool      // stderr is one
	Width          int       // columns of the terminal; 0: unknown
}

// System is the Env of this process.
func System() (Env, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Env{}, fmt.Errorf("the working directory cannot be found: %w", err)
	}
	e := Env{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Dir: dir, Now: time.Now(),
		Stdin: os.Stdin, InTerminal: term.IsTerminal(int(os.Stdin.Fd())),
		Terminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		e.Width = w
	}
	return e, nil
}

// maxWidth keeps lines readable on a wide terminal.
const maxWidth = 100

// view is how to render for this output.
func (e Env) view() render.TerminalOptions {
	width := e.Width
	if width == 0 {
		width = render.DefaultWidth
	}
	return render.TerminalOptions{
		Width: min(width, maxWidth),
		Color: e.Terminal && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb",
	}
}

// stateFolder is where the stores of a user's clones live: the XDG state
// folder.
func (e Env) stateFolder() (string, error) {
	if dir := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "familiar"), nil
	}
	home := e.Getenv("HOME")
	if home == "" {
		return "", errors.New("neither XDG_STATE_HOME nor HOME is set, so there is no place for the store; name one with --store FILE")
	}
	return filepath.Join(home, ".local", "state", "familiar"), nil
}

// operator is the person at the keyboard (decision 0002).
func (e Env) operator() memory.Principal {
	login := ""
	if u, err := user.Current(); err == nil {
		login = u.Username
	}
	return app.Operator(os.Getuid(), login)
}

// stores returns the store of a clone: the file named, or the default one.
func (e Env) stores(c *app.Clone, path string) (app.Stores, error) {
	named := path != ""
	if !named {
		dir, err := e.stateFolder()
		if err != nil {
			return app.Stores{}, err
		}
		names, err := file.Names(dir, storeSuffix)
		if err != nil {
			return app.Stores{}, err
		}
		path = filepath.Join(dir, c.StoreFile(names))
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	return app.Stores{Home: file.New(path), Identity: c.Identity, Now: e.Now, Named: named, Unknown: c.Unknown, Live: e.live()}, nil
}

// live are the credentials that the environment of a command holds.
func (e Env) live() []string {
	var out []string
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN", "FAMILIAR_MEMORY_KEY", "FAMILIAR_MODEL_KEY"} {
		if v := e.Getenv(name); v != "" {
			out = append(out, v)
		}
	}
	return out
}

const storeSuffix = ".db"

// maxNamed bounds how many other stores an answer names.
const maxNamed = 3

// hintOthers tells a person for whom nothing is listed of the stores that lie
// beside: the store that they mean may be one of those.
func (e Env) hintOthers(c *app.Clone, s app.Stores) error {
	dir := filepath.Dir(s.Home.Path())
	names, err := file.Names(dir, storeSuffix)
	switch {
	case err != nil || s.Named || c == nil || len(names) == 0 || slices.Contains(names, filepath.Base(s.Home.Path())):
		return err
	case c.CutStore(names) != "":
		e.tell(fmt.Sprintf("nothing was taught in this repository yet, but %s was while its history was cut: a clone of --depth 1 opens it; familiar memory export there, familiar memory import here",
			filepath.Join(dir, c.CutStore(names))))
		return nil
	}
	list := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	e.tell(fmt.Sprintf("nothing was taught in this repository yet; %s holds %s, each of another repository: %s", dir, render.Count(len(names), "other store"), list))
	return nil
}

// open opens the clone and its store; the caller closes the clone.
func (e Env) open(ctx context.Context, repo, storePath string) (*app.Clone, app.Stores, error) {
	dir := e.Dir
	if repo != "" {
		dir = repo
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(e.Dir, dir)
		}
	}
	c, err := app.OpenClone(ctx, dir)
	if err != nil {
		return nil, app.Stores{}, err
	}
	s, err := e.stores(c, storePath)
	if err != nil {
		_ = c.Close() // the first error is the one to tell
		return nil, app.Stores{}, err
	}
	return c, s, nil
}

// tell says something on standard error: what went wrong, or what a person may
// want to know beside the output. In a terminal it is broken into lines; a file
// or another program gets it on one.
func (e Env) tell(message string) {
	if e.ErrTerminal {
		fmt.Fprint(e.Stderr, render.Message(message, "familiar: ", e.view().Width))
		return
	}
	fmt.Fprintln(e.Stderr, "familiar: "+render.Plain(message))
}

// print writes to standard output and keeps the first error, such as a pipe
// that was closed.
func (e Env) print(s string) error {
	_, err := io.WriteString(e.Stdout, s)
	return err
}
