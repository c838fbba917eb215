//go:build !race

package redact

// raced says whether the race detector is on: it throws away at random what
// would be used again, so that allocations tell less.
const raced = false
