package parallel_test

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/parallel"
)

func TestRunCallsBoth(t *testing.T) {
	t.Parallel()
	first, second := make(chan int), make(chan int)
	sum := 0
	parallel.Run(
		func() { second <- 1; sum = <-first },
		func() { first <- 2 + <-second },
	)
	if sum != 3 {
		t.Errorf("the functions exchanged %d, want 3", sum)
	}
}

// TestRunRaisesPanics recovers in the caller from a panic in either function.
func TestRunRaisesPanics(t *testing.T) {
	t.Parallel()
	nothing, fail := func() {}, func() { panic("broken") }
	for name, run := range map[string]func(){
		"fn":    func() { parallel.Run(fail, nothing) },
		"other": func() { parallel.Run(nothing, fail) },
		"both":  func() { parallel.Run(fail, fail) },
	} {
		func() {
			defer func() {
				if p := recover(); !strings.Contains(fmt.Sprint(p), "broken") {
					t.Errorf("%s: recovered %v", name, p)
				}
			}()
			run()
			t.Errorf("%s: no panic", name)
		}()
	}
}
