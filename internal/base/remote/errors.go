package remote

import (
	"errors"
	"fmt"
	"time"
)

// The errors of a query. [Error] wraps them and has the provider's words.
var (
	// ErrQuery is the error of a query or credentials that are not valid. Nothing was
	// sent.
	ErrQuery = errors.New("the query is not valid")
	// ErrUnauthorized is the error of a key that the provider does not accept.
	ErrUnauthorized = errors.New("the provider does not accept the key")
	// ErrForbidden is the error of a key that may not read this, of an account
	// without money, and of a place that the provider does not serve.
	ErrForbidden = errors.New("the provider does not allow this query")
	// ErrNotFound is the error of a symbol, an account or a path that the provider does
	// not know.
	ErrNotFound = errors.New("the provider does not have what was asked for")
	// ErrRefused is the error of a query that was refused for another reason. Sending it
	// again does not help.
	ErrRefused = errors.New("the provider refused the query")
	// ErrUnavailable is the error of a provider that cannot answer now.
	ErrUnavailable = errors.New("the provider is not available")
	// ErrTruncated is the error of an answer that ended too early.
	ErrTruncated = errors.New("the answer of the provider ended too early")
	// ErrTooLarge is the error of an answer with too many bytes, pages or rows.
	ErrTooLarge = errors.New("the answer of the provider is too large")
	// ErrClock is the error of a request whose time the provider does not accept: the
	// clock of this server is wrong.
	ErrClock = errors.New("the provider does not accept the time of this server")
	// ErrMalformed is the error of an answer that cannot be read.
	ErrMalformed = errors.New("the answer of the provider can't be read")
)

// Malformed returns an error that wraps ErrMalformed.
func Malformed(reason string) error { return fmt.Errorf("%w: %s", ErrMalformed, reason) }

// Error is the refusal of a provider. It wraps one of the errors of this package.
type Error struct {
	Kind error
	// Status is the status of the HTTP answer.
	Status int
	// Code is the provider's own code, and Message are its words, shortened and without
	// secrets. Both may be empty.
	Code, Message string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s (status %d", e.Kind, e.Status)
	if e.Code != "" {
		text += ", code " + e.Code
	}
	text += ")"
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

func (e *Error) Unwrap() error { return e.Kind }

// RateLimited is the error of a provider that got too many requests.
type RateLimited struct {
	// RetryAfter is how long the provider wants to be left alone, or 0 if it did not
	// say.
	RetryAfter time.Duration
	// IsBanned reports whether the provider has blocked this address for a while.
	IsBanned bool
}

func (e *RateLimited) Error() string {
	text := "the provider got too many requests"
	if e.IsBanned {
		text = "the provider has blocked this address for a while"
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf("; it can be asked again in %s", e.RetryAfter)
	}
	return text
}
