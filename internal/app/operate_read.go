package app

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/plan"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/vault"
)

// Uploads keeps files that are no containers, such as snapshots, as artifacts
// of their own.
type Uploads interface {
	Upload(ctx context.Context, name string, zip []byte) (id int64, err error)
}

// Names of artifacts that are no containers; the repository's id follows.
const (
	snapshotName = "familiar-snapshot-"
	exportName   = "familiar-export-"
	answerName   = "familiar-answer-"
)

// list answers list and search.
func (o *operation) list(ctx context.Context, report *ActionReport) error {
	query := strings.Join(o.words.values, " ")
	req := ListRequest{Stores: o.r.Memory, Query: query, All: o.words.options["all"] != ""}
	if query == "pending" {
		req.Query, req.Pending = "", true
	}
	if state := o.words.options["state"]; state != "" {
		for _, word := range strings.Split(state, "\n") {
			parsed, err := memory.ParseState(word)
			if err != nil {
				return &InputError{"arguments", "has a state that is none: " + err.Error()}
			}
			req.Select.States = append(req.Select.States, parsed)
		}
	}
	lessons, err := List(ctx, req)
	if err != nil {
		return err
	}
	count := strconv.Itoa(len(lessons)) + " lessons"
	if len(lessons) == 1 {
		count = "1 lesson"
	}
	return o.tell(ctx, report, strings.TrimSpace(o.words.verb+" "+query), count+".", render.LessonList(lessons, render.TerminalOptions{}))
}

// show answers show: each lesson with its history.
func (o *operation) show(ctx context.Context, report *ActionReport) error {
	if len(o.words.values) == 0 {
		return &InputError{"arguments", "has no id after show; write one a line, such as m-7f3k2q8a"}
	}
	for _, id := range o.words.values {
		h, refusal, err := ShowHistory(ctx, o.r.Memory, id)
		if err != nil {
			return err
		}
		if refusal != nil {
			report.refuse("show "+id, refusal.Detail)
			continue
		}
		if err := o.tell(ctx, report, "show "+id, "", render.LessonDetail(h.Versions, render.TerminalOptions{})); err != nil {
			return err
		}
	}
	return nil
}

// tell shows a text that holds lessons: in the summary where the repository is
// not public, sealed in an artifact where it is, since anybody may read the
// summaries of a public one (page 5.1).
func (o *operation) tell(ctx context.Context, report *ActionReport, command, short, text string) error {
	if o.s.repository.Visibility != "public" {
		report.answer(command, true, strings.TrimSpace(short+" The job summary shows it."))
		report.Block = report.Block.Then(render.Words("\n"), render.Fenced(text))
		return nil
	}
	return o.sealed(ctx, report, command, short, answerName, "answer.txt", []byte(text))
}

// sealed keeps a text as an artifact that only the holder of the memory key
// opens.
func (o *operation) sealed(ctx context.Context, report *ActionReport, command, short, name, file string, text []byte) error {
	data, err := vault.SealBytes(text, o.r.Keys.Recipient())
	if err != nil {
		return err
	}
	zipped, err := zipOf(file+".zst.age", data)
	if err != nil {
		return err
	}
	artifact, err := o.upload(ctx, report, name, zipped)
	if err != nil || artifact == "" {
		return err
	}
	report.answer(command, true, strings.TrimSpace(fmt.Sprintf("%s It is sealed with your key in %s: `age -d -i key.txt %s.zst.age | zstd -d`.", short, artifact, file)))
	return nil
}

// upload keeps bytes as an artifact and says which; "" in a dry run.
func (o *operation) upload(ctx context.Context, report *ActionReport, name string, zipped []byte) (string, error) {
	name += strconv.FormatInt(o.s.repository.ID, 10)
	var id int64
	var failure error
	d := deed{plan.Action{Kind: plan.Upload, Key: memory.NewCause("upload", o.event, name), Summary: "upload the artifact " + name}, func(ctx context.Context, _ plan.Action) error {
		if o.r.Uploads == nil {
			failure = errors.New("artifacts can be uploaded only from a running job of GitHub Actions")
			return failure
		}
		id, failure = o.r.Uploads.Upload(ctx, name, zipped)
		return failure
	}}
	report.perform(ctx, o.r, d)
	if failure != nil || o.r.DryRun {
		return "", failure
	}
	return fmt.Sprintf("the artifact `%s` (%d) of this run", name, id), nil
}

// zipOf is a zip with one member, as artifacts are.
func zipOf(name string, data []byte) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	member, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = member.Write(data)
	}
	return out.Bytes(), errors.Join(err, closing(w))
}

func closing(w *zip.Writer) error { return w.Close() }

// verify holds the memory against its own laws.
func (o *operation) verify(ctx context.Context, report *ActionReport) error {
	verdicts, err := Verify(ctx, o.r.Memory, o.r.Memory.Dir, o.r.gitHubNow())
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if v.OK {
			report.answer("verify "+v.Name, true, v.Detail+".")
		} else {
			report.refuse("verify "+v.Name, v.Detail+".")
		}
	}
	return nil
}

// export seals all lessons as JSON Lines.
func (o *operation) export(ctx context.Context, report *ActionReport) error {
	i, err := Inspect(ctx, o.r.Memory)
	if err != nil {
		return err
	}
	if !i.Exists {
		report.refuse("export", "Nothing was taught here yet.")
		return nil
	}
	data, err := memory.Export(memory.ExportHeader{
		Repository: o.s.repository.Owner + "/" + o.s.repository.Name, RepositoryID: o.s.repository.ID, StoreID: i.Info.StoreID, Generation: i.Info.Generation,
	}, i.Versions)
	if err != nil {
		return err
	}
	return o.sealed(ctx, report, "export", fmt.Sprintf("%s of lessons, generation %d.", render.Count(bytes.Count(data, []byte("\n"))-1, "version"), i.Info.Generation), exportName, "export.jsonl", data)
}

// snapshot keeps the whole store as an artifact, sealed as a container is.
func (o *operation) snapshot(ctx context.Context, report *ActionReport) error {
	path := filepath.Join(o.r.Memory.Dir, "snapshot.zip")
	manifest, err := SnapshotTo(ctx, SnapshotRequest{
		Memory: o.r.Memory, Identity: o.r.Memory.Identity, Keys: o.r.Keys, Path: path, Dir: o.r.Memory.Dir, Now: o.r.gitHubNow(), Tool: o.r.Memory.Tool, Run: o.r.Memory.Run,
	})
	if err != nil {
		return err
	}
	data, err := readBounded(path, vault.MaxZip)
	if err != nil {
		return err
	}
	artifact, err := o.upload(ctx, report, snapshotName, data)
	if err != nil || artifact == "" {
		return err
	}
	report.answer("snapshot", true, fmt.Sprintf("Generation %d with %s is sealed with your key in %s. Download it before it expires; `restore` brings it back.", manifest.Generation, render.Count(manifest.Lessons.Total, "lesson"), artifact))
	return nil
}
