// Package vault seals a store into a container and opens it again: the zip,
// its manifest, the keys, the limits and every reason for which a container
// is refused (pages 5.1 and 5.2; docs/format.md). It reads a database and
// writes one, as a stream; a container is bytes. It never lists, fetches or
// deletes a container, never looks into the database, never reads a clock, and
// never decrypts what a known key has not vouched for.
package vault
