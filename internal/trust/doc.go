// Package trust decides how far the people who shaped a piece of work are
// trusted: Facts become a Verdict, one trust scope with the reasons for it, by
// the table of page 3.1. It never looks anything up, never reads a payload's
// author_association, and grants nothing by itself: what a scope may read and
// write is the policy's to say (page 3.2), and a command is judged by its own
// author's standing.
package trust
