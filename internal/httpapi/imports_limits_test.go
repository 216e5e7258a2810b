package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// TestImportsHaveNoRate: the hundredth file in a minute is read like the first.
func TestImportsHaveNoRate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for range 50 {
			d.upload("/imports", twoFills).want(http.StatusOK)
			d.upload("/imports/commit", twoFills).want(http.StatusOK)
		}
	})
}

// hold blocks all writes to an account until release is called.
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

// waitForLoad returns when this many of a user's requests work and wait.
func waitForLoad(t *testing.T, load func(user string) (working, waiting int), user string, working, waiting int) {
	t.Helper()
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for end := time.After(time.Minute); ; {
		if a, b := load(user); a == working && b == waiting {
			return
		}
		select {
		case <-ticks.C:
		case <-end:
			t.Fatalf("never do %d work and %d wait", working, waiting)
		}
	}
}

// TestImportsAreQueued has a commit wait inside the user's only place: the user's other
// files wait for it, other users' files do not.
func TestImportsAreQueued(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		neighbor := w.addUser(d.client, "anna@example.org").addAccount("Own")
		release := w.hold(d.account)
		committed, previewed := make(chan *reply), make(chan *reply, 3)
		go func() { committed <- d.upload("/imports/commit", twoFills) }()
		id := d.get("/me").text("id")
		wait := func(working, waiting int) { waitForLoad(t, w.api.ImportLoad, id, working, waiting) }
		wait(1, 0)
		for range cap(previewed) {
			go func() { previewed <- d.upload("/imports", twoFills) }()
		}
		neighbor.upload("/imports", twoFills).want(http.StatusOK)
		wait(1, cap(previewed))
		neighbor.upload("/imports", twoFills).want(http.StatusOK)
		release()
		(<-committed).want(http.StatusOK)
		for range cap(previewed) {
			(<-previewed).want(http.StatusOK)
		}
	}, func(s *settle) { s.api.ImportsAtOnce = 1 })
}
