package journal

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of refusal an [Error] is. The HTTP layer has one table
// from kinds to status codes; the domain never names a status.
type Kind int

// The kinds, in the order of their HTTP status.
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

// Error is a refusal that may be shown to the caller: Message is one plain
// sentence without internal text. Anything that is not an Error is a fault of
// ours and is answered with a generic message.
type Error struct {
	Kind    Kind
	Code    string // stable, for programs
	Message string // one sentence, for people
	Details map[string]any
	// RetryAfter is set where the same call may succeed later.
	RetryAfter time.Duration
	// Err is the cause for the log; it never leaves the process.
	Err error
}

// Error gives the code, the message and the cause, for the log.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Message + ": " + e.Err.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalid refuses input as bad_request.
func Invalid(format string, args ...any) *Error {
	return &Error{Kind: KindInvalid, Code: "bad_request", Message: fmt.Sprintf(format, args...)}
}

// InvalidField refuses one named field or parameter as bad_request.
func InvalidField(field, format string, args ...any) *Error {
	e := Invalid(format, args...)
	e.Details = map[string]any{"field": field}
	return e
}

// Unauthorized refuses a missing or worthless credential.
func Unauthorized(message string) *Error {
	return &Error{Kind: KindUnauthorized, Code: "unauthorized", Message: message}
}

// Forbidden refuses what this caller may not do.
func Forbidden(message string) *Error {
	return &Error{Kind: KindForbidden, Code: "forbidden", Message: message}
}

// NotFound tells that the caller has no such record. It is the answer for
// unknown ids and for other people's ids alike.
func NotFound(what string) *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "There is no such " + what + "."}
}

// Conflict refuses what the present state does not allow.
func Conflict(format string, args ...any) *Error {
	return &Error{Kind: KindConflict, Code: "conflict", Message: fmt.Sprintf(format, args...)}
}

// Stale refuses a conditional write whose record has changed meanwhile.
func Stale() *Error {
	return &Error{
		Kind: KindStale, Code: "precondition_failed",
		Message: "The record has changed since you read it; read it again and repeat your change.",
	}
}

// TooLarge refuses input beyond a size limit.
func TooLarge(format string, args ...any) *Error {
	return &Error{Kind: KindTooLarge, Code: "too_large", Message: fmt.Sprintf(format, args...)}
}

// Limited asks the caller to slow down.
func Limited(wait time.Duration) *Error {
	return &Error{
		Kind: KindLimited, Code: "rate_limited", RetryAfter: wait,
		Message: "Too many attempts; wait a little and try again.",
	}
}

// Unavailable tells that the service cannot do this now but may soon.
func Unavailable(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "unavailable", RetryAfter: 2 * time.Second, Err: cause,
		Message: "The service cannot do this right now; try again in a moment.",
	}
}

// ReadOnly tells that nothing can be changed until the operator has done
// something; what is there can be read.
func ReadOnly(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "read_only", RetryAfter: time.Minute, Err: cause,
		Message: "The journal can only be read at the moment: its disk or its database is read-only.",
	}
}

// Full tells that there is no room for something until the operator has made
// some; what is there can be read.
func Full(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "disk_full", RetryAfter: time.Minute, Err: cause,
		Message: "There is too little room on the server's disk for this, and nothing was changed. Whoever runs it has to make room.",
	}
}

// IsKind tells whether err is, or wraps, an Error of that kind.
func IsKind(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
