package testkit_test

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/testkit"
)

// TestLimitChecks tries a property three times, and again after a failure, as
// rapid does to find a small example.
func TestLimitChecks(t *testing.T) {
	t.Parallel()
	tried := 0
	rapid.Check(t, testkit.LimitChecks(3, func(*rapid.T) { tried++ }))
	if tried != 3 {
		t.Errorf("the property was tried %d times", tried)
	}
	tried = 0
	failing := testkit.LimitChecks(3, func(*rapid.T) {
		tried++
		panic("failed")
	})
	for range 5 {
		func() {
			defer func() { _ = recover() }()
			failing(&rapid.T{})
		}()
	}
	if tried != 5 {
		t.Errorf("after a failure, the property was tried %d times", tried)
	}
}

func TestRounds(t *testing.T) {
	t.Setenv("SVC_TEST_LONG", "")
	if n := testkit.Rounds(2, 9); n != 2 {
		t.Errorf("Rounds = %d", n)
	}
	t.Setenv("SVC_TEST_LONG", "1")
	if n := testkit.Rounds(2, 9); n != 9 {
		t.Errorf("Rounds with SVC_TEST_LONG = %d", n)
	}
}
