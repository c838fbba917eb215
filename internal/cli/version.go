package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/store"
	"github.com/familiarhq/familiar/internal/text"
)

// Version and Revision are set at link time by a release, which is built
// without what git says, so that the same source makes the same bytes in
// every folder (.ci/release).
var (
	Version  = "dev"
	Revision = ""
)

// pseudoVersion is how Go calls a commit that has no tag.
var pseudoVersion = text.Lazy(`[-.]\d{14}-[0-9a-f]{12}(?:\+|$)`)

// releaseVersion is the version of this binary: what the release said, or
// the tag that Go built it from (`go install ...@v1.2.3`), else "dev".
func releaseVersion() string {
	if Version != "dev" {
		return Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	return tagged(info.Main.Version)
}

// tagged is a module's version if it is a tag's, without changes, else "dev".
func tagged(version string) string {
	if version == "" || version == "(devel)" || strings.Contains(version, "+dirty") || pseudoVersion.MatchString(version) {
		return "dev"
	}
	return version
}

// build is what this binary is.
type build struct {
	Version     string `json:"version"`
	Revision    string `json:"revision"`
	Go          string `json:"go"`
	Contract    string `json:"contract"`
	StoreFormat int    `json:"store_format"`
}

func buildInfo() build {
	b := build{Version: releaseVersion(), Revision: Revision, Go: runtime.Version(), Contract: contract.Version, StoreFormat: store.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok || Revision != "" {
		return b
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty {
		b.Revision += "+changes"
	}
	return b
}

// String is the build in one line.
func (b build) String() string {
	revision := ""
	if b.Revision != "" {
		revision = " (" + b.Revision + ")"
	}
	return fmt.Sprintf("familiar %s%s, %s, contract %s, store format %d", b.Version, revision, b.Go, b.Contract, b.StoreFormat)
}

func versionCommand(env Env, common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version of this binary and of its formats", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := buildInfo()
			if common.json {
				return env.printJSON(json.MarshalIndent(b, "", "  "))
			}
			return env.print(b.String() + "\n")
		},
	}
}
