package transport

import (
	"net/http"

	"fillbook/internal/base/fairqueue"
)

// LimitLongResponses limits responses that may be long. They wait in a queue, because
// connections for reading the database are few, and are rejected while too many of the
// same user are still being sent. It must be inside [BufferResponses], which accepts the
// response at any rate: the slot in the queue is released when the handler has written
// it, even if the client has not read it. Paged responses are short and not limited.
func LimitLongResponses(queue *fairqueue.Queue, spool *Spool) Middleware {
	return func(next http.Handler) http.Handler {
		turns := QueueRequests(queue)(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("limit") != "" {
				next.ServeHTTP(w, r)
				return
			}
			if err := spool.Check(RequestOf(r.Context()).User); err != nil {
				WriteError(w, r, err)
				return
			}
			turns.ServeHTTP(w, r)
		})
	}
}
