package cli

import (
	"path/filepath"
	"strings"
)

// The folders of the runner's host that a container action sees under other
// names, and how they start and end there.
const (
	containerTemp      = "/github/runner_temp"
	containerWorkspace = "/github/workspace"
	hostTemp           = "/_temp/" // the runner's name of it, below its work folder
)

// located says where a path of the runner's host is seen from here: in a
// container its temporary folder and its workspace have other names (page
// 7.1, "paths in outputs are the host's"). Anywhere else it is where it says.
func located(env Env) func(string) (string, error) {
	return func(path string) (string, error) {
		switch {
		case env.Getenv("RUNNER_TEMP") != containerTemp:
			if !filepath.IsAbs(path) {
				path = filepath.Join(env.Dir, path)
			}
			return filepath.Clean(path), nil
		case !filepath.IsAbs(path):
			return within(containerWorkspace, path)
		case strings.HasPrefix(path, containerTemp+"/"), strings.HasPrefix(path, containerWorkspace+"/"):
			return filepath.Clean(path), nil
		}
		if _, rest, ok := strings.Cut(path, hostTemp); ok {
			return within(containerTemp, rest)
		}
		_, name, _ := strings.Cut(env.Getenv("GITHUB_REPOSITORY"), "/")
		if _, rest, ok := strings.Cut(path, "/"+name+"/"+name+"/"); ok && name != "" {
			return within(containerWorkspace, rest)
		}
		return "", usage("the path %s is not seen from this container; use one below ${{ runner.temp }} or of the workspace", path)
	}
}

// within joins a path that must not lead out of the folder.
func within(folder, rest string) (string, error) {
	if !filepath.IsLocal(rest) {
		return "", usage("the path %s leads out of its folder", rest)
	}
	return filepath.Join(folder, rest), nil
}
