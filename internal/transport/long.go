package transport

import (
	"net/http"

	"fillbook/internal/fairqueue"
)

// LongAnswers lets answers that may be long be made in turn: in a queue, for
// their readers of the database are few, and only while their user has not too
// many under way that are still being sent. It must come inside [Answer], which
// takes the answer at any pace; the place is free again when the answer is made,
// whatever the client has taken of it. Answers in pages are short.
func LongAnswers(queue *fairqueue.Queue, spool *Spool) Middleware {
	return func(next http.Handler) http.Handler {
		turns := TakeTurns(queue)(next)
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
