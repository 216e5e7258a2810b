// Package parallel runs functions at the same time.
package parallel

import (
	"fmt"
	"runtime/debug"
)

// Run calls other in its own goroutine while it calls fn, and returns when both have
// returned. A panic in either is raised in the caller's goroutine, so the caller can
// recover from it.
func Run(fn, other func()) {
	done := make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Sprintf("%v, in the goroutine:\n%s", p, debug.Stack())
				return
			}
			done <- nil
		}()
		other()
	}()
	defer func() {
		if p := <-done; p != nil {
			panic(p)
		}
	}()
	fn()
}
