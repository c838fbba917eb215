// Package github asks GitHub's REST API about one repository and writes to
// it: with a token or as an App, page by page, inside limits of size and time,
// waiting out rate limits. It answers in this product's plain types and in
// typed errors that name the missing permission or the next step. It decides
// nothing about trust or memory, never lets a write follow a redirect, never
// sends a write twice that may have arrived, never sends a token to another
// host, and never puts a token or a signed address into an error.
package github
