package memory

// The bounds of every time that is stored or named (page 4.5).
const (
	// LastTime is the end of the year 9999 in milliseconds since 1970: later
	// years have five digits, and no date form of ours takes them.
	LastTime = 253402300799999
	// FirstDay and LastDay bound the day that a lesson may be given as its
	// last: it ends with the beginning of the next one.
	FirstDay = "1970-01-01"
	LastDay  = "9999-12-30"
)
