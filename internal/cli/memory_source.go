package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/home/artifact"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/vault"
)

// memoryFlags are those of every command below `familiar memory`.
type memoryFlags struct {
	*commonFlags
	remote   string // OWNER/NAME: the artifact of a repository
	keyFile  string
	keyText  string // what was read of it
	workflow string
	yes      bool
}

// opened is the memory that a command is about, wherever it lies.
type opened struct {
	memory   app.Memory
	identity store.Identity
	clone    *app.Clone // nil where there is none
	name     string     // for people
	dir      string     // private, removed at the end
	keys     vault.Keys // of a sealed memory
	closers  []func() error
}

func (o *opened) close() {
	for _, f := range o.closers {
		_ = f() // private copies, and processes that only read
	}
}

// open finds the memory: the artifact of the repository that --repo names, the
// container or store file that --store names, or the store of the clone.
func (f *memoryFlags) open(ctx context.Context, env Env) (*opened, error) {
	dir, err := os.MkdirTemp("", "familiar-memory-")
	if err != nil {
		return nil, fmt.Errorf("no private folder can be made: %w", err)
	}
	o := &opened{dir: dir, closers: []func() error{func() error { return os.RemoveAll(dir) }}}
	switch {
	case f.remote != "":
		err = f.openArtifact(ctx, env, o)
	case f.store != "" && isContainer(f.path(env, f.store)):
		err = f.openContainer(ctx, env, o)
	default:
		err = f.openStore(ctx, env, o)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

func (f *memoryFlags) path(env Env, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(env.Dir, path)
	}
	return path
}

// isContainer tells a sealed container from a store by how it begins.
func isContainer(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // read only
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, []byte("PK"))
}

func (f *memoryFlags) openStore(ctx context.Context, env Env, o *opened) error {
	clone, stores, err := env.open(ctx, f.dir, f.store)
	if err != nil {
		return err
	}
	o.memory, o.identity, o.clone, o.name = stores, stores.Identity, clone, clone.Name()
	o.closers = append(o.closers, clone.Close)
	return nil
}

func (f *memoryFlags) openContainer(ctx context.Context, env Env, o *opened) error {
	keys, err := f.keys(env)
	if err != nil {
		return err
	}
	v, m, err := app.OpenContainerFile(ctx, f.path(env, f.store), keys, o.dir, env.Now, "familiar/"+Version)
	if err != nil {
		return err
	}
	v.Live = f.live(env)
	o.memory, o.identity, o.name, o.keys = v, v.Identity, m.Repository, keys
	o.closers = append([]func() error{v.Close}, o.closers...)
	return nil
}

// oneMemory refuses a repository beside a store or a folder.
func (f *memoryFlags) oneMemory() error {
	switch {
	case f.remote != "" && f.store != "":
		return usage("--repo and --store name two memories; give one of them")
	case f.remote != "" && f.dir != "":
		return usage("--repo and -C name two memories; give one of them")
	}
	return nil
}

// openArtifact looks at the memory of a repository. It reads only: a command
// line cannot upload (page 5.7).
func (f *memoryFlags) openArtifact(ctx context.Context, env Env, o *opened) error {
	if err := f.oneMemory(); err != nil {
		return err
	}
	client, err := f.client(env)
	if err != nil {
		return err
	}
	keys, err := f.keys(env)
	if err != nil {
		return err
	}
	repo, err := client.Repository(ctx)
	if err != nil {
		return err
	}
	home := artifact.New(artifact.Options{
		Client: restArtifacts{client},
		Rules:  artifact.Rules{RepositoryID: repo.ID, Workflows: f.workflows(), DefaultBranch: repo.DefaultBranch},
		More:   configuredWorkflows(client, ""),
	})
	v := &app.Vaulted{
		Home: home, Keys: keys, Dir: o.dir, Now: env.Now, Tool: "familiar/" + Version,
		Identity: store.Identity{RepositoryID: repo.ID, Owner: repo.Owner, Name: repo.Name, InstallationID: repo.OwnerID},
		Live:     f.live(env),
	}
	o.memory, o.identity, o.name, o.keys = v, v.Identity, repo.Owner+"/"+repo.Name, keys
	o.closers = append([]func() error{v.Close}, o.closers...)
	return nil
}

