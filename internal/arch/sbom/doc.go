// Command sbom tells what is in a binary of a release: as a CycloneDX bill of
// materials, or as the licences that must go along with it. It reads what Go
// recorded in the binary and the texts of the modules themselves; it never
// guesses a licence that it does not know, and the same binary always makes
// the same bytes.
package main
