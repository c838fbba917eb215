// Package benchtest measures processor time for benchmarks, since on a machine
// that others use the time by the clock says little. It decides nothing and is
// never part of the product: only tests import it.
package benchtest
