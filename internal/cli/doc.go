// Package cli is the command line: flags, environment, exit codes and what a
// person sees in a terminal. It decides nothing about trust, policy or
// memory, and never acts on a repository or a store but through package app.
package cli
