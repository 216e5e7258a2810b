// Package lazyregexp compiles regular expressions when they are first used, so that a
// start of the program does not compile those of a hundred file layouts.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function for the compiled expression, which panics if it is faulty. A test
// compiles the expressions of all packages.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
