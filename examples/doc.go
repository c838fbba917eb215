// Package examples holds the files that people copy, and that `familiar init`
// writes as they are. It never holds a second copy of any of them; app is what
// `familiar init --app` makes of them, generated to be read.
package examples
