// Package memory is the domain of lessons: their keys, ids, texts, sources,
// states and classes, the one gate that every durable write passes, who may do
// what to whose lesson, which state may follow which, and the checkable form
// of a lesson. It decides on values alone; it never stores, reads a clock,
// asks GitHub or renders anything.
package memory
