// Package render turns the outcome of a run into text: the status comment, the
// view in a terminal, lists of lessons, answers to commands, JSON. It decides
// what is shown, in which order, what is left out when there is too much, and
// how foreign text is made harmless; it never decides what happened, and never
// reads back what it wrote.
package render
