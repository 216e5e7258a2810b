// Package transport implements the parts of HTTP that are the same for all
// endpoints.
//
// A request passes these middlewares, from the outside in:
//
//   - [Observe]: request id, client address, log line, metric, panics;
//   - [Headers]: security headers and CORS;
//   - [Limiter]: token buckets by address;
//   - [FailureLimiter]: limits failed sign-ins and codes;
//   - [Intake]: size, content type, strict JSON, query strings;
//   - [Idempotency]: the stored response of a repeated POST;
//   - [BufferResponses]: ETag, 304 and gzip.
//
// [WriteError] converts any error to the JSON body of all error responses.
// Package httpapi decides which middleware a route uses.
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
	Address   string // of the client, as reported by trusted proxies
	UserAgent string
	Secure    bool // the client used TLS, to this server or to a trusted proxy
	Host      string

	// Route is the pattern that matched, such as GET /api/v1/accounts/{id}. The
	// log contains it instead of the path, which may contain a secret.
	Route string
	// User is the public id of the signed-in user, for the log; Owner is the
	// number of the same user.
	User  string
	Owner journal.UserID
	// Limit is the access token of a request that does not see everything of the user;
	// empty for others. Such requests do not share stored answers.
	Limit string
	// Sender is a key of the user to whose hook a request delivers; empty for other
	// requests. It is not for the log.
	Sender string
	// Fault is the error that caused a 5xx response, for the log.
	Fault error
	// Refused is the error response, if there was one.
	Refused Refusal
}

type requestKey struct{}

// RequestOf returns the information about the request of ctx. It is never nil;
// outside of a request it is empty.
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
