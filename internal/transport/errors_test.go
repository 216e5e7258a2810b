package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

func TestEveryErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	limited := func(wait time.Duration) error { return journal.Limited(wait) }
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   string
		retry  string
	}{
		{"invalid", journal.Invalid("No."), 400, "bad_request", ""},
		{"another code", &journal.Error{Kind: journal.KindInvalid, Code: "mixed_currencies", Message: "No."}, 400, "mixed_currencies", ""},
		{"unauthorized", journal.Unauthorized("No."), 401, "unauthorized", ""},
		{"forbidden", journal.Forbidden("No."), 403, "forbidden", ""},
		{"not found", journal.NotFound("trade"), 404, "not_found", ""},
		{"conflict", journal.Conflict("No."), 409, "conflict", ""},
		{"stale", journal.Stale(), 412, "precondition_failed", ""},
		{"too large", journal.TooLarge("No."), 413, "too_large", ""},
		{"a body beyond its limit", &http.MaxBytesError{Limit: 10}, 413, "too_large", ""},
		{"unsupported", &journal.Error{Kind: journal.KindUnsupported, Code: "unsupported_media_type", Message: "No."}, 415, "unsupported_media_type", ""},
		{"limited", limited(1500 * time.Millisecond), 429, "rate_limited", "2"},
		{"limited for a moment", limited(time.Nanosecond), 429, "rate_limited", "1"},
		{"limited for a minute", limited(time.Minute), 429, "rate_limited", "60"},
		{"unavailable", journal.Unavailable(errors.New("hidden")), 503, "unavailable", "2"},
		{"the database is unavailable", fmt.Errorf("hidden: %w", db.ErrUnavailable), 503, "unavailable", "2"},
		{"out of time", fmt.Errorf("hidden: %w", context.DeadlineExceeded), 503, "unavailable", "2"},
		{"wrapped", fmt.Errorf("hidden: %w", journal.NotFound("trade")), 404, "not_found", ""},
		{"anything else", errors.New("hidden SQL"), 500, "internal", ""},
		{"a constraint violation", fmt.Errorf("hidden: %w", db.ErrConflict), 500, "internal", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := httptest.NewRecorder()
			transport.WriteError(got, httptest.NewRequest(http.MethodGet, "/", nil), c.err)
			info := wantRefusal(t, got, c.status, c.code)
			if retry := got.Header().Get("Retry-After"); retry != c.retry {
				t.Errorf("Retry-After %q, want %q", retry, c.retry)
			}
			if (got.Header().Get("WWW-Authenticate") != "") != (c.status == 401) {
				t.Errorf("WWW-Authenticate %q", got.Header().Get("WWW-Authenticate"))
			}
			if info.Details != nil {
				t.Errorf("details = %v, want none", info.Details)
			}
		})
	}
}

func TestDetailsNameTheField(t *testing.T) {
	t.Parallel()
	got := httptest.NewRecorder()
	transport.WriteError(got, httptest.NewRequest(http.MethodGet, "/", nil), journal.InvalidField("quantity", "quantity must be greater than zero."))
	want := `{"error":{"code":"bad_request","message":"quantity must be greater than zero.","details":{"field":"quantity"}}}`
	if got.Body.String() != want {
		t.Errorf("the body is %s", got.Body)
	}
}
