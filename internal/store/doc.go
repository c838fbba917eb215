// Package store keeps lessons in one SQLite file: its schema and migrations,
// the one door through which a lesson changes (Apply), the questions asked of
// it (Get, List, Recall, Counts, ...), its audit, and the way a file becomes a
// saved one. It decides whether a file is a store at all, and which lessons
// answer a change; it never decides who may do what by permission, never asks
// GitHub, never reads a clock but for the ten seconds of a processor that
// opening may take, and never lends out text that was forgotten. The opened
// file is a working copy: what counts as saved is what SaveTo or Export gave to
// a home.
package store
