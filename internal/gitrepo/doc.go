// Package gitrepo answers what a local clone knows: which commits there are,
// what changed between two of them or in the working tree, and what a file says
// at a revision, by asking the git command in an environment in which nothing
// that the clone names can run (attack A114). It never writes to the clone,
// never reaches a network, never runs a hook, filter, pager, helper or diff
// program of the clone's configuration, and never follows a link out of the
// working tree.
package gitrepo
