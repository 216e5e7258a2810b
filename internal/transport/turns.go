package transport

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"fillbook/internal/base/fairqueue"
)

// queueRetryAfter is the Retry-After for requests rejected because a queue is full.
const queueRetryAfter = 10 * time.Second

// QueueRequests makes requests wait for a slot in a queue shared fairly between users, or
// the users whose hooks receive them. Requests with too long a wait are rejected.
func QueueRequests(queue *fairqueue.Queue) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request := RequestOf(r.Context())
			release, err := queue.Acquire(r.Context(), cmp.Or(request.User, request.Sender))
			if err != nil {
				WriteError(w, r, QueueError(err))
				return
			}
			defer release()
			next.ServeHTTP(w, r)
		})
	}
}

// QueueError returns the refusal for a request that waited in vain, or any other error
// unchanged.
func QueueError(err error) error {
	if errors.Is(err, fairqueue.ErrBusy) {
		return tooManyWaiting(queueRetryAfter)
	}
	return err
}
