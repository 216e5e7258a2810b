package httpapi_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
)

// X-Total-Count is from the page's snapshot: while trades are added, a complete page has
// as many as it says.
func TestTotalsAreOfTheSnapshotOfThePage(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const added = 60
		var adding sync.WaitGroup
		done := make(chan struct{})
		adding.Go(func() {
			defer close(done)
			for i := range added {
				d.post("/executions", d.order("S"+itoa(i), "buy 1@10", i))
			}
		})
		paths := []string{"/trades?limit=1000", "/trades?limit=1000&sort=symbol", "/executions?limit=1000"}
		for seen := 0; seen < added; {
			for _, path := range paths {
				page := d.get(path).want(http.StatusOK)
				if seen = page.count(""); page.header.Get("X-Total-Count") != strconv.Itoa(seen) {
					t.Errorf("%s has %d rows of %s", path, seen, page.header.Get("X-Total-Count"))
				}
			}
			select {
			case <-done:
				seen = added
			default:
			}
		}
		adding.Wait()
	})
}
