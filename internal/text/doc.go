// Package text decides what a piece of text may be before anything else
// looks at it: its normal form, which of its characters are unsafe, how it
// is folded for comparison, and which words it has for recall. It never
// decides whether a text is wanted, looks for secrets, or touches anything
// but the string it is given.
package text
