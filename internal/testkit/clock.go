package testkit

import (
	"sync"
	"time"

	"fillbook/internal/base/journal"
)

// Clock is a clock advanced only by the test.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock at a fixed time.
func NewClock() *Clock {
	return &Clock{at: time.Date(2026, 3, 10, 15, 4, 5, 0, time.UTC)}
}

// Now returns the time. It is a [journal.Clock].
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance advances the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

var _ journal.Clock = (*Clock)(nil).Now
