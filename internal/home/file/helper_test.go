package file

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/home"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/store"
)

// The tests start this binary again as other processes; what such a process
// does is its first argument after "--".
func TestMain(m *testing.M) {
	if i := indexOf(os.Args, "--child"); i >= 0 {
		if err := child(os.Args[i+1], os.Args[i+2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

func start(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"--child"}, args...)...)
	cmd.Stderr = new(strings.Builder)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func child(what string, args []string) error {
	ctx := context.Background()
	h := New(args[0])
	switch what {
	case "remember": // path, number of the lesson
		return remember(ctx, h, args[1])
	case "hang": // path, step: tells by a file that it got there, and waits to be killed
		return hang(ctx, h, args[1])
	case "hold": // path: holds the lock until killed
		return h.Session(ctx, func(context.Context, string, string) (string, error) {
			tell(args[0])
			time.Sleep(time.Minute)
			return "", nil
		})
	case "small disk": // path, limit: no file may grow above the limit
		limit, _ := strconv.ParseUint(args[1], 10, 64)
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
		_, err := h.Save(ctx, make([]byte, 4*limit))
		if home.KindOf(err) != home.Full {
			return fmt.Errorf("Save gave %w, want kind full", err)
		}
		fmt.Fprintln(os.Stderr, err)
		return nil
	}
	return fmt.Errorf("no such child %q", what)
}

var repository = store.Identity{RepositoryID: 7001, Owner: "octocat", Name: "ledger"}

// remember is what the command line does: open or create, teach, save.
func remember(ctx context.Context, h *Home, number string) error {
	return h.Session(ctx, func(ctx context.Context, dir, current string) (string, error) {
		s, err := open(ctx, dir, current)
		if err != nil {
			return "", err
		}
		defer s.Close()
		if err := teach(ctx, s, number); err != nil {
			return "", err
		}
		saved := filepath.Join(dir, "saved.db")
		return saved, s.SaveTo(ctx, saved)
	})
}

func open(ctx context.Context, dir, current string) (*store.Store, error) {
	if current == "" {
		return store.Create(ctx, filepath.Join(dir, "new.db"), repository, time.Unix(1_800_000_000, 0))
	}
	return store.Open(ctx, current, repository)
}

func teach(ctx context.Context, s *store.Store, number string) error {
	a, err := s.Apply(ctx, memory.Transition{
		Op: memory.OpRemember, Cause: memory.NewCause("child", number), At: time.Unix(1_800_000_100, 0), Actor: memory.Principal{ID: 1, Login: "ada"}, Standing: memory.StandingMaintainer,
		Lesson: &memory.NewLesson{Key: memory.Key("repo/octocat/ledger/n/k" + number), Scope: contract.ScopeRepo, Text: "Lesson number " + number,
			Source: memory.UserAuthored, State: memory.Active},
	})
	if err == nil && a.Refused != nil {
		err = fmt.Errorf("refused: %s", a.Refused.Detail)
	}
	return err
}

// hang stops at a step of a session that would replace the file.
func hang(ctx context.Context, h *Home, step string) error {
	return h.Session(ctx, func(ctx context.Context, dir, current string) (string, error) {
		at := func(here string) {
			if step == here {
				tell(h.path)
				time.Sleep(time.Minute)
			}
		}
		at("after the copy")
		s, err := open(ctx, dir, current)
		if err != nil {
			return "", err
		}
		defer s.Close()
		at("after opening")
		if err := teach(ctx, s, "999"); err != nil {
			return "", err
		}
		at("after teaching")
		saved := filepath.Join(dir, "saved.db")
		if err := s.SaveTo(ctx, saved); err != nil {
			return "", err
		}
		at("before the rename")
		return saved, nil
	})
}

func tell(path string) { os.WriteFile(path+".reached", nil, 0o600) }

func await(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if os.Remove(path+".reached") == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the other process did not get there")
		}
	}
}

// lessons lists the texts in the file.
func lessons(t *testing.T, h *Home) []string {
	t.Helper()
	var out []string
	err := h.View(t.Context(), func(ctx context.Context, dir, current string) error {
		s, err := open(ctx, dir, current)
		if err != nil {
			return err
		}
		defer s.Close()
		versions, err := s.List(ctx, store.Filter{})
		for _, v := range versions {
			out = append(out, v.Text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
