package examples

import "embed"

// Files holds the workflow files of the folders private and public, and
// familiar.toml.
//
//go:embed private/*.yml public/*.yml familiar.toml
var Files embed.FS
