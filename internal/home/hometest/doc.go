// Package hometest is the one conformance suite of every home. It decides
// what a home must keep to; it never ships in a binary.
package hometest
