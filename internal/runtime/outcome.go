package runtime

import "github.com/familiarhq/familiar/internal/contract"

// FromResult is what a reviewer said by its result alone, where no exit code
// is known: between prepare and publish it ran in a step of its own.
func FromResult(res contract.Result) Output { return finished(res) }
