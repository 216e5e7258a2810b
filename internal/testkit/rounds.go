package testkit

import (
	"flag"
	"os"

	"pgregory.net/rapid"
)

// Rounds returns how often a test repeats something: few times in make test, and
// many times if SVC_TEST_LONG is set, as make soak does.
func Rounds(few, many int) int {
	if os.Getenv("SVC_TEST_LONG") != "" {
		return many
	}
	return few
}

// LimitChecks returns a property for rapid.Check tried n times only, because it takes
// long. With the flag -rapid.checks it is tried as often as the flag says. After a
// failure it is always tried, so rapid can find a small example.
func LimitChecks(n int, property func(*rapid.T)) func(*rapid.T) {
	isLimited, passed, failed := true, 0, false
	flag.Visit(func(f *flag.Flag) { isLimited = isLimited && f.Name != "rapid.checks" })
	return func(t *rapid.T) {
		if isLimited && !failed && passed >= n {
			return
		}
		done := false
		defer func() { failed = failed || !done || t.Failed() }()
		property(t)
		done = true
		passed++
	}
}
