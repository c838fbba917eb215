package app

import (
	"context"
	"fmt"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/diff"
	"github.com/familiarhq/familiar/internal/github"
	"github.com/familiarhq/familiar/internal/runtime"
)

// attributesPath is where a repository says which files are generated.
const attributesPath = ".gitattributes"

// manyFiles is from how many files on it matters to the rules which of them
// are generated: their lists are bounded.
const manyFiles = 100

// told is what the base commit tells a reviewer beside the rules of a review.
type told struct {
	instruction config.Instruction
	attributes  diff.Attributes
	notes       []string
}

// tell reads what a reviewer of this kind needs to be told. The rules take no
// instruction, so for them the profile is not even fetched.
func tell(ctx context.Context, f facts, kind runtime.Kind) (told, error) {
	var want []string
	if kind != runtime.Rules {
		want = config.InstructionPaths()
	}
	if kind != runtime.Rules || len(f.change.Files) > manyFiles {
		want = append(want, attributesPath)
	}
	if f.baseFiles == nil || len(want) == 0 {
		return told{}, nil
	}
	files, err := f.baseFiles(ctx, want)
	if err != nil {
		return told{}, err
	}
	var t told
	t.attributes = diff.ParseAttributes(files[attributesPath].Data)
	var problems []config.Diagnostic
	t.instruction, problems = config.ChooseInstruction(files)
	for _, p := range problems {
		t.notes = append(t.notes, p.String())
	}
	return t, nil
}

// baseOfClone reads files of a commit of a clone; "" is the empty tree.
func baseOfClone(c *Clone, base string) func(context.Context, []string) (map[string]config.BaseFile, error) {
	return func(ctx context.Context, paths []string) (map[string]config.BaseFile, error) {
		out := map[string]config.BaseFile{}
		for _, p := range paths {
			if base == "" {
				break
			}
			data, there, problem, err := c.Repo.RegularFile(ctx, base, p, config.MaxProfileBytes)
			if err != nil {
				return nil, fmt.Errorf("reading %s at the base: %w", p, err)
			}
			out[p] = config.BaseFile{Data: data, There: there, Problem: problem}
		}
		return out, nil
	}
}

// baseOnGitHub reads files of a commit through the API, side by side. GitHub
// follows a link to a file of the same commit, so that it is still the base
// that speaks; any other link is a problem.
func baseOnGitHub(c *github.Client, base string) func(context.Context, []string) (map[string]config.BaseFile, error) {
	return func(ctx context.Context, paths []string) (map[string]config.BaseFile, error) {
		found := make([]config.BaseFile, len(paths))
		var tasks []func(context.Context) error
		for i, p := range paths {
			tasks = append(tasks, func(ctx context.Context) error {
				data, ok, err := c.FileAt(ctx, p, base)
				found[i] = config.BaseFile{Data: data, There: ok}
				switch github.KindOf(err) {
				case github.TooLarge:
					found[i], err = config.BaseFile{There: true, Problem: "it is larger than 1 MiB"}, nil
				case github.Invalid:
					found[i], err = config.BaseFile{There: true, Problem: "it is no regular file"}, nil
				}
				return err
			})
		}
		if err := c.Gather(ctx, tasks...); err != nil {
			return nil, err
		}
		out := map[string]config.BaseFile{}
		for i, p := range paths {
			out[p] = found[i]
		}
		return out, nil
	}
}
