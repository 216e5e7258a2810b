package transport

import (
	"errors"
	"net/http"
	"time"

	"fillbook/internal/fairqueue"
)

// turnRetryAfter is when a caller who found a queue full should come back.
const turnRetryAfter = 10 * time.Second

// TakeTurns lets requests wait for a place in a queue in which users take turns.
// Who would have to wait too long is asked to come back later.
func TakeTurns(queue *fairqueue.Queue) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			release, err := queue.Acquire(r.Context(), RequestOf(r.Context()).User)
			if err != nil {
				WriteError(w, r, turnError(err))
				return
			}
			defer release()
			next.ServeHTTP(w, r)
		})
	}
}

func turnError(err error) error {
	if errors.Is(err, fairqueue.ErrBusy) {
		return tooManyWaiting(turnRetryAfter)
	}
	return err
}