// workflows are the files whose containers count: the shipped ones, and the
// one that is named.
func (f *memoryFlags) workflows() []string {
	own := workflowFolder + f.workflow
	for _, shipped := range shippedWorkflows {
		if shipped == own {
			return shippedWorkflows
		}
	}
	return append([]string{own}, shippedWorkflows...)
}

const workflowFolder = ".github/workflows/"

// token is the token of the person at the keyboard, and the variable that it
// stands in.
func (e Env) token() (token, from string) {
	for _, from := range []string{"GITHUB_TOKEN", "GH_TOKEN"} {
		if token := e.Getenv(from); token != "" {
			return token, from
		}
	}
	return "", ""
}

// client asks GitHub about the repository that --repo names.
func (f *memoryFlags) client(env Env) (*github.Client, error) {
	owner, name, err := repository(f.remote)
	if err != nil {
		return nil, err
	}
	token, from := env.token()
	if token == "" {
		return nil, usage("GITHUB_TOKEN is empty, and the memory of a repository is not shown without a token; set it, for example to the output of gh auth token")
	}
	c, err := github.New(github.Options{
		Owner: owner, Name: name, BaseURL: env.Getenv("GITHUB_API_URL"), Token: token, TokenFrom: from, UserAgent: "familiar/" + Version,
	})
	if err != nil {
		return nil, exitError{ExitUsage, err}
	}
	return c, nil
}

// maxKeyFile bounds a key file before it is read; vault bounds its content.
const maxKeyFile = 64 << 10

// live are the credentials that no lesson may hold: those of this process, and
// the key that --key-file names.
func (f *memoryFlags) live(env Env) func() []string {
	all := append(env.live(), f.keyText)
	return func() []string { return all }
}

// keys are the identities that open a sealed memory: of --key-file, else of
// FAMILIAR_MEMORY_KEY.
func (f *memoryFlags) keys(env Env) (vault.Keys, error) {
	text, from := env.Getenv("FAMILIAR_MEMORY_KEY"), "FAMILIAR_MEMORY_KEY"
	if f.keyFile != "" {
		from = f.keyFile
		in, err := os.Open(f.path(env, f.keyFile))
		if err != nil {
			return vault.Keys{}, exitError{ExitUsage, fmt.Errorf("the key file cannot be read: %w", err)}
		}
		data, err := io.ReadAll(io.LimitReader(in, maxKeyFile))
		if err = errors.Join(err, in.Close()); err != nil {
			return vault.Keys{}, exitError{ExitUsage, fmt.Errorf("the key file cannot be read: %w", err)}
		}
		text, f.keyText = string(data), string(data)
	}
	if strings.TrimSpace(text) == "" {
		return vault.Keys{}, usage("this memory is sealed, and there is no key to open it: give --key-file FILE, or set FAMILIAR_MEMORY_KEY")
	}
	keys, err := vault.ParseKeys(text)
	if err != nil {
		return vault.Keys{}, exitError{ExitUsage, fmt.Errorf("%s: %w", from, err)}
	}
	return keys, nil
}

// confirm asks before something that cannot be undone. Where nobody can be
// asked, --yes is the answer.
func (f *memoryFlags) confirm(env Env, question string) error {
	return f.agreed(env, question, "That cannot be undone,")
}

// agreed asks for a yes; why begins the sentence that says what hangs on it.
func (f *memoryFlags) agreed(env Env, question, why string) error {
	switch {
	case f.yes || f.dryRun:
		return nil
	case env.Stdin == nil || !env.InTerminal:
		return usage("%s %s and nobody is there to be asked; give --yes if it is meant", question, why)
	}
	fmt.Fprintf(env.Stderr, "%s%s. Go on? [y/N] ", render.Paragraph(render.Plain(question), "", ""), strings.TrimSuffix(why, ","))
	answer, _ := bufio.NewReader(io.LimitReader(env.Stdin, 100)).ReadString('\n') // an end without an answer is a no
	if a := strings.ToLower(strings.TrimSpace(answer)); a == "y" || a == "yes" {
		return nil
	}
	return errors.New("nothing was done, since the answer was not yes")
}
