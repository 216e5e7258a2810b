package connector

import (
	"errors"
	"fmt"
	"time"
)

// ErrSetup is the error for credentials or a broker report the user must change. The text
// of a wrapping error is for the user and says what to do.
var ErrSetup = errors.New("the connection needs attention")

// SetupError returns an error wrapping ErrSetup. The sentence says what is wrong and what
// to do.
func SetupError(format string, args ...any) error {
	return &setupError{text: fmt.Sprintf(format, args...)}
}

type setupError struct{ text string }

func (e *setupError) Error() string { return e.text }

func (e *setupError) Unwrap() error { return ErrSetup }

// UncertainError is an error which may end by itself, or whose reason only the user
// knows.
type UncertainError struct {
	Err error
	// Patience is how long it is taken for the former.
	Patience time.Duration
	// Advice is a sentence on what the user can do.
	Advice string
}

func (e *UncertainError) Error() string { return e.Err.Error() }

// Unwrap returns the broker's error.
func (e *UncertainError) Unwrap() error { return e.Err }
