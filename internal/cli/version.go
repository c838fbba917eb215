package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/store"
)

// Version is set at link time by a release.
var Version = "dev"

// build is what this binary is.
type build struct {
	Version     string `json:"version"`
	Revision    string `json:"revision"`
	Go          string `json:"go"`
	Contract    string `json:"contract"`
	StoreFormat int    `json:"store_format"`
}

func buildInfo() build {
	b := build{Version: Version, Go: runtime.Version(), Contract: contract.Version, StoreFormat: store.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
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
