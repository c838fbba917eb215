package main

import (
	"fmt"
	"slices"
	"strings"
)

// operations are the paths and methods that the stand-in serves.
var operations = map[string][]string{
	"/app/installations/{installation_id}/access_tokens":                               {"post"},
	"/repos/{owner}/{repo}":                                                            {"get"},
	"/repos/{owner}/{repo}/actions/artifacts":                                          {"get"},
	"/repos/{owner}/{repo}/actions/artifacts/{artifact_id}":                            {"get", "delete"},
	"/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}":           {"get"},
	"/repos/{owner}/{repo}/actions/jobs/{job_id}/logs":                                 {"get"},
	"/repos/{owner}/{repo}/actions/permissions":                                        {"get"},
	"/repos/{owner}/{repo}/actions/permissions/selected-actions":                       {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}":                                      {"get"},
	"/repos/{owner}/{repo}/actions/secrets":                                            {"get"},
	"/repos/{owner}/{repo}/actions/workflows":                                          {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/jobs":                                 {"get"},
	"/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches":                 {"post"},
	"/repos/{owner}/{repo}/collaborators/{username}":                                   {"get"},
	"/repos/{owner}/{repo}/collaborators/{username}/permission":                        {"get"},
	"/repos/{owner}/{repo}/commits/{commit_sha}/pulls":                                 {"get"},
	"/repos/{owner}/{repo}/check-runs":                                                 {"post"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}":                                  {"patch"},
	"/repos/{owner}/{repo}/commits/{ref}/check-runs":                                   {"get"},
	"/repos/{owner}/{repo}/commits/{ref}":                                              {"get"},
	"/repos/{owner}/{repo}/compare/{basehead}":                                         {"get"},
	"/repos/{owner}/{repo}/contents/{path}":                                            {"get"},
	"/repos/{owner}/{repo}/environments/{environment_name}":                            {"get"},
	"/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies": {"get"},
	"/repos/{owner}/{repo}/environments/{environment_name}/secrets":                    {"get"},
	"/repos/{owner}/{repo}/git/ref/{ref}":                                              {"get"},
	"/repos/{owner}/{repo}/installation":                                               {"get"},
	"/repos/{owner}/{repo}/issues":                                                     {"get", "post"},
	"/repos/{owner}/{repo}/issues/comments":                                            {"get"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":                               {"get", "patch", "delete"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions":                     {"get", "post"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}":       {"delete"},
	"/repos/{owner}/{repo}/issues/{issue_number}":                                      {"get", "patch"},
	"/repos/{owner}/{repo}/issues/{issue_number}/comments":                             {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}/events":                               {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels":                               {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}":                        {"delete"},
	"/repos/{owner}/{repo}/labels":                                                     {"get", "post"},
	"/repos/{owner}/{repo}/labels/{name}":                                              {"get", "delete"},
	"/repos/{owner}/{repo}/pulls":                                                      {"get"},
	"/repos/{owner}/{repo}/pulls/comments/{comment_id}":                                {"get", "patch", "delete"},
	"/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions":                      {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":                                        {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments":                               {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies":          {"post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/files":                                  {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/reviews":                                {"get", "post"},
}

// prose are the keys of an OpenAPI document that no validation here needs.
var prose = []string{"description", "summary", "example", "examples", "externalDocs", "tags", "title", "deprecated", "discriminator"}

type cutter struct {
	source     map[string]any
	components map[string]map[string]any
}

func (c *cutter) paths() (map[string]any, error) {
	all, _ := c.source["paths"].(map[string]any)
	out := map[string]any{}
	for path, methods := range operations {
		item, ok := all[path].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("path %s is not in the description", path)
		}
		kept := map[string]any{}
		for _, m := range methods {
			op, ok := item[m].(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s %s is not in the description", strings.ToUpper(m), path)
			}
			cut, err := c.operation(op)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", strings.ToUpper(m), path, err)
			}
			kept[m] = cut
		}
		out[path] = kept
	}
	return out, nil
}

func (c *cutter) operation(op map[string]any) (map[string]any, error) {
	out := map[string]any{"operationId": op["operationId"], "responses": map[string]any{}}
	for _, key := range []string{"parameters", "requestBody"} {
		if v, ok := op[key]; ok {
			kept, err := c.keep(v, false)
			if err != nil {
				return nil, err
			}
			out[key] = kept
		}
	}
	responses, _ := op["responses"].(map[string]any)
	for status, v := range responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		r, _ := v.(map[string]any)
		answer := map[string]any{"description": "as GitHub answers"}
		if content, ok := r["content"].(map[string]any); ok {
			if js, ok := content["application/json"]; ok {
				kept, err := c.keep(js, true)
				if err != nil {
					return nil, err
				}
				answer["content"] = map[string]any{"application/json": kept}
			}
		}
		out["responses"].(map[string]any)[status] = answer
	}
	if len(out["responses"].(map[string]any)) == 0 {
		out["responses"] = map[string]any{"default": map[string]any{"description": "as GitHub answers"}}
	}
	return out, nil
}

// keep copies a value without prose and pulls in what it refers to. In an
// answer the required lists go as well: the stand-in answers with the fields
// that have meaning here, and each of them must have GitHub's type.
func (c *cutter) keep(v any, answer bool) (any, error) {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			kept, err := c.keep(e, answer)
			if err != nil {
				return nil, err
			}
			out[i] = kept
		}
		return out, nil
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return c.refer(ref, answer)
		}
		return c.object(v, answer, false)
	}
	return v, nil
}

// object copies a mapping. Below properties the keys are field names and not
// words of the format, so that a field called title stays.
func (c *cutter) object(v map[string]any, answer, fields bool) (any, error) {
	out := map[string]any{}
	for k, e := range v {
		_, list := e.([]any)
		switch {
		case fields:
		case slices.Contains(prose, k), strings.HasPrefix(k, "x-"):
			continue
		case answer && k == "required" && list:
			continue
		}
		if m, ok := e.(map[string]any); ok && k == "properties" && !fields {
			kept, err := c.object(m, answer, true)
			if err != nil {
				return nil, err
			}
			out[k] = kept
			continue
		}
		kept, err := c.keep(e, answer)
		if err != nil {
			return nil, err
		}
		if answer && k == "oneOf" && list && !fields {
			k = "anyOf" // without required lists several forms match
		}
		out[k] = kept
	}
	return out, nil
}

func (c *cutter) refer(ref string, answer bool) (any, error) {
	parts := strings.Split(ref, "/")
	if len(parts) != 4 || parts[0] != "#" || parts[1] != "components" {
		return nil, fmt.Errorf("reference %s points elsewhere than into the components", ref)
	}
	kind, name := parts[2], parts[3]
	to := name
	if answer {
		to = "answer-" + name
	}
	link := map[string]any{"$ref": "#/components/" + kind + "/" + to}
	if _, done := c.components[kind][to]; done {
		return link, nil
	}
	all, _ := c.source["components"].(map[string]any)
	group, _ := all[kind].(map[string]any)
	body, ok := group[name]
	if !ok {
		return nil, fmt.Errorf("reference %s points at nothing", ref)
	}
	if c.components[kind] == nil {
		c.components[kind] = map[string]any{}
	}
	c.components[kind][to] = nil // stands until the copy below is made, for cycles
	kept, err := c.keep(body, answer)
	if err != nil {
		return nil, err
	}
	c.components[kind][to] = kept
	return link, nil
}
