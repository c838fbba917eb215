// Package contract holds what crosses the border to a runtime: the session
// brief, the memory policy, the result envelope and its memory report, as
// types, as JSON Schemas and as strict decoders (pages 3.3, 3.5 and 7.1). It
// decides whether bytes are a message of contract version 2 and what an exit
// of a runtime means. It never decides whether a message may be believed:
// trust, grants and evidence are judged elsewhere.
package contract
