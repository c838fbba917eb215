// Package diff decides what a change is: which files differ, how, and which
// lines were added, deleted or shown as context, read from the text of `git
// diff` or from the patch fragments of GitHub's REST API. What cannot be read
// whole becomes an Omission with its reason; the rest of the change is kept. It
// never runs git, never reads a file, and never guesses a name that the text
// leaves open.
package diff
