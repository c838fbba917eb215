// Package rules decides, without a model, a key or a network, what is wrong
// with a change: the built-in rules, those of the rules file and the checkable
// lessons, all over added lines and touched paths. It never proposes a lesson,
// never quotes a secret, and never reports what it cannot show.
package rules
