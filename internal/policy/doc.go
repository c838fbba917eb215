// Package policy computes the memory_policy of a review job from trust and
// configuration, and holds a runtime's report of its memory use against that
// policy, entry by entry. It decides on values alone: it loads, stores and
// publishes nothing, and never takes a runtime's word for what it was granted.
package policy
