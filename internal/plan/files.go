package plan

// WriteFile writes one file of the set-up into the clone at hand.
const WriteFile Kind = "write_file"

// KeepFindings writes beside a local store which finding each number means.
const KeepFindings Kind = "keep_findings"
