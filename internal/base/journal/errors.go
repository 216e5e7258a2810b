package journal

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an [Error]. The HTTP layer maps kinds to status codes; domain packages
// do not use status codes.
type Kind int

// The kinds, in HTTP status order.
const (
	KindInternal Kind = iota
	KindInvalid
	KindUnauthorized
	KindForbidden
	KindNotFound
	KindConflict
	KindStale
	KindTooLarge
	KindUnsupported
	KindLimited
	KindUnavailable
)

// Error is an error shown to the user: Message is one plain sentence without internal
// details. Any other error is internal and is answered with a generic message.
type Error struct {
	Kind    Kind
	Code    string // stable, for programs
	Message string // one sentence, for people
	Details map[string]any
	// RetryAfter is set if the same call may succeed later.
	RetryAfter time.Duration
	// Err is the cause for the log; it is never sent to clients.
	Err error
}

// Error returns the code, the message and the cause, for the log.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Message + ": " + e.Err.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalid returns a bad_request error.
func Invalid(format string, args ...any) *Error {
	return &Error{Kind: KindInvalid, Code: "bad_request", Message: fmt.Sprintf(format, args...)}
}

// InvalidField returns a bad_request error for a field or parameter.
func InvalidField(field, format string, args ...any) *Error {
	e := Invalid(format, args...)
	e.Details = map[string]any{"field": field}
	return e
}

// Unauthorized returns an error for a missing or invalid credential.
func Unauthorized(message string) *Error {
	return &Error{Kind: KindUnauthorized, Code: "unauthorized", Message: message}
}

// Forbidden returns an error for an action the caller may not do.
func Forbidden(message string) *Error {
	return &Error{Kind: KindForbidden, Code: "forbidden", Message: message}
}

// NotFound returns an error for a record the caller does not have: for unknown ids and
// for other users' ids alike.
func NotFound(what string) *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "There is no such " + what + "."}
}

// Conflict returns an error for an action not allowed in the current state.
func Conflict(format string, args ...any) *Error {
	return &Error{Kind: KindConflict, Code: "conflict", Message: fmt.Sprintf(format, args...)}
}

// Stale returns an error for a conditional write to a changed record.
func Stale() *Error {
	return &Error{
		Kind: KindStale, Code: "precondition_failed",
		Message: "The record has changed since you read it; read it again and repeat your change.",
	}
}

// TooLarge returns an error for input above a size limit.
func TooLarge(format string, args ...any) *Error {
	return &Error{Kind: KindTooLarge, Code: "too_large", Message: fmt.Sprintf(format, args...)}
}

// Limited returns an error for too many attempts; wait is the time to wait.
func Limited(wait time.Duration) *Error {
	return &Error{
		Kind: KindLimited, Code: "rate_limited", RetryAfter: wait,
		Message: "Too many attempts; wait a little and try again.",
	}
}

// Unavailable returns an error for a temporary failure.
func Unavailable(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "unavailable", RetryAfter: 2 * time.Second, Err: cause,
		Message: "The service cannot do this right now; try again in a moment.",
	}
}

// ReadOnly returns an error for a write to a read-only database. Reading
// still works; the operator must act.
func ReadOnly(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "read_only", RetryAfter: time.Minute, Err: cause,
		Message: "The journal can only be read at the moment: its disk or its database is read-only.",
	}
}

// Full returns an error for a write to a full disk. Reading still works;
// the operator must free space.
func Full(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "disk_full", RetryAfter: time.Minute, Err: cause,
		Message: "The server's disk is nearly full, so nothing was changed. Ask the operator of the server to free space.",
	}
}

// IsKind reports whether err is, or wraps, an Error with the kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
