// Command peak runs a program with its own input, output and environment, and
// writes to a file what that process cost: the time, the processor's time, and
// the most memory that it held. The system counts what a parent held to its
// child, so only a small parent can tell; this one is nothing else. It judges
// nothing, never changes what the program sees, and ends with its status.
package main
