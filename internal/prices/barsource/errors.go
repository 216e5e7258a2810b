package barsource

import "errors"

// The errors of a query for which nothing was sent.
var (
	// ErrNotCovered is the error of an instrument that the provider cannot have.
	ErrNotCovered = errors.New("the provider does not have this instrument")
	// ErrTooOld is the error of a query for bars that the provider has no longer.
	ErrTooOld = errors.New("the provider has no bars of that time any more")
)
