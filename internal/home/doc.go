// Package home is where containers live: an interface of list, load and save
// with one conformance suite (package hometest), and its errors. It decides
// nothing about what is in a container and never opens one; a listing that
// failed is an error, never an empty home (page 5.7).
package home
