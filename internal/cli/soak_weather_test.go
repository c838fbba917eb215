package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/familiarhq/familiar/internal/github/githubtest"
)

// weather is what one run of the soak meets besides its work.
type weather string

// The kinds of weather, each as often as it stands here.
var weathers = func() (all []weather) {
	for _, w := range eachWeather {
		for range howOften[w] {
			all = append(all, w)
		}
	}
	return all
}()

var howOften = map[weather]int{
	calm: 24, flaky: 12, late: 8, slow: 5, forbidden: 6, limited: 4, usedUp: 2, expired: 3, stale: 7, hidden: 4, behind: 12, cleaned: 3,
	killedAtStep: 10, killedSaving: 6, killedAtRandom: 8, diskFull: 6,
}

const (
	calm           weather = "calm"
	flaky          weather = "5xx and cut connections" // one request in twelve
	late           weather = "5xx after a write"       // one write in four
	slow           weather = "latency"
	forbidden      weather = "403 on one kind of request"
	limited        weather = "rate limits"
	usedUp         weather = "a limit that lasts an hour"
	expired        weather = "a token that expires"
	stale          weather = "stale lists of artifacts"
	hidden         weather = "lists without the newest container"
	behind         weather = "threads as they were some writes ago"
	cleaned        weather = "containers deleted by somebody"
	killedAtStep   weather = "killed at a request"
	killedSaving   weather = "killed at a step of a save"
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
var eachWeather = []weather{calm, flaky, stale, killedAtStep, behind, late, slow, forbidden, killedSaving, hidden, killedAtRandom, limited, cleaned, expired, diskFull, usedUp}

const (
	listsArtifacts   = "GET /repos/{owner}/{repo}/actions/artifacts"
	deletesArtifacts = "DELETE /repos/{owner}/{repo}/actions/artifacts/{artifact_id}"
	finalizes        = "POST /twirp/github.actions.results.api.v1.ArtifactService/FinalizeArtifact"
)

// saving are steps of a save at which a run may die: once the upload is taken
// and before it is read back, while it is read back, and between the deletions
// of older containers.
var saving = []string{finalizes, listsArtifacts, deletesArtifacts}

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
	dies    string // the kind of request after which it dies
	from    int    // the request from which on a limit, or the end of its token, holds
	newest  int64  // the container that no list of this run shows
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
	case killedAtStep, cleaned:
		run.killAt, run.carried = 1+rng.IntN(34), rng.IntN(2) == 0
	case killedSaving:
		run.dies, run.killAt = saving[rng.IntN(len(saving))], 1+rng.IntN(3)
	case usedUp, expired:
		run.from = 1 + rng.IntN(30)
	}
	switch rng.IntN(9) {
	case 0:
		run.skew = time.Duration(rng.IntN(2*26*60)-26*60) * time.Minute
	case 1:
		run.skew = time.Duration(rng.IntN(2*12*365)-12*365) * 24 * time.Hour
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
			return run.s.fault("killed after a request", run.dying())
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
	case late:
		if !strings.HasPrefix(a.Route, "GET ") && run.rng.IntN(4) == 0 {
			return run.s.fault("5xx after a write", &githubtest.Fault{Done: true, Status: []int{500, 502, 503}[run.rng.IntN(3)]})
		}
	case killedSaving:
		if a.Route == run.dies {
			if run.killAt--; run.killAt == 0 {
				return run.s.fault("killed in a save", run.dying())
			}
		}
	case usedUp:
		if a.Host == githubtest.API && run.asked >= run.from {
			return run.s.fault("limit for an hour", &githubtest.Fault{Secondary: true, RetryAfter: time.Hour, Status: 429})
		}
	case expired:
		if a.Host != githubtest.Blob && run.asked >= run.from {
			return run.s.fault("expired token", &githubtest.Fault{Status: 401})
		}
	case hidden:
		if a.Route == listsArtifacts {
			return run.s.fault("newest not listed", &githubtest.Fault{Without: run.withoutNewest()})
		}
	case behind:
		if run.rng.IntN(2) == 0 {
			return run.s.fault("old thread", &githubtest.Fault{Behind: time.Duration(1+run.rng.IntN(15)) * time.Second})
		}
	case cleaned:
		if run.asked == run.killAt {
			if run.s.deleteSuperseded() {
				run.s.fault("container deleted by somebody", nil)
			}
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
			return run.s.fault("rate limit", &githubtest.Fault{Secondary: true, RetryAfter: time.Duration(run.rng.IntN(2)) * time.Second, Status: []int{403, 429}[run.rng.IntN(2)]})
		}
	case stale:
		if a.Route == listsArtifacts && run.rng.IntN(2) == 0 {
			return run.s.fault("stale list", &githubtest.Fault{Stale: true})
		}
	}
	return nil
}

// dying is a request that is carried out, and whose answer finds nobody.
func (run *soakRun) dying() *githubtest.Fault {
	return &githubtest.Fault{Lose: true, Then: func() {
		run.mu.Lock()
		defer run.mu.Unlock()
		run.kill()
	}}
}

// withoutNewest is the newest container as this run began, which no list of it
// shows. The caller holds mu.
func (run *soakRun) withoutNewest() int64 {
	if all := run.s.containers(); run.newest == 0 && len(all) > 0 {
		run.newest = all[len(all)-1]
	}
	return run.newest
}

// deleteSuperseded deletes a container that a newer one has in its seen set,
// as a person does who cleans up. gone is false where there is none.
func (s *soak) deleteSuperseded() (gone bool) {
	living := s.containers()
	s.mu.Lock()
	var old []int64
	for _, id := range living {
		if slices.ContainsFunc(living, func(other int64) bool { return slices.Contains(s.seen[other].Seen, id) }) {
			old = append(old, id)
		}
	}
	s.mu.Unlock()
	if len(old) == 0 {
		return false
	}
	req, err := http.NewRequest(http.MethodDelete, fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", s.r.server.URL(), s.r.repo, old[len(old)-1]), nil)
	if err != nil {
		s.t.Error(err)
		return false
	}
	req.Header.Set("Authorization", "Bearer "+s.cleaner)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Errorf("somebody who cleans up: %v", err)
		return false
	}
	_ = resp.Body.Close()
	gone = resp.StatusCode == http.StatusNoContent // else a run was there before
	return gone
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

// smallDisks mounts disks of several sizes, where this process may.
func (s *soak) smallDisks() {
	for _, size := range []string{"8k", "128k", "256k", "400k", "640k"} {
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
