package connector

import (
	"errors"
	"fmt"
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
