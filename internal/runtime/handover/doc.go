// Package handover holds what travels between the step that prepares a review
// and the step that publishes it: the sealed note of what was handed out, the
// whole hand-over in one file, and the answer that comes back in another. It
// decides which note still stands for this run, and why one does not; it never
// reads a file, a clock or a key, and what it decodes is believed only after
// its MAC was verified.
package handover
