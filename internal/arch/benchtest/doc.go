// Package benchtest has what the benchmarks of all packages share: processor
// time, since on a machine that others use the time by the clock says little,
// and which sizes are asked for. It decides nothing else and is never part of
// the product: only tests import it.
package benchtest
