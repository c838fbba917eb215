//go:build race

package render

// raced says whether the race detector is on. Nothing in this package runs side
// by side, so properties are then tried on fewer texts.
const raced = true
