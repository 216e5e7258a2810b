package remote

import (
	"errors"
	"fmt"
	"time"
)

// The query errors. [Error] wraps them and has the provider's words.
var (
	// ErrQuery means the query or the credentials are invalid. Nothing was sent.
	ErrQuery = errors.New("the query is not valid")
	// ErrUnauthorized means the provider does not accept the key.
	ErrUnauthorized = errors.New("the provider does not accept the key")
	// ErrForbidden means the key may not read this, the account has no money, or the
	// provider does not serve the location.
	ErrForbidden = errors.New("the provider does not allow this query")
	// ErrNotFound means the provider does not know the symbol, account or path.
	ErrNotFound = errors.New("the provider does not have what was asked for")
	// ErrRefused means the query was refused for another reason. Sending it again does
	// not help.
	ErrRefused = errors.New("the provider refused the query")
	// ErrUnavailable means the provider cannot answer now.
	ErrUnavailable = errors.New("the provider is not available")
	// ErrTruncated means the answer ended too early.
	ErrTruncated = errors.New("the answer of the provider ended too early")
	// ErrTooLarge means the answer has too many bytes, pages or rows.
	ErrTooLarge = errors.New("the answer of the provider is too large")
	// ErrClock means the provider does not accept the request time: this server's clock
	// is wrong.
	ErrClock = errors.New("the provider does not accept the time of this server")
	// ErrMalformed means the answer cannot be read.
	ErrMalformed = errors.New("the answer of the provider can't be read")
)

// Malformed returns an error wrapping ErrMalformed.
func Malformed(reason string) error { return fmt.Errorf("%w: %s", ErrMalformed, reason) }

// Error is a provider's refusal. It wraps one of this package's errors.
type Error struct {
	Kind error
	// Status is the HTTP status.
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

// RateLimited means the provider got too many requests.
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
