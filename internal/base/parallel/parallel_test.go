package parallel_test

import (
	"context"
	"errors"
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

// TestLocksAreByKey lets goroutines count under one key, while another key is held.
func TestLocksAreByKey(t *testing.T) {
	t.Parallel()
	var locks parallel.Locks[string]
	hold, err := locks.Lock(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locks.Lock(ended, "other"); !errors.Is(err, context.Canceled) {
		t.Errorf("a held key was locked, or the context did not end the wait: %v", err)
	}
	const each = 1000
	n := 0
	count := func() {
		for range each {
			unlock, err := locks.Lock(t.Context(), "key")
			if err != nil {
				t.Error(err)
				return
			}
			n++
			unlock()
		}
	}
	parallel.Run(count, func() { parallel.Run(count, count) })
	if n != 3*each {
		t.Errorf("counted %d, want %d", n, 3*each)
	}
	hold()
	unlock, err := locks.Lock(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}
