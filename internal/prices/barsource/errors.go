package barsource

import "errors"

// The errors for a query for which nothing was sent.
var (
	// ErrNotCovered is the error for an instrument the provider cannot have.
	ErrNotCovered = errors.New("the provider does not have this instrument")
	// ErrTooOld is the error for a query for bars the provider has no longer.
	ErrTooOld = errors.New("the provider has no bars of that time any more")
)
