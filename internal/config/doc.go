// Package config decides what `.github/familiar.toml` and
// `.github/familiar/rules.toml` say: it parses them, fills in defaults and
// names everything wrong with them by line, column and nearest known name. It
// never reads a file, never takes a command line, an endpoint or a key from
// one (those are step inputs only), and never lets a broken file widen
// anything: a broken configuration means memory off and a review with
// defaults.
package config
