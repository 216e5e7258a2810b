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

	"fillbook/internal/fairqueue"
	"fillbook/internal/journal"
)

// Body says what kind of body a route takes.
type Body int

// The kinds.
const (
	NoBody Body = iota
	JSONBody
	// FormBody is multipart/form-data with one file; see [FormOf].
	FormBody
)

// Intake is what a route takes in.
type Intake struct {
	Body Body
	// Limit is the largest JSON body, or the largest file of a form.
	Limit int64
	// Spool keeps large files until the request ends.
	Spool *Spool
	// Uploads, where set, is the queue in which a user's large bodies wait to
	// be read.
	Uploads *fairqueue.Queue
	// Repeated names the query parameters that may come more than once.
	Repeated []string
}

const (
	maxQuery = 8 << 10
)

// Middleware refuses a request that is too large, of the wrong type or
// ambiguous before the handler sees it, and reads its body whole.
func (in Intake) Middleware() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, err := in.readInTurn(w, r)
			if err != nil {
				WriteError(w, r, err)
				return
			}
			defer FormOf(ctx).File.close()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// smallBody is the length up to which a JSON body is read without a place in
// the queue.
const smallBody = 64 << 10

// readInTurn reads the body, a large one when it is the user's turn. How long
// the client waits for that does not count as its own slowness.
func (in Intake) readInTurn(w http.ResponseWriter, r *http.Request) (context.Context, error) {
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
		return nil, turnError(err)
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
		return journal.Invalid("The query cannot be read.")
	}
	for name, values := range query {
		if !validText(name) {
			return journal.Invalid("The query holds a name that is not valid text.")
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
	body, err := in.readAll(w, r)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && !isMediaType(r, "application/json") {
		return nil, unsupported("application/json")
	}
	if len(body) > 0 {
		if err := CheckJSON(body); err != nil {
			return nil, err
		}
	}
	// One spelling for all that is JSON: huma compares it letter by letter.
	r.Header.Set("Content-Type", "application/json")
	r.Body = io.NopCloser(bytes.NewReader(body))
	return context.WithValue(r.Context(), bodyKey{}, body), nil
}

// readAll reads the body within its limit.
func (in Intake) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > in.Limit {
		return nil, &http.MaxBytesError{Limit: in.Limit}
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, unsupported("a body without Content-Encoding")
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
		Message: "The request broke off before its end.",
	}
}

func isMediaType(r *http.Request, want string) bool {
	got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && got == want
}

func unsupported(want string) error {
	return &journal.Error{
		Kind: journal.KindUnsupported, Code: "unsupported_media_type",
		Message: fmt.Sprintf("This call takes %s.", want),
	}
}

type bodyKey struct{}

// bodyOf gives the JSON body that Intake has read.
func bodyOf(ctx context.Context) []byte {
	body, _ := ctx.Value(bodyKey{}).([]byte)
	return body
}
