// Package artifact is the home of containers in the artifacts of GitHub
// Actions: listed and downloaded through the REST API, uploaded through the
// results service of the running job. It decides which artifacts a container
// may come from (page 5.3) and when an upload is done; it never opens a
// container, never takes a failed listing for an empty home, and never lets a
// token or a signed address into a text.
package artifact
