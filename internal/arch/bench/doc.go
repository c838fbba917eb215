// Command bench measures what page 8.3 of the design gives a budget, beside
// tools that do the same work, prints one table, and writes docs/benchmarks.md
// with its plots and the figures that the next run compares with. It decides
// nothing: a figure over its budget is shown as such and fails nothing, and it
// never becomes part of the product's binaries.
package main
