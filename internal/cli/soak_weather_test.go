package cli

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// weather is what one run of the soak meets besides its work.
type weather string

// The kinds of weather, each as often as it stands here.
var weathers = func() (all []weather) {
	for w, n := range map[weather]int{calm: 30, flaky: 14, slow: 6, forbidden: 7, limited: 4, stale: 10, killedAtStep: 13, killedAtRandom: 10, diskFull: 6} {
		for range n {
			all = append(all, w)
		}
	}
	return all
}()

const (
	calm           weather = "calm"
	flaky          weather = "5xx and cut connections" // one request in twelve
	slow           weather = "latency"
	forbidden      weather = "403 on one kind of request"
	limited        weather = "rate limits"
	stale          weather = "stale lists of artifacts"
	killedAtStep   weather = "killed at a request"
	killedAtRandom weather = "killed at a time"
	diskFull       weather = "full disk"
)

// forbiddable are the kinds of requests of which one is refused to a run, as
// after a permission was revoked in between.
var forbiddable = []string{
	"GET /repos/{owner}/{repo}/actions/artifacts", "/zip", "GET /repos/{owner}/{repo}/actions/runs/", "/permission", "/reactions", "DELETE ",
	"CreateArtifact", "FinalizeArtifact", "PATCH ", "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", "/contents/", "/files", "/reviews",
}

// eachWeather is one of each kind.
var eachWeather = []weather{calm, flaky, stale, killedAtStep, slow, forbidden, killedAtRandom, limited, diskFull}

const listsArtifacts = "GET /repos/{owner}/{repo}/actions/artifacts"

// soakRun is one process under way.
type soakRun struct {
	s       *soak
	weather weather
	skew    time.Duration

	mu      sync.Mutex
	rng     *rand.Rand
	cmd     *exec.Cmd
	asked   int    // requests so far
	killAt  int    // the request at which it dies; 0: none
	carried bool   // that one is carried out
	refused string // what is forbidden
	waits   int    // rate limits to come
	cut     bool   // killed by us
}

// drawn is the weather of a run, from the soak's seed and the number of the
// run.
func (s *soak) drawn(id int64, attempt int) *soakRun {
	rng := rand.New(rand.NewPCG(s.seed, uint64(id)<<8|uint64(attempt)))
	run := &soakRun{s: s, rng: rng, weather: weathers[rng.IntN(len(weathers))]}
	if n := int(id - firstSoakRun - 1); attempt == 1 && n < 2*len(eachWeather) { // a short soak has all of them too
		run.weather = eachWeather[n%len(eachWeather)]
	}
	if s.quiet.Load() {
		run.weather = calm
		return run
	}
	switch run.weather {
	case forbidden:
		run.refused = forbiddable[rng.IntN(len(forbiddable))]
	case limited:
		run.waits = 1 + rng.IntN(2)
	case killedAtStep:
		run.killAt, run.carried = 1+rng.IntN(34), rng.IntN(2) == 0
	}
	if rng.IntN(6) == 0 {
		run.skew = time.Duration(rng.IntN(2*26*60)-26*60) * time.Minute
	}
	return run
}

// meets says what goes wrong with the run's next request.
func (run *soakRun) meets(a githubtest.Asked) *githubtest.Fault {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.asked++
	switch run.weather {
	case killedAtStep:
		if run.asked == run.killAt && run.carried {
			return run.s.fault("killed after a request", &githubtest.Fault{Lose: true, Then: func() {
				run.mu.Lock()
				defer run.mu.Unlock()
				run.kill()
			}})
		} else if run.asked == run.killAt {
			run.kill()
			return run.s.fault("killed before a request", &githubtest.Fault{Cut: true})
		}
	case flaky:
		if run.rng.IntN(12) == 0 {
			kinds := []string{"500", "502", "503", "cut", "lost answer", "half an answer"}
			k := run.rng.IntN(len(kinds))
			return run.s.fault(kinds[k], &[]githubtest.Fault{{Status: 500}, {Status: 502}, {Status: 503}, {Cut: true}, {Lose: true}, {Half: true}}[k])
		}
	case slow:
		return &githubtest.Fault{Latency: time.Duration(run.rng.IntN(120)) * time.Millisecond}
	case forbidden:
		if strings.Contains(a.Route, run.refused) {
			return run.s.fault("403", &githubtest.Fault{Status: 403})
		}
	case limited:
		if a.Host == githubtest.API && run.waits > 0 && run.rng.IntN(8) == 0 {
			run.waits--
			return run.s.fault("rate limit", &githubtest.Fault{Secondary: true})
		}
	case stale:
		if a.Route == listsArtifacts && run.rng.IntN(2) == 0 {
			return run.s.fault("stale list", &githubtest.Fault{Stale: true})
		}
	}
	return nil
}

// kill ends the process as the machine's end does. The caller holds mu.
func (run *soakRun) kill() {
	if run.cmd != nil && run.cmd.Process != nil {
		run.cut = true
		_ = run.cmd.Process.Kill() // it may just have ended
	}
}

// start runs the action in its weather.
func (run *soakRun) start(dir string, env []string) (log string, status int) {
	env = append(env, "FAMILIAR_NOW="+run.s.r.server.Now().Add(run.skew).Format(time.RFC3339))
	cmd := exec.Command(run.s.action)
	if run.weather == diskFull {
		cmd, env = run.s.onFullDisk(dir, env)
	}
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &out
	run.mu.Lock()
	err := cmd.Start()
	run.cmd = cmd
	after := time.Duration(run.rng.IntN(300)) * time.Millisecond
	run.mu.Unlock()
	if err != nil {
		run.s.t.Errorf("the action does not start: %v", err)
		return "", -1
	}
	if run.weather == killedAtRandom {
		defer time.AfterFunc(after, func() {
			run.mu.Lock()
			defer run.mu.Unlock()
			run.kill()
		}).Stop()
	}
	hung := time.AfterFunc(2*time.Minute, func() {
		run.s.t.Errorf("a run hangs (%s):\n%s", run.weather, strings.Join(env, "\n"))
		_ = cmd.Process.Kill()
	})
	defer hung.Stop()
	err = cmd.Wait()
	run.mu.Lock()
	if run.cut && cmd.ProcessState.ExitCode() < 0 {
		run.s.count(&run.s.kills, 1)
		if run.weather == killedAtRandom {
			run.s.fault("killed at a time", nil)
		}
	}
	run.mu.Unlock()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		run.s.t.Errorf("the action was not waited for: %v", err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// onFullDisk starts the action where nothing much can be written: on a small
// disk of its own, or with a limit on the size of a file.
func (s *soak) onFullDisk(dir string, env []string) (*exec.Cmd, []string) {
	s.fault("full disk", nil)
	if len(s.disks) > 0 {
		s.mu.Lock()
		disk := s.disks[s.rng.IntN(len(s.disks))]
		s.mu.Unlock()
		return exec.Command(s.action), append(env, "RUNNER_TEMP="+disk)
	}
	return exec.Command("sh", "-c", `ulimit -f 32; exec "$0"`, s.action), env
}

// smallDisks mounts disks of three sizes, where this process may.
func (s *soak) smallDisks() {
	for _, size := range []string{"8k", "128k", "400k"} {
		dir := s.t.TempDir()
		if exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).Run() != nil {
			return // not root: a limit on files has to do
		}
		s.disks = append(s.disks, dir)
		s.t.Cleanup(func() {
			if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
				s.t.Errorf("%v: %s", err, out)
			}
		})
		_ = os.Chmod(dir, 0o700)
	}
}
