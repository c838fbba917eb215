package app

import "slices"

// Operation is what a run of the action is asked to do (page 6.7).
type Operation string

// The closed set of operations.
const (
	OperationAuto      Operation = "auto" // by the event
	OperationPrepare   Operation = "prepare"
	OperationPublish   Operation = "publish"
	OperationSweep     Operation = "sweep"
	OperationMemory    Operation = "memory"
	OperationUninstall Operation = "uninstall"
	OperationRecover   Operation = "recover"
)

var allOperations = []Operation{
	OperationAuto, OperationPrepare, OperationPublish, OperationSweep, OperationMemory, OperationUninstall, OperationRecover,
}

// ParseOperation is the one way from a word to an Operation.
func ParseOperation(s string) (Operation, bool) {
	op := Operation(s)
	return op, slices.Contains(allOperations, op)
}

// Operations are the words of the closed set, in the order of page 6.7.
func Operations() []string {
	var out []string
	for _, op := range allOperations {
		out = append(out, string(op))
	}
	return out
}

// TakesArguments says whether an operation has a use for the input arguments.
func (op Operation) TakesArguments() bool {
	return op == OperationMemory || op == OperationRecover || op == OperationPrepare || op == OperationPublish
}

// Available says whether this version does an operation.
func (op Operation) Available() bool {
	_, ok := useCases()[op]
	return ok
}
