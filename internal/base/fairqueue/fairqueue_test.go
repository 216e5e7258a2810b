package fairqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/fairqueue"
)

// worker calls a queue and records the admission order.
type worker struct {
	t     *testing.T
	queue *fairqueue.Queue
	mu    sync.Mutex
	order []string
	done  sync.WaitGroup
}

// start starts a call with a key, which is active for a second.
func (w *worker) start(key string) {
	w.done.Go(func() {
		release, err := w.queue.Acquire(w.t.Context(), key)
		if err != nil {
			w.t.Errorf("%s: %v", key, err)
			return
		}
		w.mu.Lock()
		w.order = append(w.order, key)
		w.mu.Unlock()
		time.Sleep(time.Second) //nolint:forbidigo // a slow client is what is tested
		release()
	})
	synctest.Wait()
}

func TestKeysTakeTurns(t *testing.T) {
	for _, c := range []struct {
		name    string
		options fairqueue.Options
		asked   string
		want    string
	}{
		{"one place", fairqueue.Options{MaxActive: 1}, "aaaabbc", "aabcaba"},
		{"two places", fairqueue.Options{MaxActive: 2}, "aaaabbc", "aaabacb"},
		{"two places, one a key", fairqueue.Options{MaxActive: 2, MaxPerKey: 1}, "aaabb", "ababa"},
		{"one a key leaves the other place to others", fairqueue.Options{MaxActive: 2, MaxPerKey: 1}, "aab", "aba"},
		{"any number", fairqueue.Options{}, "aaabb", "aaabb"},
		{"any number of places, one a key", fairqueue.Options{MaxPerKey: 1}, "aabbc", "abcab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.options.MaxWaiting, c.options.MaxWait = 100, time.Hour
				w := &worker{t: t, queue: fairqueue.New(c.options)}
				for _, key := range c.asked {
					w.start(string(key))
				}
				w.done.Wait()
				got := ""
				for _, key := range w.order {
					got += key
				}
				if c.options.MaxActive != 1 { // the order within a moment is undefined
					got, c.want = sortMoments(got, c.options), sortMoments(c.want, c.options)
				}
				if got != c.want {
					t.Errorf("the order is %s, want %s", got, c.want)
				}
			})
		})
	}
}

// sortMoments sorts the keys admitted at the same moment.
func sortMoments(order string, options fairqueue.Options) string {
	size := options.MaxActive
	if size == 0 {
		size = len(order)
	}
	sorted := ""
	for part := range slices.Chunk([]byte(order), size) {
		slices.Sort(part)
		sorted += string(part)
	}
	return sorted
}

func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := fairqueue.New(fairqueue.Options{MaxActive: 1, MaxWaiting: 1, MaxWait: 5 * time.Second})
		release, err := queue.Acquire(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		waited := make(chan error)
		go func() {
			_, err := queue.Acquire(t.Context(), "a")
			waited <- err
		}()
		synctest.Wait()
		if working, waiting := queue.Load("a"); working != 1 || waiting != 1 {
			t.Errorf("%d work and %d wait", working, waiting)
		}
		if working, waiting := queue.Load("b"); working != 0 || waiting != 0 {
			t.Errorf("%d work and %d wait of an unused key", working, waiting)
		}
		if _, err := queue.Acquire(t.Context(), "a"); !errors.Is(err, fairqueue.ErrBusy) || time.Since(begun) != 0 {
			t.Errorf("a call above MaxWaiting returns %v after %s", err, time.Since(begun))
		}
		if err := <-waited; !errors.Is(err, fairqueue.ErrBusy) || time.Since(begun) != 5*time.Second {
			t.Errorf("a call that waits too long returns %v after %s", err, time.Since(begun))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := queue.Acquire(gone, "b"); !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled call returns %v", err)
		}
		release()
		release() // harmless
		for range 2 {
			next, err := queue.Acquire(t.Context(), "b")
			if err != nil {
				t.Fatal("the call was not released:", err)
			}
			next()
		}
	})
}

// TestPlacesAreNeverExceeded runs random calls with several keys: no limit is exceeded,
// and no caller waits if there is capacity.
func TestPlacesAreNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := fairqueue.Options{
			MaxActive: rapid.IntRange(1, 3).Draw(t, "places"), MaxPerKey: rapid.IntRange(0, 2).Draw(t, "per key"),
			MaxWaiting: 1000, MaxWait: time.Minute,
		}
		queue := fairqueue.New(options)
		var mu sync.Mutex
		working, most, mostOfKey := map[string]int{}, 0, 0
		var all sync.WaitGroup
		for i := range rapid.IntRange(1, 60).Draw(t, "callers") {
			key := fmt.Sprint(i % 4)
			all.Go(func() {
				release, err := queue.Acquire(context.Background(), key)
				if err != nil {
					panic(err)
				}
				mu.Lock()
				working[key]++
				total := 0
				for _, n := range working {
					total += n
				}
				most, mostOfKey = max(most, total), max(mostOfKey, working[key])
				mu.Unlock()
				mu.Lock()
				working[key]--
				mu.Unlock()
				release()
			})
		}
		all.Wait() // every call was admitted
		if most > options.MaxActive || options.MaxPerKey > 0 && mostOfKey > options.MaxPerKey {
			t.Fatalf("%d worked at once, %d of one key: %+v", most, mostOfKey, options)
		}
	})
}
