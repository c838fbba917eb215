package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/familiarhq/familiar/internal/runtime"
)

// isolation says where the marker of a run lies, and which run it is. Without
// a folder there is none: in a container the end of its processes is the
// proof (page 5.5).
type isolation struct {
	dir     string
	runID   int64
	attempt int
	started func(leader int) error // told the leader of the reviewer's session
}

// isolated runs a reviewer between the making of its marker and its clearing.
// A result is used only if the marker is whole and about exactly this run,
// head, snapshot and policy, and the reviewer's processes are gone; else the
// review has not ended, and the marker keeps later runs from the memory.
func isolated(ctx context.Context, f facts, who reviewer, b briefed, job runtime.Job) (runtime.Output, error) {
	if f.isolation.dir == "" || who.kind == runtime.Rules {
		return run(ctx, f, who, job)
	}
	lessons, err := runtime.EncodeSnapshot(b.snapshot)
	if err != nil {
		return runtime.Output{}, err
	}
	sum := sha256.Sum256(lessons)
	m := runtime.Marker{
		RepositoryID: f.repo.RepoID, RunID: f.isolation.runID, Attempt: f.isolation.attempt, Head: f.change.Head,
		Snapshot: hex.EncodeToString(sum[:]), Policy: policyDigest(b.verdict),
	}
	i, err := runtime.Isolate(f.isolation.dir, m)
	if err != nil {
		return runtime.Output{Outcome: runtime.Infra, Detail: err.Error()}, nil
	}
	f.isolation.started = i.Started
	out, err := run(ctx, f, who, job)
	if cleared := i.Clear(m); cleared != nil {
		return runtime.Output{Outcome: runtime.Infra, Detail: "the result is not used: " + cleared.Error()}, nil
	}
	return out, err
}

// unfinished says why the memory of this run may not be used: the marker of
// an earlier one is still there.
func unfinished(r ActionRequest) error {
	if r.StateDir == "" || r.Memory == nil || r.Operation == OperationRecover {
		return nil
	}
	m, there, err := runtime.FindMarker(r.StateDir)
	switch {
	case err != nil:
		return unavailable(Isolated, err, "%v", err)
	case there:
		return unavailable(Isolated, nil, "run %d, attempt %d, did not end on this machine as it should, so nothing is read or saved", m.RunID, m.Attempt).
			with("Run the operation `recover` there: it proves the old run gone.")
	}
	return nil
}

// Refuse keeps the memory off for the whole run.
func (v *Vaulted) Refuse(err error) { v.opened, v.err = true, err }
