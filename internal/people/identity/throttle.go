package identity

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

const (
	// freeFailures is the number of failed logins without a delay.
	freeFailures = 10
	// failureWindow is how long a failed login counts.
	failureWindow = 15 * time.Minute
	// maxDelay limits the delay, so someone guessing a password cannot lock out its user
	// for longer.
	maxDelay = time.Minute
	// rememberedFailures is enough for the delay to reach maxDelay.
	rememberedFailures = freeFailures + 6
	// throttleKeys limits a throttle's memory.
	throttleKeys = 100_000
)

// throttleKey identifies what is throttled. It is a hash, so its size does not depend on
// the entered address, and addresses are not kept in memory.
type throttleKey [sha256.Size]byte

// throttle delays login attempts after failures. Ten failures within 15 minutes
// have no effect; each further one doubles the delay, from a second to a
// minute, during which no attempt is checked. It keeps a limited number of
// keys, the most recently used. Callers pass the time.
type throttle struct {
	mu      sync.Mutex
	limit   int
	entries map[throttleKey]*list.Element
	order   *list.List // *failures elements, the last used first
}

// failures are the times of the last failed logins, oldest first.
type failures struct {
	key   throttleKey
	times []time.Time
}

func newThrottle(limit int) *throttle {
	return &throttle{limit: limit, entries: map[throttleKey]*list.Element{}, order: list.New()}
}

// wait returns how long the key has to wait; zero if it may try.
func (t *throttle) wait(key throttleKey, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	element, ok := t.entries[key]
	if !ok {
		return 0
	}
	entry := element.Value.(*failures)
	entry.dropExpired(now)
	if len(entry.times) < freeFailures {
		return 0
	}
	last := entry.times[len(entry.times)-1]
	return max(0, entry.delay()-max(0, now.Sub(last)))
}

// fail records a failed login.
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
	entry.dropExpired(now)
	entry.times = append(entry.times, now)
	entry.times = entry.times[max(0, len(entry.times)-rememberedFailures):]
}

// clear removes a key after a successful login.
func (t *throttle) clear(key throttleKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if element, ok := t.entries[key]; ok {
		t.order.Remove(element)
		delete(t.entries, key)
	}
}

// evict removes the least recently used key if there are too many.
func (t *throttle) evict() {
	if t.order.Len() <= t.limit {
		return
	}
	oldest := t.order.Remove(t.order.Back()).(*failures)
	delete(t.entries, oldest.key)
}

// dropExpired removes the failures outside the window.
func (f *failures) dropExpired(now time.Time) {
	for i, at := range f.times {
		if at.After(now) { // the clock was set back
			f.times[i] = now
		}
	}
	for len(f.times) > 0 && now.Sub(f.times[0]) >= failureWindow {
		f.times = f.times[1:]
	}
}

// delay returns how long after the last failure the next attempt is allowed.
func (f *failures) delay() time.Duration {
	return min(maxDelay, time.Second<<(len(f.times)-freeFailures))
}

// maxIntervalKeys limits an interval's memory.
const maxIntervalKeys = 50_000

// interval allows each key once per time span. It keeps a limited number of
// keys. If there are more it removes all; the conditions in SQL still hold
// then.
type interval[K comparable] struct {
	length time.Duration
	last   map[K]time.Time
}

func newInterval[K comparable](length time.Duration) interval[K] {
	return interval[K]{length: length, last: map[K]time.Time{}}
}

func (p *interval[K]) isDue(key K, now time.Time) bool {
	if last, ok := p.last[key]; ok && now.Sub(last) < p.length {
		return false
	}
	if len(p.last) >= maxIntervalKeys {
		clear(p.last)
	}
	p.last[key] = now
	return true
}

// quota allows a number of events per minute and counts the others.
type quota struct {
	limit int
	since time.Time
	count int
}

// allow counts an event and reports whether it is within the quota. If a new minute has
// started, it also returns how many in the previous one were not.
func (q *quota) allow(now time.Time) (allowed bool, lost int) {
	if now.Sub(q.since) >= time.Minute {
		lost = max(0, q.count-q.limit)
		q.since, q.count = now, 0
	}
	q.count++
	return q.count <= q.limit, lost
}
