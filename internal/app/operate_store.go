package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

// restore merges a snapshot that lies in an artifact of this repository.
func (o *operation) restore(ctx context.Context, report *ActionReport) error {
	if len(o.words.values) != 1 {
		return &InputError{"arguments", "takes the id of one artifact after restore, as the snapshot's answer named it"}
	}
	id, err := strconv.ParseInt(o.words.values[0], 10, 64)
	if err != nil || id <= 0 {
		return &InputError{"arguments", fmt.Sprintf("takes the id of an artifact after restore, and %q is none", o.words.values[0])}
	}
	command := fmt.Sprintf("restore %d", id)
	data, err := o.r.Client.ArtifactZip(ctx, id)
	if k := github.KindOf(err); k == github.NotFound || k == github.Gone {
		report.refuse(command, fmt.Sprintf("There is no artifact %d here any more. Nothing was changed.", id))
		return nil
	}
	if err != nil {
		return err
	}
	path := filepath.Join(o.r.Memory.Dir, "to-restore.zip")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	if o.r.DryRun {
		report.answer(command, false, "This is a dry run; nothing was restored.")
		return nil
	}
	done, err := RestoreFrom(ctx, RestoreRequest{
		Memory: o.r.Memory, Identity: o.r.Memory.Identity, Keys: o.r.Keys, Path: path, Dir: o.r.Memory.Dir,
		Actor: o.actor, Cause: o.event, At: o.at, Now: o.r.gitHubNow(),
	})
	if err != nil {
		report.refuse(command, sentenceOf(err.Error()))
		return nil
	}
	text := fmt.Sprintf("Merged the snapshot of generation %d: %s added, %d moved on. What was forgotten or denied since stays so.", done.Manifest.Generation, render.Count(done.Merged.Added, "row"), done.Merged.Changed)
	if done.Already {
		text = "It was done before."
	}
	report.answer(command, true, text)
	o.noted(report)
	return nil
}

// operateRecover is the operation recover: what `recover` of the operation
// memory does, with nothing but its options as arguments.
func operateRecover(ctx context.Context, r ActionRequest) (ActionReport, error) {
	r.Operation, r.Arguments = OperationMemory, append([]string{"recover"}, recoverWords(r.Arguments)...)
	return operateMemory(ctx, r)
}

// recoverWords takes the verb off where somebody wrote it, and splits what
// stands on one line.
func recoverWords(arguments []string) []string {
	var out []string
	for _, line := range arguments {
		out = append(out, strings.Fields(line)...)
	}
	if len(out) > 0 && out[0] == "recover" {
		out = out[1:]
	}
	return out
}

// recover says what stands in the way of the memory, and merges deliberately
// what is accepted by digest (page 5.3).
func (o *operation) recover(ctx context.Context, report *ActionReport) error {
	floor, err := o.highestFloor(ctx)
	if err != nil {
		return err
	}
	accept := slices.DeleteFunc(strings.Split(o.words.options["accept"], "\n"), func(s string) bool { return s == "" })
	if len(o.words.values) > 0 {
		return &InputError{"arguments", fmt.Sprintf("has %q after recover; it takes `--accept DIGEST` and `--accept-empty`", o.words.values[0])}
	}
	if o.r.DryRun {
		accept = nil
	}
	done, err := Recover(ctx, RecoverRequest{
		Memory: o.r.Memory, Accept: accept, AcceptEmpty: o.words.options["accept-empty"] != "" && !o.r.DryRun, Floor: floor, StateDir: o.r.StateDir,
		Actor: o.actor, Cause: o.event, At: o.at,
	})
	if err != nil {
		return err
	}
	for _, h := range done.Heads {
		report.Said = append(report.Said, fmt.Sprintf("container %d opens: generation %d, digest `%s`", h.ID, h.Manifest.Generation, h.Digest))
	}
	for _, q := range done.Quarantine {
		report.Said = append(report.Said, fmt.Sprintf("container %s is quarantined (%s), digest `%s`", q.ID, strings.ReplaceAll(q.Reason, "_", " "), or(q.Digest, "not known")))
	}
	if done.Marker != "" {
		report.Said = append(report.Said, done.Marker)
	}
	switch {
	case done.Problem != "":
		report.refuse("recover", sentenceOf(done.Problem)+" What is accepted is named by its digest: `--accept DIGEST`, or `--accept-empty` where none opens.")
	case done.Saved:
		report.answer("recover", true, fmt.Sprintf("What was accepted is merged and saved as generation %d.", done.Generation))
	default:
		report.answer("recover", true, "The memory opens; nothing stands in its way.")
	}
	o.noted(report)
	return nil
}

// floorDays is how far back status comments are asked what they saw: longer
// than any container lives by default.
const floorDays = 90

// highestFloor is the highest floor that the dashboard or a status comment
// of a thread saw lately, so that what is saved now lies above it.
func (o *operation) highestFloor(ctx context.Context) (vault.Floor, error) {
	highest := vault.Floor{Generation: o.s.issue.floor.Generation, Digest: o.s.issue.floor.Digest}
	comments, err := o.r.Client.CommentsSince(ctx, o.r.gitHubNow().AddDate(0, 0, -floorDays))
	if github.KindOf(err) == github.TooLarge {
		return highest, nil // the dashboard has to do
	}
	if err != nil {
		return highest, err
	}
	name := o.s.repository.Owner + "/" + o.s.repository.Name
	for _, c := range comments {
		own := findOwn([]github.Comment{c}, o.r.Keys, o.s.author, name, o.s.repository.ID, c.Number)
		if own.ID != 0 {
			highest = highest.Higher(vault.Floor{Generation: own.state.Floor.Generation, Digest: own.state.Floor.Digest})
		}
	}
	return highest, nil
}
