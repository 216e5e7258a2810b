package transport

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"syscall"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// ErrorBody is the JSON body of every error response.
type ErrorBody struct {
	Error ErrorInfo `json:"error"`
}

// ErrorInfo describes an error: Code for programs, Message for people.
type ErrorInfo struct {
	Code    string         `json:"code" doc:"Stable word for programs." example:"bad_request"`
	Message string         `json:"message" doc:"One plain sentence for people." example:"quantity must be greater than zero."`
	Details map[string]any `json:"details,omitempty" doc:"More to act on where it helps, for example the name of the field."`
}

// statuses maps error kinds to HTTP statuses.
var statuses = map[journal.Kind]int{
	journal.KindInternal:     http.StatusInternalServerError,
	journal.KindInvalid:      http.StatusBadRequest,
	journal.KindUnauthorized: http.StatusUnauthorized,
	journal.KindForbidden:    http.StatusForbidden,
	journal.KindNotFound:     http.StatusNotFound,
	journal.KindConflict:     http.StatusConflict,
	journal.KindStale:        http.StatusPreconditionFailed,
	journal.KindTooLarge:     http.StatusRequestEntityTooLarge,
	journal.KindUnsupported:  http.StatusUnsupportedMediaType,
	journal.KindLimited:      http.StatusTooManyRequests,
	journal.KindUnavailable:  http.StatusServiceUnavailable,
}

// Refusal is an error response.
type Refusal struct {
	Status  int
	Headers http.Header
	Body    ErrorBody
}

// Refuse converts an error to the client's response, and records it in the request. A
// [journal.Error] is shown as it is. Anything else becomes a generic 500, or 503 if the
// database is unavailable, and is kept for the log.
func Refuse(ctx context.Context, err error) Refusal {
	refusal := toRefusal(err)
	RequestOf(ctx).Refused = refusal
	if refusal.Status >= 500 {
		RequestOf(ctx).Fault = err
	}
	return refusal
}

func toRefusal(err error) Refusal {
	var tooLarge *http.MaxBytesError
	var known *journal.Error
	switch {
	case errors.As(err, &known):
	case errors.As(err, &tooLarge):
		known = journal.TooLarge("The request is larger than the %d bytes that are taken here.", tooLarge.Limit)
	case errors.Is(err, db.ErrMissing):
		known = journal.NotFound("record that this refers to")
	case errors.Is(err, db.ErrReadOnly), errors.Is(err, syscall.EROFS):
		known = journal.ReadOnly(err)
	case errors.Is(err, db.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		known = journal.Full(err)
	case errors.Is(err, db.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		known = journal.Unavailable(err)
	default:
		known = &journal.Error{
			Code:    "internal",
			Message: "Something went wrong on our side; the log of the server has it under this request's id.",
		}
	}
	refusal := Refusal{Status: statuses[known.Kind], Headers: http.Header{}}
	refusal.Body.Error = ErrorInfo{Code: known.Code, Message: known.Message, Details: known.Details}
	if known.RetryAfter > 0 {
		seconds := max(1, int((known.RetryAfter+999_999_999)/1_000_000_000))
		refusal.Headers.Set("Retry-After", strconv.Itoa(seconds))
	}
	if refusal.Status == http.StatusUnauthorized {
		refusal.Headers.Set("WWW-Authenticate", `Bearer realm="fillbook"`)
	}
	return refusal
}

// WriteError writes an error response.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	Refuse(r.Context(), err).Write(w)
}

// WriteRefusal writes an error response with a status no [journal.Error] has, such as
// 405.
func WriteRefusal(w http.ResponseWriter, status int, code, message string) {
	Refusal{Status: status, Body: ErrorBody{ErrorInfo{Code: code, Message: message}}}.Write(w)
}

// Write writes the response.
func (refusal Refusal) Write(w http.ResponseWriter) {
	maps.Copy(w.Header(), refusal.Headers)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("ETag")
	body, err := Marshal(refusal.Body)
	if err != nil {
		body = []byte(`{"error":{"code":"internal","message":"The error could not be described."}}`)
	}
	w.WriteHeader(refusal.Status)
	_, _ = w.Write(body)
}
