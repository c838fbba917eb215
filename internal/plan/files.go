package plan

// WriteFile writes one file of the set-up into the clone at hand.
const WriteFile Kind = "write_file"
