// Package review decides what a review may say: it assembles the brief, holds
// every reported finding against the change (page 7.3), numbers and fingerprints
// what stands, computes the coverage, and turns a change into the words that
// recall is asked with (page 4.6). It never believes a reviewer about what it
// looked at, never takes memory for evidence, and never writes a token into a
// brief.
package review
