// Package transport implements the parts of HTTP shared by all endpoints.
//
// A request passes these middlewares, from the outside in:
//
//   - [Observe]: request id, client address, log line, metric, panics;
//   - [Headers]: security headers and CORS;
//   - [Limiter]: token buckets by address;
//   - [FailureLimiter]: limits failed sign-ins and codes;
//   - [Intake]: size, content type, strict JSON, query strings;
//   - [Idempotency]: the stored response to a repeated POST;
//   - [BufferResponses]: ETag, 304 and gzip.
//
// [WriteError] converts any error to the JSON error body. Package httpapi decides which
// middleware a route uses.
package transport

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"fillbook/internal/base/journal"
)

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Chain wraps a handler in middleware; the first is the outermost.
func Chain(handler http.Handler, chain ...Middleware) http.Handler {
	for _, c := range slices.Backward(chain) {
		handler = c(handler)
	}
	return handler
}

// Request is information about a request besides its content.
type Request struct {
	ID        string
	Address   string // the client's, as reported by trusted proxies
	UserAgent string
	Secure    bool // the client used TLS, to this server or to a trusted proxy
	Host      string

	// Route is the matched pattern, such as GET /api/v1/accounts/{id}. The log contains
	// it instead of the path, which may contain a secret.
	Route string
	// User is the signed-in user's public id, for the log; Owner is the same user's
	// number.
	User  string
	Owner journal.UserID
	// Limit is the access token if it limits what the request sees; empty for others.
	// Such requests do not share stored answers.
	Limit string
	// Sender is a key for the user whose hook receives the request; empty for other
	// requests. It is not for the log.
	Sender string
	// Fault is the error behind a 5xx response, for the log.
	Fault error
	// Refused is the error response, if there was one.
	Refused Refusal
}

type requestKey struct{}

// RequestOf returns the information about ctx's request. It is never nil; outside a
// request it is empty.
func RequestOf(ctx context.Context) *Request {
	if request, ok := ctx.Value(requestKey{}).(*Request); ok {
		return request
	}
	return &Request{}
}

func withRequest(ctx context.Context, request *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, request)
}

// ForkRequest returns a context for a request that the server sends to itself, with its own
// copy of the information about ctx's request.
func ForkRequest(ctx context.Context) (context.Context, *Request) {
	own := *RequestOf(ctx)
	return withRequest(ctx, &own), &own
}

// LogWith adds the request id to a logger.
func LogWith(ctx context.Context, log *slog.Logger) *slog.Logger {
	return log.With("request_id", RequestOf(ctx).ID)
}
