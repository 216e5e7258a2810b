package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/transport"
)

// TestImportsAreLimitedByUser: previews and commits share a bucket of three
// that fills by one in three seconds. A refusal leaves nothing behind.
func TestImportsAreLimitedByUser(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		neighbour := w.addUser(d.client, "anna@example.org").desk("Own")
		d.upload("/imports", twoFills).want(http.StatusOK)
		d.imported(twoFills)
		d.upload("/imports/"+unknown()+"/commit", twoFills).want(http.StatusNotFound)
		for _, path := range []string{"/imports", "/imports/commit", "/imports/" + unknown() + "/commit"} {
			limited := d.upload(path, twoFills).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
			if limited.header.Get("Retry-After") != "3" {
				t.Errorf("%s: Retry-After %q", path, limited.header.Get("Retry-After"))
			}
		}
		if got := d.get("/imports").want(http.StatusOK); got.count("") != 1 {
			t.Errorf("a refused import left a batch: %s", got.body)
		}
		neighbour.imported(twoFills)
		w.clock.Advance(3 * time.Second)
		d.upload("/imports", twoFills).want(http.StatusOK)
		d.upload("/imports", twoFills).want(http.StatusTooManyRequests)
	}, func(s *settle) { s.api.ImportRate = transport.Rate{PerSecond: 1.0 / 3, Burst: 3} })
}

// hold keeps everybody from writing to an account until release is called.
func (w *world) hold(account string) (release func()) {
	w.t.Helper()
	held, free, gone := make(chan bool, 1), make(chan bool), make(chan error, 1)
	go func() {
		gone <- w.db.Update(w.t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(w.t.Context(), `UPDATE accounts SET revision = revision WHERE id = $1`, account)
			held <- true
			<-free
			return err
		})
	}()
	<-held
	return func() {
		close(free)
		if err := <-gone; err != nil {
			w.t.Error(err)
		}
	}
}

// TestImportsAtOnceAreBounded has a commit wait inside the user's only place,
// and finds the place free when it is done.
func TestImportsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		neighbour := w.addUser(d.client, "anna@example.org").desk("Own")
		release := w.hold(d.account)
		done := make(chan *reply)
		go func() {
			got := d.upload("/imports/commit", twoFills)
			for got.status == http.StatusTooManyRequests { // a preview was inside when it came
				got = d.upload("/imports/commit", twoFills)
			}
			done <- got
		}()
		refused := d.upload("/imports", twoFills)
		for refused.status == http.StatusOK { // the commit is not inside yet
			refused = d.upload("/imports", twoFills)
		}
		refused.wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
		neighbour.upload("/imports", twoFills).want(http.StatusOK)
		release()
		(<-done).want(http.StatusOK)
		d.upload("/imports", twoFills).want(http.StatusOK)
	}, func(s *settle) { s.api.ImportsAtOnce = 1 })
}
