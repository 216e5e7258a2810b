package identity

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// freeFailures is how many failed logins cost nothing.
	freeFailures = 10
	// failureWindow is how long a failed login is remembered.
	failureWindow = 15 * time.Minute
	// longestDelay bounds the wait: a stranger who guesses at somebody's
	// password must not be able to lock them out for longer.
	longestDelay = time.Minute
	// rememberedFailures is enough for the delay to reach its longest.
	rememberedFailures = freeFailures + 6
	// throttleKeys bounds the memory of a throttle.
	throttleKeys = 100_000
)

// throttleKey names who is slowed down. It is a hash: of bounded size however
// long the address that was typed, and no list of addresses in memory.
type throttleKey [sha256.Size]byte

// throttle slows down the guessing of one user's password. Ten failures within
// a quarter of an hour are free; each further one doubles the time, from a
// second to a minute, in which no try is looked at. It remembers a bounded
// number of keys, the last used ones. Times are the caller's.
type throttle struct {
	mu      sync.Mutex
	limit   int
	entries map[throttleKey]*list.Element
	order   *list.List // of *failures, the last used first
}

// failures are the times of the last failed logins, oldest first.
type failures struct {
	key   throttleKey
	times []time.Time
}

func newThrottle(limit int) *throttle {
	return &throttle{limit: limit, entries: map[throttleKey]*list.Element{}, order: list.New()}
}

// wait tells how long the key has to wait; zero lets it try.
func (t *throttle) wait(key throttleKey, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	element, ok := t.entries[key]
	if !ok {
		return 0
	}
	entry := element.Value.(*failures)
	entry.forget(now)
	if len(entry.times) < freeFailures {
		return 0
	}
	last := entry.times[len(entry.times)-1]
	return max(0, entry.delay()-max(0, now.Sub(last)))
}

// fail notes a failed login.
func (t *throttle) fail(key throttleKey, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	element, ok := t.entries[key]
	if !ok {
		element = t.order.PushFront(&failures{key: key})
		t.entries[key] = element
		t.evict()
	}
	t.order.MoveToFront(element)
	entry := element.Value.(*failures)
	entry.forget(now)
	entry.times = append(entry.times, now)
	entry.times = entry.times[max(0, len(entry.times)-rememberedFailures):]
}

// clear forgets a key after a successful login.
func (t *throttle) clear(key throttleKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if element, ok := t.entries[key]; ok {
		t.order.Remove(element)
		delete(t.entries, key)
	}
}

// evict drops the key that was quiet for longest when there are too many.
func (t *throttle) evict() {
	if t.order.Len() <= t.limit {
		return
	}
	oldest := t.order.Remove(t.order.Back()).(*failures)
	delete(t.entries, oldest.key)
}

// forget drops the failures that are out of the window.
func (f *failures) forget(now time.Time) {
	for i, at := range f.times {
		if at.After(now) { // the clock was set back
			f.times[i] = now
		}
	}
	for len(f.times) > 0 && now.Sub(f.times[0]) >= failureWindow {
		f.times = f.times[1:]
	}
}

// delay is how long after the last failure the next try is looked at.
func (f *failures) delay() time.Duration {
	return min(longestDelay, time.Second<<(len(f.times)-freeFailures))
}

// maxPaced bounds the memory of a pace.
const maxPaced = 50_000

// pace lets each key pass once an interval. It remembers a bounded number of
// keys; when there are more it starts anew, and the database decides.
type pace[K comparable] struct {
	interval time.Duration
	last     map[K]time.Time
}

func newPace[K comparable](interval time.Duration) pace[K] {
	return pace[K]{interval: interval, last: map[K]time.Time{}}
}

func (p *pace[K]) isDue(key K, now time.Time) bool {
	if last, ok := p.last[key]; ok && now.Sub(last) < p.interval {
		return false
	}
	if len(p.last) >= maxPaced {
		clear(p.last)
	}
	p.last[key] = now
	return true
}

// quota admits so many a minute and counts the rest.
type quota struct {
	limit int
	since time.Time
	count int
}

// admit counts one more and tells whether it is within the quota. When a new
// minute begins it also gives how many of the last one were not.
func (q *quota) admit(now time.Time) (admitted bool, lost int) {
	if now.Sub(q.since) >= time.Minute {
		lost = max(0, q.count-q.limit)
		q.since, q.count = now, 0
	}
	q.count++
	return q.count <= q.limit, lost
}
