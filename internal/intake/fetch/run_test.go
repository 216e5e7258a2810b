package fetch_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/jobs"
)

func TestIsExpected(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	for err, want := range map[error]bool{
		journal.Conflict("no"): true, &remote.RateLimited{}: true, fetch.ErrEnough: true, own: true,
		&remote.Error{Kind: remote.ErrForbidden}: true, fetch.StoreError(errors.New("disk")): false, remote.ErrMalformed: false,
	} {
		if got := fetch.IsExpected(fmt.Errorf("wrapped: %w", err), own); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestNewFailure(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC)
	early, late := now.AddDate(0, 0, -11), now.AddDate(0, 0, -9)
	describe := func(text string) string { return text + " And more." }
	for name, c := range map[string]struct {
		since   *time.Time
		after   time.Duration
		status  fetch.Status
		next    time.Duration
		message string
	}{
		"first":        {nil, 0, fetch.StatusWaiting, jobs.Job{}.Delay(), "It fails. And more."},
		"with a time":  {&late, time.Hour, fetch.StatusWaiting, time.Hour, "It fails. And more."},
		"for ten days": {&early, time.Hour, fetch.StatusFailed, 0, "Acme hasn't answered for ten days. Start a run to try again. And more."},
	} {
		v := fetch.NewFailure(jobs.Job{FailingSince: c.since}, now, "Acme", "It fails.", c.after, describe)
		if v.Status != c.status || v.Message != c.message || !v.Failed || (v.Next == nil) != (c.next == 0) || v.Next != nil && v.Next.Sub(now) != c.next {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "äöü": "äöü", "äöüß": "äö…"} {
		if got := fetch.Shorten(text, 3); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
