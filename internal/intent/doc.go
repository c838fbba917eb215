// Package intent turns what a person wrote, as a comment, as the name of a
// label or as arguments on a command line, into typed intents, and holds the
// one table of commands from which every help text is made. It decides where a
// command may start, which verb it names and whether its arguments are
// complete; it never decides who may give it, never looks anything up and
// never does what it says.
package intent
