package benchtest

import "flag"

// Seeds names the folder of filled stores; "": none.
var Seeds = flag.String("bench.seeds", "", "`folder` that keeps the stores that the benchmarks of internal/store fill, for the next run and for other packages")

var large = flag.Bool("bench.large", false, "benchmarks of every size, not of the smallest alone; some take minutes to fill")

// Sizes are those that a benchmark is to run with: the smallest alone, and all
// of them where -bench.large asks for it.
func Sizes(smallest int, others ...int) []int {
	if *large {
		return append([]int{smallest}, others...)
	}
	return []int{smallest}
}
