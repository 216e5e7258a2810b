package testkit

import (
	"sync"
	"time"

	"fillbook/internal/journal"
)

// Clock is a clock that stands still until the test moves it.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock starts a clock at a fixed, unremarkable instant.
func NewClock() *Clock {
	return &Clock{at: time.Date(2026, 3, 10, 15, 4, 5, 0, time.UTC)}
}

// Now tells the time; pass it as a [journal.Clock].
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

var _ journal.Clock = (*Clock)(nil).Now
