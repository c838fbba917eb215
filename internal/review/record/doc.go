// Package record decides what review.json says of a review: its run, what the
// reviewer was given, every candidate finding and every claim on memory with
// its verdict, in ids and digests, under an HMAC. It never holds a text of a
// lesson or a word of a reviewer, and never decides what is published.
package record
