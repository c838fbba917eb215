// Package app holds one file per use case and wires facts, pure decisions
// and the executor together: it gathers, asks the pure packages, plans, and
// lets one executor act. It never decides about trust, policy or memory
// itself, and never writes anything but through a planned action.
package app
