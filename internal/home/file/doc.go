// Package file is the home of one store in one local file: its bytes are
// replaced whole, by a rename on the same disk, or not at all, and a session
// keeps other processes out between reading and writing so that no update is
// lost. It decides nothing about the bytes, never follows a link, and never
// leaves a half-written file at the path.
package file
