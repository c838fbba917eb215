// Package health decides what is wrong, or about to go wrong, with an
// installation and its memory: rules over facts that somebody else gathered,
// each finding with how bad it is, why it matters and what to do. It never
// looks at a clock, a file or a network itself, never changes anything, and
// never takes a fact that is missing for one that is fine: what was not looked
// at is said.
package health
