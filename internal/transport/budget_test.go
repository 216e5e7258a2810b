package transport_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// TestPublicBodiesAreBoundedTogether sends bodies without end, from many addresses. Their
// total is bounded; the others wait for a while and are refused.
func TestPublicBodiesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size, total, perKey = 64 << 10, 1 << 20, 256 << 10
		intake := transport.Intake{Body: transport.RawBody, Limit: size, Budget: transport.NewBodyBudget(total, perKey), Spool: spool}
		handler := observed(&logBuffer{}, nil, func(http.ResponseWriter, *http.Request) {}, intake.Middleware())
		done := make(chan struct{})
		var held atomic.Int64
		var refused atomic.Int32
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				request := httptest.NewRequest(http.MethodPost, "/", &endlessBody{held: &held, done: done})
				request.ContentLength = size
				request.RemoteAddr = []string{"203.0.113.1:1", "203.0.113.2:1", "203.0.113.3:1", "203.0.113.4:1", "203.0.113.5:1"}[i%5]
				if got := serve(handler, request); got.Code == http.StatusServiceUnavailable {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		if n := held.Load(); n != total/size {
			t.Errorf("%d bodies are being read, want %d", n, total/size)
		}
		small := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 4<<10)))
		if got := serve(handler, small); got.Code != http.StatusOK {
			t.Errorf("a small body is answered with %d", got.Code)
		}
		<-time.After(time.Minute) // by the fake clock
		synctest.Wait()
		if n := refused.Load(); n != 100-total/size {
			t.Errorf("%d bodies were refused", n)
		}
		close(done)
		all.Wait()
	})
}

// endlessBody is a body whose rest does not arrive until the test ends.
type endlessBody struct {
	held *atomic.Int64
	done chan struct{}
}

func (b *endlessBody) Read([]byte) (int, error) {
	b.held.Add(1)
	<-b.done
	return 0, context.Canceled
}

// TestBodyBudgetIsShared checks that a key with too much does not hold up others, and
// that an ended claim leaves nothing behind.
func TestBodyBudgetIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		budget := transport.NewBodyBudget(100, 60)
		first, err := budget.Acquire(t.Context(), "a", 60)
		if err != nil {
			t.Fatal(err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := budget.Acquire(canceled, "a", 10)
			ended <- err
		}()
		synctest.Wait()
		second, err := budget.Acquire(t.Context(), "b", 40) // although another waits
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled claim ends with %v", err)
		}
		if _, err := budget.Acquire(t.Context(), "c", 1); !journal.IsKind(err, journal.KindUnavailable) {
			t.Errorf("a full budget answers %v", err)
		}
		first()
		second()
		third, err := budget.Acquire(t.Context(), "a", 1000) // more than a key may hold
		if err != nil {
			t.Fatal(err)
		}
		third()
	})
}
