package outbound

import (
	"context"
	"sync"
	"time"
)

// pace spreads requests evenly, so that no minute has more than allowed.
type pace struct {
	gap   time.Duration
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu   sync.Mutex
	next time.Time // before which no request is sent
}

func newPace(perMinute int) *pace {
	p := &pace{now: time.Now, sleep: sleep}
	if perMinute > 0 {
		p.gap = time.Minute / time.Duration(perMinute)
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
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(p.gap)
	p.mu.Unlock()
	return p.sleep(ctx, at.Sub(now))
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
