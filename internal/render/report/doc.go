// Package report decides how a whole memory looks as one page of HTML that
// stands alone: lessons with filters and search, where each came from, what
// was approved and forgotten when, how much was read, proposed and refused in
// each week, generations and health. It never names another address to be
// loaded, never lets a word of anybody become markup or script, and never
// reads a clock or a file.
package report
