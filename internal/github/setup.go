package github

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/go-github/v62/github"
)

// What the doctor asks of a repository's settings. Most of it needs an
// admin's token; the error's kind tells what it lacks.

// named is an entry of a listing by name.
type named struct {
	Name string `json:"name"`
}

// Secrets returns the names of the repository's own Actions secrets, or of
// those of an environment. GitHub never tells what is in them.
func (c *Client) Secrets(ctx context.Context, environment string) ([]string, error) {
	op, path := "listing the secrets of the repository", c.repoPath("actions/secrets")
	if environment != "" {
		op = fmt.Sprintf("listing the secrets of the environment %q", environment)
		path = c.repoPath("environments/" + url.PathEscape(environment) + "/secrets")
	}
	ctx = with(ctx, call{op: op, permission: "secrets: read"})
	var out []string
	err := c.setupPages(ctx, path, func(page *setupPage) int {
		for _, s := range page.Secrets {
			out = append(out, s.Name)
		}
		return len(page.Secrets)
	})
	return out, err
}

// setupPage is a page of one of the listings of this file.
type setupPage struct {
	Secrets        []named `json:"secrets"`
	BranchPolicies []named `json:"branch_policies"`
	Workflows      []struct {
		Path  string `json:"path"`
		State string `json:"state"`
	} `json:"workflows"`
}

// setupPages follows a listing to its end, within the limit of pages.
func (c *Client) setupPages(ctx context.Context, path string, take func(*setupPage) int) error {
	for page := 1; page <= c.lim.Pages; page++ {
		var answer setupPage
		resp, err := c.get(ctx, fmt.Sprintf("%s?per_page=%d&page=%d", path, perPage, page), &answer)
		if err != nil {
			return err
		}
		if take(&answer) == 0 || resp.NextPage == 0 {
			return nil
		}
	}
	return tooManyPages(ctx, c.lim.Pages)
}

func (c *Client) repoPath(rest string) string {
	return "repos/" + c.owner + "/" + c.name + "/" + rest
}

// Environment is an environment and the branches that may use it.
type Environment struct {
	Name       string
	Restricted bool     // false: every branch may use it
	Protected  bool     // those with a branch protection may
	Branches   []string // patterns, where neither holds of all
}

// Environment returns an environment. One that is not there is an *Error of
// kind NotFound.
func (c *Client) Environment(ctx context.Context, name string) (Environment, error) {
	ctx = with(ctx, call{op: fmt.Sprintf("reading the environment %q", name), permission: "actions: read"})
	out := Environment{Name: name}
	path := c.repoPath("environments/" + url.PathEscape(name))
	var answer struct {
		Policy *struct {
			Protected bool `json:"protected_branches"`
			Custom    bool `json:"custom_branch_policies"`
		} `json:"deployment_branch_policy"`
	}
	if _, err := c.get(ctx, path, &answer); err != nil || answer.Policy == nil {
		return out, err
	}
	out.Restricted, out.Protected = true, answer.Policy.Protected
	if !answer.Policy.Custom {
		return out, nil
	}
	err := c.setupPages(ctx, path+"/deployment-branch-policies", func(page *setupPage) int {
		for _, b := range page.BranchPolicies {
			out.Branches = append(out.Branches, b.Name)
		}
		return len(page.BranchPolicies)
	})
	return out, err
}

// WorkflowStates returns GitHub's state of each workflow file by its path:
// "active", "disabled_manually", "disabled_inactivity", ...
func (c *Client) WorkflowStates(ctx context.Context) (map[string]string, error) {
	ctx = with(ctx, call{op: "listing the workflows", permission: "actions: read"})
	out := map[string]string{}
	err := c.setupPages(ctx, c.repoPath("actions/workflows"), func(page *setupPage) int {
		for _, w := range page.Workflows {
			out[w.Path] = w.State
		}
		return len(page.Workflows)
	})
	return out, err
}

// ActionsPolicy says which actions may run.
type ActionsPolicy struct {
	Enabled  bool
	Allowed  string   // "all", "local_only", "selected"; "" where Actions are off
	Patterns []string // of selected
}

// ActionsPolicy returns the repository's policy.
func (c *Client) ActionsPolicy(ctx context.Context) (ActionsPolicy, error) {
	ctx = with(ctx, call{op: "reading the Actions policy", permission: "administration: read"})
	var p github.ActionsPermissionsRepository
	if _, err := c.get(ctx, c.repoPath("actions/permissions"), &p); err != nil {
		return ActionsPolicy{}, err
	}
	out := ActionsPolicy{Enabled: p.GetEnabled(), Allowed: p.GetAllowedActions()}
	if out.Allowed != "selected" {
		return out, nil
	}
	var selected github.ActionsAllowed
	_, err := c.get(ctx, c.repoPath("actions/permissions/selected-actions"), &selected)
	out.Patterns = selected.PatternsAllowed
	return out, err
}
