package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"fillbook/internal/base/fairqueue"
	"fillbook/internal/base/journal"
)

// Body is the kind of body a route accepts.
type Body int

// Kinds of bodies.
const (
	NoBody Body = iota
	JSONBody
	// FormBody is multipart/form-data with one file; see [FormOf].
	FormBody
	// RawBody is any content; see [RawBodyOf].
	RawBody
)

// Intake describes the body and query a route accepts.
type Intake struct {
	Body Body
	// Limit is the size of the largest JSON or raw body, or of the largest file in a
	// form.
	Limit int64
	// Spool stores large files until the request ends.
	Spool *Spool
	// Uploads is the queue for reading large bodies. It may be nil.
	Uploads *fairqueue.Queue
	// Budget bounds the memory for a public route's bodies. It may be nil.
	Budget *BodyBudget
	// Refuses reports whether the route refuses a query parameter; nil refuses none.
	Refuses func(parameter string) bool
	// Repeated are the query parameters allowed more than once.
	Repeated []string
}

const (
	maxQuery = 8 << 10
)

// Middleware rejects requests that are too large, of the wrong type or
// ambiguous, and reads the whole body before it calls the handler.
func (in Intake) Middleware() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			release, err := in.reserve(r)
			if err != nil {
				WriteError(w, r, err)
				return
			}
			defer release()
			ctx, err := in.readQueued(w, r)
			if err != nil {
				WriteError(w, r, err)
				return
			}
			defer FormOf(ctx).File.close()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// smallBody is the size of the largest JSON body read without queuing.
const smallBody = 64 << 10

// readQueued reads the body, after waiting in the queue for a large one. The
// time in the queue is added to the client's deadline.
func (in Intake) readQueued(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	isLarge := in.Body == FormBody || in.Body == JSONBody && (r.ContentLength < 0 || r.ContentLength > smallBody)
	if in.Uploads == nil || !isLarge {
		return in.read(w, r)
	}
	user := RequestOf(r.Context()).User
	if err := in.Spool.Check(user); err != nil {
		return nil, err
	}
	begun := time.Now()
	release, err := in.Uploads.Acquire(r.Context(), user)
	if err != nil {
		return nil, QueueError(err)
	}
	defer release()
	if body, ok := r.Body.(*timedBody); ok {
		body.pause(time.Since(begun))
	}
	return in.read(w, r)
}

func (in Intake) read(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	if err := in.checkQuery(r); err != nil {
		return nil, err
	}
	switch in.Body {
	case JSONBody:
		return in.readJSON(w, r)
	case FormBody:
		return in.readForm(w, r)
	case RawBody:
		body, err := in.readAll(w, r)
		return context.WithValue(r.Context(), bodyKey{}, body), err
	default:
		return r.Context(), nil
	}
}

func (in Intake) checkQuery(r *http.Request) error {
	if len(r.URL.RawQuery) > maxQuery {
		return journal.Invalid("The query is longer than %d bytes.", maxQuery)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return journal.Invalid("The query string is malformed.")
	}
	for name, values := range query {
		if !validText(name) {
			return journal.Invalid("The query contains a name that is not valid text.")
		}
		if in.Refuses != nil && in.Refuses(name) {
			return journal.InvalidField(name, "This call has no parameter %s.", name)
		}
		if len(values) > 1 && !slices.Contains(in.Repeated, name) {
			return journal.InvalidField(name, "%s may be given only once.", name)
		}
		for _, value := range values {
			if !validText(value) {
				return journal.InvalidField(name, "%s is not valid text.", name)
			}
		}
	}
	return nil
}

func (in Intake) readJSON(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, newUnsupported("a body without Content-Encoding")
	}
	body, err := in.readAll(w, r)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && !isMediaType(r, "application/json") {
		return nil, newUnsupported("application/json")
	}
	if len(body) > 0 {
		if err := CheckJSON(body); err != nil {
			return nil, err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return context.WithValue(r.Context(), bodyKey{}, body), nil
}

// readAll reads a body with at most Limit bytes.
func (in Intake) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > in.Limit {
		return nil, &http.MaxBytesError{Limit: in.Limit}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, in.Limit))
	return body, readError(err)
}

func readError(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil || errors.As(err, &tooLarge):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return journal.Invalid("The request did not arrive in time.")
	}
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "bad_request", Err: err,
		Message: "The request is incomplete: the connection was closed before its end.",
	}
}

func isMediaType(r *http.Request, want string) bool {
	got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && got == want
}

func newUnsupported(want string) error {
	return &journal.Error{
		Kind: journal.KindUnsupported, Code: "unsupported_media_type",
		Message: fmt.Sprintf("This endpoint accepts only %s.", want),
	}
}

type bodyKey struct{}

// RawBodyOf returns the body read by Intake for a route with [RawBody].
func RawBodyOf(ctx context.Context) []byte { return bodyOf(ctx) }

// bodyOf returns the JSON or raw body read by Intake.
func bodyOf(ctx context.Context) []byte {
	body, _ := ctx.Value(bodyKey{}).([]byte)
	return body
}
