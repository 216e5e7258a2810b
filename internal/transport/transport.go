// Package transport is HTTP without the journal: what every request and every
// answer goes through, whatever they are about.
//
// From the outside in, a request meets
//
//   - [Observe]: a request id, the client's address, one log line and one
//     metric, and a clean 500 where a handler panics;
//   - [Headers]: security headers, and CORS where it is allowed;
//   - [Limiter]: token buckets by address;
//   - [FailureLimiter]: how often sign-ins and codes may fail;
//   - [Intake]: sizes, content type, strict JSON, sane query strings;
//   - [Idempotency]: the stored answer of a repeated POST;
//   - [Answer]: ETag, 304 and gzip.
//
// [WriteError] turns any error into the one error body that the service has.
// Which middleware a route takes is decided in package httpapi, where the
// routes are.
package transport

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
)

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Chain puts middleware around a handler; the first is the outermost.
func Chain(handler http.Handler, chain ...Middleware) http.Handler {
	for _, c := range slices.Backward(chain) {
		handler = c(handler)
	}
	return handler
}

// Request is what is known of a request besides its content.
type Request struct {
	ID        string
	Address   string // the client's, through trusted proxies
	UserAgent string
	Secure    bool // it came by TLS, here or at a trusted proxy

	// Route is the pattern that matched, such as GET /api/v1/accounts/{id}.
	// The log speaks of it and never of the path, which may hold a secret.
	Route string
	// User is the id of the signed-in user, for the log.
	User string
	// Fault is the error behind a 5xx answer, for the log.
	Fault error
	// Refused is the refusal that the request was answered with, if it was.
	Refused Refusal
}

type requestKey struct{}

// RequestOf gives what is known of the request that ctx belongs to. It is
// never nil; outside a request it is empty.
func RequestOf(ctx context.Context) *Request {
	if request, ok := ctx.Value(requestKey{}).(*Request); ok {
		return request
	}
	return &Request{}
}

func withRequest(ctx context.Context, request *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, request)
}

// LogWith adds the request id to a logger.
func LogWith(ctx context.Context, log *slog.Logger) *slog.Logger {
	return log.With("request_id", RequestOf(ctx).ID)
}
