// Package services is here for linters to look at.
package services

import "time"

// Retry waits before it tries again.
func Retry() {
	time.Sleep(5)
	time.Sleep(6) //lint:ignore SA1004 on purpose
}
