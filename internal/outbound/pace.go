package outbound

import (
	"context"
	"sync"
	"time"
)

// burstGap is the time between the requests of a burst.
const burstGap = time.Second

// pace spreads requests evenly, so that no minute has more than allowed. After a pause,
// some requests may be sent before their time.
type pace struct {
	gap time.Duration
	// ahead is how long before its time a request may be sent.
	ahead time.Duration
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu   sync.Mutex
	next time.Time // the time of the next request
	last time.Time // when the last one was sent
}

func newPace(perMinute, burst int) *pace {
	p := &pace{now: time.Now, sleep: sleep}
	if perMinute > 0 {
		p.gap = time.Minute / time.Duration(perMinute)
		p.ahead = time.Duration(burst) * p.gap
	}
	return p
}

// wait returns when the next request may be sent.
func (p *pace) wait(ctx context.Context) error {
	if p.gap == 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	now := p.now()
	p.next = latest(p.next, now)
	at := latest(p.next.Add(-p.ahead), now)
	if p.ahead > 0 {
		at = latest(at, p.last.Add(min(burstGap, p.gap)))
	}
	p.next, p.last = p.next.Add(p.gap), at
	p.mu.Unlock()
	return p.sleep(ctx, at.Sub(now))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
