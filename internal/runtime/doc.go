// Package runtime decides what a reviewer is given and what is made of how it
// ended: a Job goes in, candidate findings and a report of the memory that
// was read come out. A reviewer is handed no store and no token, and never
// more lessons than were approved and granted; what it says is never believed
// before the evidence check.
package runtime
