// Package examples holds the files that people copy, and that `familiar init`
// writes as they are. Each folder is whole, so the sweep stands in private and in
// public, word for word the same; app is what `familiar init --app` makes of
// them, generated to be read.
package examples
