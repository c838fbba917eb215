// Package arch decides nothing at run time: its tests hold the table of
// packages of docs/architecture.md against the code, so that a backward
// import, a clock or a file in a pure package, or a package without a
// doc.go fails the build. It never ships in a binary.
package arch
