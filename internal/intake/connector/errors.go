package connector

import (
	"errors"
	"fmt"
	"time"
)

// ErrSetup is the error of credentials or of a report at the broker that the user must
// change. The text of an error that wraps it is for the user and says what to do.
var ErrSetup = errors.New("the connection needs attention")

// SetupError returns an error that wraps ErrSetup. The sentence says what is wrong and
// what to do.
func SetupError(format string, args ...any) error {
	return &setupError{text: fmt.Sprintf(format, args...)}
}

type setupError struct{ text string }

func (e *setupError) Error() string { return e.text }

func (e *setupError) Unwrap() error { return ErrSetup }

// UncertainError is an error that may end by itself, or of which only the user knows the
// reason.
type UncertainError struct {
	Err error
	// Patience is how long it is taken for the former.
	Patience time.Duration
	// Advice is a sentence that says what the user can do.
	Advice string
}

func (e *UncertainError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the broker.
func (e *UncertainError) Unwrap() error { return e.Err }
