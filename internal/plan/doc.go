// Package plan holds what a run intends to do as plain data: actions with
// idempotency keys, and the contract of the one executor that performs them
// or, in a dry run, only reports them. It never acts itself, and never
// decides what is allowed.
package plan
