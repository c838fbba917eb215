// Package redact decides which parts of a text are a secret or personal
// data, and takes them out. It never stores, logs or returns the value of
// what it found: a hit is a place and the name of a rule.
package redact
