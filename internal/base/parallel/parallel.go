// Package parallel runs functions at the same time.
package parallel

import (
	"fmt"
	"runtime/debug"
)

// Run calls other in a goroutine of its own while it calls fn, and returns when
// both have returned. A panic of either is raised in the caller's goroutine, so
// that the caller can recover from it.
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
