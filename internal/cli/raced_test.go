//go:build race

package cli

// raced says whether the race detector is on. It costs a run of the action ten
// times what it takes without, so that most stories are then told by the binary
// and one in four in this process, where the detector sees what is done side by
// side.
const raced = true
